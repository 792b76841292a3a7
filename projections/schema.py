"""Makes the tables of the read models, in a Postgres schema of their own version."""

from typing import Any

import psycopg

from projections.read_models import READ_MODELS
from projections.table import READ_MODELS_SCHEMA

Connection = psycopg.Connection[Any]

MAINTAIN_SINCE = 170000  # server version

HAS_SCHEMA = "SELECT to_regnamespace(%(schema)s) IS NOT NULL"


def ensure(connection: Connection, app_role: str | None) -> bool:
    """Make this version's tables if they are not there. Returns whether they were made just now.

    app_role: the role that serves requests, if it is not the connection's own.
    """
    row = connection.execute(HAS_SCHEMA, {"schema": READ_MODELS_SCHEMA}).fetchone()
    assert row is not None
    if row[0]:
        return False
    connection.execute(f"CREATE SCHEMA {READ_MODELS_SCHEMA}".encode())
    connection.execute(f"SET LOCAL search_path = {READ_MODELS_SCHEMA}".encode())
    for table in READ_MODELS:
        for statement in table.ddl():
            connection.execute(statement.encode())
    if app_role:
        connection.execute(f"GRANT USAGE ON SCHEMA {READ_MODELS_SCHEMA} TO {app_role}".encode())
        connection.execute(
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {READ_MODELS_SCHEMA} TO {app_role}".encode()
        )
        if connection.info.server_version >= MAINTAIN_SINCE:
            # A rebuild leaves statistics of rows that are gone; so it may renew them.
            connection.execute(f"GRANT MAINTAIN ON ALL TABLES IN SCHEMA {READ_MODELS_SCHEMA} TO {app_role}".encode())
    return True
