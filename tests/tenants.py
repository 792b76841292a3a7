"""A context of its own on a running server, made through the management API, and callers in it."""

import itertools
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from tests.servers import ServerProcess

NOT_KEPT = httpx.Limits(max_keepalive_connections=0)

_numbers = itertools.count(1)
READ, WRITE, FORGET, MANAGE = "memory:read", "memory:write", "memory:forget", "grant:manage"


def operator_key(server: ServerProcess) -> str:
    """The management key."""
    if "MANAGEMENT_API_KEY" in server.settings:
        return server.settings["MANAGEMENT_API_KEY"]
    return str(json.loads((server.home / "keys.json").read_text())["management"])


def operator(server: ServerProcess) -> httpx.Client:
    """A client with the management key, at the API's root."""
    headers = {"Authorization": f"Bearer {operator_key(server)}"}
    return httpx.Client(base_url=server.url + "/api/v1", headers=headers, limits=NOT_KEPT, timeout=60)


@dataclass(frozen=True)
class Tenant:
    """A context, and the operator who made it."""

    server: ServerProcess
    operator: httpx.Client
    name: str = field(default_factory=lambda: f"tenant {next(_numbers)}")

    @property
    def path(self) -> str:
        return f"/contexts/{quote(self.name, safe='')}"

    def make(self, **body: Any) -> "Tenant":
        made = self.operator.post(self.path, json=body)
        assert made.status_code == 201, made.text
        return self

    def principal(self, name: str, grants: dict[str, list[str]], **more: Any) -> str:
        """The id of a new principal."""
        body = {"display_name": name, "external_id": name, "grants": grants, **more}
        made = self.operator.post(f"{self.path}/principals", json=body)
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def key(self, principal: str, name: str = "", grants: dict[str, list[str]] | None = None, ttl: int = 0) -> str:
        """The secret of a new key of a principal."""
        made = self.operator.post(
            f"{self.path}/principals/{principal}/keys/{name or f'key-{next(_numbers)}'}",
            json={} if grants is None else {"grants": grants},
            params={"ttl_seconds": ttl} if ttl else {},
        )
        assert made.status_code == 201, made.text
        return str(made.json()["key"])

    def client(self, key: str, **headers: str) -> httpx.Client:
        """A client at the context's base; each request has a connection of its own."""
        return httpx.Client(
            base_url=f"{self.server.url}/api/v1/{quote(self.name, safe='')}",
            headers={"Authorization": f"Bearer {key}", **headers},
            limits=NOT_KEPT,
            timeout=60,
        )

    def caller(self, name: str, grants: dict[str, list[str]]) -> httpx.Client:
        """A client of a new principal with a key of all its grants."""
        return self.client(self.key(self.principal(name, grants)))

    def admin(self) -> httpx.Client:
        return self.client(self.key("principal:admin"))
