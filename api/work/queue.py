"""The queue of background work: procrastinate's tables in a Postgres schema of their own.

A job is only a hint that there is work, its arguments are ids: what is pending, the log says. So the schema
may be dropped at any time, and another version of the library simply begins with an empty one.
"""

import importlib.util
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from memory.log import Pool

if TYPE_CHECKING:
    import procrastinate

QUEUE_SCHEMA = "palimpsest_queue_v1"  # raised whenever the library's tables change, which a test notices
QUEUE = "palimpsest"

HAS_SCHEMA = "SELECT to_regnamespace(%(schema)s) IS NOT NULL"
GRANTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
)


def library_schema() -> str:
    """The DDL of the library's tables. Read as a file: importing the library costs half a second."""
    spec = importlib.util.find_spec("procrastinate")
    assert spec is not None and spec.submodule_search_locations
    return (Path(spec.submodule_search_locations[0]) / "sql" / "schema.sql").read_text(encoding="utf-8")


def ensure(connection: psycopg.Connection[Any], app_role: str | None) -> None:
    """Make the queue's tables if they are not there, inside the caller's transaction.

    app_role: the role that serves requests, if it is not the connection's own.
    """
    row = connection.execute(HAS_SCHEMA, {"schema": QUEUE_SCHEMA}).fetchone()
    if row != (True,):
        connection.execute(f"CREATE SCHEMA {QUEUE_SCHEMA}".encode())
        connection.execute(f"SET LOCAL search_path = {QUEUE_SCHEMA}".encode())
        connection.execute(library_schema().encode())
    if app_role:
        for statement in GRANTS:
            connection.execute(statement.format(schema=QUEUE_SCHEMA, role=app_role).encode())


class Queue:
    """Takes jobs from any thread. Call it after the commit that the job is about, never inside an append."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def put(self, task: str, ids: Mapping[str, str]) -> bool:
        """Ask for `task` on `ids`. Returns False if the same was asked for already and has not begun.

        Jobs of the same task and ids run one after the other, never at once.
        """
        from procrastinate.exceptions import AlreadyEnqueued

        key = job_key(task, ids)
        try:
            self._app.configure_task(task, queue=QUEUE, lock=key, queueing_lock=key).defer(**ids)
        except AlreadyEnqueued:
            return False
        return True

    @cached_property
    def _app(self) -> "procrastinate.App":
        import procrastinate

        app = procrastinate.App(connector=procrastinate.SyncPsycopgConnector())
        app.open(self._pool)
        return app


def job_key(task: str, ids: Mapping[str, str]) -> str:
    return " ".join((task, *(ids[name] for name in sorted(ids))))
