"""One chat at a time where a session's turns must not be mixed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID
from weakref import WeakValueDictionary


class SessionLocks:
    """A lock per session, made when it is first needed and gone when nobody holds or awaits it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[tuple[str, UUID], asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def holding(self, context_id: str, session_id: UUID) -> AsyncIterator[None]:
        lock = self._locks.get((context_id, session_id))
        if lock is None:
            lock = self._locks[context_id, session_id] = asyncio.Lock()
        async with lock:
            yield
