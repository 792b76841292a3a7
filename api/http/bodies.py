"""Bodies as they come in: under a limit of size, and of time, so that slow clients hold nothing for long."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from starlette.requests import Request

from memory.errors import PayloadTooLarge, RequestTimeout

IDLE_S = 30.0  # between two pieces
BEGIN_S = 60.0  # for a whole body, beside what its size needs
BYTES_PER_S = 50_000


async def pieces(
    request: Request, *, most: int, too_large: Callable[[], PayloadTooLarge]
) -> AsyncGenerator[bytes, None]:
    """The body piece by piece. Raises `too_large()` as soon as it has more than `most` bytes, however long the rest
    is, and RequestTimeout when nothing comes for IDLE_S, or all of it takes longer than `most` bytes may."""
    size = 0
    stream = aiter(request.stream())
    last_at = asyncio.get_running_loop().time() + BEGIN_S + most / BYTES_PER_S
    while True:
        try:
            idle_at = asyncio.get_running_loop().time() + IDLE_S
            async with asyncio.timeout_at(min(idle_at, last_at)):
                piece = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise RequestTimeout("the body did not come in time") from error
        size += len(piece)
        if size > most:
            raise too_large()
        yield piece
