"""Brings the embedded Postgres back when it dies under a running server."""

import logging
import threading
from types import TracebackType

import psycopg

from api.postgres.embedded_postgres import EmbeddedPostgres, EmbeddedPostgresError

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
CONNECT_TIMEOUT_S = 5


class PostgresWatch:
    """Looks every second whether Postgres answers, and starts it if not. A context manager around serving."""

    def __init__(self, embedded: EmbeddedPostgres, url: str) -> None:
        self._embedded = embedded
        self._url = url
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watch-postgres", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            try:
                psycopg.connect(self._url, connect_timeout=CONNECT_TIMEOUT_S).close()
            except psycopg.OperationalError:
                self._revive()

    def _revive(self) -> None:
        logger.warning("the embedded Postgres does not answer; starting it again")
        try:
            self._embedded.start()
        except EmbeddedPostgresError as error:
            logger.warning("%s", error)
