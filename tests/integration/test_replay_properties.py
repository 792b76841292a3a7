"""Replay equals live, for random histories and however the log is cut into batches."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api import keys
from api.ids import new_id
from api.wiring import Services
from memory.candidates import (
    SPEAKER,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    SeparationCandidate,
)
from memory.recorded import Recorded
from memory.scopes import scope_set
from memory.values import Infer
from projections.read_models import READ_MODELS
from tests.worlds import World, world_in

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

SISTER = Mention(type="person", name="sister", mine=True)
people = st.sampled_from([SPEAKER, SISTER, *(Mention(type="person", name=name) for name in ("Ana", "Bo", "Cy"))])
moments = st.one_of(st.none(), st.integers(-9, 9).map(lambda hours: NOON + hours * HOUR))
statements = {
    "start": st.integers(0, 2),
    "polarity": st.sampled_from([Polarity.AFFIRMED, Polarity.AFFIRMED, Polarity.ENDED, Polarity.NEGATED]),
    "valid_from": moments,
    "valid_until": st.one_of(st.none(), moments),
    "repair": st.booleans(),
}
attributes = st.builds(
    AttributeCandidate,
    entity=people,
    key=st.sampled_from(["city", "likes"]),
    value=st.sampled_from(["Porto", "Lyon", "Oslo"]),
    **statements,
)
kinds = st.builds(
    AttributeCandidate,
    entity=people,
    key=st.sampled_from(["likes", "likes", "dislikes"]),
    value=st.sampled_from(["running", "trail running"]),
    **statements,
)
relations = st.builds(RelationCandidate, subject=people, label=st.just("knows"), object=people, **statements)
names: st.SearchStrategy[AnyCandidate] = st.one_of(
    st.builds(AliasCandidate, entity=people, name=people),
    st.builds(SeparationCandidate, name=people),
    st.builds(NameCandidate, name=st.sampled_from(["Ana", "Dee"])),
)
candidates: st.SearchStrategy[AnyCandidate] = st.one_of(attributes, attributes, kinds, relations, names)
# (hours after noon when it was said, what): times out of order are late arrivals.
histories = st.lists(st.tuples(st.integers(-5, 5), st.lists(candidates, max_size=4)), min_size=1, max_size=8)

History = list[tuple[int, list[AnyCandidate]]]


TOGETHER = 5  # histories in one context, each in a scope of its own: one rebuild tells of all
several = st.lists(histories, min_size=TOGETHER, max_size=TOGETHER)
database_properties = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


def lived(services: Services, stories: list[History]) -> World:
    context_id = f"history-{new_id()}"
    keys.ensure_context(services.log, context_id, key := keys.new_key())
    world = world_in(services, context_id, key)
    sessions = [
        world.say("Hello.", infer=Infer.NONE, scopes=scope_set([[f"history/{number}"]])).session_id
        for number in range(len(stories))
    ]
    world = world_in(services, context_id, key)  # as one who may write to these scopes, too
    for session, history in zip(sessions, stories, strict=True):
        for hours, said in history:
            if said:
                world.given(*said, session_id=session, observed_at=NOON + hours * HOUR)
    return world


def replay_equals_live(services: Services, stories: list[History]) -> None:
    world = lived(services, stories)
    assert world.verified().problem is None
    assert world.verified(quick=True).problem is None


@settings(database_properties, max_examples=10)
@given(stories=several)
def test_replay_equals_live(services: Services, stories: list[History]) -> None:
    replay_equals_live(services, stories)


@pytest.mark.long
@settings(database_properties, max_examples=120)
@given(stories=several)
def test_replay_equals_live_at_length(services: Services, stories: list[History]) -> None:
    replay_equals_live(services, stories)


def the_cut_into_batches_makes_no_difference(services: Services, stories: list[History], size: int) -> None:
    events = lived(services, stories).events()
    assert folded_in_batches(services, events, size) == folded_in_batches(services, events, len(events))


@settings(database_properties, max_examples=10)
@given(stories=several, size=st.integers(1, 7))
@pytest.mark.long
def test_the_cut_into_batches_makes_no_difference(services: Services, stories: list[History], size: int) -> None:
    the_cut_into_batches_makes_no_difference(services, stories, size)


@pytest.mark.long
@settings(database_properties, max_examples=120)
@given(stories=several, size=st.integers(1, 30))
def test_the_cut_makes_no_difference_at_length(services: Services, stories: list[History], size: int) -> None:
    the_cut_into_batches_makes_no_difference(services, stories, size)


def in_batches(events: list[Recorded], appends: int) -> Iterator[list[Recorded]]:
    """So many appends at a time: the events of one append belong together."""
    whole = [list(group) for _, group in groupby(events, key=lambda one: one.recorded_at)]
    for begin in range(0, len(whole), appends):
        yield [one for append in whole[begin : begin + appends] for one in append]


def folded_in_batches(services: Services, events: list[Recorded], size: int) -> dict[str, list[tuple[object, ...]]]:
    """The rows that a fold of `events`, `size` appends at a time, writes by table; rolled back afterwards."""
    rows: dict[str, list[tuple[object, ...]]] = {}
    context_id = events[0].context_id
    with services.pool.connection() as connection, connection.transaction(force_rollback=True):
        cursor = connection.cursor()
        for batch in in_batches(events, size):
            services.log.projector.project(cursor, context_id, 0, batch)
        for table in READ_MODELS:
            select = (
                f"SELECT * FROM {table.name} WHERE context_id = %s AND generation = 0"
                " ORDER BY id, position_from, known_from"
            )
            rows[table.name] = connection.execute(select.encode(), [context_id]).fetchall()
    return rows
