"""What the rows of all words about a unit have in common, whether about a property or a relation."""

from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from msgspec.structs import replace

from memory.events import LineChange, StatementEvent
from memory.recorded import Recorded
from memory.regrouping import Regrouping, joined_after, told_of_after
from memory.segments import Segment
from projections.table import Revise, Row, Table


class StatementRow(Row, frozen=True):
    """Words about a unit, and what they amount to in its line.

    standing: a version (current, claimed, retracted), or words about the version that `version_id`
    names (supporting, ending, unmatched). rank: effective, the highest that supports the version. said_of: the
    entity it was said of, where a merge brought it (at joined_at) to another. expired_at: when it lapsed.
    """

    standing: str
    version_id: UUID
    rank: int
    supersedes: UUID | None
    superseded_by: UUID | None
    end_reason: str | None
    category: str
    confidence: float
    source_kind: str
    turn_id: UUID
    session_id: UUID | None
    said_at: datetime
    turn_position: int
    said_offset: int
    ends: bool
    stated_from: datetime | None
    stated_until: datetime | None
    precision: str
    change: bool
    repair: bool
    labels: list[str]
    document_id: UUID | None
    said_of: UUID
    joined_at: datetime | None
    expired_at: datetime | None


COLUMNS = """
    standing text NOT NULL
        CHECK (standing IN ('current', 'claimed', 'retracted', 'supporting', 'ending', 'unmatched', 'withdrawn')),
    version_id uuid NOT NULL,
    rank smallint NOT NULL,
    supersedes uuid,
    superseded_by uuid,
    end_reason text,
    category text NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source_kind text NOT NULL,
    turn_id uuid NOT NULL,
    session_id uuid,
    said_at timestamptz NOT NULL,
    turn_position bigint NOT NULL,
    said_offset integer NOT NULL,
    ends boolean NOT NULL,
    stated_from timestamptz,
    stated_until timestamptz,
    precision text NOT NULL,
    change boolean NOT NULL,
    repair boolean NOT NULL,
    labels text[] NOT NULL,
    document_id uuid,
    said_of uuid NOT NULL,
    joined_at timestamptz,
    expired_at timestamptz,
"""

S = TypeVar("S", bound=StatementRow)


def common(recorded: Recorded, event: StatementEvent, *, said_of: UUID, ends: bool) -> dict[str, Any]:
    """The columns of COLUMNS for new words, by name."""
    turn_id = recorded.origin.turn_id
    assert turn_id is not None
    segment = event.segment
    return {
        "standing": segment.standing.value,
        "version_id": segment.version,
        "rank": segment.rank,
        "supersedes": segment.supersedes,
        "superseded_by": segment.superseded_by,
        "end_reason": segment.reason or None,
        "category": event.category,
        "confidence": event.confidence,
        "source_kind": event.source_kind.value,
        "turn_id": turn_id,
        "session_id": recorded.origin.session_id,
        "said_at": recorded.known_at,
        "turn_position": event.turn_position,
        "said_offset": event.offset,
        "ends": ends,
        "stated_from": event.start,
        "stated_until": event.until,
        "precision": event.precision,
        "change": event.change,
        "repair": event.repair,
        "labels": list(event.labels),
        "document_id": event.document_id,
        "said_of": said_of,
        "joined_at": None,
        "expired_at": None,
    }


def revised(table: Table[S], event: LineChange) -> Revise[S]:
    """The words' new place in the line, from its known time on."""
    segment = event.segment
    return Revise(table, segment.id, event.known_at, lambda row: placed(row, segment))


def regrouped(row: S, event: Regrouping, holder: UUID, known_at: datetime) -> S:
    """Words that the event moves away from `holder`; the holder itself is another column's matter."""
    return replace(
        row,
        said_of=told_of_after(event, holder, row.said_of),
        joined_at=joined_after(event, row.said_of, row.joined_at, known_at),
    )


def expired(table: Table[S], statement_id: UUID, at: datetime) -> Revise[S]:
    """The version lapses at that time."""

    def change(row: S) -> S:
        return replace(row, valid_to=max(at, row.valid_from or at), end_reason="expired", expired_at=at)

    return Revise(table, statement_id, at, change)


def placed(row: S, segment: Segment) -> S:
    return replace(
        row,
        valid_to=segment.valid_until,
        standing=segment.standing.value,
        version_id=segment.version,
        rank=segment.rank,
        supersedes=segment.supersedes,
        superseded_by=segment.superseded_by,
        end_reason=segment.reason or None,
    )
