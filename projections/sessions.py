"""Sessions: conversations, open or closed, and who their user is."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import SessionClosed, SessionOpened, SpeakerNamed
from memory.recorded import Recorded
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class SessionRow(Row, frozen=True):
    opened_at: datetime
    principal_id: UUID | None
    metadata: str | None
    closed_at: datetime | None
    speaker_id: UUID | None


TABLE = Table(
    "sessions",
    SessionRow,
    revised=True,
    columns="""
    opened_at timestamptz NOT NULL,
    principal_id uuid,
    metadata text,
    closed_at timestamptz,
    speaker_id uuid
    """,
    indexes={
        "by_time": "(opened_at, id) WHERE position_to IS NULL",
        "of_principal": "(principal_id, opened_at, id) WHERE position_to IS NULL AND speaker_id IS NOT NULL",
    },
)
HANDLES = (SessionOpened, SessionClosed, SpeakerNamed)

ONE = "SELECT s.* FROM {sessions} AS s WHERE s.id = %(id)s"

NEWEST_FIRST = """
SELECT s.* FROM {sessions} AS s
WHERE (%(before_time)s::timestamptz IS NULL OR (s.opened_at, s.id) < (%(before_time)s, %(before_id)s::uuid))
ORDER BY s.opened_at DESC, s.id DESC
LIMIT %(limit)s
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case SessionOpened(session_id=session_id, metadata=metadata):
            yield Put(
                TABLE,
                SessionRow(
                    *start(recorded, session_id),
                    opened_at=recorded.known_at,
                    principal_id=recorded.origin.principal_id,
                    metadata=metadata,
                    closed_at=None,
                    speaker_id=None,
                ),
            )
        case SessionClosed(session_id=session_id):
            closed_at = recorded.known_at
            yield Revise(TABLE, session_id, closed_at, lambda row: replace(row, closed_at=closed_at))
        case SpeakerNamed(session_id=session_id, entity_id=entity_id):
            yield Revise(TABLE, session_id, recorded.known_at, lambda row: replace(row, speaker_id=entity_id))


def one(reader: Reader, session_id: UUID) -> SessionRow | None:
    rows = reader.rows(TABLE, ONE, {"id": session_id})
    return rows[0] if rows else None


def newest_first(reader: Reader, *, limit: int, before: tuple[datetime, UUID] | None) -> Page[SessionRow]:
    """Sessions by opening time, newest first, after the cursor `before`."""
    before_time, before_id = before or (None, None)
    return reader.page(TABLE, NEWEST_FIRST, {"before_time": before_time, "before_id": before_id}, limit=limit)
