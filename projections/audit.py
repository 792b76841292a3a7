"""The audit: who asked for what, on whose behalf, and how it ended. A control table, no read model.

It holds names of operations, ids and numbers: no words of a request or an answer, and no secrets.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memory.log import Connection, Cursor, Pool
from projections import key_uses
from projections.reading import Page
from projections.row_buffer import RowBuffer

COLUMNS = (
    "context_id, id, at, kind, operation, status, principal_id, holder_id, key_id, key_name, latency_ms, rows_touched, "
    "cost, model, about"
)

# Stands for a context in the rows of the operator's own calls; no context can be called so.
OPERATOR = ""

# Of contexts that exist: whatever else is asked for has nobody who could read it.
INSERT = f"""
INSERT INTO audit ({COLUMNS})
SELECT %(context_id)s, %(id)s, %(at)s, %(kind)s, %(operation)s, %(status)s, %(principal_id)s, %(holder_id)s,
    %(key_id)s, %(key_name)s, %(latency_ms)s, %(rows_touched)s, %(cost)s, %(model)s, %(about)s
WHERE %(context_id)s = '' OR EXISTS (
    SELECT 1 FROM contexts AS c WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL
)
ON CONFLICT DO NOTHING
"""

NEWEST_FIRST = f"""
SELECT {COLUMNS} FROM audit AS a
WHERE a.context_id = %(context_id)s
    AND (%(own)s::uuid IS NULL OR a.principal_id = %(own)s OR a.holder_id = %(own)s)
    AND (%(holder)s::uuid IS NULL OR a.holder_id = %(holder)s)
    AND (%(before)s::uuid IS NULL OR a.id < %(before)s)
    AND (%(kind)s::text IS NULL OR a.kind = %(kind)s)
    AND (%(principal_id)s::uuid IS NULL OR a.principal_id = %(principal_id)s OR a.holder_id = %(principal_id)s)
    AND (%(key)s::text IS NULL OR a.key_name = %(key)s)
    AND (%(key_id)s::uuid IS NULL OR a.key_id = %(key_id)s)
    AND (%(since)s::timestamptz IS NULL OR a.at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR a.at < %(until)s)
    AND (%(about)s::text IS NULL OR a.about = %(about)s)
ORDER BY a.id DESC
LIMIT %(limit)s
"""

DROP = "DELETE FROM audit WHERE context_id = %(context_id)s"

EXPIRE = DROP + " AND at < %(before)s"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One request. id: sorts by time; the answer's X-Trace-Id. kind: decision, retrieval or response.

    operation: method and path with placeholders. principal_id: who it was done for, holder_id: whose key it
    came with; both None for one without a valid key, and for the operator. status: of the answer. cost: of models.
    about: the context that the operator's call was about.
    """

    context_id: str
    id: UUID
    at: datetime
    kind: str
    operation: str
    status: int
    principal_id: UUID | None
    holder_id: UUID | None
    key_id: UUID | None
    key_name: str | None
    latency_ms: int
    rows_touched: int
    cost: float
    model: str | None
    about: str | None = None


class AuditBuffer(RowBuffer[AuditRow]):
    """Holds rows of the audit until they are written. retention: how long they are kept."""

    def __init__(self, pool: Pool, retention: timedelta) -> None:
        super().__init__(pool, name="audit", write=write, expire=expire, retention=retention)

    def expire(self, now: datetime) -> None:
        """Those of the operator's calls too."""
        super().expire(now)
        with self._pool.connection() as connection:
            expire(connection, OPERATOR, now - self._retention)


def write(connection: Connection, rows: Sequence[AuditRow]) -> None:
    """Write rows and the last uses of their keys, in one transaction; those written already stay as they are."""
    with connection.transaction():
        with connection.cursor() as cursor:
            cursor.executemany(INSERT, [asdict(row) for row in rows])
        key_uses.mark(connection, [(row.context_id, row.key_id, row.at) for row in rows if row.key_id is not None])


def newest_first(
    cursor: Cursor,
    context_id: str,
    *,
    limit: int,
    own: UUID | None,
    holder: UUID | None = None,
    before: UUID | None = None,
    kind: str | None = None,
    principal_id: UUID | None = None,
    key: str | None = None,
    key_id: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    about: str | None = None,
) -> Page[AuditRow]:
    """Rows after the place `before`, since <= time < until. own: only what was done by or for that principal;
    holder: only what was done by that one."""
    parameters: dict[str, Any] = {
        "context_id": context_id,
        "own": own,
        "holder": holder,
        "before": before,
        "kind": kind,
        "principal_id": principal_id,
        "key": key,
        "key_id": key_id,
        "since": since,
        "until": until,
        "about": about,
        "limit": limit + 1,
    }
    rows = [AuditRow(*row) for row in cursor.connection.execute(NEWEST_FIRST.encode(), parameters).fetchall()]
    return Page(rows[:limit], len(rows) > limit)


def expire(connection: Connection, context_id: str, before: datetime) -> None:
    """Drop rows made before that time."""
    connection.execute(EXPIRE.encode(), {"context_id": context_id, "before": before})


def drop(cursor: Cursor, context_id: str) -> None:
    """Drop the audit of a context that is deleted."""
    cursor.execute(DROP, {"context_id": context_id})
