"""Rebuilds the read models of a context from its log, beside live writes.

A new generation of rows is written by COPY next to the live one, catches up with what was written
meanwhile, and is made live inside the context's head-row lock; then the old one is swept. Up to the
flip the live rows are untouched, so a failed or interrupted rebuild changes nothing.
"""

import gc
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

from msgspec.structs import astuple
from psycopg import pq

from memory.errors import Conflict
from memory.events import ContentErased
from memory.log import Connection, Cursor, EventLog
from memory.recorded import Recorded
from projections.projector import Changes, Folding, ops_of
from projections.read_models import READ_MODELS
from projections.table import READ_MODELS_VERSION

# Catch-up rounds go on until so few events are left that applying them under the lock is short.
FLIP_EVENTS_MAX = 200
SWEEP_ROWS = 20_000
HELD_MAX = 20_000  # ids of each table that is revised soon; some 30 MB

COPY_ROWS = "COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)"

HEAD = "SELECT position, generation FROM contexts WHERE context_id = %(context_id)s"
LOCK_HEAD = HEAD + " FOR UPDATE"

# Generations of unfinished rebuilds lie above the live one and are swept before a new one begins.
FLIP = """
UPDATE contexts SET generation = %(generation)s, read_models_version = %(version)s
WHERE context_id = %(context_id)s
"""

SWEEP = """
DELETE FROM {table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM {table} WHERE context_id = %(context_id)s AND generation {beyond} %(live)s LIMIT %(limit)s
))
"""

# A fifth of the usual sample tells a new generation's shape well enough; autovacuum measures it again in time.
ROUGHLY = "SET LOCAL default_statistics_target = 20"

# One rebuild of a context at a time; the lock is on the session, outside any write transaction.
TRY_REBUILD_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('palimpsest rebuild ' || %(context_id)s, 0))"
REBUILD_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('palimpsest rebuild ' || %(context_id)s, 0))"

Progress = Callable[[int], None]


class RebuildBusy(Conflict):
    """Another process is rebuilding this context"""


@contextmanager
def rebuilding(connection: Connection, context_id: str) -> Iterator[None]:
    """Hold the right to rebuild a context. Raises RebuildBusy if somebody else does."""
    parameters = {"context_id": context_id}
    row = connection.execute(TRY_REBUILD_LOCK, parameters).fetchone()
    if not (row and row[0]):
        raise RebuildBusy(f"context {context_id} is being rebuilt by another process")
    try:
        yield
    finally:
        if connection.info.transaction_status is not pq.TransactionStatus.UNKNOWN:
            connection.execute(REBUILD_UNLOCK, parameters)


def rebuild(log: EventLog, connection: Connection, context_id: str, *, progress: Progress = lambda events: None) -> int:
    """Rebuild one context and make the result live. Returns the number of events folded.

    connection: in autocommit mode, as the application's role, without time-outs.
    progress: called with the number of events of each batch.
    Raises RebuildBusy, LogCorrupt, or what the database raises; the live rows are then as they were.
    """
    # The reader is taken first: under the lock, waiting writers may hold every other connection of the pool.
    with rebuilding(connection, context_id), log.pool.connection() as reader:
        while True:
            try:
                position, target = _rebuilt(log, connection, reader, context_id, progress)
                break
            except _ErasedMeanwhile:
                continue  # what was copied may hold what is gone
        sweep(connection, context_id, live=target)
        if position <= FLIP_EVENTS_MAX:
            _analyse(connection)
        return position


class _ErasedMeanwhile(Exception):
    """Contents that may have been copied were erased since."""


