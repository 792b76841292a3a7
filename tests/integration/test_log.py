"""The log on a real Postgres: append-only, linear, all or nothing, one context at a time."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from api.ids import new_id
from api.wiring import Services
from memory.errors import Conflict, NotFound
from memory.events import SessionOpened
from memory.log import Cursor, EventLog
from memory.recorded import Origin, Recorded
from memory.remember import Turn
from memory.scopes import ROOT_SET, scope_set_id
from memory.values import Infer
from projections import attribute_versions, entities
from projections.projector import ReadModelProjector
from tests.worlds import World, fact

ORIGIN = Origin(scope_set_id=scope_set_id(ROOT_SET))


class BreakingProjector(ReadModelProjector):
    """Folds, then fails."""

    def project(self, cursor: Cursor, context_id: str, generation: int, recorded: Sequence[Recorded]) -> None:
        super().project(cursor, context_id, generation, recorded)
        raise ZeroDivisionError


def versions_of(world: World, name: str, key: str) -> list[attribute_versions.AttributeVersionRow]:
    """All versions of a key, oldest statement first."""
    with world.reading() as reader:
        (entity,) = entities.named(reader, "person", name)
        return attribute_versions.history(reader, [entity.id], key)[::-1]


def test_turns_that_are_remembered_together_meet_what_those_before_said(world: World) -> None:
    # given a key and an entity that nobody ever used
    turns = [
        Turn(turn_id=new_id(), text="", infer=Infer.TRIPLES, candidates=(fact("Bob", "shoe_size", value),))
        for value in ("41", "42", "42")
    ]
    # when several turns about them come in one transaction
    world.remember(*turns)
    # then they make one line
    assert [one.value for one in versions_of(world, "bob", "shoe_size")] == ["41", "42"]
    assert world.verified().problem is None


def test_positions_are_dense_and_recorded_times_rise(world: World) -> None:
    for city in ("Rome", "Oslo", "Lima"):
        world.given(fact("Bob", "city", city))
    events = world.events()
    assert [one.position for one in events] == list(range(1, len(events) + 1))
    times = [one.recorded_at for one in events]
    assert times == sorted(times)


def test_a_failing_projection_leaves_no_event(world: World) -> None:
    before = world.events()
    log = EventLog(world.services.pool, BreakingProjector())
    with pytest.raises(ZeroDivisionError), log.writing(world.context_id) as writing:
        writing.record([SessionOpened(session_id=new_id())], ORIGIN)
    assert world.events() == before
    assert world.verified().problem is None


def test_an_error_after_recording_leaves_no_event(world: World) -> None:
    before = world.events()
    with suppress(KeyError), world.services.log.writing(world.context_id) as writing:
        writing.record([SessionOpened(session_id=new_id())], ORIGIN)
        raise KeyError
    assert world.events() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET payload = 'x' WHERE context_id = %(context_id)s",
        "DELETE FROM events WHERE context_id = %(context_id)s",
        "TRUNCATE events",
    ],
)
def test_the_application_may_not_change_the_log(world: World, statement: str) -> None:
    with (
        world.services.pool.connection() as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement.encode(), {"context_id": world.context_id})


def test_an_unknown_context_is_not_found(services: Services) -> None:
    with pytest.raises(NotFound), services.log.writing("no such context"):
        pass


def test_eight_writers_of_one_attribute_make_one_linear_chain(world: World) -> None:
    writers, writes = 8, 50

    def write(writer: int) -> None:
        for number in range(writes):
            world.given(fact("Bob", "city", f"{writer}-{number}"))

    with ThreadPoolExecutor(writers) as threads:
        for done in [threads.submit(write, writer) for writer in range(writers)]:
            done.result()  # no error in any

    versions = versions_of(world, "bob", "city")
    assert len(versions) == writers * writes
    assert [version.id for version in versions if version.valid_to is None] == [versions[-1].id]
    successors: list[UUID | None] = [version.superseded_by for version in versions]
    assert successors == [*(version.id for version in versions[1:]), None]
    predecessors = [version.supersedes for version in versions]
    assert predecessors == [None, *(version.id for version in versions[:-1])]
    positions = [one.position for one in world.events()]
    assert positions == list(range(1, len(positions) + 1))
    assert world.verified().problem is None


def test_turns_decided_out_of_order_still_make_one_linear_chain(world: World) -> None:
    session = world.say("Hello there, my name is Bob.").session_id
    cities = ["Rome", "Oslo", "Lima", "Bern", "Kyiv", "Porto", "Lyon", "Graz"]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda city: world.say(f"I live in {city}.", session_id=session), cities))
    versions = versions_of(world, "bob", "location")
    assert sorted(version.value for version in versions) == sorted(cities)
    assert [version.superseded_by for version in versions] == [*(version.id for version in versions[1:]), None]
    assert world.verified().problem is None


@contextmanager
def held(log: EventLog, context_id: str) -> Iterator[None]:
    """Another thread holds the context's head row for as long as the block runs."""
    has_lock, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        with log.writing(context_id):
            has_lock.set()
            may_go.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert has_lock.wait(10)
    try:
        yield
    finally:
        may_go.set()
        holder.join()


def test_a_writer_that_holds_one_context_does_not_delay_another(world: World, services: Services) -> None:
    services.log.create_context(other := f"other-{new_id()}")
    with held(services.log, other):
        world.given(fact("Bob", "city", "Rome"))  # would wait for ever
    assert world.events()[-1].position > 4


def test_a_clock_that_steps_back_does_not_disorder_the_log(world: World) -> None:
    world.given(fact("Bob", "city", "Rome"))
    ahead = world.events()[-1].recorded_at + timedelta(days=1)
    with psycopg.connect(world.services.database.url) as connection:
        connection.execute(
            "UPDATE palimpsest.contexts SET recorded_at = %s WHERE context_id = %s", [ahead, world.context_id]
        )
    world.given(fact("Bob", "city", "Oslo"))
    times = [one.recorded_at for one in world.events()]
    assert times == sorted(times)
    assert times[-1] > ahead
    assert [version.value for version in versions_of(world, "bob", "city")] == ["Rome", "Oslo"]


def test_a_context_of_another_read_model_version_is_not_written(world: World) -> None:
    class NewerProjector(ReadModelProjector):
        version = ReadModelProjector.version + 1

    log = EventLog(world.services.pool, NewerProjector())
    with pytest.raises(Conflict), log.writing(world.context_id):
        pass
