"""The application on a real socket inside this process, over the services of the tests."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import httpx
import uvicorn

from api import keys
from api.chat.parts import ChatParts
from api.chat.responders import ConfiguredResponders, Responders
from api.http.app import create_app
from api.http.connections import PunctualProtocol
from api.ids import new_id
from api.models import Models
from api.settings.config import PROMPT_CHARACTERS
from api.wiring import Services
from tests.worlds import World, world_in

MODEL = "openai/gpt-4o"
OTHER_MODEL = "openai/gpt-4o-mini"
START_TIMEOUT_S = 30


@dataclass(frozen=True)
class Talk:
    """A fresh context behind the application, and a client at its base."""

    world: World
    http: httpx.Client
    url: str
    key: str

    def say(self, message: str, session_id: str | None = None, **fields: Any) -> httpx.Response:
        """POST /chat."""
        body = {"message": message, **fields}
        if session_id:
            body["sessionId"] = session_id
        return self.http.post("/chat", json=body)

    def session(self) -> str:
        return str(self.http.post("/sessions").json()["id"])

    def turns(self, session_id: str) -> list[dict[str, Any]]:
        turns: list[dict[str, Any]] = self.http.get(f"/sessions/{session_id}/turns").json()["turns"]
        return turns


@contextmanager
def application(services: Services, responders: Responders) -> Iterator[str]:
    """Serve with these response models; gives the base URL."""
    parts = ChatParts(responders, PROMPT_CHARACTERS, services.chat.locks)
    config = uvicorn.Config(
        create_app(replace(services, chat=parts)),
        port=0,
        loop="asyncio",
        log_config=None,
        access_log=False,
        http=PunctualProtocol,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + START_TIMEOUT_S
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    assert server.started
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(START_TIMEOUT_S)
        # The services outlive this application; who tests with them next decides when vectors are made.
        for loading in [one for one in threading.enumerate() if one.name == "load-models"]:
            loading.join(START_TIMEOUT_S)
        services.indexing.close()


@contextmanager
def talk_at(url: str, services: Services) -> Iterator[Talk]:
    """A fresh context of the application at `url`."""
    context_id = f"talk {new_id()}"
    key = keys.new_key()
    keys.ensure_context(services.log, context_id, key)
    base = f"{url}/api/v1/{quote(context_id)}"
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=30) as http:
        yield Talk(world_in(services, context_id, key), http, url, key)


def openai_at(base_url: str, *, deadline_s: float = 20) -> ConfiguredResponders:
    """MODEL, or on request OTHER_MODEL, at an endpoint of a test."""
    config = {
        "models": {"response": MODEL, "allowed": [OTHER_MODEL]},
        "providers": {"openai": {"base_url": base_url, "api_key": "test"}},
        "prices": {MODEL: {"input": 2.5, "output": 10}},
    }
    return ConfiguredResponders(Models(config, {}), deadline_s=deadline_s)
