"""Sends requests over httpx, blocking or not, with the same rules for both."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx

from api.client.answers import Answer
from api.client.errors import ApiError, Unreachable
from api.client.frames import Frames
from api.client.requests import Request, Target, chunk_of, content_of, wait_of, waits, worth_repeating

Understand = Callable[[Any], Any]

CUT_OFF = "the stream ended before the reply was complete"


def itself(answer: Any) -> Any:
    return answer


class BlockingTransport:
    """`send` returns the answer; `stream` iterates over its chunks."""

    def __init__(self, target: Target, timeout_s: float) -> None:
        self.http = httpx.Client(base_url=target.base_url, headers=target.headers, timeout=timeout_s)

    def send(self, request: Request, understand: Understand = itself) -> Any:
        for wait_s in waits(request):
            try:
                response = self.http.send(_built(self.http, request))
            except httpx.TransportError:
                time.sleep(wait_s)
                continue
            if not worth_repeating(response):
                return understand(content_of(response))
            time.sleep(wait_of(response, wait_s))
        try:
            return understand(content_of(self.http.send(_built(self.http, request))))
        except httpx.TransportError as error:
            raise _unreachable(error) from error

    def stream(self, request: Request) -> Iterator[Answer]:
        """The chunks of a streamed answer, after the server has accepted the request."""
        try:
            response = self.http.send(_built(self.http, request), stream=True)
        except httpx.TransportError as error:
            raise _unreachable(error) from error
        if not response.is_success:
            response.read()
            content_of(response)
        return _chunks(response)

    def close(self) -> None:
        self.http.close()


class AsyncTransport:
    """The same, awaited."""

    def __init__(self, target: Target, timeout_s: float) -> None:
        self.http = httpx.AsyncClient(base_url=target.base_url, headers=target.headers, timeout=timeout_s)

    async def send(self, request: Request, understand: Understand = itself) -> Any:
        for wait_s in waits(request):
            try:
                response = await self.http.send(_built(self.http, request))
            except httpx.TransportError:
                await asyncio.sleep(wait_s)
                continue
            if not worth_repeating(response):
                return understand(content_of(response))
            await asyncio.sleep(wait_of(response, wait_s))
        try:
            return understand(content_of(await self.http.send(_built(self.http, request))))
        except httpx.TransportError as error:
            raise _unreachable(error) from error

    async def stream(self, request: Request) -> AsyncIterator[Answer]:
        try:
            response = await self.http.send(_built(self.http, request), stream=True)
        except httpx.TransportError as error:
            raise _unreachable(error) from error
        if not response.is_success:
            await response.aread()
            content_of(response)
        return _async_chunks(response)

    async def close(self) -> None:
        await self.http.aclose()


def _built(http: httpx.Client | httpx.AsyncClient, request: Request) -> httpx.Request:
    return http.build_request(
        request.method,
        request.path,
        json=request.body,
        params={name: value for name, value in request.parameters.items() if value is not None},
        headers=dict(request.headers),
    )


def _chunks(response: httpx.Response) -> Iterator[Answer]:
    frames = Frames()
    try:
        for line in response.iter_lines():
            for event, data in frames.feed(line):
                chunk = chunk_of(event, data)
                yield chunk
                if chunk["done"]:
                    return
    except httpx.TransportError as error:
        raise _unreachable(error) from error
    finally:
        response.close()
    raise ApiError(0, CUT_OFF, {}, trace_id=None, retry_after_s=None)


async def _async_chunks(response: httpx.Response) -> AsyncIterator[Answer]:
    frames = Frames()
    try:
        async for line in response.aiter_lines():
            for event, data in frames.feed(line):
                chunk = chunk_of(event, data)
                yield chunk
                if chunk["done"]:
                    return
    except httpx.TransportError as error:
        raise _unreachable(error) from error
    finally:
        await response.aclose()
    raise ApiError(0, CUT_OFF, {}, trace_id=None, retry_after_s=None)


def _unreachable(error: httpx.TransportError) -> Unreachable:
    return Unreachable(str(error) or type(error).__name__)
