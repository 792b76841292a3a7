"""The event log on Postgres: one dense, hash-chained sequence of events per context.

An append locks the context's head row, decides against what is known, inserts events, folds them
into the read models and commits, all in one transaction. Writers of one context queue at the row
lock; writers of different contexts never meet.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NoReturn, Protocol
from uuid import UUID

import msgspec
import psycopg
from psycopg_pool import ConnectionPool

from memory.errors import Conflict, NotFound, Unavailable
from memory.events import Event
from memory.recorded import EventMapper, Origin, Recorded, StoredRow, from_columns, linked_columns

Connection = psycopg.Connection[tuple[Any, ...]]
Cursor = psycopg.Cursor[tuple[Any, ...]]
Pool = ConnectionPool[Connection]

GENESIS_HASH = b"\0" * 32
READ_BATCH_ROWS = 5_000
WRITERS_MAX = 8  # connections that appends may hold at once; readers must not wait behind them
WRITER_WAIT_S = 10.0

BEGIN, COMMIT, ROLLBACK = "BEGIN", "COMMIT", "ROLLBACK"

CREATE_CONTEXT = """
INSERT INTO contexts (context_id, position, hash, recorded_at, generation, read_models_version, created_at)
VALUES (%(context_id)s, 0, %(hash)s, clock_timestamp(), 1, %(read_models_version)s, clock_timestamp())
ON CONFLICT DO NOTHING
"""

# The clock is read outside, once the row is locked: beside the row, it would be read before the wait for the lock.
LOCK_HEAD = """
WITH head AS MATERIALIZED (
    SELECT position, hash, recorded_at, generation, read_models_version
    FROM contexts WHERE context_id = %(context_id)s AND deleted_at IS NULL
    FOR UPDATE
)
SELECT *, clock_timestamp() FROM head
"""

ADVANCE_HEAD = """
UPDATE contexts SET position = %(position)s, hash = %(hash)s, recorded_at = %(recorded_at)s
WHERE context_id = %(context_id)s
"""

EVENT_COLUMNS = (
    "context_id, position, event_id, topic, schema_version, recorded_at, observed_at, turn_id, session_id, "
    "principal_id, scope_set_id, payload, payload_salt, payload_digest, hash"
)

EVENT_COLUMN_NAMES = EVENT_COLUMNS.split(", ")

# What of it is needed to know the event again; the rest proves that it is the one recorded.
ORIGIN_COLUMNS = "observed_at, turn_id, session_id, principal_id, scope_set_id"
RECORDED_COLUMNS = f"position, topic, schema_version, recorded_at, {ORIGIN_COLUMNS}, payload"

# One statement for any number of events. Text comes out of JSON as it went in; bytes go as hexadecimal digits.
INSERT_EVENTS = f"""
INSERT INTO events ({EVENT_COLUMNS}) SELECT {EVENT_COLUMNS} FROM json_populate_recordset(NULL::events, %(rows)s::json)
"""

SELECT_EVENTS = """
SELECT {columns} FROM events
WHERE context_id = %(context_id)s AND position > %(after)s AND position <= %(until)s
ORDER BY position
LIMIT %(limit)s
"""

SELECT_EVENTS_AT = f"""
SELECT {RECORDED_COLUMNS} FROM events
WHERE context_id = %(context_id)s AND position = ANY(%(positions)s)
ORDER BY position
"""

SELECT_TURN_EVENTS = f"""
SELECT {RECORDED_COLUMNS} FROM events
WHERE context_id = %(context_id)s AND turn_id = %(turn_id)s
ORDER BY position
"""

# By halving: positions are dense and their times rise, so no index on the times is needed.
LAST_UNTIL = """
WITH RECURSIVE search (low, high) AS (
    SELECT 0::bigint, position FROM contexts WHERE context_id = %(context_id)s
    UNION ALL
    SELECT CASE WHEN e.recorded_at <= %(moment)s THEN e.position ELSE s.low END,
        CASE WHEN e.recorded_at <= %(moment)s THEN s.high ELSE e.position - 1 END
    FROM search AS s JOIN events AS e
        ON e.context_id = %(context_id)s AND e.position = (s.low + s.high + 1) / 2
    WHERE s.low < s.high
)
SELECT low FROM search WHERE low = high
"""

HEAD = "SELECT position FROM contexts WHERE context_id = %(context_id)s"

RECORDED_AT = """
SELECT coalesce(e.recorded_at, c.created_at)
FROM contexts AS c LEFT JOIN events AS e ON e.context_id = c.context_id AND e.position = %(position)s
WHERE c.context_id = %(context_id)s AND c.position >= %(position)s
"""

POSITION_MAX = 2**62


@dataclass(frozen=True, slots=True)
class Head:
    """A context's head row, as it was when it was locked. now: the `recorded_at` of what is recorded then."""

    position: int
    hash: bytes
    generation: int
    now: datetime


class Projector(Protocol):
    """Folds just-recorded events into the read models, in the caller's transaction."""

    @property
    def version(self) -> int:
        """The version of the read models that this code folds into."""
        ...

    def project(self, cursor: Cursor, context_id: str, generation: int, recorded: Sequence[Recorded]) -> None: ...