def _rebuilt(
    log: EventLog, connection: Connection, reader: Connection, context_id: str, progress: Progress
) -> tuple[int, int]:
    """Write the generation after the live one and make it live. Returns the head's position and the generation.

    Raises _ErasedMeanwhile.
    """
    position, live = _head(connection, HEAD, context_id)
    sweep(connection, context_id, live=live)
    target = live + 1
    done = 0

    def copy(until: int) -> None:
        with closing(_decoded_ahead(log, reader, context_id, after=done, until=until)) as batches:
            copy_generation(connection, context_id, target, _without_erasures(batches, done), progress)

    while position - done > FLIP_EVENTS_MAX:
        with connection.transaction():
            copy(position)
        if done == 0:
            _analyse(connection)  # from the flip on, reads are planned by what it knows of the new rows
        done = position
        position, _ = _head(connection, HEAD, context_id)
    with connection.transaction():
        position, _ = _head(connection, LOCK_HEAD, context_id)
        copy(position)
        flip = {"context_id": context_id, "generation": target, "version": READ_MODELS_VERSION}
        connection.execute(FLIP, flip)
    return position, target


def _analyse(connection: Connection) -> None:
    """Before Postgres 17 only the owner may: then it warns, skips, and leaves it to autovacuum."""
    with connection.transaction():
        connection.execute(ROUGHLY)
        connection.execute(f"ANALYZE {', '.join(table.name for table in READ_MODELS)}".encode())


def _without_erasures(batches: Iterable[list[Recorded]], done: int) -> Iterator[list[Recorded]]:
    """The batches as they are. Raises _ErasedMeanwhile where one tells that what was copied before is gone."""
    for recorded in batches:
        if done and any(isinstance(one.event, ContentErased) for one in recorded):
            raise _ErasedMeanwhile
        yield recorded


def copy_generation(
    connection: Connection,
    context_id: str,
    generation: int,
    batches: Iterable[list[Recorded]],
    progress: Progress = lambda events: None,
) -> None:
    """Fold events into rows of `generation`, inside an open transaction.

    batches: in order, none cut inside an append, as `EventLog.read_appends` gives them. Each is folded while the
    database takes in the rows of the one before.
    """
    folding = Folding(context_id, generation)
    changes = folding.take()
    with connection.cursor() as cursor, _collector_paused(), ThreadPoolExecutor(1) as writer:
        for recorded in batches:
            writing = writer.submit(_copy, cursor, changes)
            ops = ops_of(recorded)
            if missing := folding.missing(ops):
                writing.result()
                folding.load(cursor, missing)
            folding.apply(ops)
            changes = folding.take(held_max=HELD_MAX)
            writing.result()  # the next batch may be read through the same connection
            progress(len(recorded))
        _copy(cursor, changes)
        _copy(cursor, folding.take())


def sweep(connection: Connection, context_id: str, *, live: int) -> None:
    """Delete the rows of every generation but the live one, in short transactions."""
    for table in READ_MODELS:
        for beyond in ("<", ">"):  # two ranges of the primary key; "<>" would read the live rows too
            statement = SWEEP.format(table=table.name, beyond=beyond).encode()
            parameters = {"context_id": context_id, "live": live, "limit": SWEEP_ROWS}
            while connection.execute(statement, parameters).rowcount == SWEEP_ROWS:
                pass


def _decoded_ahead(
    log: EventLog, reader: Connection, context_id: str, *, after: int, until: int
) -> Generator[list[Recorded], None, None]:
    """Batches with after < position <= until, each read and decoded while the database takes in the one before.

    reader: another connection than the one that takes them in; it sees all that a head row counts.
    """
    batches = log.read_appends(reader, context_id, after=after, until=until)
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, batches, None)
        while (recorded := coming.result()) is not None:
            coming = thread.submit(next, batches, None)
            yield recorded


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Batches die by reference count; searching their many rows for cycles costs a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _copy(cursor: Cursor, changes: Changes) -> None:
    changes.write_closes(cursor)
    for table, rows in changes.rows:
        statement = COPY_ROWS.format(table=table.name, columns=table.column_list).encode()
        with cursor.copy(statement) as copy:
            copy.set_types(table.types)
            for row in rows:
                copy.write_row(astuple(row))


def _head(connection: Connection, query: str, context_id: str) -> tuple[int, int]:
    row = connection.execute(query.encode(), {"context_id": context_id}).fetchone()
    assert row is not None, f"context {context_id} exists"
    return row[0], row[1]
