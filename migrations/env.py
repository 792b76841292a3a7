"""Alembic's entry: runs the revisions on the connection that `api.postgres.database` hands over."""

from alembic import context

from migrations import SCHEMA

connection = context.config.attributes["connection"]
context.configure(connection=connection, version_table="alembic_version", version_table_schema=SCHEMA)
with context.begin_transaction():
    context.run_migrations()
