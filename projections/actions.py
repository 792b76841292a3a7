"""Actions: what somebody did or plans to do."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from memory.events import ActionRecorded
from memory.recorded import Recorded
from memory.values import comparable
from projections.reading import Page, Reader
from projections.table import Op, Put, Row, Table, start


class ActionRow(Row, frozen=True):
    actor_id: UUID
    verb: str
    object: str | None
    comparable_object: str
    summary: str
    category: str
    confidence: float
    source_kind: str
    occurred_at: datetime | None
    turn_id: UUID
    session_id: UUID | None
    said_at: datetime
    labels: list[str]


TABLE = Table(
    "actions",
    ActionRow,
    columns="""
    actor_id uuid NOT NULL,
    verb text NOT NULL,
    object text,
    comparable_object text NOT NULL,
    summary text NOT NULL,
    category text NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source_kind text NOT NULL,
    occurred_at timestamptz,
    turn_id uuid NOT NULL,
    session_id uuid,
    said_at timestamptz NOT NULL,
    labels text[] NOT NULL
    """,
    indexes={"of_actor": "(actor_id, verb, comparable_object) WHERE position_to IS NULL AND known_to IS NULL"},
)
HANDLES = (ActionRecorded,)

LIVE_BY_CATEGORY = """
SELECT a.* FROM {actions} AS a JOIN {entities} AS e ON e.id = a.actor_id
WHERE a.category = %(category)s AND e.forgotten_at IS NULL
ORDER BY a.said_at DESC, a.id
LIMIT %(limit)s
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case ActionRecorded() as event:
            turn_id = recorded.origin.turn_id
            assert turn_id is not None
            yield Put(
                TABLE,
                ActionRow(
                    *start(recorded, event.action_id, valid_from=event.occurred_at),
                    actor_id=event.actor_id,
                    verb=event.verb,
                    object=event.object,
                    comparable_object=comparable(event.object or ""),
                    summary=event.summary,
                    category=event.category,
                    confidence=event.confidence,
                    source_kind=event.source_kind,
                    occurred_at=event.occurred_at,
                    turn_id=turn_id,
                    session_id=recorded.origin.session_id,
                    said_at=recorded.known_at,
                    labels=list(event.labels),
                ),
            )


def live_by_category(reader: Reader, category: str, *, limit: int) -> Page[ActionRow]:
    """Actions of one memory category, newest first."""
    return reader.page(TABLE, LIVE_BY_CATEGORY, {"category": category}, limit=limit)
