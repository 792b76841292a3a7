"""The contexts of this machine's database, as a command works on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from api.errors import StartupError
from api.settings.config import from_env

if TYPE_CHECKING:
    from api.wiring import Services

CONTEXTS = "SELECT context_id, position FROM contexts WHERE deleted_at IS NULL ORDER BY context_id"


@contextmanager
def opened(context_id: str | None) -> Iterator[tuple["Services", Any, dict[str, int]]]:
    """Services, a connection, and the asked context, or all, with their positions. Raises StartupError without it."""
    from api import wiring

    with wiring.services(from_env()) as services, services.database.connect() as connection:
        contexts = {name: int(position) for name, position in connection.execute(CONTEXTS)}
        if context_id is not None:
            if context_id not in contexts:
                raise StartupError(f"there is no context {context_id!r}")
            contexts = {context_id: contexts[context_id]}
        yield services, connection, contexts
