"""Sessions: conversations, and what can be asked within one."""

from collections.abc import Sequence
from typing import Any, Protocol

from api.client.answers import Answer
from api.client.requests import Json, Request, given, segment
from api.client.transport import Understand

Scopes = str | Sequence[str] | Sequence[Sequence[str]]


class Transport(Protocol):
    """Sends a request; with the asynchronous client, what it returns is awaited."""

    def send(self, request: Request, understand: Understand = ...) -> Any: ...

    def stream(self, request: Request) -> Any: ...


class Session(Answer):
    """An open session, as `memory.sessions.create` returns it. All calls are those of the client, within it."""

    def __init__(self, content: Json, calls: "Sessions") -> None:
        super().__init__(content)
        self.__dict__["_calls"] = calls

    def chat(self, message: str, *, stream: bool = False) -> Any:
        """Say something and get the assistant's reply: the words are stored and learnt from first, then the reply."""
        body = {"content": message}
        return self._calls.chat(f"{self._path}/chat", body, stream=stream)

    def turn(self, content: str, *, role: str = "user", **options: Any) -> Any:
        """Record one turn and get what it changed. options: further fields of `/facts`."""
        return self._calls.transport.send(
            Request("POST", f"{self._path}/turns", {"role": role, "content": content, **options})
        )

    def context(self, query: str) -> Any:
        """What memory would put into a prompt for `query`, under `context`."""
        return self._calls.context(self["id"], query)

    def turns(self, **page: Any) -> Any:
        return self._calls.turns(self["id"], **page)

    def close(self) -> Any:
        """No more turns; everything stays readable."""
        return self._calls.close(self["id"])

    @property
    def _path(self) -> str:
        return f"/sessions/{segment(self['id'])}"

    @property
    def _calls(self) -> "Sessions":
        calls: Sessions = self.__dict__["_calls"]
        return calls


class Sessions:
    """`memory.sessions`."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    def create(self, *, scopes: Scopes | None = None, scope: Scopes | None = None, metadata: Any = None) -> Any:
        """A new session. scopes, scope: both names mean the same; a flat list is an OR of paths."""
        body = given(scopes=scopes if scopes is not None else scope, metadata=metadata)
        return self.transport.send(Request("POST", "/sessions", body), lambda content: Session(content, self))

    def context(self, session_id: str, query: str) -> Any:
        return self.transport.send(Request("POST", f"/sessions/{segment(session_id)}/context", {"query": query}))

    def turns(self, session_id: str, **page: Any) -> Any:
        """The turns, oldest first, under `turns`. page: limit, cursor, offset."""
        return self.transport.send(
            Request("GET", f"/sessions/{segment(session_id)}/turns", parameters=page, repeatable=True)
        )

    def close(self, session_id: str) -> Any:
        return self.transport.send(Request("DELETE", f"/sessions/{segment(session_id)}", repeatable=True))

    def chat(self, path: str, body: Json, *, stream: bool) -> Any:
        """A chat request: the whole answer, or with `stream` its chunks as they come."""
        if not stream:
            return self.transport.send(Request("POST", path, body))
        headers = {"Accept": "text/event-stream"}
        return self.transport.stream(Request("POST", path, {**body, "stream": True}, headers=headers))
