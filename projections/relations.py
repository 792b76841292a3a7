"""Relations: directed, labelled edges between entities, with when they held.

A functional label has one line of objects a subject; any other one a line for each pair. All words
about an edge are rows here (see `projections.statements`); `unit_object` is the object of a label
that is not functional, as text, and empty for one that is.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

from memory.events import (
    RelationAsserted,
    RelationClosed,
    RelationEnded,
    RelationReaffirmed,
    RelationRelinked,
    RelationReopened,
    RelationSuperseded,
)
from memory.recorded import Recorded
from projections import statements
from projections.reading import Page, Reader
from projections.statements import StatementRow
from projections.table import Op, Put, Table, start


class RelationRow(StatementRow, frozen=True):
    subject_id: UUID
    label: str
    object_id: UUID
    unit_object: str


TABLE = Table(
    "relations",
    RelationRow,
    columns=f"""
    {statements.COLUMNS}
    subject_id uuid NOT NULL,
    label text NOT NULL,
    object_id uuid NOT NULL,
    unit_object text NOT NULL
    """,
    indexes={
        "line": """(subject_id, label, unit_object, said_at, turn_position, said_offset)
            WHERE position_to IS NULL AND known_to IS NULL""",
        "to_object": "(object_id) WHERE position_to IS NULL AND known_to IS NULL",
        "of_version": "(version_id) WHERE position_to IS NULL AND known_to IS NULL",
    },
    unique_indexes={
        "one_live_edge": """(scope_set_id, subject_id, label, unit_object)
            WHERE position_to IS NULL AND known_to IS NULL AND valid_to IS NULL AND standing = 'current'"""
    },
)
HANDLES = (
    RelationAsserted,
    RelationReaffirmed,
    RelationEnded,
    RelationSuperseded,
    RelationClosed,
    RelationReopened,
    RelationRelinked,
)

LIVE_OF_ENTITIES = """
SELECT r.* FROM {relations} AS r
WHERE (r.subject_id = ANY(%(entity_ids)s) OR r.object_id = ANY(%(entity_ids)s))
    AND r.valid_to IS NULL AND r.standing = 'current'
ORDER BY r.said_at DESC, r.turn_position DESC, r.said_offset DESC, r.id
LIMIT %(limit)s
"""

LIVE_BY_CATEGORY = """
SELECT r.* FROM {relations} AS r
    JOIN {entities} AS s ON s.id = r.subject_id JOIN {entities} AS o ON o.id = r.object_id
WHERE r.category = %(category)s AND r.valid_to IS NULL AND r.standing = 'current'
    AND s.forgotten_at IS NULL AND o.forgotten_at IS NULL
ORDER BY r.said_at DESC, r.turn_position DESC, r.said_offset DESC, r.id
LIMIT %(limit)s
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case RelationAsserted() | RelationReaffirmed() | RelationEnded() as said:
            segment = said.segment
            yield Put(
                TABLE,
                RelationRow(
                    *start(recorded, segment.id, valid_from=segment.valid_from, valid_to=segment.valid_until),
                    **statements.common(recorded, said, ends=isinstance(said, RelationEnded)),
                    subject_id=said.subject_id,
                    label=said.label,
                    object_id=said.object_id,
                    unit_object="" if said.functional else str(said.object_id),
                ),
            )
        case RelationSuperseded() | RelationClosed() | RelationReopened() | RelationRelinked() as changed:
            yield statements.revised(TABLE, changed)


def live_of_entities(reader: Reader, entity_ids: Sequence[UUID], *, limit: int) -> Page[RelationRow]:
    """Current relations from or to the entities, newest first."""
    return reader.page(TABLE, LIVE_OF_ENTITIES, {"entity_ids": list(entity_ids)}, limit=limit)


def live_by_category(reader: Reader, category: str, *, limit: int) -> Page[RelationRow]:
    """Current relations of one memory category, newest first."""
    return reader.page(TABLE, LIVE_BY_CATEGORY, {"category": category}, limit=limit)
