"""Erasures: that contents are gone, since when, by whom and why; never what they were."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.events import ContentErased
from memory.recorded import Recorded
from memory.values import derived_id
from projections.reading import Reader
from projections.table import Op, Put, Row, Table, start


class ErasureRow(Row, frozen=True):
    """What one erasure took from one scope set. events: how many. subjects: entities still known that it was about."""

    erasure_id: UUID
    reason: str
    principal_id: UUID | None
    erased_at: datetime
    events: int
    subjects: list[UUID]


TABLE = Table(
    "erasures",
    ErasureRow,
    columns="""
    erasure_id uuid NOT NULL,
    reason text NOT NULL,
    principal_id uuid,
    erased_at timestamptz NOT NULL,
    events integer NOT NULL,
    subjects uuid[] NOT NULL
    """,
    indexes={"of_erasure": "(erasure_id)"},
)
HANDLES = (ContentErased,)

OF_ERASURE = "SELECT e.* FROM {erasures} AS e WHERE e.erasure_id = %(erasure_id)s ORDER BY e.position_from"

ABOUT = """
SELECT e.* FROM {erasures} AS e WHERE e.subjects && %(entity_ids)s::uuid[] ORDER BY e.position_from DESC
"""

SCRUBBED_AT = "SELECT scrubbed_at FROM scrubs WHERE context_id = %(context_id)s AND erasure_id = %(erasure_id)s"


@dataclass(frozen=True, slots=True)
class Erasure:
    """One erasure, as far as the reader may see it. scrubbed_at: since when nothing of it is left on the disk."""

    erasure_id: UUID
    reason: str
    principal_id: UUID | None
    erased_at: datetime
    events: int
    scrubbed_at: datetime | None


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case ContentErased() as event:
            yield Put(
                TABLE,
                ErasureRow(
                    *start(recorded, derived_id(event.erasure_id, "scope", recorded.position)),
                    erasure_id=event.erasure_id,
                    reason=event.reason,
                    principal_id=recorded.origin.principal_id,
                    erased_at=recorded.recorded_at,
                    events=sum(last - first + 1 for first, last in event.ranges),
                    subjects=list(event.subjects),
                ),
            )


def one(reader: Reader, erasure_id: UUID) -> Erasure | None:
    rows = reader.rows(TABLE, OF_ERASURE, {"erasure_id": erasure_id})
    if not rows:
        return None
    scrubbed = reader.tuples(SCRUBBED_AT, {"erasure_id": erasure_id})
    return Erasure(
        erasure_id=erasure_id,
        reason=rows[0].reason,
        principal_id=rows[0].principal_id,
        erased_at=rows[0].erased_at,
        events=sum(row.events for row in rows),
        scrubbed_at=scrubbed[0][0] if scrubbed else None,
    )


def about(reader: Reader, entity_ids: Sequence[UUID]) -> list[ErasureRow]:
    """What was erased about the entities, newest first."""
    return reader.rows(TABLE, ABOUT, {"entity_ids": list(entity_ids)})
