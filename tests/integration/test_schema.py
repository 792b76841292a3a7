"""The schema can be distributed by context_id, and stays what the migrations make of it."""

import psycopg
import pytest

import migrations
from api.wiring import Services
from projections import schema
from projections.read_models import READ_MODELS
from projections.stores import STORES
from projections.table import READ_MODELS_SCHEMA

# Tables that stand above contexts.
ABOVE_CONTEXTS = {"alembic_version", "management_keys"}

UNIQUE_INDEXES = """
SELECT t.relname, i.relname, a.attname
FROM pg_index AS x
JOIN pg_class AS t ON t.oid = x.indrelid
JOIN pg_class AS i ON i.oid = x.indexrelid
JOIN pg_namespace AS n ON n.oid = t.relnamespace
LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
WHERE x.indisunique AND n.nspname = ANY(%s)
"""

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = ANY(%s)"
FOREIGN_KEYS = "SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace::regnamespace::text = ANY(%s)"
SCHEMAS = [migrations.SCHEMA, READ_MODELS_SCHEMA]


def test_every_key_and_unique_index_begins_with_the_context(services: Services) -> None:
    with psycopg.connect(services.database.url) as connection:
        indexes = connection.execute(UNIQUE_INDEXES, [SCHEMAS]).fetchall()
        tables = {name for (name,) in connection.execute(TABLES, [SCHEMAS])}
    elsewhere = {table for table, _, first in indexes if first != "context_id"}
    assert elsewhere == ABOVE_CONTEXTS
    assert tables == {table for table, _, _ in indexes}, "every table has a key"


def test_every_table_that_is_no_read_model_is_on_the_list_that_erasures_go_by(services: Services) -> None:
    with psycopg.connect(services.database.url) as connection:
        tables = {name for (name,) in connection.execute(TABLES, [[migrations.SCHEMA]])}
    listed = {table for store in STORES for table in store.tables}
    assert tables == listed | ABOVE_CONTEXTS | {"contexts", "events"}


def test_no_foreign_key_ties_tables_together(services: Services) -> None:
    with psycopg.connect(services.database.url) as connection:
        assert connection.execute(FOREIGN_KEYS, [SCHEMAS]).fetchall() == []


def test_the_last_revision_is_the_head_that_a_start_looks_for(services: Services) -> None:
    with psycopg.connect(services.database.url) as connection:
        row = connection.execute("SELECT version_num FROM palimpsest.alembic_version").fetchone()
    assert row == (migrations.HEAD,)


def test_what_the_planner_believes_of_a_context_is_never_measured(services: Services) -> None:
    with psycopg.connect(services.database.url, autocommit=True) as connection:
        if connection.info.server_version < schema.BELIEVE_SINCE:
            return
        for table in READ_MODELS:
            connection.execute(f"ANALYZE {READ_MODELS_SCHEMA}.{table.name}".encode())
        query = "SELECT tablename, attname, n_distinct FROM pg_stats WHERE schemaname = %s AND attname = ANY(%s)"
        believed = set(connection.execute(query, [READ_MODELS_SCHEMA, list(schema.BELIEVED)]).fetchall())
    assert believed == {
        (table.name, column, distinct) for table in READ_MODELS for column, distinct in schema.BELIEVED.items()
    }


@pytest.mark.parametrize("privilege", ["UPDATE", "DELETE", "TRUNCATE"])
def test_the_application_role_has_only_select_and_insert_on_events(services: Services, privilege: str) -> None:
    with psycopg.connect(services.database.url) as connection:
        query = "SELECT has_table_privilege(%s, 'palimpsest.events', %s)"
        row = connection.execute(query, [migrations.APP_ROLE, privilege]).fetchone()
    assert row == (False,)