class Writing:
    """One open append. Valid only inside `EventLog.writing`.

    Statements go to the database in order, so what is asked before the head is looked at goes there together with
    the lock, and sees what there is once that is held.
    """

    def __init__(self, cursor: Cursor, context_id: str, head: Callable[[], Head], log: "EventLog") -> None:
        self._cursor = cursor
        self.context_id = context_id
        self._wait_for_head = head
        self._head: Head | None = None
        self._log = log
        self._length = 0
        self._unwritten: list[Recorded] = []
        self._last_hash = b""

    def locked(self) -> Head:
        """The head, once the lock is held. Raises as `EventLog.writing` does."""
        if self._head is None:
            self._head = self._wait_for_head()
            self._last_hash = self._head.hash
        return self._head

    @property
    def now(self) -> datetime:
        """The `recorded_at` of everything recorded in it, later than all before it in this context, whatever the
        clock does."""
        return self.locked().now

    @property
    def generation(self) -> int:
        return self.locked().generation

    @property
    def generation_so_far(self) -> int | None:
        """None before the head was looked at, for reads that find it themselves."""
        return self._head.generation if self._head else None

    @property
    def position(self) -> int:
        """Of the last event, recorded in it or before."""
        return self.locked().position + self._length

    @property
    def cursor(self) -> Cursor:
        """For reads that see all that was recorded so far."""
        self.flush()
        return self._cursor

    @property
    def cursor_before(self) -> Cursor:
        """For reads that what was recorded in this append does not concern; saves writing it first."""
        return self._cursor

    def record(self, events: Sequence[Event], origin: Origin) -> list[Recorded]:
        """Append `events`. They are written, and folded into the read models, together at the next flush."""
        recorded = [
            Recorded(self.context_id, position, event, self.now, origin)
            for position, event in enumerate(events, start=self.position + 1)
        ]
        self._length += len(recorded)
        self._unwritten += recorded
        return recorded

    def flush(self) -> None:
        """Write and fold what was recorded; nothing is visible to others before the commit."""
        recorded, self._unwritten = self._unwritten, []
        if not recorded:
            return
        rows = []
        for one in recorded:
            row = self._log.mapper.seal(one, previous_hash=self._last_hash, salt=os.urandom(16))
            self._last_hash = row.hash
            rows.append(dict(zip(EVENT_COLUMN_NAMES, map(_in_json, to_columns(row)), strict=True)))
        self._cursor.execute(INSERT_EVENTS, {"rows": msgspec.json.encode(rows).decode()})
        self._log.projector.project(self._cursor, self.context_id, self.generation, recorded)
        head = {
            "context_id": self.context_id,
            "position": self.position,
            "hash": self._last_hash,
            "recorded_at": self.now,
        }
        self._cursor.execute(ADVANCE_HEAD, head)

    def roll_back(self) -> NoReturn:
        """Leave the `writing` block and undo all that was recorded in it, without an error."""
        raise _RolledBack


class _RolledBack(Exception):
    """Leaves a `writing` block on purpose"""


