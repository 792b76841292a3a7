"""Replay equals live: dropping every read model and folding the log again gives row-for-row the same."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

import memory.log
from projections import rebuild as rebuilding
from projections.read_models import READ_MODELS
from projections.rebuild import rebuild
from tests.worlds import World, fact

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_conversation_replays_to_the_same_rows(world: World) -> None:
    session = world.say("I'm Alice, Head of Platform at Acme.").session_id
    world.say("I just got promoted to CTO", session_id=session)
    world.say("Actually I moved to Berlin last month", session_id=session)
    assert world.verified().problem is None
    assert world.verified(quick=True).problem is None


@pytest.mark.parametrize("late_by_days", [0, 1, 2, 3])
def test_late_statements_replay_to_the_same_rows(world: World, late_by_days: int) -> None:
    for day, city in enumerate(["Rome", "Oslo", "Lima"]):
        world.given(fact("Bob", "city", city), observed_at=NOON + timedelta(days=2 * day))
    world.given(fact("Bob", "city", "Bern"), observed_at=NOON + timedelta(days=late_by_days, hours=1))
    assert world.verified().problem is None


def test_a_rebuild_makes_a_new_generation_live_and_sweeps_the_old_one(world: World) -> None:
    for city in ["Rome", "Oslo", "Lima", "Lima"]:
        world.given(fact("Bob", "city", city))
    with world.services.database.connect() as connection:
        events = rebuild(world.services.log, connection, world.context_id)
        rows = connection.execute(
            "SELECT DISTINCT generation FROM attribute_versions WHERE context_id = %s", [world.context_id]
        ).fetchall()
    assert events == len(world.events())
    assert rows == [(2,)]
    assert world.verified().problem is None
    world.given(fact("Bob", "city", "Kyiv"))
    assert world.verified().problem is None


def live_rows(world: World) -> dict[str, list[str]]:
    """The rows of the live generation as text, by table."""
    live = "context_id = %s AND generation = (SELECT generation FROM contexts WHERE context_id = %s)"
    with world.services.database.connect() as connection:
        rows = {}
        for table in READ_MODELS:
            select = f"SELECT t::text FROM {table.name} AS t WHERE {live} ORDER BY 1".encode()
            rows[table.name] = [row for (row,) in connection.execute(select, [world.context_id, world.context_id])]
        return rows


def interrupted(_: int) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_rebuild_leaves_the_live_rows_as_they_were(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for city in ["Rome", "Oslo", "Lima"]:
        world.given(fact("Bob", "city", city))
    before = live_rows(world)
    services = world.services
    # In a round before the flip, and inside the transaction of the flip itself.
    for events_max in (0, rebuilding.FLIP_EVENTS_MAX):
        monkeypatch.setattr(rebuilding, "FLIP_EVENTS_MAX", events_max)
        with services.database.connect() as connection, pytest.raises(KeyboardInterrupt):
            rebuild(services.log, connection, world.context_id, progress=interrupted)
        assert live_rows(world) == before
        world.given(fact("Bob", "city", "Bern"))
        before = live_rows(world)
    with services.database.connect() as connection:
        rebuild(services.log, connection, world.context_id)
        generations = connection.execute(
            "SELECT count(DISTINCT generation) FROM turns WHERE context_id = %s", [world.context_id]
        ).fetchone()
    assert generations == (1,), "what the interrupted ones left is swept"
    assert world.verified().problem is None


def test_a_rebuild_that_is_killed_leaves_the_live_rows_as_they_were(world: World) -> None:
    for number in range(30):
        world.given(fact("Bob", "city", f"city {number}"))
    before = live_rows(world)
    with world.services.database.connect() as connection, world.services.database.connect() as other:
        other.execute("SET ROLE NONE")
        pid = connection.info.backend_pid
        with pytest.raises(psycopg.Error):  # as of a process that is killed: its connection is gone
            rebuild(
                world.services.log,
                connection,
                world.context_id,
                progress=lambda _: void(other.execute("SELECT pg_terminate_backend(%s)", [pid])),
            )
    assert live_rows(world) == before
    world.given(fact("Bob", "city", "Bern"))
    with world.services.database.connect() as connection:
        rebuild(world.services.log, connection, world.context_id)
    assert world.verified().problem is None


def void(_: object) -> None:
    """Nothing, of something."""


@pytest.mark.parametrize("batch", [1, 2, 3, 7])
def test_a_log_is_never_cut_inside_an_append(world: World, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in (4, 0, 2):  # late arrivals: their events only together keep one live value
        world.given(fact("Bob", "city", f"city {day}"), observed_at=NOON + timedelta(days=day))
    monkeypatch.setattr(memory.log, "READ_BATCH_ROWS", batch)
    with world.services.pool.connection() as connection:
        cut = list(world.services.log.read_appends(connection, world.context_id))
    assert [one.position for recorded in cut for one in recorded] == [one.position for one in world.events()]
    ends = [recorded[-1].recorded_at for recorded in cut]
    assert all(end != recorded[0].recorded_at for end, recorded in zip(ends, cut[1:], strict=False))
    assert world.verified().problem is None
