"""The statements of recall find their rows through indexes, however many there are."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from api import keys
from api.ids import new_id
from api.wiring import Services
from projections import reading, traces
from projections.access import every_scope_set
from projections.read_models import READ_MODELS
from projections.reading import Instant, Reader
from projections.recall import keyword
from projections.retrieval import facts, found, subjects, supersession
from projections.table import READ_MODELS_SCHEMA, Table
from tests.worlds import world_in

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
UUIDS = [new_id() for _ in range(3)]
STATEMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "names in a question": (subjects.NAMED, {"names": ["ana", "bo"]}),
    "speaker of a session": (subjects.SPEAKER_OF_SESSION, {"session_id": UUIDS[0]}),
    "scopes of a session": (subjects.SCOPES_OF_SESSION, {"session_id": UUIDS[0]}),
    "speakers of a principal": (subjects.SPEAKERS_OF_PRINCIPAL, {"principal_id": UUIDS[0], "sessions_max": 50}),
    "keys of an entity": (facts.KEYS_OF, {"entity_ids": UUIDS}),
    "properties of an entity": (facts.ATTRIBUTES_OF, {"entity_ids": UUIDS, "keys": ["location"], "limit": 9}),
    "relations of an entity": (facts.RELATIONS_OF, {"entity_ids": UUIDS, "keys": ["works_at"], "limit": 9}),
    "what is told of an entity": (facts.TOLD_OF, {"entity_ids": UUIDS, "limit": 9}),
    "relations claimed of an entity": (facts.CLAIMED_OF, {"entity_ids": UUIDS, "limit": 9}),
    "versions by id": (facts.ATTRIBUTES_BY_ID, {"ids": UUIDS}),
    "turns of versions": (facts.TURNS_OF, {"ids": UUIDS}),
    "statements of turns": (supersession.STATEMENTS, {"turn_ids": UUIDS}),
    "what is in force in a line": (supersession.HEADS, {"ids": UUIDS}),
    "what held in a line": (supersession.HEADS_THEN, {"ids": UUIDS, "start": LONG_AGO, "end": None}),
    "what was said at a time": (keyword.SAID_WITHIN, {"start": None, "end": LONG_AGO, "limit": 40}),
    "passages of turns": (found.OF_TURNS, {"turn_ids": UUIDS}),
    "passages by id": (found.BY_IDS, {"ids": UUIDS}),
    "turns around": (found.NEAR_TURNS, {"sequences": UUIDS, "seqs": [1, 2, 3]}),
    "chunks around": (found.NEAR_CHUNKS, {"sequences": UUIDS, "seqs": [1, 2, 3]}),
}
# What an index condition holds whatever is asked.
WELL_KNOWN = re.compile(r"\((?:\w+\.)?(?:context_id|generation) = \S+?\)|::text|AND|[()\s]")
BIG = ("attribute_versions", "relations", "entities", "sessions", "turns", "passages", "traces")


ROWS = 5_000
MANY_TRACES = f"""
INSERT INTO traces ({traces.COLUMNS})
SELECT %(context_id)s, gen_random_uuid(), 'retrieval', now(), '[]', gen_random_uuid(), NULL, 'x', 'hybrid', '', 1, 1, 0,
    '[]', NULL, false, NULL, NULL, NULL, NULL, 0
