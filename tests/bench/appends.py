"""The appends that are compared: the product's own, and a raw floor that writes the very same rows.

The floor takes what one real append inserted, in the log and in every read model, and inserts such
rows again under fresh ids, positions and names: one transaction in one pipeline, an executemany per
table, an update of the head row. It decides nothing and reads nothing, so it is what the same durable
rows cost with this driver and this database. Making the fresh rows is inside its time, some 0.1 ms.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

from api import keys
from api.ids import new_id
from api.postgres.database import Database
from memory.candidates import AttributeCandidate, Extraction, Mention
from memory.log import ADVANCE_HEAD, EVENT_COLUMNS, LOCK_HEAD, Connection, Cursor, EventLog, Pool, Writing
from memory.principals import Caller
from memory.remember import Learnt, Memory, Turn
from memory.understanding import Understanding
from memory.values import Infer
from projections.access import caller_of
from projections.knowledge import ReadModelKnowledge
from projections.projector import ReadModelProjector
from projections.read_models import READ_MODELS
from tests.bench.slices import Operation

WORDS = "She heads the platform team at Acme, works from Berlin, drives a Saab and takes her tea without sugar."
ATTRIBUTES = {"job_title": "Head of Platform", "city": "Berlin", "employer": "Acme", "car": "Saab", "tea": "no sugar"}
CONTEXTS_PER_WRITER = 64

EVENTS_OF = f"""
SELECT {EVENT_COLUMNS} FROM events WHERE context_id = %(context_id)s AND position > %(after)s ORDER BY position
"""
ROWS_OF = """
SELECT {columns} FROM {table} WHERE context_id = %(context_id)s AND position_from > %(after)s ORDER BY position_from
"""
INSERT_ROW = "INSERT INTO {table} ({columns}) VALUES ({placeholders})"


class NoExtractor:
    """Given triples never ask for one."""

    name = "none"

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        raise AssertionError("nothing to extract")


@dataclass
class ProductAppend:
    """One turn with five facts about somebody new, through `Memory.remember`; their keys are known already."""

    memory: Memory
    caller: Caller
    session_id: UUID | None = None
    numbers: Iterator[int] = field(default_factory=count)

    def __call__(self) -> None:
        mention = Mention(type="person", name=f"Somebody {next(self.numbers)}")
        candidates = tuple(
            AttributeCandidate(entity=mention, key=key, value=value, start=ordinal, end=ordinal)
            for ordinal, (key, value) in enumerate(ATTRIBUTES.items())
        )
        turn = Turn(turn_id=new_id(), text=WORDS, infer=Infer.TRIPLES, candidates=candidates)
        remembered = self.memory.remember(
            self.caller, [turn], session_id=self.session_id, new_session_id=new_id(), answer=_no_answer
        )
        self.session_id = remembered.session_id


def _no_answer(_: Writing, __: Learnt) -> None:
    return None


@dataclass
class _Inserts:
    """Rows of one table as one append inserted them."""

    statement: bytes
    columns: list[str]
    rows: list[tuple[Any, ...]]


class RawAppend:
    """Inserts rows like those of one append, over and over.

    head: "update" advances the head row, "lock" locks it first and waits for the answer as a
    decision would have to, "none" leaves it alone.
    begin: the first position and number, above all that the contexts hold.
    """

    def __init__(
        self,
        pool: Pool,
        contexts: list[str],
        like: list[_Inserts],
        after: int,
        *,
        head: str = "update",
        begin: int = 1_000_000,
    ) -> None:
        self._pool = pool
        self._head = head
        self._inserts = like
        self._after = after
        events = like[0]
        self._length = len(events.rows)
        self._recorded_at: datetime = events.rows[0][events.columns.index("recorded_at")]
        self._hash: bytes = events.rows[-1][events.columns.index("hash")]
        self._ids = {row[one.columns.index(_id_column(one))] for one in like for row in one.rows}
        self._positions = dict.fromkeys(contexts, begin)
        self._contexts = contexts
        self._numbers = count(begin)

    def __call__(self) -> None:
        number = next(self._numbers)
        context_id = self._contexts[number % len(self._contexts)]
        position = self._positions[context_id]
        self._positions[context_id] += self._length
        now = datetime.now(UTC)
        rows = self._fresh(context_id, position, number, now)
        advance = {
            "context_id": context_id,
            "position": position + self._length,
            "hash": self._hash,
            "recorded_at": now,
        }
        with (
            self._pool.connection() as connection,
            connection.pipeline(),
            connection.transaction(),
            connection.cursor() as cursor,
        ):
            if self._head == "lock":
                _locked(cursor, context_id)
            for statement, table_rows in rows:
                cursor.executemany(statement, table_rows)
            if self._head != "none":
                cursor.execute(ADVANCE_HEAD, advance)

    def _fresh(
        self, context_id: str, position: int, number: int, now: datetime
    ) -> list[tuple[bytes, list[tuple[Any, ...]]]]:
        ids: dict[UUID, UUID] = defaultdict(new_id)
        shift = position - self._after
        fresh: list[tuple[bytes, list[tuple[Any, ...]]]] = []
        for one in self._inserts:
            rows = [
                tuple(
                    self._value(column, value, context_id, ids, shift, number, now)
                    for column, value in zip(one.columns, row, strict=True)
                )
                for row in one.rows
            ]
            fresh.append((one.statement, rows))
        return fresh

    def _value(
        self,
        column: str,
        value: Any,
        context_id: str,
        ids: dict[UUID, UUID],
        shift: int,
        number: int,
        now: datetime,
    ) -> Any:
        if isinstance(value, UUID):
            return ids[value] if value in self._ids else value
        if isinstance(value, datetime):
            return now if value == self._recorded_at else value
        if value is None:
            return None
        match column:
            case "context_id":
                return context_id
            case "position" | "position_from" | "position_to" | "turn_position":
                return value + shift
            case "seq":
                return number
            case "name" | "name_key":
                return f"somebody_{number}"
            case _:
                return value


def _id_column(inserts: _Inserts) -> str:
    return "id" if "id" in inserts.columns else "event_id"


def _locked(cursor: Cursor, context_id: str) -> None:
    cursor.execute(LOCK_HEAD, {"context_id": context_id})
    cursor.fetchone()


def captured(connection: Connection, context_id: str, after: int) -> list[_Inserts]:
    """All rows that the events after this position brought, the log's first."""
    parameters = {"context_id": context_id, "after": after}
    events = connection.execute(EVENTS_OF.encode(), parameters, binary=True).fetchall()
    inserts = [_inserts("events", EVENT_COLUMNS.split(", "), events)]
    for table in READ_MODELS:
        statement = ROWS_OF.format(columns=table.column_list, table=table.name)
        rows = connection.execute(statement.encode(), parameters, binary=True).fetchall()
        if rows:
            inserts.append(_inserts(table.name, list(table.fields), rows))
    return inserts


