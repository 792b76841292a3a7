"""Whoever changes anything behind the server's back is found out by `verify`, which names the place."""

from collections.abc import Iterator
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from api import keys
from api.ids import new_id
from api.wiring import Services
from api.work.document_reading import read_document
from memory.administration import ADMIN, Administration
from memory.documents.library import NewFile
from memory.erasing import TURN, Asked
from memory.events import Citation, ModelUsed
from memory.log import EVENT_COLUMNS
from memory.recorded import Origin
from memory.remember import Turn
from memory.scopes import ROOT_SET, scope_set_id
from memory.usage import Usage
from memory.values import Infer, Role
from projections.access import caller_of
from projections.directory import directory_of
from projections.read_models import READ_MODELS
from projections.table import READ_MODELS_SCHEMA
from tests.servers import run_command
from tests.worlds import World, fact

Superuser = psycopg.Connection[tuple[Any, ...]]

COLUMNS = EVENT_COLUMNS.split(", ")

TABLES = (
    ("palimpsest", "events"),
    ("palimpsest", "contexts"),
    *((READ_MODELS_SCHEMA, table.name) for table in READ_MODELS),
)

# Another value of the same type, as near to the right one as can be.
OTHER_VALUE: dict[str, LiteralString] = {
    "text": "overlay({column} placing chr(ascii(right({column}, 1)) # 1) from length({column}))",
    "bigint": "{column} + 1000",
    "smallint": "{column} + 1",
    "uuid": "overlay({column}::text placing to_hex(('x' || right({column}::text, 1))::bit(4)::int # 1) from 36)::uuid",
    "timestamp with time zone": "{column} + interval '1 microsecond'",
    "bytea": "set_byte({column}, 7, get_byte({column}, 7) # 1)",
}
TYPES = """
SELECT column_name, data_type FROM information_schema.columns
WHERE table_schema = 'palimpsest' AND table_name = 'events' ORDER BY ordinal_position
"""
MIDDLE = """
SELECT position FROM palimpsest.events
WHERE context_id = %s AND topic = 'AttributeAsserted' ORDER BY position LIMIT 1
"""


LINKED = "# Roof\n\nThe solar panel is new. A solar panel needs light, and [the heater](heater.md) needs the panel.\n"
DOCUMENTS = (
    ("heater.md", "# Heater\n\nThe solar panel feeds the heater. Without a solar panel the heater is cold.\n"),
    ("roof.md", LINKED),
)
TOLD = (
    "I just got promoted to CTO.",
    "Actually I moved to Berlin last month.",
    "I visited Rome yesterday.",
    "Always answer in French.",
    "I might move to Lisbon next year.",
)


@pytest.fixture(scope="module")
def told(services: Services) -> World:
    """A world in which every read model holds something; `superuser` puts it back in order after each test."""
    context_id, key = f"test-{new_id()}", keys.new_key()
    keys.ensure_context(services.log, context_id, key)
    with services.pool.connection() as connection:
        found = caller_of(connection, context_id, keys.digest(key))
    assert found is not None
    world = World(services, found[0])
    for city in ("Rome", "Oslo", "Lima"):
        world.given(fact("Bob", "city", city), text="as the register says")
    session = world.say("I'm Alice, Head of Platform at Acme.").session_id
    for words in TOLD:
        world.say(words, session_id=session)
    with services.log.writing(context_id) as writing:
        administration = Administration(writing, directory_of, by=ADMIN)
        administration.register("org/acme")
        administration.configure({"scopes": {"strict": True}})
        used = ModelUsed(purpose="response", model="acme/small", usage=Usage(calls=1, input_tokens=9))
        writing.record([used], Origin(session_id=session, principal_id=ADMIN, scope_set_id=scope_set_id(ROOT_SET)))
    for name, text in DOCUMENTS:
        data = text.encode()
        kept = services.library.keep_bytes(context_id, data)
        file = NewFile(name, name, "text/markdown", kept, len(data))
        document_id = services.library.upload(world.caller, file, None, new_id()).document_id
        read_document(services, context_id, document_id)
    mistaken = world.given(fact("Bob", "pet", "newt"))
    services.revising.retract(world.caller, mistaken.turn_ids[0], new_id())
    quoted = Citation(marker="[S1]", kind="attribute", id=new_id())
    world.remember(Turn(turn_id=new_id(), text="In Lima.", role=Role.ASSISTANT, infer=Infer.NONE, citations=(quoted,)))
    world.say("Off the record.", infer=Infer.NONE)
    with services.log.writing(context_id) as writing:
        services.erasing.erase(writing, [writing.position], Asked(new_id(), None, TURN))
    return world


