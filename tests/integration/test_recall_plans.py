"""The statements of recall, and those before a decision, find their rows through indexes, however many there are."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from api import keys
from api.ids import new_id
from api.wiring import Services
from projections import knowledge, reading, traces, turns, vocabulary
from projections.access import every_scope_set
from projections.lines import ATTRIBUTE_LINES, RELATION_LINES
from projections.read_models import READ_MODELS
from projections.reading import Instant, Reader, recordset
from projections.recall import filters, keyword, pool, search, vectors
from projections.recall.question import parsed
from projections.retrieval import facts, found, subjects, supersession
from projections.table import READ_MODELS_SCHEMA, Table
from tests.worlds import world_in

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
UUIDS = [new_id() for _ in range(3)]
QUESTION = parsed("Where is the lake?", vector=[0.1] * 384, model="test/model")
NUMBERS = {"numbers": [7, 8, 9], **filters.ANY.parameters}
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
    "entities of names": (keyword.NAMED, {"names": ["ana", "bo"]}),
    "facts about entities": (keyword.ABOUT, {"entity_ids": UUIDS, "limit": 40}),
    "passages not indexed yet": (keyword.TAIL, {"indexed_to": 10**12, "tail_max": 9}),
    "passages that pass a filter": (filters.PASSING_NOW, NUMBERS),
    "the pool of a search": (pool.MEMBERS, {"middles": [7], **NUMBERS, **vectors.bound(QUESTION)}),
    "passages as hits": (search.SHOWN, NUMBERS),
    "passages of turns": (found.OF_TURNS, {"turn_ids": UUIDS}),
    "passages by id": (found.BY_IDS, {"ids": UUIDS}),
    "turns around": (found.NEAR_TURNS, {"sequences": UUIDS, "seqs": [1, 2, 3]}),
    "chunks around": (found.NEAR_CHUNKS, {"sequences": UUIDS, "seqs": [1, 2, 3]}),
}
# What an append asks under the head's lock, and what is offered to an extractor.
UNITS = recordset(("owner_id", "name", "value", "wider"), [(UUIDS[0], "likes", "trail running", "running")])
STATEMENTS |= {
    "a session": (knowledge.SESSION, {"id": UUIDS[0]}),
    "how far a turn is understood": (turns.EXTRACTION, {"turn_id": UUIDS[0]}),
    "entities": (knowledge.ENTITIES, {"names": recordset(("type", "name_key"), [("person", "ana")])}),
    "persons of a like name": (
        knowledge.ALIKE,
        {"ranges": recordset(("name", "low", "high", "rest"), [("ana", "ana", "anb", "")]), "limit": 9},
    ),
    "open doubts": (knowledge.OPEN_DOUBTS, {"facts": recordset(("entity_id", "key"), [(UUIDS[0], "city")])}),
    "deeds": (knowledge.DEEDS, {"deeds": recordset(("actor_id", "verb", "object"), [(UUIDS[0], "met", "bo")])}),
    "kinds of what ended": (
        knowledge.KINDS,
        {"ended": recordset(("entity_id", "line_key", "value"), [(UUIDS[0], "likes", "running")])},
    ),
    "tails of lines": (ATTRIBUTE_LINES.tails, {"units": UNITS}),
    "whole lines": (RELATION_LINES.whole, {"units": UNITS}),
    "endings of wider values": (ATTRIBUTE_LINES.borrowed, {"units": UNITS}),
    "whom a session spoke of": (vocabulary.SPOKEN_OF, {"session_id": UUIDS[0], "turns": 30, "limit": 9}),
    "names to offer": (vocabulary.NAMED, {"keys": '["ana"]', "limit": 9}),
}
# These read tables that are kept beside the read models and name what the caller may see themselves.
OF_RECALL: dict[str, tuple[str, dict[str, Any]]] = {
    "statistics of what is indexed": (keyword.INDEXED, {}),
    "postings of words": (keyword.POSTINGS, {"words": ["lake", "w7"], "postings_max": 4_000}),
    "likeness of passages": (vectors.LIKENESS, {"model": "test/model", "number": 7, "numbers": [8, 9]}),
}
# What an index condition holds whatever is asked.
WELL_KNOWN = re.compile(r"\((?:\w+\.)?(?:context_id|generation) = \S+?\)|::text|AND|[()\s]")
BIG = (
    "attribute_versions",
    "relations",
    "entities",
    "sessions",
    "turns",
    "passages",
    "traces",
    "recall_postings",
    "recall_vectors",
)

ROWS = 5_000
MANY_TRACES = f"""
INSERT INTO traces ({traces.COLUMNS})
SELECT %(context_id)s, gen_random_uuid(), 'retrieval', now(), '[]', gen_random_uuid(), NULL, 'x', 'hybrid', '', 1, 1, 0,
    '[]', NULL, false, NULL, NULL, NULL, NULL, 0
