"""Actions: what somebody did or plans to do."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.events import (
    ActionRecorded,
    ContextRowsExpired,
    EntitiesMerged,
    EntitiesSeparated,
    MemoryRevised,
    Settled,
    SpeakerNamed,
    ThingsForgotten,
)
from memory.recorded import Recorded
from memory.regrouping import destination, told_of_after
from memory.values import comparable
from projections.reading import Page, Reader
from projections.table import Close, Op, Put, Revise, Row, Table, start


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
    precision: str
    turn_id: UUID
    session_id: UUID | None
    said_at: datetime
    labels: list[str]
    position: int
    said_of: UUID


TABLE = Table(
    "actions",
    ActionRow,
    revised=True,
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
    precision text NOT NULL,
    turn_id uuid NOT NULL,
    session_id uuid,
    said_at timestamptz NOT NULL,
    labels text[] NOT NULL,
    position bigint NOT NULL,
    said_of uuid NOT NULL
    """,
    indexes={
        "of_actor": "(actor_id, verb, comparable_object) WHERE position_to IS NULL AND known_to IS NULL",
        "of_category": "(category, said_at DESC)",
    },
)
HANDLES = (
    ActionRecorded,
    ContextRowsExpired,
    EntitiesMerged,
    EntitiesSeparated,
    SpeakerNamed,
    ThingsForgotten,
    MemoryRevised,
)

ONE = "SELECT a.* FROM {actions} AS a WHERE a.id = %(id)s"

LIVE_BY_CATEGORY = """
SELECT a.* FROM {actions} AS a JOIN {entities} AS e ON e.id = a.actor_id
WHERE a.category = %(category)s AND a.valid_to IS NULL AND e.forgotten_at IS NULL
ORDER BY a.said_at DESC, a.id
LIMIT %(limit)s
"""

LISTED = """
FROM {actions} AS a JOIN {entities} AS e ON e.id = a.actor_id
WHERE e.forgotten_at IS NULL AND a.valid_to IS NULL
    AND (%(actor_ids)s::uuid[] IS NULL OR a.actor_id = ANY(%(actor_ids)s))
    AND (%(verb)s::text IS NULL OR a.verb = %(verb)s)
    AND (%(since)s::timestamptz IS NULL OR coalesce(a.occurred_at, a.said_at) >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR coalesce(a.occurred_at, a.said_at) < %(until)s)
"""

# The position of its event tells which of two at one time came later.
NEWEST_FIRST = """
    AND (%(after_said_at)s::timestamptz IS NULL
        OR (a.said_at, a.position) < (%(after_said_at)s, %(after_position)s::bigint))
ORDER BY a.said_at DESC, a.position DESC
LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which actions to list: since <= when it occurred, or else was said, < until. None: any."""

    actor_ids: Sequence[UUID] | None = None
    verb: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        actor_ids = None if self.actor_ids is None else list(self.actor_ids)
        return {"actor_ids": actor_ids, "verb": self.verb, "since": self.since, "until": self.until}


BY_IDS = "SELECT a.* FROM {actions} AS a WHERE a.id = ANY(%(ids)s)"


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case ThingsForgotten(actions=forgotten):
            yield from (Close(TABLE, action) for action in forgotten)
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
                    precision=event.precision,
                    turn_id=turn_id,
                    session_id=recorded.origin.session_id,
                    said_at=recorded.known_at,
                    labels=list(event.labels),
                    position=recorded.position,
                    said_of=event.actor_id,
                ),
            )
        case MemoryRevised() as revised:
            for thing, end in revised.ends("action"):
                yield Revise(TABLE, thing, recorded.known_at, partial(_ended, end))
        case ContextRowsExpired(actions=lapsed):
            at = recorded.known_at
            for action_id in lapsed:
                yield Revise(TABLE, action_id, at, lambda row: replace(row, valid_to=max(at, row.valid_from or at)))
        case EntitiesMerged() | EntitiesSeparated() | SpeakerNamed() as regrouping:

            def moved(row: ActionRow) -> ActionRow:
                return replace(
                    row,
                    actor_id=destination(regrouping, row.actor_id, row.said_of),
                    said_of=told_of_after(regrouping, row.actor_id, row.said_of),
                )

            for action_id in regrouping.moved.actions:
                yield Revise(TABLE, action_id, recorded.known_at, moved)


def _ended(end: Settled | None, row: ActionRow) -> ActionRow:
    return replace(row, valid_to=None if end is None else max(end.at, row.valid_from or end.at))


def live_by_category(reader: Reader, category: str, *, limit: int) -> Page[ActionRow]:
    """Actions of one memory category, newest first."""
    return reader.page(TABLE, LIVE_BY_CATEGORY, {"category": category}, limit=limit)


def newest_first(
    reader: Reader, wanted: Wanted, *, limit: int, after: tuple[datetime, int] | None = None
) -> Page[ActionRow]:
    """Actions by the time they were said, newest first, after the place `after` = (time said, position)."""
    after_said_at, after_position = after or (None, None)
    parameters = {**wanted.parameters, "after_said_at": after_said_at, "after_position": after_position}
    return reader.page(TABLE, f"SELECT a.* {LISTED}{NEWEST_FIRST}", parameters, limit=limit)


def one(reader: Reader, action_id: UUID) -> ActionRow | None:
    rows = reader.rows(TABLE, ONE, {"id": action_id})
    return rows[0] if rows else None


def count(reader: Reader, wanted: Wanted) -> int:
    return int(reader.tuples(f"SELECT count(*) {LISTED}", wanted.parameters)[0][0])


def by_ids(reader: Reader, ids: Collection[UUID]) -> list[ActionRow]:
    return reader.rows(TABLE, BY_IDS, {"ids": list(ids)})