FROM generate_series(1, %(rows)s)
"""


@pytest.fixture(scope="module")
def planning(services: Services) -> Iterator[Reader]:
    """A reader of a context with thousands of rows in each table, in a transaction that leaves nothing behind."""
    context_id, key = f"plans-{new_id()}", keys.new_key()
    keys.ensure_context(services.log, context_id, key)
    world = world_in(services, context_id, key)
    world.say("I'm Ana and I work at Acme. I live in Porto.")
    with psycopg.connect(services.database.url) as connection, connection.cursor() as cursor:
        cursor.execute(f"SET search_path = palimpsest, {READ_MODELS_SCHEMA}, public")
        for table in READ_MODELS:
            if table.name in BIG:
                cursor.execute(many_of(table), {"context_id": context_id, "rows": ROWS})
                cursor.execute(f"ANALYZE {table.name}")
        cursor.execute(MANY_TRACES, {"context_id": context_id, "rows": ROWS})
        cursor.execute("ANALYZE traces")
        generation, scope_set_ids = every_scope_set(connection, context_id)
        yield Reader(cursor, context_id, generation, scope_set_ids)
        connection.rollback()


def many_of(table: Table[Any]) -> str:
    """SQL that adds rows like those that are there, about other things."""
    kinds = dict(zip(table.fields, table.types, strict=True))

    def other(column: str) -> str:
        if column == "number":
            return "g"
        if column == "name_key":
            return "name_key || g"
        if column == "document_id" and table.name == "passages":
            return "gen_random_uuid()"
        if kinds[column] == "uuid" and column != "scope_set_id":
            return f"CASE WHEN {column} IS NOT NULL THEN gen_random_uuid() END"
        return column

    columns = ", ".join(other(column) for column in table.fields)
    return f"""
        INSERT INTO {table.name} ({table.column_list}) SELECT {columns}
        FROM (SELECT * FROM {table.name} WHERE context_id = %(context_id)s ORDER BY position_from DESC LIMIT 1) AS one,
            generate_series(1, %(rows)s) AS g
    """


def scanned(plan: Any) -> list[str]:
    """The parts of a plan that read a big table, or all of a context in it: their index knows no more to go by."""
    nodes = [plan, *(node for part in plan.get("Plans", ()) for node in nodes_of(part))]
    return [
        f"{node['Node Type']} {node.get('Relation Name')} {node.get('Index Name')} {node.get('Index Cond')}"
        for node in nodes
        if (node["Node Type"] == "Seq Scan" and node["Relation Name"] in BIG)
        or (node.get("Index Name", "").startswith(BIG) and not WELL_KNOWN.sub("", node.get("Index Cond", "")))
    ]


def nodes_of(plan: Any) -> Iterator[Any]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes_of(part)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_needs_no_scan_of_a_table(planning: Reader, name: str) -> None:
    sql, parameters = STATEMENTS[name]
    ((plan,),) = planning.tuples("EXPLAIN (FORMAT JSON) " + sql, parameters)
    assert scanned(plan[0]["Plan"]) == []


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_names_what_the_caller_may_see_for_each_table(name: str) -> None:
    sql, _ = STATEMENTS[name]
    tables = sql.count(" {") - sql.count("{in_force")
    expanded = reading._expanded(sql, Reader(None, "", 1, [], Instant())._clocks).decode()  # type: ignore[arg-type]
    assert tables and expanded.count("scope_set_id = ANY(%(scope_set_ids)s)") == tables
    assert expanded.count("context_id = %(context_id)s") == tables


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        (traces.REGIONS, {}),
        (traces.ONE, {"regions": ["x"], "id": UUIDS[0]}),
        (
            traces.NEWEST_FIRST,
            {"regions": ["x"], **dict.fromkeys(("before", "kind", "principal_id", "since", "until")), "limit": 9},
        ),
    ],
)
def test_traces_are_found_through_indexes(planning: Reader, sql: str, parameters: dict[str, Any]) -> None:
    bound = {**parameters, "context_id": planning.context_id}
    row = planning.cursor.execute(("EXPLAIN (FORMAT JSON) " + sql).encode(), bound).fetchone()
    assert row is not None
    # The first region is the beginning of one index; a page of traces is the end of that of their ids.
    begins_or_ends = {traces.REGIONS: "traces_by_region", traces.NEWEST_FIRST: "traces_pkey"}.get(sql, "none")
    assert [part for part in scanned(row[0][0]["Plan"]) if begins_or_ends not in part] == []
