"""Events of a context as they move into another one, there or elsewhere."""

from collections.abc import Iterable
from datetime import datetime

from memory.errors import Conflict
from memory.log import EVENT_COLUMNS, GENESIS_HASH, Connection, to_columns
from memory.recorded import StoredRow, moved

LOCK_EMPTY = """
SELECT position FROM contexts WHERE context_id = %(context_id)s AND deleted_at IS NULL FOR UPDATE
"""

COPY_EVENTS = f"COPY events ({EVENT_COLUMNS}) FROM STDIN (FORMAT BINARY)"
EVENT_TYPES = "text int8 uuid text int2 timestamptz timestamptz uuid uuid uuid uuid text bytea bytea bytea".split()

SET_HEAD = """
UPDATE contexts SET position = %(position)s, hash = %(hash)s, recorded_at = %(recorded_at)s
WHERE context_id = %(context_id)s
"""


def adopt(connection: Connection, context_id: str, batches: Iterable[list[StoredRow]]) -> int:
    """Put a whole log into an empty context, inside an open transaction; its read models are not touched.

    batches: in order from position 1, of whatever context. Returns the position of the head.
    Raises Conflict if the context is not there or not empty.
    """
    row = connection.execute(LOCK_EMPTY, {"context_id": context_id}).fetchone()
    if row is None or row[0] != 0:
        raise Conflict(
            f"context {context_id!r} is not there" if row is None else f"context {context_id!r} is not empty"
        )
    position, head_hash, recorded_at = 0, GENESIS_HASH, None
    with connection.cursor() as cursor, cursor.copy(COPY_EVENTS) as copy:
        copy.set_types(EVENT_TYPES)
        for rows in batches:
            for row_elsewhere in rows:
                here = moved(row_elsewhere, context_id, head_hash)
                copy.write_row(to_columns(here))
                position, head_hash, recorded_at = here.originator_version, here.hash, here.recorded_at
    if recorded_at is not None:
        _set_head(connection, context_id, position, head_hash, recorded_at)
    return position


def _set_head(connection: Connection, context_id: str, position: int, head_hash: bytes, recorded_at: datetime) -> None:
    head = {"context_id": context_id, "position": position, "hash": head_hash, "recorded_at": recorded_at}
    connection.execute(SET_HEAD, head)
