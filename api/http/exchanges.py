"""One request that is answered in the event loop: what waits for models, or sends more than one answer."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import anyio
import anyio.to_thread
import msgspec
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from api.http.calls import Call
from api.http.problems import trace_header

T = TypeVar("T")

LINE_END = "\n"
PING_S = 15  # between comments that keep a silent stream alive


class Frame(NamedTuple):
    """One server-sent event. content: becomes JSON."""

    name: str | None
    content: Any
    id: str | None = None


class ClientGone(Exception):
    """The client hung up before it was answered"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the way back. Blocking work, the database first of all, runs in threads."""

    call: Call
    request: Request
    writers: anyio.CapacityLimiter

    async def read(self, work: Callable[[], T]) -> T:
        """The result of blocking work that only reads."""
        return await anyio.to_thread.run_sync(work)

    async def write(self, work: Callable[[], T]) -> T:
        """The result of blocking work that writes; it comes to its end even if the client hangs up meanwhile."""
        return await asyncio.shield(anyio.to_thread.run_sync(work, limiter=self.writers))

    async def unless_gone(self, waiting: Awaitable[T]) -> T:
        """The result of `waiting`, which is cancelled when the client hangs up. Raises ClientGone then."""
        working = asyncio.ensure_future(waiting)
        leaving = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            raise ClientGone
        finally:
            for task in (working, leaving):
                task.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)

    async def _gone(self) -> None:
        while (await self.request.receive())["type"] != "http.disconnect":
            pass


def answer(status: int, content: Any, headers: Mapping[str, str] | None = None) -> Response:
    """`content` as JSON."""
    encoded = msgspec.json.encode(content)
    return Response(encoded, status, {**trace_header(), **(headers or {})}, "application/json")


def event_stream(frames: AsyncGenerator[tuple[str | None, Any], None]) -> Response:
    """Server-sent events from (event name, JSON content). `frames` is closed as soon as the client hangs up."""
    return frame_stream(_nameless(frames))


def frame_stream(frames: AsyncGenerator[Frame, None]) -> Response:
    """As `event_stream`, with ids from which a client goes on after it lost the connection."""
    return EventSourceResponse(_events(frames), headers=trace_header(), sep=LINE_END, ping=PING_S)


async def _nameless(frames: AsyncGenerator[tuple[str | None, Any], None]) -> AsyncGenerator[Frame, None]:
    async with aclosing(frames):
        async for name, content in frames:
            yield Frame(name, content)


async def _events(frames: AsyncGenerator[Frame, None]) -> AsyncIterator[ServerSentEvent]:
    async with aclosing(frames):
        async for frame in frames:
            content = msgspec.json.encode(frame.content).decode()
            yield ServerSentEvent(content, event=frame.name, id=frame.id, sep=LINE_END)
