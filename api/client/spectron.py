"""The client itself: `Spectron`, awaited, and `BlockingSpectron`."""

import secrets
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from api.client.requests import TIMEOUT_S, Request, Target, given
from api.client.sessions import Scopes, Sessions, Transport
from api.client.transport import AsyncTransport, BlockingTransport


class Calls:
    """What both clients can do. Every call returns an `Answer`; with `Spectron` it is awaited."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.sessions = Sessions(transport)

    def remember(
        self,
        text: str | None = None,
        *,
        session_id: str | None = None,
        role: str | None = None,
        infer: str | None = None,
        scopes: Scopes | None = None,
        labels: Sequence[str] | None = None,
        triples: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> Any:
        """Record one turn; `extraction` says what it changed. options: further fields of `/facts`."""
        body = given(
            text=text, session_id=session_id, role=role, infer=infer, scopes=scopes, labels=labels, triples=triples
        )
        return self.transport.send(_write("/facts", {**body, **options}))

    def remember_many(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> Any:
        """Record many turns; options: further fields of `/facts/batch`."""
        return self.transport.send(_write("/facts/batch", {"messages": list(messages), **options}))

    def chat(
        self,
        message: str,
        *,
        session_id: str | None = None,
        scopes: Scopes | None = None,
        labels: Sequence[str] | None = None,
        model: str | None = None,
        bypass_cache: bool | None = None,
        suppress_markers: bool | None = None,
        stream: bool = False,
    ) -> Any:
        """The assistant's reply from memory; both turns are stored when it is complete.

        stream: iterate over chunks, `delta` by `delta`, the last of which has `done` and the whole answer.
        """
        body = given(
            message=message,
            sessionId=session_id,
            scopes=scopes,
            labels=labels,
            model=model,
            bypassCache=bypass_cache,
            suppressMarkers=suppress_markers,
        )
        return self.sessions.chat("/chat", body, stream=stream)

    def recall(self, query: str, **options: Any) -> Any:
        """The memories that fit `query`, best first; options: further fields of `/query`."""
        return self.transport.send(Request("POST", "/query", {"query": query, **options}, repeatable=True))

    def query_context(self, query: str, **options: Any) -> Any:
        """What memory would put into a prompt for `query`, under `context`."""
        return self.transport.send(Request("POST", "/context", {"query": query, **options}, repeatable=True))

    def reflect(self, query: str, *, persist: bool = False) -> Any:
        return self.transport.send(Request("POST", "/reflect", {"query": query, "persist": persist}))

    def state(self, **parameters: Any) -> Any:
        return self.transport.send(Request("GET", "/state", parameters=parameters, repeatable=True))

    def profile(self) -> Any:
        return self.transport.send(Request("GET", "/profile", repeatable=True))

    def inspect(self, ref: str) -> Any:
        return self.transport.send(Request("GET", "/inspect", parameters={"ref": ref}, repeatable=True))


class Spectron(Calls):
    """The asynchronous client of one context.

    endpoint, api_key: else SPECTRON_ENDPOINT and SPECTRON_API_KEY of the environment. timeout: seconds.
    Raises ApiError for what the server refuses, Unreachable when no answer comes.
    """

    def __init__(
        self, context: str, *, endpoint: str | None = None, api_key: str | None = None, timeout: float = TIMEOUT_S
    ) -> None:
        self._http = AsyncTransport(Target.of(context, endpoint, api_key), timeout)
        super().__init__(self._http)

    async def close(self) -> None:
        await self._http.close()

    async def __aenter__(self) -> "Spectron":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class BlockingSpectron(Calls):
    """The same, without await."""

    def __init__(
        self, context: str, *, endpoint: str | None = None, api_key: str | None = None, timeout: float = TIMEOUT_S
    ) -> None:
        self._http = BlockingTransport(Target.of(context, endpoint, api_key), timeout)
        super().__init__(self._http)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> "BlockingSpectron":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _write(path: str, body: dict[str, Any]) -> Request:
    """A write under a key of its own, so that sending it again records nothing twice."""
    return Request("POST", path, body, headers={"Idempotency-Key": secrets.token_hex(16)}, repeatable=True)
