"""Turns: what was said, in order, and how far each has been understood."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

import msgspec
import psycopg
from msgspec.structs import replace

from memory.candidates import MemoryCategory
from memory.events import Citation, ExtractionAbandoned, ExtractionCompleted, ExtractionFailed, TurnRecorded
from memory.recorded import Recorded
from memory.values import Infer
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class TurnRow(Row, frozen=True):
    """citations: a JSON list of `Citation`, None for none."""

    session_id: UUID
    seq: int
    role: str
    infer: str
    text: str
    labels: list[str]
    said_at: datetime
    principal_id: UUID | None
    memory_category: MemoryCategory | None
    utc_offset_s: int
    citations: str | None

    @property
    def cited(self) -> tuple[Citation, ...]:
        return msgspec.json.decode(self.citations, type=tuple[Citation, ...]) if self.citations else ()


class ExtractionRow(Row, frozen=True):
    """How far the turn of the same id is understood: pending, complete, nothing_found or failed (given up).

    error, retryable: why the last attempt failed and whether another may help, while it is not understood.
    attempts: that failed. due_at: when the next one is due; None before the first attempt, and once none is.
    recorded_at: of the turn.
    """

    status: str
    extractor: str | None
    error: str | None
    retryable: bool
    attempts: int
    due_at: datetime | None
    recorded_at: datetime


TURNS = Table(
    "turns",
    TurnRow,
    columns="""
    session_id uuid NOT NULL,
    seq integer NOT NULL,
    role text NOT NULL,
    infer text NOT NULL,
    text text NOT NULL,
    labels text[] NOT NULL,
    said_at timestamptz NOT NULL,
    principal_id uuid,
    memory_category text,
    utc_offset_s integer NOT NULL,
    citations text
    """,
    unique_indexes={"in_session": "(session_id, seq) WHERE position_to IS NULL AND known_to IS NULL"},
)
EXTRACTIONS = Table(
    "extractions",
    ExtractionRow,
    revised=True,
    revised_soon=True,
    columns="""
    status text NOT NULL,
    extractor text,
    error text,
    retryable boolean NOT NULL,
    attempts integer NOT NULL,
    due_at timestamptz,
    recorded_at timestamptz NOT NULL
    """,
    indexes={"pending": "(position_from) WHERE position_to IS NULL AND status = 'pending'"},
)
HANDLES = (TurnRecorded, ExtractionCompleted, ExtractionFailed, ExtractionAbandoned)

OF_SESSION = """
SELECT t.* FROM {turns} AS t
WHERE t.session_id = %(session_id)s AND t.seq > %(after)s
ORDER BY t.seq
OFFSET %(offset)s
LIMIT %(limit)s
"""

COUNT_OF_SESSION = "SELECT count(*) FROM {turns} AS t WHERE t.session_id = %(session_id)s"

BY_IDS = "SELECT t.* FROM {turns} AS t WHERE t.id = ANY(%(ids)s)"

LAST_WORDS = """
SELECT t.text FROM {turns} AS t
WHERE t.session_id = %(session_id)s AND t.seq < %(before_seq)s
ORDER BY t.seq DESC
LIMIT %(limit)s
"""

# The last turns of a conversation between a user and an assistant, newest first.
SPOKEN_LAST = """
SELECT t.* FROM {turns} AS t
WHERE t.session_id = %(session_id)s AND t.role IN ('user', 'assistant')
    AND (%(before_seq)s::integer IS NULL OR t.seq < %(before_seq)s)
ORDER BY t.seq DESC
LIMIT %(limit)s
"""

PENDING = """
SELECT t.* FROM {turns} AS t JOIN {extractions} AS e ON e.id = t.id
WHERE e.status = ANY(%(statuses)s) AND t.position_from > %(after)s AND t.position_from <= %(until)s
ORDER BY t.position_from
LIMIT %(limit)s
"""

UNDERSTOOD = """
SELECT t.* FROM {turns} AS t JOIN {extractions} AS e ON e.id = t.id
WHERE e.status IN ('complete', 'nothing_found') AND t.infer = 'full' AND t.position_from > %(after)s
    AND (%(session_id)s::uuid IS NULL OR t.session_id = %(session_id)s)
    AND (%(since)s::timestamptz IS NULL OR t.said_at >= %(since)s)
