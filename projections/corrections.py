"""Corrections: which version replaced which, and why.

One whose two versions were taken apart again, by an undone merge, ends (`valid_to`) and is not shown.
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import AttributeSuperseded, EntitiesMerged, EntitiesSeparated, MemoryRevised, SpeakerNamed
from memory.recorded import Recorded
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class CorrectionRow(Row, frozen=True):
    old_version_id: UUID
    new_version_id: UUID
    reason: str
    turn_id: UUID | None
    session_id: UUID | None
    said_at: datetime


TABLE = Table(
    "corrections",
    CorrectionRow,
    revised=True,
    columns="""
    old_version_id uuid NOT NULL,
    new_version_id uuid NOT NULL,
    reason text NOT NULL,
    turn_id uuid,
    session_id uuid,
    said_at timestamptz NOT NULL
    """,
    indexes={"by_position": "(position_from) WHERE position_to IS NULL"},
)
HANDLES = (AttributeSuperseded, EntitiesMerged, EntitiesSeparated, SpeakerNamed, MemoryRevised)

NEWEST_FIRST = """
SELECT c.* FROM {corrections} AS c JOIN {attribute_versions} AS v ON v.id = c.new_version_id
    JOIN {attribute_versions} AS o ON o.id = c.old_version_id
    JOIN {entities} AS e ON e.id = v.entity_id
WHERE e.forgotten_at IS NULL AND c.valid_to IS NULL
    AND (%(entity_ids)s::uuid[] IS NULL OR v.entity_id = ANY(%(entity_ids)s))
    AND (%(key)s::text IS NULL OR v.key = %(key)s)
    AND (%(session_id)s::uuid IS NULL OR c.session_id = %(session_id)s)
    AND (%(before)s::bigint IS NULL OR c.position_from < %(before)s)
ORDER BY c.position_from DESC
LIMIT %(limit)s
"""

ONE = """
SELECT c.* FROM {corrections} AS c JOIN {attribute_versions} AS v ON v.id = c.new_version_id
    JOIN {attribute_versions} AS o ON o.id = c.old_version_id
    JOIN {entities} AS e ON e.id = v.entity_id
WHERE c.id = %(id)s AND e.forgotten_at IS NULL AND c.valid_to IS NULL
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case AttributeSuperseded(segment=segment, correction_id=UUID() as correction_id):
            assert segment.superseded_by is not None
            yield Put(
                TABLE,
                CorrectionRow(
                    *start(recorded, correction_id),
                    old_version_id=segment.id,
                    new_version_id=segment.superseded_by,
                    reason=segment.reason,
                    turn_id=recorded.origin.turn_id,
                    session_id=recorded.origin.session_id,
                    said_at=recorded.known_at,
                ),
            )
        case MemoryRevised(undone=undone, redone=redone):
            at = recorded.known_at
            for correction in undone:
                yield Revise(TABLE, correction, at, lambda row: replace(row, valid_to=at))
            for correction in redone:
                yield Revise(TABLE, correction, at, lambda row: replace(row, valid_to=None))
        case EntitiesMerged(moved=moved) | EntitiesSeparated(moved=moved) | SpeakerNamed(moved=moved):
            undone_at = recorded.known_at
            for undone_id in moved.corrections:
                yield Revise(TABLE, undone_id, undone_at, lambda row: replace(row, valid_to=undone_at))


def newest_first(
    reader: Reader,
    *,
    limit: int,
    entity_ids: list[UUID] | None = None,
    key: str | None = None,
    session_id: UUID | None = None,
    before: int | None = None,
) -> Page[CorrectionRow]:
    """Corrections by log position, newest first, with position < before."""
    filters = {"entity_ids": entity_ids, "key": key, "session_id": session_id, "before": before}
    return reader.page(TABLE, NEWEST_FIRST, filters, limit=limit)


def one(reader: Reader, correction_id: UUID) -> CorrectionRow | None:
    """None for an unknown one and for one of a forgotten entity."""
    rows = reader.rows(TABLE, ONE, {"id": correction_id})
    return rows[0] if rows else None
