"""Traces of questions: kept off the answer's way, shown to their region alone, free of a turn's words."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg_pool
import pytest

from api import ids
from memory.erasing import CONTEXT, Asked
from memory.regions import Region, includes, region_of
from projections import traces
from projections.trace_buffer import HELD_MAX, TraceBuffer
from projections.traces import RESPONSE, RETRIEVAL, Retrieval, Returned, Trace, TraceReader
from tests.worlds import World

NOW = datetime(2026, 3, 1, tzinfo=UTC)
EVERYTHING: Region = ("/*",)


def a_trace(world: World, *, region: Region = EVERYTHING, created_at: datetime = NOW, query: str = "where?") -> Trace:
    returned = (Returned("attribute", ids.new_id(), 0.9), Returned("chunk", ids.new_id(), 0.4))
    passed = Retrieval(ids.new_id(), created_at, "hybrid", 3, "found", 4, returned)
    return Trace(
        context_id=world.context_id,
        id=ids.new_id(),
        kind=RETRIEVAL,
        created_at=created_at,
        region=region,
        principal_id=world.caller.principal_id,
        session_id=None,
        query_text=query,
        tier="hybrid",
        tier_reason="found",
        latency_ms=5,
        candidates=40,
        retrievals=(passed,),
    )


@contextmanager
def reading(world: World, region: Region = EVERYTHING) -> Iterator[TraceReader]:
    with world.services.pool.connection() as connection, connection.cursor() as cursor:
        yield TraceReader(cursor, world.context_id, region)


def test_a_trace_reads_back_as_it_was_written(world: World) -> None:
    given = replace(a_trace(world), kind=RESPONSE, query_text=None, user_turn_id=ids.new_id(), model="m", cost=0.5)
    world.services.traces.add(given)
    world.services.traces.flush()
    with reading(world) as reader:
        assert reader.one(given.id) == given
        assert reader.newest_first(limit=5).rows == [given]


def test_a_trace_of_a_context_that_was_deleted_meanwhile_is_not_written(world: World) -> None:
    given = a_trace(world)
    world.services.erasing.erase_context(world.context_id, Asked(ids.new_id(), None, CONTEXT))
    world.services.traces.add(given)
    world.services.traces.flush()
    with reading(world) as reader:
        assert reader.one(given.id) is None


def test_a_trace_is_written_by_itself_soon(world: World) -> None:
    given = a_trace(world)
    world.services.traces.add(given)
    deadline = datetime.now(UTC) + timedelta(seconds=5)
    with reading(world) as reader:
        while reader.one(given.id) is None and datetime.now(UTC) < deadline:
            pass
        assert reader.one(given.id) == given


@pytest.mark.parametrize(
    ("region", "seen"),
    [
        (("/*",), {"all", "acme", "alice"}),
        (("org/acme/*",), {"acme", "alice"}),
        (("org/acme/user/alice/",), {"alice"}),
        (("org/acme/",), set()),
        (("org/acme/user/*",), {"alice"}),
        (("org/other/*",), set()),
        ((), set()),
    ],
)
def test_a_trace_shows_to_who_may_read_all_that_it_read(world: World, region: Region, seen: set[str]) -> None:
    regions = {"all": EVERYTHING, "acme": ("org/acme/*",), "alice": ("org/acme/user/alice/",), "nobody": ()}
    made = {name: a_trace(world, region=region_, query=name) for name, region_ in regions.items()}
    with world.services.pool.connection() as connection:
        traces.write(connection, made.values())
    with reading(world, region) as reader:
        assert {one.query_text for one in reader.newest_first(limit=9).rows} == seen
        assert {name for name, one in made.items() if reader.one(one.id)} == seen
        assert reader.count() == reader.stats(NOW).queries == len(seen)


def test_a_walk_by_pages_meets_each_trace_once_whatever_is_asked_meanwhile(world: World) -> None:
    made = [a_trace(world) for _ in range(7)]
    with world.services.pool.connection() as connection:
        traces.write(connection, made)
    met: list[UUID] = []
    before: UUID | None = None
    with reading(world) as reader:
        while True:
            found = reader.newest_first(limit=2, before=before)
            met += [one.id for one in found.rows]
            with world.services.pool.connection() as connection:
                traces.write(connection, [a_trace(world)])
            if not found.has_more:
                break
            before = met[-1]
    assert sorted(met) == sorted(one.id for one in made)


def test_statistics_count_the_last_day(world: World) -> None:
    made = [a_trace(world), a_trace(world), a_trace(world, created_at=NOW - timedelta(days=2))]
    with world.services.pool.connection() as connection:
        traces.write(connection, made)
    with reading(world) as reader:
        found = reader.stats(NOW)
    assert (found.queries, found.hybrid, found.max_candidates) == (2, 2, 40)
    assert found.sources == [("attribute", 2), ("chunk", 2)]


def test_old_traces_go_and_an_erasure_takes_the_words(world: World) -> None:
    old, new = a_trace(world, created_at=NOW - timedelta(days=31)), a_trace(world)
    with world.services.pool.connection() as connection:
        traces.write(connection, [old, new])
        traces.expire(connection, world.context_id, NOW - timedelta(days=30))
        with connection.cursor() as cursor:
            traces.blank(cursor, world.context_id)
    with reading(world) as reader:
        assert [(one.id, one.query_text) for one in reader.newest_first(limit=5).rows] == [(new.id, "")]


def test_the_buffer_is_bounded_and_one_bad_trace_does_not_keep_the_others_back(world: World) -> None:
    given = a_trace(world)
    buffer = TraceBuffer(world.services.pool, timedelta(days=1))
    buffer._held.extend([given] * (HELD_MAX + 5))
    assert len(buffer._held) == HELD_MAX
    buffer._held.clear()

    buffer._held.append(replace(given, kind="nothing of the kind"))
    buffer.flush()
    buffer._held.append(given)
    buffer.flush()

    with reading(world) as reader:
        assert reader.one(given.id) == given


def test_what_could_not_be_written_is_held_until_it_can_be(world: World) -> None:
    given = a_trace(world)
    with world.services.database.pool(size_max=1) as pool:
        buffer = TraceBuffer(pool, timedelta(days=1))
        with pool.connection():
            buffer._held.append(given)
            with pytest.raises(psycopg_pool.PoolTimeout):
                buffer.flush()
        buffer.flush()
    with reading(world) as reader:
        assert reader.one(given.id) == given


def test_regions_are_read_from_grants_in_any_spelling() -> None:
    grants = {"memory:read": ("org/acme", "/org/b/*", "*"), "memory:write": ("x",)}
    assert region_of(grants) == ("/*", "org/acme", "org/b/*")
    assert not includes(("org/ac/*",), ("org/acme/*",))
