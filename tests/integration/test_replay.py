"""Replay equals live: dropping every read model and folding the log again gives row-for-row the same."""

from datetime import UTC, datetime, timedelta

import pytest

import memory.log
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
