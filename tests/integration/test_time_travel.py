"""Reads at an instant: what the system held then, what had been said by then, what was true then."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.http.calls import Call
from api.ids import new_id
from api.routes import (
    actions,
    attributes,
    corrections,
    entities,
    inspections,
    instructions,
    matches,
    profile,
    queries,
    relations,
    state,
    uncertainties,
)
from api.shapes.instants import Asked
from api.wiring import Services
from memory.candidates import (
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    Mention,
    RelationCandidate,
)
from memory.errors import PalimpsestError
from memory.log import Connection, EventLog
from memory.transfer import adopt
from memory.values import Infer
from projections.reading import Instant
from projections.rebuild import copy_generation
from tests.calls import Keyed, answer_of, keyed_world
from tests.integration.test_replay_properties import HOUR, NOON, History, histories
from tests.worlds import World, fact, world_in

PEOPLE = ("ana", "bo")
READS = [
    (state.get_state, {}, {}),
    (profile.get_profile, {}, {}),
    (entities.list_entities, {}, {"count": "true"}),
    (attributes.list_attributes, {}, {"count": "true"}),
    (relations.list_relations, {}, {"count": "true"}),
    (actions.list_actions, {}, {}),
    (uncertainties.list_uncertainties, {}, {"count": "true"}),
    (instructions.list_instructions, {}, {}),
    (corrections.list_corrections, {}, {}),
    (matches.top_entities, {}, {"by": "importance"}),
    *(
        (handler, {"entity_type": "person", "entity_name": name, "key": "city"}, {"count": "true"})
        for name in PEOPLE
        for handler in (entities.get_entity, entities.get_history, attributes.list_history, relations.list_neighbours)
    ),
    *((inspections.inspect, {}, {"ref": f"attribute:person/{name}/likes"}) for name in PEOPLE),
]
SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@dataclass(frozen=True, slots=True)
class _Moment(Asked):
    moment: datetime = NOON

    def instant(self, log: EventLog, connection: Connection, context_id: str) -> Instant:
        return Instant(moment=self.moment)


@dataclass(frozen=True, slots=True)
class Pinned(Call):
    """A call while the world's clock stands still."""

    moment: datetime = field(kw_only=True)

    def asked(self) -> Asked:
        return _Moment(moment=self.moment)


def get_then(
    keyed: Keyed, moment: datetime, handler: Any, path: Mapping[str, str], query: Mapping[str, str]
) -> dict[str, Any]:
    """All that is known now, as of a moment of the world."""
    call = keyed.call(path, query)
    return answer_of(handler, Pinned(call.services, call.path, call.query, call.headers, call.body, moment=moment))


def lived(services: Services, history: History) -> Keyed:
    keyed = keyed_world(services)
    world = keyed.world
    session = world.say("Hello.", infer=Infer.NONE).session_id
    for hours, said in history:
        if said:
            world.given(*said, session_id=session, observed_at=NOON + hours * HOUR)
    return keyed


def with_prefix_of(keyed: Keyed, position: int) -> Keyed:
    """A fresh context into which only the events up to a position were imported."""
    services, context_id = keyed.world.services, f"prefix-{new_id()}"
    services.log.create_context(context_id)
    with services.database.connect() as connection, services.pool.connection() as reader:
        log = services.log
        with connection.transaction():
            adopt(connection, context_id, log.read(reader, keyed.world.context_id, until=position))
            copy_generation(connection, context_id, 1, log.read_appends(connection, context_id))
    return Keyed(world_in(services, context_id, keyed.key), keyed.key)


def ends_of_appends(world: World) -> dict[int, datetime]:
    ends: dict[datetime, int] = {}
    for one in world.events():
        ends[one.recorded_at] = one.position
    return {position: recorded_at for recorded_at, position in ends.items()}


def past_equals_prefix(services: Services, history: History, pick: float, *, by_time: bool) -> None:
    keyed = lived(services, history)
    ends = ends_of_appends(keyed.world)
    position, recorded_at = list(ends.items())[int(pick * (len(ends) - 1))]
    prefix = with_prefix_of(keyed, position)
    at = recorded_at.isoformat().replace("+00:00", "Z") if by_time else f"position:{position}"
    for handler, path, query in READS:
        then = keyed.get(handler, path, **query, atInstant=at)
        assert then == get_then(prefix, recorded_at, handler, path, query), (handler.__name__, query)


@settings(max_examples=12, **SETTINGS)
@given(history=histories, pick=st.floats(0, 1), by_time=st.booleans())
def test_a_read_at_an_instant_equals_a_fresh_database_with_that_prefix(
    services: Services, history: History, pick: float, by_time: bool
) -> None:
    past_equals_prefix(services, history, pick, by_time=by_time)