FROM generate_series(1, %(rows)s)
"""
MANY_OF_RECALL = """
INSERT INTO recall_postings
SELECT %(context_id)s, 'w' || g, %(scope_set_id)s, g, 1, '' FROM generate_series(1, %(rows)s) AS g;
INSERT INTO recall_vectors (context_id, model, scope_set_id, number, digest, dimension, embedding)
SELECT %(context_id)s, 'test/model', %(scope_set_id)s, g, sha256(g::text::bytea), 384, %(vector)s::halfvec
FROM generate_series(1, %(rows)s) AS g
"""
ROWS_AT_SCALE = 100_000


@pytest.fixture(scope="module")
def planning(services: Services) -> Iterator[Reader]:
    """A reader of a context with thousands of rows in each table, in a transaction that leaves nothing behind."""
    with rows_in(services, ROWS) as reader:
        yield reader


@contextmanager
def rows_in(services: Services, rows: int) -> Iterator[Reader]:
    context_id, key = f"plans-{new_id()}", keys.new_key()
    keys.ensure_context(services.log, context_id, key)
    world = world_in(services, context_id, key)
    world.say("I'm Ana and I work at Acme. I live in Porto.")
    with psycopg.connect(services.database.url) as connection, connection.cursor() as cursor:
        cursor.execute(f"SET search_path = palimpsest, {READ_MODELS_SCHEMA}, public")
        for table in READ_MODELS:
            if table.name in BIG:
                cursor.execute(many_of(table), {"context_id": context_id, "rows": rows})
                cursor.execute(f"ANALYZE {table.name}")
        cursor.execute(MANY_TRACES, {"context_id": context_id, "rows": rows})
        generation, scope_set_ids = every_scope_set(connection, context_id)
        beside = {
            "context_id": context_id,
            "scope_set_id": scope_set_ids[0],
            "vector": QUESTION.vector_text,
            "rows": rows,
        }
        for statement in MANY_OF_RECALL.split(";"):
            cursor.execute(statement.encode(), beside)
        cursor.execute("ANALYZE traces, recall_postings, recall_vectors")
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


def scanned_by(reader: Reader, name: str) -> list[str]:
    sql, parameters = {**STATEMENTS, **OF_RECALL}[name]
    ((plan,),) = reader.tuples("EXPLAIN (FORMAT JSON) " + sql, parameters)
    return scanned(plan[0]["Plan"])


@pytest.mark.parametrize("name", [*STATEMENTS, *OF_RECALL])
def test_a_statement_needs_no_scan_of_a_table(planning: Reader, name: str) -> None:
    assert scanned_by(planning, name) == []


@pytest.mark.long
def test_no_statement_needs_a_scan_of_a_table_of_100_000_rows(services: Services) -> None:
    with rows_in(services, ROWS_AT_SCALE) as reader:
        assert {name: found for name in (*STATEMENTS, *OF_RECALL) if (found := scanned_by(reader, name))} == {}


def test_a_statement_without_an_index_is_told(planning: Reader) -> None:
    ((plan,),) = planning.tuples("EXPLAIN (FORMAT JSON) SELECT p.id FROM {passages} AS p WHERE p.title = 'x'", {})
    assert scanned(plan[0]["Plan"]) != []


@pytest.mark.parametrize("name", [*STATEMENTS, *OF_RECALL])
def test_a_statement_names_what_the_caller_may_see_for_each_table(name: str) -> None:
    sql, _ = {**STATEMENTS, **OF_RECALL}[name]
    tables = sql.count(" {") - sql.count("{in_force") + len(re.findall(r"(?:FROM|JOIN) recall_", sql))
    expanded = reading._expanded(sql, Reader(None, "", 1, [], Instant())._clocks).decode()  # type: ignore[arg-type]
    assert tables
    # A table that is joined by its row's own scope set sees no more than the row that it is joined to.
    # How far a context is indexed is the same for all.
    scoped = tables - sql.count("FROM recall_heads")
    assert len(re.findall(r"scope_set_id = (?:ANY\(%\(scope_set_ids\)s\)|\w\.scope_set_id)", expanded)) >= scoped
    assert len(re.findall(r"context_id = (?:%\(context_id\)s|\w\.context_id)", expanded)) == tables


def test_a_lookup_is_planned_once_for_all_that_it_is_asked(services: Services) -> None:
    # given a connection that looked for names again and again
    names = {"names": recordset(("type", "name_key"), [("person", "ana")])}
    with services.pool.connection() as connection, connection.cursor() as cursor:
        reader = Reader(cursor, f"none-{new_id()}", 1, UUIDS)
        for _ in range(12):
            reader.tuples(knowledge.ENTITIES, names)
        # then the database goes by one plan
        planned = cursor.execute(
            "SELECT custom_plans, generic_plans FROM pg_prepared_statements"
            " WHERE statement LIKE '%AS w (type text, name_key text)%' ORDER BY prepare_time DESC LIMIT 1"
        ).fetchone()
    assert planned is not None
    custom, generic = planned
    assert custom <= 5
    assert generic > 0


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
