"""When keys were last used. A control table, no read model: it is no function of the log. Exact to a minute."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from memory.log import Connection, Cursor

# Of contexts that are still there: a use may be noted after its context was deleted.
MARK = """
INSERT INTO key_uses AS u (context_id, key_id, used_at)
SELECT %(context_id)s, %(key_id)s, %(used_at)s
WHERE EXISTS (SELECT 1 FROM contexts AS c WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL)
ON CONFLICT (context_id, key_id) DO UPDATE SET used_at = excluded.used_at
WHERE u.used_at < excluded.used_at - interval '1 minute'
"""

OF = "SELECT key_id, used_at FROM key_uses WHERE context_id = %(context_id)s AND key_id = ANY(%(ids)s)"

DROP = "DELETE FROM key_uses WHERE context_id = %(context_id)s"


def mark(connection: Connection, uses: Iterable[tuple[str, UUID, datetime]]) -> None:
    """Remember the last of these (context, key, time) of each key."""
    last: dict[tuple[str, UUID], datetime] = {}
    for context_id, key_id, used_at in uses:
        place = context_id, key_id
        last[place] = max(used_at, last.get(place, used_at))
    with connection.cursor() as cursor:
        # In one order everywhere, so that two processes never wait for each other in a ring.
        cursor.executemany(
            MARK,
            [
                {"context_id": context_id, "key_id": key_id, "used_at": used_at}
                for (context_id, key_id), used_at in sorted(last.items())
            ],
        )


def of(cursor: Cursor, context_id: str, key_ids: Sequence[UUID]) -> dict[UUID, datetime]:
    """The last use of those keys that were ever used."""
    return dict(cursor.connection.execute(OF, {"context_id": context_id, "ids": list(key_ids)}).fetchall())


def drop(cursor: Cursor, context_id: str) -> None:
    """Forget all uses in a context that is deleted."""
    cursor.execute(DROP, {"context_id": context_id})