class EventLog:
    """Appends to and reads from the log. Shared by all threads.

    listeners: each is told the context after an append to it; they must neither wait nor fail.
    """

    def __init__(self, pool: Pool, projector: Projector) -> None:
        self.pool = pool
        self.projector = projector
        self._writers = threading.BoundedSemaphore(WRITERS_MAX)
        self.mapper = EventMapper()
        self.listeners: list[Callable[[str], None]] = []

    def create_context(self, context_id: str) -> bool:
        """Make an empty context. Returns whether it was made just now."""
        with self.pool.connection() as connection:
            made = connection.execute(
                CREATE_CONTEXT,
                {
                    "context_id": context_id,
                    "hash": GENESIS_HASH,
                    "read_models_version": self.projector.version,
                },
            )
            return made.rowcount == 1

    @contextmanager
    def writing(self, context_id: str) -> Iterator[Writing]:
        """Lock the context's head and append in one transaction: all or nothing.

        Raises NotFound for an unknown context, Conflict when newer server code took it over, Unavailable when
        too many wait. Whatever is raised inside rolls everything back.
        """
        with self._writer(), self.pool.connection() as connection:
            try:
                with connection.pipeline(), connection.cursor() as cursor:
                    yield from self._appended(cursor, context_id)
            except psycopg.Error:
                # A connection whose pipeline failed may hold a half-known state: never pool it again.
                connection.close()
                raise
        for listener in self.listeners:
            listener(context_id)

    @contextmanager
    def _writer(self) -> Iterator[None]:
        if not self._writers.acquire(timeout=WRITER_WAIT_S):
            raise Unavailable("too many writes are waiting")
        try:
            yield
        finally:
            self._writers.release()

    def _appended(self, cursor: Cursor, context_id: str) -> Iterator[Writing]:
        """One transaction, statement by statement: inside a pipeline the library's own would wait for each."""
        cursor.execute(BEGIN)
        try:
            locking = cursor.connection.cursor(binary=True).execute(LOCK_HEAD, {"context_id": context_id})
            writing = Writing(cursor, context_id, lambda: self._locked(context_id, locking.fetchone()), self)
            yield writing
            writing.locked()
            writing.flush()
        except _RolledBack:
            cursor.execute(ROLLBACK)
        except psycopg.Error:
            raise  # the connection is closed, which rolls back
        except BaseException:
            cursor.execute(ROLLBACK)
            raise
        else:
            cursor.execute(COMMIT)

    def _locked(self, context_id: str, row: tuple[Any, ...] | None) -> Head:
        if row is None:
            raise NotFound(f"there is no context {context_id!r}")
        position, head_hash, recorded_at, generation, read_models_version, clock = row
        if read_models_version != self.projector.version:
            raise Conflict("this context is served by another version of the server")
        return Head(position, head_hash, generation, max(recorded_at + timedelta(microseconds=1), clock))

    def read(
        self, connection: Connection, context_id: str, *, after: int = 0, until: int = POSITION_MAX
    ) -> Iterator[list[StoredRow]]:
        """Stored rows with after < position <= until, in order, in lists of at most READ_BATCH_ROWS."""
        for rows in _batches(connection, EVENT_COLUMNS, context_id, after, until):
            yield [from_columns(row) for row in rows]

    def read_appends(
        self, connection: Connection, context_id: str, *, after: int = 0, until: int = POSITION_MAX
    ) -> Iterator[list[Recorded]]:
        """Events with after < position <= until, in order, in lists that are never cut inside an append: only
        together its events keep the read models' rules.

        `after` and `until` must be positions between two appends. What was appended together has one
        recorded_at, and no other append has it. Raises LogCorrupt for a payload that is not of its topic and version.
        """
        held: list[Recorded] = []
        for rows in _batches(connection, RECORDED_COLUMNS, context_id, after, until):
            held += [self.mapper.recorded(context_id, row) for row in rows]
            last = held[-1].recorded_at
            end = next((index for index in range(len(held), 0, -1) if held[index - 1].recorded_at != last), 0)
            if end:
                yield held[:end]
                held = held[end:]
        if held:
            yield held

    def head(self, connection: Connection, context_id: str) -> int:
        """The position of the last event."""
        row = connection.execute(HEAD, {"context_id": context_id}).fetchone()
        assert row is not None, "the context exists"
        return int(row[0])

    def last_until(self, connection: Connection, context_id: str, moment: datetime) -> int:
        """The position of the last event recorded at `moment` or before; 0 if there is none."""
        row = connection.execute(LAST_UNTIL, {"context_id": context_id, "moment": moment}).fetchone()
        return row[0] if row else 0

    def recorded_at(self, connection: Connection, context_id: str, position: int) -> datetime | None:
        """When that event was recorded, for 0 when the context was made; None beyond the head."""
        row = connection.execute(RECORDED_AT, {"context_id": context_id, "position": position}).fetchone()
        return row[0] if row else None

    def of_turn(self, cursor: Cursor, context_id: str, turn_id: UUID) -> list[Recorded]:
        """All events of a turn, in order."""
        cursor.execute(SELECT_TURN_EVENTS, {"context_id": context_id, "turn_id": turn_id}, binary=True)
        return [self.mapper.recorded(context_id, row) for row in cursor.fetchall()]

    def at(self, cursor: Cursor, context_id: str, positions: Iterable[int]) -> list[Recorded]:
        """The events at these positions, in order."""
        parameters = {"context_id": context_id, "positions": sorted(set(positions))}
        cursor.execute(SELECT_EVENTS_AT, parameters, binary=True)
        return [self.mapper.recorded(context_id, row) for row in cursor.fetchall()]

    def decoded(self, rows: Sequence[StoredRow]) -> list[Recorded]:
        """Raises LogCorrupt for a payload that is not of its topic and version."""
        decode: Callable[[StoredRow], Recorded] = self.mapper.to_domain_event
        return [decode(row) for row in rows]


def _batches(
    connection: Connection, columns: str, context_id: str, after: int, until: int
) -> Iterator[list[tuple[Any, ...]]]:
    """These columns, `position` among them, of the events with after < position <= until."""
    statement = SELECT_EVENTS.format(columns=columns).encode()
    place = columns.split(", ").index("position")
    while True:
        parameters = {"context_id": context_id, "after": after, "until": until, "limit": READ_BATCH_ROWS}
        rows = connection.execute(statement, parameters, binary=True).fetchall()
        if rows:
            yield rows
        if len(rows) < READ_BATCH_ROWS:
            return
        after = rows[-1][place]


def _in_json(value: Any) -> Any:
    return f"\\x{value.hex()}" if isinstance(value, bytes) else value


def to_columns(row: StoredRow) -> tuple[Any, ...]:
    """The values of EVENT_COLUMNS: what the chain links, with the payload and its salt before the digest, and the
    hash at the end."""
    *known, digest = linked_columns(row)
    payload = None if row.payload_salt is None else row.state.decode()
    return (*known, payload, row.payload_salt, digest, row.hash)