@pytest.fixture
def superuser(services: Services, told: World) -> Iterator[Superuser]:
    """May change anything, of which nothing stays."""
    assert told.verified().problem is None
    assert told.verified(quick=True).problem is None
    of_context = sql.SQL("WHERE context_id = {}").format(sql.Literal(told.context_id))
    kept = [(sql.Identifier(*table), sql.Identifier(f"kept_{number}")) for number, table in enumerate(TABLES)]
    with psycopg.connect(services.database.url, autocommit=True) as connection:
        for table, copy in kept:
            connection.execute(sql.SQL("CREATE TEMP TABLE {} AS SELECT * FROM {} {}").format(copy, table, of_context))
        yield connection
        for table, copy in kept:
            connection.execute(sql.SQL("DELETE FROM {} {}").format(table, of_context))
            connection.execute(sql.SQL("INSERT INTO {} SELECT * FROM {}").format(table, copy))


def one(superuser: Superuser, query: LiteralString, *parameters: object) -> Any:
    row = superuser.execute(query, parameters).fetchone()
    assert row is not None
    return row[0]


def changed(superuser: Superuser, change: sql.Composed, column: str) -> tuple[Any, str]:
    """Change one event; returns the column's value then, and where the row lies then."""
    returning = sql.SQL(" RETURNING {}, ctid::text").format(sql.Identifier(column))
    (row,) = superuser.execute(sql.SQL("UPDATE palimpsest.events ") + change + returning).fetchall()
    return row[0], row[1]


def middle(superuser: Superuser, world: World) -> int:
    """The position of an event that has events before and after it, and a value in every column."""
    position: int = one(superuser, MIDDLE, world.context_id)
    row = superuser.execute(
        "SELECT * FROM palimpsest.events WHERE context_id = %s AND position = %s", [world.context_id, position]
    ).fetchone()
    assert row is not None and None not in row
    assert 1 < position < len(world.events())
    return position


def assert_found(world: World, position: int) -> None:
    for quick in (False, True):
        problem = world.verified(quick=quick).problem
        assert problem is not None and f"position {position}:" in problem and "\n" not in problem


# --- the log ------------------------------------------------------------------------------------


def test_no_column_of_the_log_is_forgotten_here(superuser: Superuser) -> None:
    assert [name for name, _ in superuser.execute(TYPES)] == COLUMNS


@pytest.mark.parametrize("column", COLUMNS)
def test_a_wrong_byte_in_any_column_of_an_event_is_found(column: str, told: World, superuser: Superuser) -> None:
    position = middle(superuser, told)
    types: dict[str, str] = dict(superuser.execute(TYPES).fetchall())
    name = sql.Identifier(column)
    place = sql.SQL("context_id = {} AND position = {}").format(sql.Literal(told.context_id), position)
    right = changed(superuser, sql.SQL("SET {0} = {0} WHERE {1}").format(name, place), column)[0]
    other = sql.SQL(OTHER_VALUE[types[column]]).format(column=name)
    wrong, moved_to = changed(superuser, sql.SQL("SET {} = {} WHERE {}").format(name, other, place), column)
    assert wrong != right
    assert_found(told, position)
    back = sql.SQL("SET {} = {} WHERE ctid = {}").format(name, sql.Literal(right), sql.Literal(moved_to))
    assert changed(superuser, back, column)[0] == right
    assert told.verified().problem is None


@pytest.mark.parametrize("column", ["observed_at", "turn_id", "session_id", "principal_id", "scope_set_id"])
def test_a_value_taken_from_an_event_is_found(column: str, told: World, superuser: Superuser) -> None:
    position = middle(superuser, told)
    superuser.execute(
        sql.SQL("UPDATE palimpsest.events SET {} = NULL WHERE context_id = {} AND position = {}").format(
            sql.Identifier(column), sql.Literal(told.context_id), position
        )
    )
    assert_found(told, position)


def test_content_erased_without_a_word_is_found(told: World, superuser: Superuser) -> None:
    position = middle(superuser, told)
    superuser.execute(
        "UPDATE palimpsest.events SET payload = NULL, payload_salt = NULL WHERE context_id = %s AND position = %s",
        [told.context_id, position],
    )
    assert_found(told, position)


@pytest.mark.parametrize("from_the_end", [True, False])
def test_a_deleted_event_is_found(from_the_end: bool, told: World, superuser: Superuser) -> None:
    position = len(told.events()) if from_the_end else middle(superuser, told)
    superuser.execute(
        "DELETE FROM palimpsest.events WHERE context_id = %s AND position = %s", [told.context_id, position]
    )
    assert_found(told, position)


