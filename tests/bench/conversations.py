"""Made-up logs, long ones in little time, of real events.

A hundred turns of five sessions, each with five facts about one of some thirty persons, are written
through `Memory.remember`. Their events are then repeated with fresh ids, names, positions and times,
and copied into the log of another context, always some twenty repetitions side by side, as if so many
callers took turns. So the log is what as many requests would have written, in the mix in which the
product decides: first assertions, supersessions with corrections, reaffirmations. What a statement
replaces lies thousands of events back.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count, groupby, product
from typing import Any
from uuid import UUID

from msgspec import structs

from api.ids import new_id
from memory.candidates import AnyCandidate, AttributeCandidate, Mention
from memory.events import Event
from memory.log import ADVANCE_HEAD, EVENT_COLUMNS, LOCK_HEAD, EventLog, Writing
from memory.principals import Caller
from memory.recorded import EventMapper, Origin, Recorded, StoredRow
from memory.remember import Learnt, Memory, Turn
from memory.values import Infer

SESSIONS = 5
TURNS_PER_SESSION = 20
PERSONS = 33  # so that each is spoken of three times or so
SIDE_BY_SIDE = 20
PAUSE = timedelta(milliseconds=1)

# The conversation is written from this position on, so that any number in a payload that is as high is a position.
FIRST_POSITION = 1_000_000_000
NAME_MARK = "Qx"  # begins every person's name and nothing else

COPY_EVENTS = f"COPY events ({EVENT_COLUMNS}) FROM STDIN"
MOVE_HEAD = "UPDATE contexts SET position = %(position)s WHERE context_id = %(context_id)s"

# What differs from one repetition to the next in the text of a payload.
CHANGING = re.compile(
    r"(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
    r"|(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"
    r"|(?P<position>\b1\d{9}\b)"
    rf"|(?P<name>{NAME_MARK})",
    re.IGNORECASE,
)

CITIES = ("Berlin", "Oslo", "Lima", "Kyiv", "Bern", "Rome", "Cork", "Gent", "Turku", "Porto")
EMPLOYERS = ("Acme", "Initech", "Globex", "Hooli", "Umbrella", "Stark", "Wayne", "Tyrell", "Cyberdyne")
TITLES = ("engineer", "designer", "head of platform", "CTO", "nurse", "baker", "pilot", "teacher", "editor")
HOBBIES = ("chess", "cello", "hiking", "pottery", "sailing", "judo", "baking", "go", "climbing", "painting")
VALUES = {"city": CITIES, "employer": EMPLOYERS, "job_title": TITLES, "hobby": HOBBIES, "favourite_city": CITIES}


def fill(log: EventLog, memory: Memory, original: Caller, copy: Caller, events: int) -> Counter[str]:
    """Append about `events` events to the copy's context, to the log only. Returns how many of each topic.

    original, copy: administrators of two fresh contexts. The copy's read models don't know of the
    events until they are rebuilt.
    """
    for caller in (original, copy):
        _Conversation(memory, caller).turn("Somebody", seed=0)  # defines the keys, once in each context
    with log.pool.connection() as connection:
        connection.execute(MOVE_HEAD, {"context_id": original.context_id, "position": FIRST_POSITION})
    for number in range(SESSIONS):
        conversation = _Conversation(memory, original)
        for turn in range(TURNS_PER_SESSION):
            seed = 1 + number * TURNS_PER_SESSION + turn
            conversation.turn(f"{NAME_MARK}{seed % PERSONS}", seed=seed)
    with log.pool.connection() as connection:
        batches = log.read(connection, original.context_id, after=FIRST_POSITION)
        once = [one for rows in batches for one in log.decoded(rows)]
    appends = [list(append) for _, append in groupby(once, key=lambda one: one.recorded_at)]
    topics: Counter[str] = Counter()
    with log.pool.connection() as connection, connection.transaction(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0; SET LOCAL transaction_timeout = 0")
        row = cursor.execute(LOCK_HEAD, {"context_id": copy.context_id}).fetchone()
        assert row is not None
        position, last_hash, recorded_at, *_ = row
        end = _End(log.mapper, copy.context_id, position, recorded_at, last_hash)
        numbers = count(1)
        with cursor.copy(COPY_EVENTS) as copying:
            while topics.total() < events:
                repetitions = [_Repetition(end, next(numbers)) for _ in range(SIDE_BY_SIDE)]
                for append, repetition in product(appends, repetitions):
                    for stored in repetition.of(append):
                        copying.write_row(_columns(stored))
                        topics[stored.topic] += 1
                    if topics.total() >= events:
                        break
        cursor.execute(ADVANCE_HEAD, end.head)
    return topics


@dataclass
class _Conversation:
    """One session of one caller."""

    memory: Memory
    caller: Caller
    session_id: UUID | None = None

    def turn(self, name: str, *, seed: int) -> None:
        """A value for each key, about the person of that name."""
        person = Mention(type="person", name=name)
        choose = random.Random(seed).choice
        candidates: tuple[AnyCandidate, ...] = tuple(
            AttributeCandidate(
                entity=person, key=key, value=choose(values), start=ordinal, end=ordinal, category="identity"
            )
            for ordinal, (key, values) in enumerate(VALUES.items())
        )
        text = f"You asked me about {name}; here is all that I know and that I may tell you."
        turn = Turn(turn_id=new_id(), text=text, infer=Infer.TRIPLES, candidates=candidates)
        remembered = self.memory.remember(
            self.caller, [turn], session_id=self.session_id, new_session_id=new_id(), answer=_no_answer
        )
        self.session_id = remembered.session_id


def _no_answer(_: Writing, __: Learnt) -> None:
    return None


class _End:
    """The end of a log that grows."""

    def __init__(
        self, mapper: EventMapper, context_id: str, position: int, recorded_at: datetime, last_hash: bytes
    ) -> None:
        self.position = position
        self.recorded_at = recorded_at
        self.mapper = mapper
        self._context_id = context_id
        self._hash = last_hash

    @property
    def head(self) -> dict[str, Any]:
        """The parameters of ADVANCE_HEAD."""
        return {
            "context_id": self._context_id,
            "position": self.position,
            "hash": self._hash,
            "recorded_at": self.recorded_at,
        }

    def sealed(self, event: Event, position: int, origin: Origin) -> StoredRow:
        recorded = Recorded(self._context_id, position, event, self.recorded_at, origin)
        row = self.mapper.seal(recorded, previous_hash=self._hash, salt=os.urandom(16))
        self._hash = row.hash
        return row


class _Repetition:
    """The same events once more, about other persons, in other sessions, and later."""

    def __init__(self, end: _End, number: int) -> None:
        self._end = end
        self._number = number
        self._ids: dict[UUID, UUID] = {}
        self._times: dict[datetime, datetime] = {}
        self._positions: dict[int, int] = {}

    def of(self, append: Sequence[Recorded]) -> Iterator[StoredRow]:
        """The next append, at the log's end."""
        self._end.recorded_at += PAUSE
        self._times[append[0].recorded_at] = self._end.recorded_at
        for one in append:
            self._end.position += 1
            self._positions[one.position] = self._end.position
        for one in append:
            assert one.event is not None
            # These two are the same in every context.
            for kept in (one.origin.principal_id, one.origin.scope_set_id):
                if kept:
                    self._ids[kept] = kept
            origin = structs.replace(
                one.origin,
                turn_id=one.origin.turn_id and self._id(one.origin.turn_id),
                session_id=one.origin.session_id and self._id(one.origin.session_id),
                observed_at=one.origin.observed_at and self._times[one.origin.observed_at],
            )
            transcoder = self._end.mapper.transcoder
            payload = CHANGING.sub(self._changed, transcoder.encode(one.event).decode()).encode()
            yield self._end.sealed(
                transcoder.decode_as(type(one.event), payload), self._positions[one.position], origin
            )

    def _id(self, value: UUID) -> UUID:
        return self._ids.get(value) or self._ids.setdefault(value, new_id())

    def _changed(self, found: re.Match[str]) -> str:
        text = found[0]
        match found.lastgroup:
            case "id":
                return str(self._id(UUID(text)))
            case "time":
                return self._times[datetime.fromisoformat(text)].isoformat().replace("+00:00", "Z")
            case "position":
                return str(self._positions[int(text)])
            case _:
                return f"{text}{self._number}x"


def _columns(row: StoredRow) -> tuple[Any, ...]:
    """In the order of EVENT_COLUMNS; from the third on they have their columns' names."""
    names = EVENT_COLUMNS.split(", ")[2:]
    rest = (row.state.decode() if name == "payload" else getattr(row, name) for name in names)
    return (row.originator_id, row.originator_version, *rest)