ORDER BY t.position_from
LIMIT %(limit)s
"""

DUE = """
SELECT t.* FROM {turns} AS t JOIN {extractions} AS e ON e.id = t.id
WHERE e.status = 'pending' AND (
    e.due_at <= %(now)s OR (e.attempts = 0 AND e.recorded_at <= %(lost_before)s) OR e.recorded_at <= %(abandon_before)s
)
ORDER BY t.position_from
LIMIT %(limit)s
"""

EXTRACTION = "SELECT e.* FROM {extractions} AS e WHERE e.id = %(turn_id)s"


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case TurnRecorded() as event:
            session_id = recorded.origin.session_id
            assert session_id is not None
            yield Put(
                TURNS,
                TurnRow(
                    *start(recorded, event.turn_id),
                    session_id=session_id,
                    seq=event.seq,
                    role=event.role,
                    infer=event.infer,
                    text=event.text,
                    labels=list(event.labels),
                    said_at=recorded.known_at,
                    principal_id=recorded.origin.principal_id,
                    memory_category=event.memory_category,
                    utc_offset_s=event.utc_offset_s,
                    citations=msgspec.json.encode(event.citations).decode() if event.citations else None,
                ),
            )
            if event.infer is not Infer.NONE:
                pending = ExtractionRow(
                    *start(recorded, event.turn_id),
                    status="pending",
                    extractor=None,
                    error=None,
                    retryable=True,
                    attempts=0,
                    due_at=None,
                    recorded_at=recorded.recorded_at,
                )
                yield Put(EXTRACTIONS, pending)
        case ExtractionCompleted(extractor=extractor, candidates=candidates):
            turn_id = recorded.origin.turn_id
            assert turn_id is not None
            status = "complete" if candidates else "nothing_found"
            yield Revise(
                EXTRACTIONS,
                turn_id,
                recorded.recorded_at,
                lambda row: replace(row, status=status, extractor=extractor, error=None, retryable=True, due_at=None),
            )
        case ExtractionFailed() as event:
            turn_id = recorded.origin.turn_id
            assert turn_id is not None
            due_at = None
            if event.retry_in_s is not None:
                due_at = recorded.recorded_at + timedelta(seconds=event.retry_in_s)
            yield Revise(
                EXTRACTIONS,
                turn_id,
                recorded.recorded_at,
                lambda row: replace(
                    row,
                    extractor=event.extractor,
                    error=event.error,
                    retryable=event.retryable,
                    attempts=event.attempt,
                    due_at=due_at,
                ),
            )
        case ExtractionAbandoned():
            turn_id = recorded.origin.turn_id
            assert turn_id is not None
            yield Revise(
                EXTRACTIONS,
                turn_id,
                recorded.recorded_at,
                lambda row: replace(row, status="failed", retryable=False, due_at=None),
            )


def of_session(reader: Reader, session_id: UUID, *, limit: int, after: int = 0, offset: int = 0) -> Page[TurnRow]:
    """Turns of a session, oldest first: those with seq > after, less the first `offset`."""
    return reader.page(TURNS, OF_SESSION, {"session_id": session_id, "after": after, "offset": offset}, limit=limit)


def count_of_session(reader: Reader, session_id: UUID) -> int:
    return int(reader.tuples(COUNT_OF_SESSION, {"session_id": session_id})[0][0])


def by_ids(reader: Reader, ids: list[UUID]) -> dict[UUID, TurnRow]:
    return {row.id: row for row in reader.rows(TURNS, BY_IDS, {"ids": ids})}


def last_words(reader: Reader, session_id: UUID, *, before_seq: int, limit: int) -> list[str]:
    """The texts of the session's last turns before one, oldest first."""
    rows = reader.tuples(LAST_WORDS, {"session_id": session_id, "before_seq": before_seq, "limit": limit})
    return [text for (text,) in reversed(rows)]


def spoken_last(reader: Reader, session_id: UUID, *, limit: int, before_seq: int | None = None) -> list[TurnRow]:
    """The session's last turns of user and assistant, newest first; before_seq: only those before that one."""
    parameters = {"session_id": session_id, "limit": limit, "before_seq": before_seq}
    return reader.rows(TURNS, SPOKEN_LAST, parameters)


def pending(reader: Reader, *, after: int, until: int, limit: int, given_up: bool = False) -> list[TurnRow]:
    """Turns recorded at after < position <= until that no extractor has answered for yet, oldest first.

    given_up: those too that are no more tried by themselves.
    """
    statuses = ["pending", "failed"] if given_up else ["pending"]
    return reader.rows(TURNS, PENDING, {"after": after, "until": until, "statuses": statuses, "limit": limit})


def understood(
    reader: Reader, *, after: int, session_id: UUID | None, since: datetime | None, limit: int
) -> list[TurnRow]:
    """Turns recorded after a position that an extractor has answered for, oldest first; of one session, or said
    since a time, if asked."""
    parameters = {"after": after, "session_id": session_id, "since": since, "limit": limit}
    return reader.rows(TURNS, UNDERSTOOD, parameters)


def due(reader: Reader, *, now: datetime, lost_before: datetime, abandon_before: datetime, limit: int) -> list[TurnRow]:
    """Turns whose next attempt is due, oldest first.

    lost_before: a turn recorded until then that was never tried is nobody's work. abandon_before: one recorded
    until then is due for its last attempt.
    """
    parameters = {"now": now, "lost_before": lost_before, "abandon_before": abandon_before, "limit": limit}
    return reader.rows(TURNS, DUE, parameters)


def extraction(reader: Reader, turn_id: UUID) -> ExtractionRow | None:
    return ask_extraction(reader, turn_id).fetchone()


def ask_extraction(reader: Reader, turn_id: UUID) -> psycopg.Cursor[ExtractionRow]:
    """The row to fetch, if there is one."""
    return reader.ask_rows(EXTRACTIONS, EXTRACTION, {"turn_id": turn_id})
