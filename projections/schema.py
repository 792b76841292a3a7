"""Makes the tables of the read models, in a Postgres schema of their own version."""

from typing import Any

import psycopg

from projections.read_models import READ_MODELS
from projections.table import READ_MODELS_SCHEMA

Connection = psycopg.Connection[Any]

MAINTAIN_SINCE = 170000  # server version

# The last one lets a rebuild renew the statistics of the rows that it wrote.
GRANTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT MAINTAIN ON ALL TABLES IN SCHEMA {schema} TO {role}",
)

# What the planner is to believe, for ever, of the columns that every read names: that a context holds a twentieth of a
# table, all in one generation and four scope sets. Measured ones tell nothing of a context or generation that is newer
# than they are: taking it for a single row, the planner finds all indexes equally good, and one in two reads it whole.
BELIEVED = {"context_id": 20, "generation": 1, "scope_set_id": 4}
NEVER_MEASURE = "ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0"
BELIEVE = """
SELECT pg_restore_attribute_stats(
    'schemaname', %(schema)s::text, 'relname', %(table)s::text, 'attname', %(column)s::text, 'inherited', false,
    'null_frac', 0::real, 'avg_width', 16, 'n_distinct', %(distinct)s::real
)
"""
BELIEVE_SINCE = 180000  # server version

HAS_SCHEMA = "SELECT to_regnamespace(%(schema)s) IS NOT NULL"


def ensure(connection: Connection, app_role: str | None) -> bool:
    """Make this version's tables if they are not there. Returns whether they were made just now.

    app_role: the role that serves requests, if it is not the connection's own; its grants are renewed each time,
    since the role may be newer than the tables.
    """
    row = connection.execute(HAS_SCHEMA, {"schema": READ_MODELS_SCHEMA}).fetchone()
    assert row is not None
    (is_there,) = row
    if not is_there:
        connection.execute(f"CREATE SCHEMA {READ_MODELS_SCHEMA}".encode())
        connection.execute(f"SET LOCAL search_path = {READ_MODELS_SCHEMA}".encode())
        for table in READ_MODELS:
            for statement in table.ddl():
                connection.execute(statement.encode())
            for column in BELIEVED if connection.info.server_version >= BELIEVE_SINCE else ():
                connection.execute(NEVER_MEASURE.format(table=table.name, column=column).encode())
            believe(connection, table.name)
    if app_role:
        for statement in GRANTS if connection.info.server_version >= MAINTAIN_SINCE else GRANTS[:-1]:
            connection.execute(statement.format(schema=READ_MODELS_SCHEMA, role=app_role).encode())
    return not is_there


def believe(connection: Connection, table: str) -> None:
    """Let the planner believe of a table's columns what can't be measured; again, where statistics were deleted."""
    if connection.info.server_version < BELIEVE_SINCE:
        return
    for column, distinct in BELIEVED.items():
        parameters = {"schema": READ_MODELS_SCHEMA, "table": table, "column": column, "distinct": distinct}
        connection.execute(BELIEVE.encode(), parameters)
