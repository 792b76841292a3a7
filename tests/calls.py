"""Handlers called as the server calls them, without HTTP in between."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.datastructures import Headers, QueryParams

from api import keys
from api.http.calls import Call
from api.ids import new_id
from api.wiring import Services
from memory.errors import NotFound
from tests.worlds import World, world_in


@dataclass(frozen=True)
class Keyed:
    """A context and a key to it. get: an unknown thing answers {"absent": True}."""

    world: World
    key: str

    def call(self, path: Mapping[str, str] | None, query: Mapping[str, str], body: Any = None) -> Call:
        headers = Headers({"authorization": f"Bearer {self.key}"})
        path = {"context_id": self.world.context_id, **(path or {})}
        content = b"" if body is None else msgspec.json.encode(body)
        return Call(self.world.services, path, QueryParams(query), headers, content)

    def get(self, handler: Any, path: Mapping[str, str] | None = None, /, **query: str) -> dict[str, Any]:
        return answer_of(handler, self.call(path, query))

    def post(self, handler: Any, path: Mapping[str, str] | None = None, /, **body: Any) -> dict[str, Any]:
        return answer_of(handler, self.call(path, {}, body))


def answer_of(handler: Any, call: Call) -> dict[str, Any]:
    try:
        _, answer = handler(call)
    except NotFound:
        return {"absent": True}
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer))
    return decoded


def keyed_world(services: Services) -> Keyed:
    """A fresh context with an administrator's key."""
    context_id = f"keyed-{new_id()}"
    keys.ensure_context(services.log, context_id, key := keys.new_key())
    return Keyed(world_in(services, context_id, key), key)