def test_two_events_that_changed_places_are_found(told: World, superuser: Superuser) -> None:
    position = middle(superuser, told)
    for was, becomes in ((position, 10**6), (position + 1, position), (10**6, position + 1)):
        superuser.execute(
            "UPDATE palimpsest.events SET position = %s WHERE context_id = %s AND position = %s",
            [becomes, told.context_id, was],
        )
    assert_found(told, position)


def test_an_event_added_after_the_head_is_found(told: World, superuser: Superuser) -> None:
    last = len(told.events())
    superuser.execute(
        "INSERT INTO palimpsest.events"
        " SELECT (jsonb_populate_record(e, jsonb_build_object('position', position + 1))).*"
        " FROM palimpsest.events AS e WHERE context_id = %s AND position = %s",
        [told.context_id, last],
    )
    assert_found(told, last + 1)


@pytest.mark.parametrize(
    ("change", "moved"),
    [("hash = set_byte(hash, 31, get_byte(hash, 31) # 1)", 0), ("position = position + 1", 1)],
)
def test_a_changed_head_is_found(change: LiteralString, moved: int, told: World, superuser: Superuser) -> None:
    last = len(told.events())
    update: LiteralString = "UPDATE palimpsest.contexts SET " + change + " WHERE context_id = %s"
    superuser.execute(update, [told.context_id])
    assert_found(told, last + moved)


def test_a_head_moved_back_is_found(told: World, superuser: Superuser) -> None:
    last = len(told.events())
    superuser.execute("UPDATE palimpsest.contexts SET position = position - 1 WHERE context_id = %s", [told.context_id])
    problem = told.verified().problem
    assert problem is not None and f"position {last}" in problem


# --- the read models ----------------------------------------------------------------------------


def test_a_changed_value_is_found_with_the_position_it_came_from(told: World, superuser: Superuser) -> None:
    position = middle(superuser, told)
    touched = superuser.execute(
        sql.SQL("UPDATE {}.attribute_versions SET value = 'Roma' WHERE context_id = {} AND position_from = {}").format(
            sql.Identifier(READ_MODELS_SCHEMA), sql.Literal(told.context_id), position
        )
    )
    assert touched.rowcount == 1
    problem = told.verified().problem
    assert problem is not None and f"position {position}: a row of attribute_versions is live" in problem


@pytest.mark.parametrize("table", [table.name for table in READ_MODELS])
def test_a_row_deleted_from_any_read_model_is_found(table: str, told: World, superuser: Superuser) -> None:
    deleted = superuser.execute(
        sql.SQL(
            "DELETE FROM {0} WHERE ctid = (SELECT ctid FROM {0} WHERE context_id = {1} AND position_to IS NULL"
            " ORDER BY position_from LIMIT 1) RETURNING position_from"
        ).format(sql.Identifier(READ_MODELS_SCHEMA, table), sql.Literal(told.context_id))
    ).fetchone()
    assert deleted is not None
    problem = told.verified().problem
    assert problem is not None and f"position {deleted[0]}: a row of {table} follows from the log" in problem


@pytest.mark.parametrize("table", [table.name for table in READ_MODELS])
def test_a_row_added_to_any_read_model_is_found(table: str, told: World, superuser: Superuser) -> None:
    added = superuser.execute(
        sql.SQL(
            "INSERT INTO {0} SELECT (jsonb_populate_record(t,"
            " jsonb_build_object('id', gen_random_uuid(), 'position_to', position_from + 1))).*"
            " FROM {0} AS t WHERE context_id = {1} ORDER BY position_from LIMIT 1 RETURNING position_from"
        ).format(sql.Identifier(READ_MODELS_SCHEMA, table), sql.Literal(told.context_id))
    ).fetchone()
    assert added is not None
    problem = told.verified().problem
    assert problem is not None and f"position {added[0]}: a row of {table} is live but does not follow" in problem
    quick = told.verified(quick=True).problem
    assert quick is not None and table in quick


# --- the command --------------------------------------------------------------------------------


def test_the_command_names_the_place_and_exits_with_status_1(
    told: World, superuser: Superuser, services: Services
) -> None:
    position = middle(superuser, told)
    arguments = ("verify", "--context", told.context_id)
    assert run_command(services.settings.home, *arguments).returncode == 0
    superuser.execute(
        "UPDATE palimpsest.events SET payload = replace(payload, 'Rome', 'Roma')"
        " WHERE context_id = %s AND position = %s",
        [told.context_id, position],
    )
    for quick in ((), ("--quick",)):
        answer = run_command(services.settings.home, *arguments, *quick)
        assert answer.returncode == 1
        line = answer.stdout.splitlines()[0]  # then what was erased, and the digest
        assert line.startswith(f"{told.context_id}: ") and f"position {position}:" in line
        assert "Traceback" not in answer.stderr
