"""The database as the server meets it: migrations, the application's role, and the connection pool."""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool

import migrations
from api.errors import StartupError
from api.work import queue
from memory.log import Connection, Pool
from projections import schema
from projections.table import READ_MODELS_SCHEMA

POOL_SIZE_MAX = 16
POOL_WAIT_S = 2.0
STATEMENT_TIMEOUT_MS = 30_000
IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000
TRANSACTION_TIMEOUT_MS = 60_000
TRANSACTION_TIMEOUT_SINCE = 170000  # server version

PREPARED_MAX = 1_000
ENSURE_RETRIES, ENSURE_PAUSE_S = 40, 0.25

# One migration at a time, however many processes start at once.
MIGRATION_LOCK = "SELECT pg_advisory_lock(hashtextextended('palimpsest migrations', 0))"
MIGRATION_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('palimpsest migrations', 0))"

CURRENT_REVISION = "SELECT to_regclass('palimpsest.alembic_version') IS NOT NULL"
REVISION = "SELECT version_num FROM palimpsest.alembic_version"

ROLE_EXISTS = "SELECT 1 FROM pg_roles WHERE rolname = %(role)s"
CAN_SET_ROLE = "SELECT pg_has_role(current_user, %(role)s, 'SET')"
CAN_SET_ROLE_BEFORE_16 = "SELECT pg_has_role(current_user, %(role)s, 'MEMBER')"

APP_GRANTS = """
GRANT USAGE ON SCHEMA palimpsest TO {role};
GRANT SELECT, INSERT ON palimpsest.events TO {role};
GRANT SELECT, INSERT, UPDATE ON palimpsest.contexts TO {role};
GRANT SELECT, INSERT ON palimpsest.management_keys TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.requests TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.traces TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.recall_heads, palimpsest.recall_segments TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.audit, palimpsest.key_uses, palimpsest.provider_keys TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.document_bytes, palimpsest.document_reading TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.recall_postings, palimpsest.recall_models TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.recall_vectors TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.scrubs TO {role};
GRANT EXECUTE ON FUNCTION palimpsest.erase_payloads(text, bigint[]) TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON palimpsest.response_cache, palimpsest.embedding_usage TO {role};
GRANT SELECT ON palimpsest.alembic_version TO {role};
"""

GUARD_TRIGGER = """
CREATE OR REPLACE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE ON palimpsest.events
    FOR EACH ROW EXECUTE FUNCTION palimpsest.refuse_change_of_events();
CREATE OR REPLACE TRIGGER events_are_never_truncated BEFORE TRUNCATE ON palimpsest.events
    FOR EACH STATEMENT EXECUTE FUNCTION palimpsest.refuse_change_of_events();
"""

LAGGING_CONTEXTS = """
SELECT context_id FROM palimpsest.contexts
WHERE read_models_version <> %(version)s AND deleted_at IS NULL
ORDER BY context_id
"""


@dataclass(frozen=True, slots=True)
class Database:
    """A migrated database. log_guard: what keeps the log append-only, "role" or "trigger"."""

    url: str
    log_guard: str

    def pool(self, *, size_max: int = POOL_SIZE_MAX) -> Pool:
        """A pool of connections that act as the application's role."""
        return ConnectionPool(
            self.url,
            connection_class=Connection,
            kwargs={"autocommit": True, "prepare_threshold": 2},
            configure=self._configure,
            min_size=1,
            max_size=size_max,
            timeout=POOL_WAIT_S,
            open=True,
        )

    def connect(self) -> Connection:
        """One connection as the application's role, outside any pool and without time-outs."""
        connection: Connection = psycopg.connect(self.url, autocommit=True)
        self._configure(connection)
        connection.execute("SET statement_timeout = 0")
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        if connection.info.server_version >= TRANSACTION_TIMEOUT_SINCE:
            connection.execute("SET transaction_timeout = 0")
        return connection

    def session_settings(self) -> bytes:
        """Statements that make any connection one of the application's role, without time-outs."""
        statements = [
            f"SET search_path = {migrations.SCHEMA}, {READ_MODELS_SCHEMA}, {queue.QUEUE_SCHEMA}, public",
            "SET timezone = 'UTC'",
        ]
        if self.log_guard == "role":
            statements.append(f"SET ROLE {migrations.APP_ROLE}")
        return "; ".join(statements).encode()

    def _configure(self, connection: psycopg.Connection[Any]) -> None:
        # More than there are: one that is given up within a pipeline that fails is remembered as if it were there.
        connection.prepared_max = PREPARED_MAX
        statements = [
            self.session_settings().decode(),
            f"SET statement_timeout = {STATEMENT_TIMEOUT_MS}",
            f"SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_TIMEOUT_MS}",
        ]
        if connection.info.server_version >= TRANSACTION_TIMEOUT_SINCE:
            # Between the statements of a pipeline a session counts as active, which only this bounds.
            statements.append(f"SET transaction_timeout = {TRANSACTION_TIMEOUT_MS}")
        connection.execute("; ".join(statements).encode())


