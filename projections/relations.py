"""Relations: directed, labelled edges between entities, with when they held."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import RelationAsserted, RelationClosed
from memory.recorded import Recorded
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class RelationRow(Row, frozen=True):
    subject_id: UUID
    label: str
    object_id: UUID
    category: str
    confidence: float
    source_kind: str
    turn_id: UUID
    session_id: UUID | None
    said_at: datetime
    turn_position: int
    said_offset: int
    stated: bool
    end_reason: str | None
    labels: list[str]


TABLE = Table(
    "relations",
    RelationRow,
    columns="""
    subject_id uuid NOT NULL,
    label text NOT NULL,
    object_id uuid NOT NULL,
    category text NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source_kind text NOT NULL,
    turn_id uuid NOT NULL,
    session_id uuid,
    said_at timestamptz NOT NULL,
    turn_position bigint NOT NULL,
    said_offset integer NOT NULL,
    stated boolean NOT NULL,
    end_reason text,
    labels text[] NOT NULL
    """,
    indexes={
        "line": """(subject_id, label, object_id, said_at, turn_position, said_offset)
            WHERE position_to IS NULL AND known_to IS NULL""",
        "to_object": "(object_id) WHERE position_to IS NULL AND known_to IS NULL",
    },
    unique_indexes={
        "one_live_edge": """(scope_set_id, subject_id, label, object_id)
            WHERE position_to IS NULL AND known_to IS NULL AND valid_to IS NULL"""
    },
)
HANDLES = (RelationAsserted, RelationClosed)

LIVE_OF_ENTITIES = """
SELECT r.* FROM {relations} AS r
WHERE (r.subject_id = ANY(%(entity_ids)s) OR r.object_id = ANY(%(entity_ids)s)) AND r.valid_to IS NULL
ORDER BY r.said_at DESC, r.id
LIMIT %(limit)s
"""

LIVE_BY_CATEGORY = """
SELECT r.* FROM {relations} AS r
    JOIN {entities} AS s ON s.id = r.subject_id JOIN {entities} AS o ON o.id = r.object_id
WHERE r.category = %(category)s AND r.valid_to IS NULL
    AND s.forgotten_at IS NULL AND o.forgotten_at IS NULL
ORDER BY r.said_at DESC, r.id
LIMIT %(limit)s
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case RelationAsserted() as event:
            turn_id = recorded.origin.turn_id
            assert turn_id is not None
            yield Put(
                TABLE,
                RelationRow(
                    *start(recorded, event.relation_id, valid_from=event.valid_from, valid_to=event.valid_until),
                    subject_id=event.subject_id,
                    label=event.label,
                    object_id=event.object_id,
                    category=event.category,
                    confidence=event.confidence,
                    source_kind=event.source_kind,
                    turn_id=turn_id,
                    session_id=recorded.origin.session_id,
                    said_at=recorded.known_at,
                    turn_position=event.turn_position,
                    said_offset=event.offset,
                    stated=event.stated,
                    end_reason=None,
                    labels=list(event.labels),
                ),
            )
        case RelationClosed(relation_id=relation_id, valid_until=ended_at, reason=reason):
            yield Revise(
                TABLE,
                relation_id,
                recorded.known_at,
                lambda row: replace(row, valid_to=ended_at, end_reason=reason),
            )


def live_of_entities(reader: Reader, entity_ids: Sequence[UUID], *, limit: int) -> Page[RelationRow]:
    """Current relations from or to the entities, newest first."""
    return reader.page(TABLE, LIVE_OF_ENTITIES, {"entity_ids": list(entity_ids)}, limit=limit)


def live_by_category(reader: Reader, category: str, *, limit: int) -> Page[RelationRow]:
    """Current relations of one memory category, newest first."""
    return reader.page(TABLE, LIVE_BY_CATEGORY, {"category": category}, limit=limit)