@pytest.mark.long
@settings(max_examples=300, **SETTINGS)
@given(history=histories, pick=st.floats(0, 1), by_time=st.booleans())
def test_a_read_at_an_instant_equals_a_fresh_database_at_length(
    services: Services, history: History, pick: float, by_time: bool
) -> None:
    past_equals_prefix(services, history, pick, by_time=by_time)


def versions(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    names = ("entity", "key", "value", "standing", "validFrom", "validUntil", "createdAt", "evidenceCount")
    # Two rows may differ only in an end that one of them does not have.
    return sorted((tuple(row[name] for name in names) for row in answer.get("history", [])), key=repr)


def known_then_equals_only_that_said(services: Services, history: History, hours: int) -> None:
    keyed = lived(services, history)
    alone = lived(services, [(hour, said) for hour, said in history if hour <= hours])
    as_of = (NOON + hours * HOUR).isoformat().replace("+00:00", "Z")
    for name in PEOPLE:
        path = {"entity_type": "person", "entity_name": name}
        then = keyed.get(attributes.list_history, path, asOf=as_of)
        assert versions(then) == versions(alone.get(attributes.list_history, path)), name


def is_plain(candidate: AnyCandidate) -> bool:
    """Words about things by name. Who "I" is, or whom another name means, may change what was said long before."""
    match candidate:
        case AttributeCandidate(entity=owner):
            return not (owner.speaker or owner.mine)
        case RelationCandidate(subject=owner, object=target, label=label):
            return label != "same_as" and not (owner.speaker or owner.mine or target.speaker or target.mine)
        case _:
            return False


plain_histories = histories.map(
    lambda history: [(hours, [one for one in said if is_plain(one)]) for hours, said in history]
)


@settings(max_examples=10, **SETTINGS)
@given(history=plain_histories, hours=st.integers(-5, 5))
def test_a_read_as_of_a_time_knows_only_what_had_been_said(services: Services, history: History, hours: int) -> None:
    known_then_equals_only_that_said(services, history, hours)


BO_IS_ANA = AliasCandidate(entity=Mention(type="person", name="Ana"), name=Mention(type="person", name="Bo"))


def with_a_merge(history: History, place: int, hours: int) -> History:
    """The history with the two made one as it arrives at `place`. Of Bo nothing arrives later: it would be of Ana."""
    after = [(hour, [one for one in said if not about_bo(one)]) for hour, said in history[place:]]
    return [*history[:place], (hours, [BO_IS_ANA]), *after]


def about_bo(candidate: AnyCandidate) -> bool:
    return "Bo" in str(candidate)


@pytest.mark.long
@settings(max_examples=150, **SETTINGS)
@given(history=plain_histories, place=st.integers(0, 8), merged=st.integers(-5, 5), hours=st.integers(-5, 5))
def test_so_it_is_before_and_after_a_merge(
    services: Services, history: History, place: int, merged: int, hours: int
) -> None:
    known_then_equals_only_that_said(services, with_a_merge(history, place, merged), hours)


@pytest.fixture
def keyed(services: Services) -> Keyed:
    return keyed_world(services)


def test_late_words_about_a_time_before_a_merge_meet_only_what_was_of_the_same_entity_then(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Porto"), observed_at=NOON + HOUR)
    world.given(fact("Bo", "city", "Bern"), observed_at=NOON + 2 * HOUR)
    world.given(BO_IS_ANA, observed_at=NOON + 6 * HOUR)
    world.given(fact("Ana", "city", "Oslo"), observed_at=NOON + 3 * HOUR)

    def told(hours: int) -> list[tuple[str, str, str]]:
        at = (NOON + hours * HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")
        found = set()
        for name in ("ana", "bo"):
            path = {"entity_type": "person", "entity_name": name}
            for row in keyed.get(attributes.list_history, path, asOf=at)["history"]:
                found.add((row["value"], row["validFrom"][11:13], (row["validUntil"] or "")[11:13]))
        return sorted(found)

    assert told(4) == [("Bern", "14", ""), ("Oslo", "15", ""), ("Porto", "13", "15")]
    assert told(6) == [("Bern", "14", "15"), ("Oslo", "15", ""), ("Porto", "13", "14")]
    assert world.verified().problem is None


def values(answer: dict[str, Any]) -> list[str]:
    return [row["value"] for row in answer["attributes"]]


def test_the_three_clocks_each_tell_their_own_past(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Porto"), observed_at=NOON)
    world.given(fact("Ana", "city", "Lyon"), observed_at=NOON + 4 * HOUR)
    before_the_late_word = world.events()[-1].position
    world.given(fact("Ana", "city", "Oslo"), observed_at=NOON + 2 * HOUR)

    def cities(**query: str) -> list[str]:
        return values(keyed.get(attributes.list_attributes, **query))

    def at(hours: int) -> str:
        return (NOON + hours * HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")

    assert cities() == ["Lyon"]
    assert cities(asOf=at(3)) == ["Oslo"]
    assert cities(asOf=at(1)) == ["Porto"]
    assert cities(asOf=at(3), atInstant=f"position:{before_the_late_word}") == ["Porto"]
    assert cities(asOf=at(-1)) == []
    assert cities(atInstant="position:0") == []
    assert cities(validFrom=at(1), validUntil=at(5)) == ["Oslo"]
    assert cities(validFrom=at(1)) == ["Lyon", "Oslo"]
    assert cities(validUntil=at(3)) == ["Porto"]


def test_a_question_within_bounds_finds_what_began_and_ended_there(keyed: Keyed) -> None:
    # given values of one after the other, words that state them, and a deed
    def say(hours: int, text: str, *candidates: Any) -> None:
        keyed.world.given(*candidates, text=text, observed_at=NOON + hours * HOUR)

    say(0, "Ana lives in Porto", fact("Ana", "city", "Porto"))
    say(2, "Ana lives in Oslo", fact("Ana", "city", "Oslo"))
    say(4, "Ana lives in Lyon", fact("Ana", "city", "Lyon"))
    bought = ActionCandidate(
        actor=Mention(type="person", name="Ana"), verb="buy", object="boat", summary="bought a boat"
    )
    say(5, "Ana bought a boat", bought)

    def found(query: str, **bounds: int) -> set[str]:
        moments = {name: (NOON + hours * HOUR).isoformat() for name, hours in bounds.items()}
        hits = keyed.post(queries.query, query=query, k=20, **moments)["hits"]
        return {hit["text"] for hit in hits}

    # then by search, and where one property answers; the last words are of the very end
    oslo = {"Ana: city: Oslo", "Ana lives in Oslo"}
    assert found("Tell me about Ana", validFrom=1, validUntil=4) == oslo | {"Ana lives in Lyon"}
    assert found("Tell me about Ana", validUntil=3) == {"Ana: city: Porto", "Ana lives in Porto", "Ana lives in Oslo"}
    assert found("Where does Ana live?", validFrom=1, validUntil=4) == oslo
    assert found("Tell me about Ana", validFrom=5) == {"Ana: bought a boat", "Ana bought a boat"}


def test_what_a_late_turn_says_early_is_known_with_its_subject(keyed: Keyed) -> None:
    keyed.world.given(fact("Ana", "city", "Lyon"), observed_at=NOON + 4 * HOUR)
    keyed.world.given(fact("Ana", "likes", "Oslo"), observed_at=NOON)
    early = keyed.get(state.get_state, asOf="2026-03-01T13:00:00Z")
    assert [row["value"] for row in early["knowledge"]["attributes"]] == ["Oslo"]
    assert [row["name"] for row in early["identity"]["entities"] + early["knowledge"]["entities"]] == ["Ana"]


def test_a_name_is_known_from_the_merge_on_that_tells_of_it_before_anything_else(keyed: Keyed) -> None:
    keyed.world.given(fact("Ana", "city", "Porto"), observed_at=NOON)
    keyed.world.given(fact("Bo", "likes", "tea"), observed_at=NOON + 5 * HOUR)
    keyed.world.given(BO_IS_ANA, observed_at=NOON + 2 * HOUR)
    path = {"entity_type": "person", "entity_name": "bo"}
    then = keyed.get(attributes.list_history, path, asOf="2026-03-01T15:00:00Z")
    assert [row["value"] for row in then["history"]] == ["Porto"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("asOf", "yesterday"),
        ("atInstant", "position:x"),
        ("atInstant", "position:-1"),
        ("atInstant", "position:999999999"),
        ("validFrom", "2026-03-01"),
    ],
)
def test_an_instant_that_is_none_is_refused(keyed: Keyed, name: str, text: str) -> None:
    with pytest.raises(PalimpsestError, match=name):
        keyed.get(state.get_state, **{name: text})


def test_a_time_in_between_is_the_last_append_before_it(keyed: Keyed) -> None:
    for city in ("Porto", "Lyon", "Oslo"):
        keyed.world.given(fact("Ana", "city", city))
    said = [one for one in keyed.world.events() if type(one.event).__name__ == "AttributeAsserted"]
    for one, city in zip(said, ("Porto", "Lyon", "Oslo"), strict=True):
        moment = (one.recorded_at + timedelta(microseconds=1)).astimezone(UTC).isoformat().replace("+00:00", "Z")
        assert values(keyed.get(attributes.list_attributes, atInstant=moment)) == [city]