def migrate(url: str) -> Database:
    """Bring the database at `url` up to date and return it.

    Raises StartupError, one line, if it can't be reached, lacks pgvector, or is newer than this code.
    """
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
            connection.execute(MIGRATION_LOCK)
            try:
                return _migrated(connection, url)
            finally:
                connection.execute(MIGRATION_UNLOCK)
    except psycopg.errors.InsufficientPrivilege as error:
        raise StartupError(f"the database role may not set up the schema: {_one_line(error)}") from error
    except psycopg.OperationalError as error:
        raise StartupError(f"can't reach the database: {_one_line(error)}") from error
    except psycopg.ProgrammingError as error:
        raise StartupError(f"PALIMPSEST_DATABASE_URL can't be used: {_one_line(error)}") from error


def _migrated(connection: psycopg.Connection[Any], url: str) -> Database:
    revision = _revision(connection)
    if revision is not None and revision > migrations.HEAD:
        raise StartupError(f"the database is at revision {revision}, newer than this server's {migrations.HEAD}")
    if revision != migrations.HEAD:
        _require_vector(connection)
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(migrations.SCHEMA)))
        _run_alembic(url)
    for _ in range(ENSURE_RETRIES):
        # A grant on a table that is just being rewritten, as by the scrubbing of an erasure, is refused.
        with suppress(psycopg.errors.InternalError_):
            return Database(url, _ensured(connection))
        time.sleep(ENSURE_PAUSE_S)
    return Database(url, _ensured(connection))


def _ensured(connection: psycopg.Connection[Any]) -> str:
    """Make what is missing of the role, the read models and the queue. Returns what guards the log."""
    with connection.transaction():
        guard = _ensure_guard(connection)
        app_role = migrations.APP_ROLE if guard == "role" else None
        schema.ensure(connection, app_role)
        queue.ensure(connection, app_role)
    return guard


def lagging_contexts(connection: Connection, version: int) -> list[str]:
    """Contexts whose read models are of another version and wait to be rebuilt."""
    return [context_id for (context_id,) in connection.execute(LAGGING_CONTEXTS, {"version": version})]


def _revision(connection: psycopg.Connection[Any]) -> str | None:
    if not _value(connection, CURRENT_REVISION):
        return None
    revision = _value(connection, REVISION)
    return None if revision is None else str(revision)


def _run_alembic(url: str) -> None:
    # Imported here: a start with nothing to migrate should not pay for it.
    import sqlalchemy
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"SET search_path = {migrations.SCHEMA}, public")
            connection.commit()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise StartupError(f"the schema can't be set up: {_one_line(error)}") from error
    finally:
        engine.dispose()


def _require_vector(connection: psycopg.Connection[Any]) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error as error:
        raise StartupError(f"the database has no usable pgvector extension: {_one_line(error)}") from error


def _ensure_guard(connection: psycopg.Connection[Any]) -> str:
    """Make or find the application's role; without the right to, guard the log by triggers."""
    role = migrations.APP_ROLE
    try:
        with connection.transaction():
            if not _value(connection, ROLE_EXISTS, {"role": role}):
                connection.execute(f"CREATE ROLE {role} NOLOGIN".encode())
            if not _can_set_role(connection):
                with_set = " WITH SET TRUE" if connection.info.server_version >= 160000 else ""
                connection.execute(f"GRANT {role} TO CURRENT_USER{with_set}".encode())
            connection.execute(APP_GRANTS.format(role=role).encode())
    except psycopg.errors.InsufficientPrivilege:
        connection.execute(GUARD_TRIGGER.encode())
        return "trigger"
    return "role"


def _can_set_role(connection: psycopg.Connection[Any]) -> bool:
    query = CAN_SET_ROLE if connection.info.server_version >= 160000 else CAN_SET_ROLE_BEFORE_16
    return bool(_value(connection, query, {"role": migrations.APP_ROLE}))


def _value(connection: psycopg.Connection[Any], query: str, parameters: dict[str, str] | None = None) -> Any:
    row = connection.execute(query.encode(), parameters).fetchone()
    return row[0] if row else None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
