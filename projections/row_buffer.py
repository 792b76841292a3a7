"""A buffer between answering and writing what is noted about the answer: answering never waits for the writing."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import psycopg
import psycopg_pool

from memory.log import Connection, Pool

T = TypeVar("T")

logger = logging.getLogger(__name__)

FLUSH_INTERVAL_S = 0.2
HELD_MAX = 10_000  # the oldest give way
EXPIRY_INTERVAL = timedelta(hours=1)

CONTEXTS = "SELECT context_id FROM contexts ORDER BY context_id"


class RowBuffer(Generic[T]):
    """Holds rows for at most FLUSH_INTERVAL_S. Shared by all threads; its own one begins with the first row.

    name: of what is held, in the plural. write: writes rows, in one transaction, and may meet some twice.
    expire: drops rows of a context that were made before a time. retention: how long rows are kept.
    """

    def __init__(
        self,
        pool: Pool,
        *,
        name: str,
        write: Callable[[Connection, list[T]], None],
        expire: Callable[[Connection, str, datetime], None],
        retention: timedelta,
    ) -> None:
        self._pool = pool
        self._name = name
        self._write = write
        self._expire = expire
        self._retention = retention
        self._held: deque[T] = deque(maxlen=HELD_MAX)
        self._writing = threading.Lock()
        self._starting = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, row: T) -> None:
        """Never waits and never fails; a row that can't be written is lost, an answer is not."""
        self._held.append(row)
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._keep_flushing, name=self._name, daemon=True)
                    self._thread.start()

    def flush(self) -> None:
        """Write what is held, so that reads see it.

        Raises psycopg.OperationalError or PoolTimeout while the database can't be had; all is held still then.
        """
        with self._writing:
            taken = [self._held.popleft() for _ in range(len(self._held))]
            if not taken:
                return
            try:
                with self._pool.connection() as connection:
                    self._write(connection, taken)
            except (psycopg.OperationalError, psycopg_pool.PoolTimeout):
                room = max(0, HELD_MAX - len(self._held))
                self._held.extendleft(reversed(taken[max(0, len(taken) - room) :]))
                raise
            except psycopg.Error:
                # What can't be written now never can: held on to, it would keep all later ones back.
                logger.exception("%s are lost", self._name)

    def close(self) -> None:
        """Write what is held, if it can be, and stop."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(5)
            self._try(self.flush)

    def expire(self, now: datetime) -> None:
        """Drop rows that are older than the retention, context by context."""
        with self._pool.connection() as connection:
            for (context_id,) in connection.execute(CONTEXTS).fetchall():
                self._expire(connection, context_id, now - self._retention)

    def _keep_flushing(self) -> None:
        expired_at = datetime.min.replace(tzinfo=UTC)
        while not self._closing.wait(FLUSH_INTERVAL_S):
            self._try(self.flush)
            now = datetime.now(UTC)
            if now - expired_at >= EXPIRY_INTERVAL:
                expired_at = now
                self._try(self.expire, now)

    def _try(self, step: Callable[..., None], *arguments: Any) -> None:
        try:
            step(*arguments)
        except (psycopg.Error, psycopg_pool.PoolTimeout) as error:
            logger.warning("%s are kept back: %s", self._name, type(error).__name__)
