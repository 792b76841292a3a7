"""The plain client: REST over httpx, at a context of its own on a running server."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from tests.servers import ServerProcess, run_command

Json = dict[str, Any]


@dataclass(frozen=True)
class Context:
    """A context that no other test writes to, and its key."""

    server: ServerProcess
    name: str
    key: str

    @property
    def path(self) -> str:
        return f"/api/v1/{quote(self.name, safe='')}"

    def client(self) -> httpx.Client:
        """A client at the context's base; each request has a connection of its own."""
        return httpx.Client(
            base_url=self.server.url + self.path,
            headers={"Authorization": f"Bearer {self.key}"},
            limits=httpx.Limits(max_keepalive_connections=0),
            timeout=60,
        )


def new_context(server: ServerProcess, name: str) -> Context:
    """Make a context beside the server's own, as an operator would."""
    done = run_command(server.home, "bootstrap", "--json", **{**server.settings, "CONTEXT": name})
    assert done.returncode == 0, done.stderr
    return Context(server, name, json.loads(done.stdout)["api_key"])


def content(answer: httpx.Response, status: int = 200) -> Json:
    """The answer's JSON object, once its status is as expected."""
    assert answer.status_code == status, f"{answer.status_code}: {answer.text[:500]}"
    found: Json = answer.json()
    return found


def assert_error(answer: httpx.Response, status: int) -> str:
    """Assert the one shape that every error has. Returns its message."""
    error = content(answer, status)
    assert answer.headers["content-type"] == "application/json"
    assert {"message", "type", "title", "status", "detail"} <= error.keys()
    assert error["status"] == status
    assert error["message"] == error["detail"] != ""
    assert error["type"].startswith("https://")
    return str(error["message"])
