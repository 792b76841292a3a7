"""Scrubbing the disk: what was erased leaves dead rows, statistics and write-ahead log behind, for a while.

It needs the rights of the database's owner, and rewriting a table blocks its readers and writers for as long
as that takes: the one step of an erasure that anybody notices. So the embedded Postgres is scrubbed in the
background, another one only by `palimpsest erasures --scrub`. What it can't reach: backups, replicas, and
blocks that a file system keeps of deleted files.
"""

import logging
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg

import migrations
from api.work.worker import Ids, Task
from projections import schema
from projections.read_models import READ_MODELS
from projections.stores import STORES
from projections.table import READ_MODELS_SCHEMA

if TYPE_CHECKING:
    from api.wiring import Services

logger = logging.getLogger(__name__)

SCRUB = "scrub"
LOCK_TIMEOUT_MS = 300
LOCK_PAUSE_S = 0.5
HORIZON_TIMEOUT_S = 120  # for transactions that began before and may still need dead rows
CHECKPOINTS_MAX = 5

PENDING = "SELECT context_id, erasure_id FROM scrubs WHERE scrubbed_at IS NULL ORDER BY requested_at"
PENDING_HERE = "SELECT 1 FROM palimpsest.scrubs WHERE scrubbed_at IS NULL LIMIT 1"
ONE_AT_A_TIME = "SELECT pg_advisory_lock(hashtextextended('palimpsest scrub', 0))"
FORGET_STATISTICS = "DELETE FROM pg_catalog.pg_statistic WHERE starelid = to_regclass(%(name)s)"
THIS_TRANSACTION = "SELECT pg_current_xact_id()::text::bigint"
HORIZON = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
SWITCH_WAL = "SELECT pg_walfile_name(pg_switch_wal())"
# Segments are named in order within one timeline, and the embedded server has one.
OLDER_SEGMENTS = r"SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name <= %(segment)s"
DONE = """
UPDATE palimpsest.scrubs SET scrubbed_at = clock_timestamp() WHERE scrubbed_at IS NULL AND requested_at <= %(began)s
RETURNING context_id, erasure_id
"""


def tables() -> list[str]:
    """Every table that may hold, or have held, something of what was said."""
    stores = [f"{migrations.SCHEMA}.{table}" for store in STORES for table in store.tables]
    models = [f"{READ_MODELS_SCHEMA}.{table.name}" for table in READ_MODELS]
    return [f"{migrations.SCHEMA}.events", *models, *stores]


def scrub(database_url: str) -> list[tuple[str, UUID]]:
    """Clean the disk of everything erased until now. Returns the erasures, as (context, erasure), that are done.

    Raises psycopg.Error if the role may not; TimeoutError if somebody's transaction stays open too long.
    """
    with psycopg.connect(database_url, autocommit=True) as connection:
        for name in ("statement_timeout", "transaction_timeout"):
            if connection.info.server_version >= 170000 or name == "statement_timeout":
                connection.execute(f"SET {name} = 0".encode())
        connection.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}".encode())
        connection.execute(ONE_AT_A_TIME)  # it goes with the connection
        if connection.execute(PENDING_HERE).fetchone() is None:
            return []
        began = connection.execute("SELECT clock_timestamp()").fetchone()
        _await_horizon(connection)
        for table in tables():
            _patiently(connection, f"VACUUM (FULL) {table}")
            # The most common values of columns are copies of what was said, and of an empty table ANALYZE leaves them.
            connection.execute(FORGET_STATISTICS, {"name": table})
            _patiently(connection, f"ANALYZE {table}")
        for model in READ_MODELS:
            schema.believe(connection, model.name)
        _patiently(connection, "VACUUM (FULL) pg_catalog.pg_statistic")
        _drop_old_wal(connection)
        done = connection.execute(DONE, {"began": began[0] if began else None}).fetchall()
        return [(context_id, erasure_id) for context_id, erasure_id in done]


def _await_horizon(connection: psycopg.Connection[Any]) -> None:
    """Until no transaction is left to which a row that is dead now may still be alive: a rewrite would keep it."""
    row = connection.execute(THIS_TRANSACTION).fetchone()
    assert row is not None
    deadline = time.monotonic() + HORIZON_TIMEOUT_S
    while (horizon := connection.execute(HORIZON).fetchone()) is None or horizon[0] <= row[0]:
        if time.monotonic() > deadline:
            raise TimeoutError("a transaction that began before the erasure is still open")
        time.sleep(LOCK_PAUSE_S)


def _patiently(connection: psycopg.Connection[Any], statement: str) -> None:
    """Run it as soon as nobody holds the table, without making others queue behind the wait."""
    while True:
        try:
            connection.execute(statement.encode())
            return
        except psycopg.errors.LockNotAvailable:
            time.sleep(LOCK_PAUSE_S)


def _drop_old_wal(connection: psycopg.Connection[Any]) -> None:
    """Checkpoints until the segments written so far are deleted; with wal_recycle off none is kept for reuse."""
    row = connection.execute(SWITCH_WAL).fetchone()
    assert row is not None
    for _ in range(CHECKPOINTS_MAX):
        connection.execute("CHECKPOINT")
        older = connection.execute(OLDER_SEGMENTS, {"segment": row[0]}).fetchone()
        if older == (0,):
            return
    raise TimeoutError("the database keeps old write-ahead log: is it archived, or read by a replica?")


def _run(services: "Services", _: Ids) -> None:
    done = scrub(services.database.url)
    if done:
        logger.info("the disk is clean of %s erasures", len(done))


def _waiting(services: "Services") -> Iterator[Ids]:
    if services.settings.database_url is not None:
        return
    with services.pool.connection() as connection:
        for context_id, erasure_id in connection.execute(PENDING):
            yield {"context_id": context_id, "erasure_id": str(erasure_id)}


TASK = Task(SCRUB, _run, _waiting, every_s=60.0)
