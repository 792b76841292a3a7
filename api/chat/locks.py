"""One chat at a time where a session's turns must not be mixed: in this process, and in all others of the database."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import UUID
from weakref import WeakValueDictionary

import psycopg

from memory.log import Connection

RETRY_S, RETRY_S_MAX = 0.01, 0.25

# Held by the database session, so that a process that dies gives them back.
TRY = "SELECT pg_try_advisory_lock(hashtextextended(%(name)s, 0))"
RELEASE = "SELECT pg_advisory_unlock(hashtextextended(%(name)s, 0))"


class SessionLocks:
    """A lock per session. All that this process holds are held by one connection, which never waits for any.

    connect: opens that connection, when the first lock is needed. If it breaks, only the locks of other processes
    are lost until the exchanges that held them have ended.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._using = threading.Lock()
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def holding(self, context_id: str, session_id: UUID) -> AsyncIterator[None]:
        """Raises psycopg.Error if the database can't be asked."""
        name = f"{session_id} {context_id}"
        here = self._here.get(name)
        if here is None:
            here = self._here[name] = asyncio.Lock()
        async with here:
            wait_s = RETRY_S
            while not await self._taken(name):
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, RETRY_S_MAX)
            try:
                yield
            finally:
                await asyncio.shield(asyncio.to_thread(self._release, name))

    async def _taken(self, name: str) -> bool:
        attempt = asyncio.ensure_future(asyncio.to_thread(self._ask, TRY, name))
        try:
            return await asyncio.shield(attempt)
        except asyncio.CancelledError:
            # Nobody would give back what a thread takes after its caller has gone.
            if await attempt:
                await asyncio.shield(asyncio.to_thread(self._release, name))
            raise

    def _release(self, name: str) -> None:
        try:
            self._ask(RELEASE, name)
        except psycopg.Error:
            self.close()  # which releases all the same

    def _ask(self, statement: str, name: str) -> bool:
        with self._using:
            kept = self._connection
            if kept is not None and not kept.closed:
                try:
                    return _answer(kept, statement, name)
                except psycopg.OperationalError:
                    if not kept.broken:
                        raise  # else Postgres was restarted, and another connection is had at once
            self._connection = self._connect()
            return _answer(self._connection, statement, name)

    def close(self) -> None:
        """Give back all that is held."""
        with self._using:
            if self._connection is not None:
                self._connection.close()


def _answer(connection: Connection, statement: str, name: str) -> bool:
    row = connection.execute(statement.encode(), {"name": name}).fetchone()
    return bool(row and row[0])
