"""Instructions: standing directives to the assistant."""

from collections.abc import Collection, Iterator
from datetime import datetime
from functools import partial
from uuid import UUID

from msgspec.structs import replace

from memory.events import InstructionClosed, InstructionDetected, MemoryRevised, Settled
from memory.recorded import Recorded
from memory.values import folded
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class InstructionRow(Row, frozen=True):
    label: str
    description: str
    folded_description: str
    source_kind: str
    turn_id: UUID
    session_id: UUID | None
    said_at: datetime
    end_reason: str | None
    labels: list[str]


TABLE = Table(
    "instructions",
    InstructionRow,
    revised=True,
    columns="""
    label text NOT NULL,
    description text NOT NULL,
    folded_description text NOT NULL,
    source_kind text NOT NULL,
    turn_id uuid NOT NULL,
    session_id uuid,
    said_at timestamptz NOT NULL,
    end_reason text,
    labels text[] NOT NULL
    """,
)
HANDLES = (InstructionDetected, InstructionClosed, MemoryRevised)

ACTIVE = "FROM {instructions} AS i WHERE i.valid_to IS NULL"

NEWEST_FIRST = """
    AND (%(after_said_at)s::timestamptz IS NULL OR i.said_at < %(after_said_at)s
        OR (i.said_at = %(after_said_at)s AND i.id > %(after_id)s::uuid))
ORDER BY i.said_at DESC, i.id
LIMIT %(limit)s
"""

BY_IDS = "SELECT i.* FROM {instructions} AS i WHERE i.id = ANY(%(ids)s)"


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case InstructionDetected() as event:
            turn_id = recorded.origin.turn_id
            assert turn_id is not None
            yield Put(
                TABLE,
                InstructionRow(
                    *start(recorded, event.instruction_id, valid_from=recorded.known_at),
                    label=event.label,
                    description=event.description,
                    folded_description=folded(event.description),
                    source_kind=event.source_kind,
                    turn_id=turn_id,
                    session_id=recorded.origin.session_id,
                    said_at=recorded.known_at,
                    end_reason=None,
                    labels=list(event.labels),
                ),
            )
        case MemoryRevised() as revised:
            for thing, end in revised.ends("instruction"):
                yield Revise(TABLE, thing, recorded.known_at, partial(_ended, end))
        case InstructionClosed(instruction_id=instruction_id, reason=reason):
            ended_at = recorded.known_at
            yield Revise(
                TABLE,
                instruction_id,
                ended_at,
                lambda row: replace(row, valid_to=max(ended_at, row.said_at), end_reason=reason),
            )


def _ended(end: Settled | None, row: InstructionRow) -> InstructionRow:
    if end is None:
        return replace(row, valid_to=None, end_reason=None)
    return replace(row, valid_to=max(end.at, row.said_at), end_reason=end.reason)


def active(reader: Reader, *, limit: int, after: tuple[datetime, UUID] | None = None) -> Page[InstructionRow]:
    """Directives that hold now, newest first, after the place `after` = (time said, id)."""
    after_said_at, after_id = after or (None, None)
    parameters = {"after_said_at": after_said_at, "after_id": after_id}
    return reader.page(TABLE, f"SELECT i.* {ACTIVE}{NEWEST_FIRST}", parameters, limit=limit)


def count_active(reader: Reader) -> int:
    return int(reader.tuples(f"SELECT count(*) {ACTIVE}", {})[0][0])


def by_ids(reader: Reader, ids: Collection[UUID]) -> list[InstructionRow]:
    return reader.rows(TABLE, BY_IDS, {"ids": list(ids)})