def _inserts(table: str, columns: list[str], rows: list[tuple[Any, ...]]) -> _Inserts:
    placeholders = ", ".join(["%s"] * len(columns))
    statement = INSERT_ROW.format(table=table, columns=", ".join(columns), placeholders=placeholders)
    return _Inserts(statement.encode(), columns, rows)


@dataclass(frozen=True)
class AppendSetup:
    """Picklable `slices.Setup`: "remember" and "floor" in contexts of their own, and the floor over many
    contexts with ("locked") and without ("unlocked") the head row."""

    database: Database

    @contextmanager
    def __call__(self, number: int) -> Iterator[Mapping[str, Operation]]:
        with self.database.pool(size_max=2) as pool:
            log = EventLog(pool, ReadModelProjector())
            product = ProductAppend(Memory(log, ReadModelKnowledge(), Understanding(NoExtractor())), new_context(log))
            product()
            product()
            floor_context, *many = (new_context(log).context_id for _ in range(1 + CONTEXTS_PER_WRITER))
            with pool.connection() as connection:
                after = _position(connection, product.caller.context_id)
                product()
                like = captured(connection, product.caller.context_id, after)
            yield {
                "remember": product,
                "floor": RawAppend(pool, [floor_context], like, after),
                "locked": RawAppend(pool, many, like, after, head="lock"),
                "unlocked": RawAppend(pool, many, like, after, head="none", begin=1_000_000_000),
            }


def new_context(log: EventLog) -> Caller:
    """A fresh context's administrator."""
    context_id, key = f"bench-{new_id().hex[-8:]}", keys.new_key()  # short, as names are
    keys.ensure_context(log, context_id, key)
    with log.pool.connection() as connection:
        found = caller_of(connection, context_id, keys.digest(key))
    assert found is not None
    return found[0]


def _position(connection: Connection, context_id: str) -> int:
    row = connection.execute("SELECT position FROM contexts WHERE context_id = %s", [context_id]).fetchone()
    assert row is not None
    return int(row[0])
