"""The embedded Postgres, coming up in a thread while the process that wants it loads the rest of its code."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from api.errors import StartupError
from api.postgres.embedded_postgres import EmbeddedPostgres, EmbeddedPostgresError


class PostgresAhead:
    """A context manager: starts the Postgres of a home at once, stops it in the end unless others use it."""

    def __init__(self, home: Path) -> None:
        self.embedded = EmbeddedPostgres(home)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="start-postgres")

    def __enter__(self) -> Self:
        self._coming = self._thread.submit(self.embedded.start)
        return self

    def url(self) -> str:
        """Wait until it answers; see `EmbeddedPostgres.start`. Raises StartupError if it does not."""
        try:
            return self._coming.result()
        except EmbeddedPostgresError as error:
            raise StartupError(str(error)) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.embedded.give_up()
        self._thread.shutdown()
        self.embedded.stop()
