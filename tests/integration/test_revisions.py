"""Turns are taken back and corrections undone by new events, and either can be undone."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api import keys
from api.ids import new_id, parse, ulid
from api.routes import attributes, corrections, entities, queries, revisions, sessions, state
from api.wiring import Services
from memory.administration import ADMIN, Administration
from memory.candidates import AliasCandidate, Mention, SeparationCandidate
from memory.errors import Conflict, Forbidden
from memory.events import Citation, TurnRecorded
from memory.principals import grants_of
from memory.scopes import scope_set
from memory.turns import Turn
from memory.values import Infer, Role, SourceKind
from projections.directory import directory_of
from tests.calls import Keyed, keyed_world
from tests.integration.test_replay_properties import History, histories
from tests.integration.test_time_travel import READS, lived
from tests.worlds import World, fact, world_in

SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@pytest.fixture
def keyed(services: Services) -> Keyed:
    return keyed_world(services)


def values(keyed: Keyed) -> list[str]:
    return [row["value"] for row in keyed.get(attributes.list_attributes)["attributes"]]


def is_sound(world: World) -> bool:
    assert world.verified().problem is None
    return True


def seen(keyed: Keyed, at: str) -> list[Any]:
    """All reads, with the clock of the world standing still, and without positions, which only ever rise."""
    answers = [keyed.get(handler, path, **query, asOf=at) for handler, path, query in READS]
    return [without_positions(one) for one in answers]


def without_positions(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_positions(part) for name, part in value.items() if name not in ("position", "page")}
    return [without_positions(part) for part in value] if isinstance(value, list) else value


def test_a_retracted_turn_gives_way_to_what_it_had_replaced(keyed: Keyed) -> None:
    keyed.world.given(fact("Ana", "city", "Porto"))
    moved = keyed.world.given(fact("Ana", "city", "Lyon"), fact("Bo", "city", "Oslo"))
    turn = {"turn_id": ulid(moved.turn_ids[0])}
    dry = keyed.post(revisions.retract_turn, turn, dryRun=True)
    assert {row["value"] for row in dry["withdrawn"]} == {"Lyon", "Oslo"}
    assert sorted(values(keyed)) == ["Lyon", "Oslo"]
    done = keyed.post(revisions.retract_turn, turn)
    assert values(keyed) == ["Porto"]
    assert [one["kind"] for one in done["closed"]] == ["entity"]
    assert keyed.get(corrections.list_corrections)["corrections"] == []
    with pytest.raises(Conflict):
        keyed.post(revisions.retract_turn, turn)
    keyed.world.given(fact("Ana", "city", "Bern"))
    assert values(keyed) == ["Bern"]
    assert is_sound(keyed.world)


def test_what_others_support_stays(keyed: Keyed) -> None:
    first = keyed.world.given(fact("Ana", "city", "Porto"))
    keyed.world.given(fact("Ana", "city", "porto"))
    keyed.post(revisions.retract_turn, {"turn_id": ulid(first.turn_ids[0])})
    assert values(keyed) == ["porto"]
    assert is_sound(keyed.world)


def test_an_undone_correction_reopens_the_older_version(keyed: Keyed) -> None:
    keyed.world.given(fact("Ana", "city", "Porto"))
    keyed.world.given(fact("Ana", "city", "Lyon"))
    keyed.world.given(fact("Ana", "city", "lyon"))
    (correction,) = keyed.get(corrections.list_corrections)["corrections"]
    before = [one.position for one in keyed.world.events()]
    done = keyed.post(revisions.undo_correction, {"correction_id": correction["id"]})
    assert values(keyed) == ["Porto"]
    assert [one.position for one in keyed.world.events()][: len(before)] == before
    with pytest.raises(Conflict):
        keyed.post(revisions.undo_correction, {"correction_id": correction["id"]})
    again = {"correction_id": done["revisionId"]}
    keyed.post(revisions.undo_correction, again)
    assert values(keyed) == ["Lyon"]
    assert [one["id"] for one in keyed.get(corrections.list_corrections)["corrections"]] == [correction["id"]]
    with pytest.raises(Conflict):
        keyed.post(revisions.undo_correction, again)
    assert is_sound(keyed.world)


def test_directives_and_doubts_come_back_with_the_undo(keyed: Keyed) -> None:
    session = keyed.world.say("Always answer in French.").session_id
    told = keyed.world.say("Always answer in English. I might move to Lisbon next year.", session_id=session)
    before = keyed.get(state.get_state)
    done = keyed.post(revisions.retract_turn, {"turn_id": ulid(told.turn_ids[0])})
    after = keyed.get(state.get_state)
    assert after["unknowns"] == []
    assert "French" in str(after["instructions"])
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert keyed.get(state.get_state)["unknowns"] == before["unknowns"]
    assert keyed.get(state.get_state)["instructions"] == before["instructions"]
    assert is_sound(keyed.world)


def found(keyed: Keyed, query: str) -> list[str]:
    return [hit["text"] for hit in keyed.post(queries.query, query=query)["hits"]]


def test_the_words_of_a_retracted_turn_are_found_no_more_until_the_undo(keyed: Keyed) -> None:
    session = keyed.world.given(fact("Ana", "city", "Porto"), text="Ana lives in Porto.").session_id
    told = keyed.world.given(fact("Ana", "city", "Lyon"), session_id=session, text="Ana moved to Lyon.")
    then = keyed.world.events()[-1].position
    before = found(keyed, "Where does Ana live?")
    assert "Ana moved to Lyon." in before
    done = keyed.post(revisions.retract_turn, {"turn_id": ulid(told.turn_ids[0])})
    assert "Lyon" not in str(found(keyed, "Where does Ana live?")) + str(found(keyed, "Ana moved to Lyon"))
    kept = keyed.get(sessions.list_turns, {"session_id": ulid(session)})["turns"]
    assert [one["content"] for one in kept] == ["Ana lives in Porto.", "Ana moved to Lyon."]
    at_once = keyed.post(queries.query, query="Where does Ana live?", atInstant=f"position:{then}")["hits"]
    assert [hit["text"] for hit in at_once] == before
    assert is_sound(keyed.world)
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert found(keyed, "Where does Ana live?") == before
    assert is_sound(keyed.world)


def test_words_without_facts_can_be_retracted_too(keyed: Keyed) -> None:
    told = keyed.world.say("The vault code is in the blue folder.", infer=Infer.NONE)
    turn = {"turn_id": ulid(told.turn_ids[0])}
    assert found(keyed, "Where is the vault code?")
    done = keyed.post(revisions.retract_turn, turn)
    assert found(keyed, "Where is the vault code?") == []
    with pytest.raises(Conflict):
        keyed.post(revisions.retract_turn, turn)
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert found(keyed, "Where is the vault code?")


def test_what_was_retracted_stays_so_when_its_entity_turns_out_to_be_another(keyed: Keyed) -> None:
    keyed.world.given(fact("Ana", "city", "Porto"))
    keyed.world.given(fact("Bo", "city", "Rome"))
    moved = keyed.world.given(fact("Bo", "city", "Bern"))
    done = keyed.post(revisions.retract_turn, {"turn_id": ulid(moved.turn_ids[0])})
    ana, bo = (Mention(type="person", name=name) for name in ("Ana", "Bo"))
    keyed.world.given(AliasCandidate(entity=ana, name=bo))
    assert values(keyed) == ["Rome"]
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert values(keyed) == ["Bern"]
    keyed.world.given(SeparationCandidate(name=bo))
    assert sorted(values(keyed)) == ["Bern", "Porto"]
    assert is_sound(keyed.world)


def concluded(key: str, value: str, *sources: Citation) -> Turn:
    """What a model makes of some rows of memory."""
    return Turn(
        turn_id=new_id(),
        text="",
        role=Role.SYSTEM,
        infer=Infer.TRIPLES,
        candidates=(fact("Ana", key, value),),
        citations=sources,
        source_kind=SourceKind.REFLECT,
    )


def source_of(keyed: Keyed, key: str, entity: str = "") -> Citation:
    """The one value of that key, of the person if one is named, as evidence."""
    rows = keyed.get(attributes.list_attributes)["attributes"]
    (row_id,) = [row["id"] for row in rows if row["key"] == key and row["entity"].endswith(entity)]
    return Citation("S1", "attribute", parse(row_id, prefixes=("attr_",)))


def test_what_was_concluded_from_a_retracted_turn_goes_with_it(keyed: Keyed) -> None:
    told = keyed.world.given(fact("Ana", "city", "Lyon"), text="Ana lives in Lyon.")
    keyed.world.remember(concluded("country", "France", source_of(keyed, "city")))
    keyed.world.remember(concluded("continent", "Europe", source_of(keyed, "country")))
    assert sorted(values(keyed)) == ["Europe", "France", "Lyon"]
    done = keyed.post(revisions.retract_turn, {"turn_id": ulid(told.turn_ids[0])})
    assert values(keyed) == []
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert sorted(values(keyed)) == ["Europe", "France", "Lyon"]
    assert is_sound(keyed.world)


SHOP, HOME = scope_set([["org/shop"]]), scope_set([["user/ana"]])
EVERYWHERE, SHOP_ONLY = ["/*"], ["org/shop/*"]


def holding(keyed: Keyed, *, reads: list[str], writes: list[str]) -> Keyed:
    """The same context by a key that is narrowed to these patterns."""
    key, services = keys.new_key(), keyed.world.services
    grants = grants_of({"memory:read": reads, "memory:write": writes})
    with services.log.writing(keyed.world.context_id) as writing:
        administration = Administration(writing, directory_of, by=ADMIN)
        administration.mint(new_id(), f"key {new_id()}", ADMIN, keys.digest(key), grants=grants, expires_at=None)
    return Keyed(world_in(services, keyed.world.context_id, key), key)


def lived_in_lyon(keyed: Keyed) -> dict[str, str]:
    """Words in one scope, a conclusion from them in another, and one from that in the first. The path of the turn."""
    told = keyed.world.given(fact("Ana", "city", "Lyon"), text="Ana lives in Lyon.", scopes=SHOP)
    keyed.world.remember(concluded("country", "France", source_of(keyed, "city")), scopes=HOME)
    keyed.world.remember(concluded("continent", "Europe", source_of(keyed, "country")), scopes=SHOP)
    return {"turn_id": ulid(told.turn_ids[0])}


def test_what_was_concluded_in_other_scopes_goes_and_comes_back_too(keyed: Keyed) -> None:
    turn = lived_in_lyon(keyed)
    dry = keyed.post(revisions.retract_turn, turn, dryRun=True)
    assert {row["value"] for row in dry["withdrawn"]} == {"Lyon", "France", "Europe"}
    assert sorted(values(keyed)) == ["Europe", "France", "Lyon"]
    done = keyed.post(revisions.retract_turn, turn)
    assert done["unreached"] == []
    assert values(keyed) == []
    assert keyed.get(entities.list_entities)["entities"] == []
    again = keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert sorted(values(keyed)) == ["Europe", "France", "Lyon"]
    keyed.post(revisions.undo_correction, {"correction_id": again["revisionId"]})
    assert values(keyed) == []
    assert is_sound(keyed.world)


def test_what_was_concluded_where_one_may_only_read_is_told_and_stays(keyed: Keyed) -> None:
    # given one who may read all, but write only where the words are
    turn = lived_in_lyon(keyed)
    shop = holding(keyed, reads=EVERYWHERE, writes=SHOP_ONLY)
    # when
    done = shop.post(revisions.retract_turn, turn)
    # then what rests on what stays, stays
    assert [row["value"] for row in done["withdrawn"]] == ["Lyon"]
    assert [row["value"] for row in done["unreached"]] == ["France"]
    assert sorted(values(keyed)) == ["Europe", "France"]
    # and who may write there finishes it
    whole = keyed.post(revisions.retract_turn, turn)
    assert {row["value"] for row in whole["withdrawn"]} == {"France", "Europe"}
    assert values(keyed) == []
    assert is_sound(keyed.world)


def test_of_conclusions_that_one_may_not_read_nothing_is_told(keyed: Keyed) -> None:
    turn = lived_in_lyon(keyed)
    # given one who sees the words alone, and one who may write everywhere but read the words alone
    blind = holding(keyed, reads=SHOP_ONLY, writes=SHOP_ONLY)
    pouring = holding(keyed, reads=SHOP_ONLY, writes=EVERYWHERE)
    dry = blind.post(revisions.retract_turn, turn, dryRun=True)
    assert ([row["value"] for row in dry["withdrawn"]], dry["unreached"]) == (["Lyon"], [])
    # then what the second one reaches unseen goes, and no word tells of it
    done = pouring.post(revisions.retract_turn, turn)
    assert "France" not in str(done)
    assert ({row["value"] for row in done["withdrawn"]}, done["unreached"]) == ({"Lyon", "Europe"}, [])
    assert values(keyed) == []
    # and only who may write in every part that they see may undo it
    reading = holding(keyed, reads=EVERYWHERE, writes=SHOP_ONLY)
    undo = {"correction_id": done["revisionId"]}
    with pytest.raises(Forbidden):
        reading.post(revisions.undo_correction, undo)
    keyed.post(revisions.undo_correction, undo)
    assert sorted(values(keyed)) == ["Europe", "France", "Lyon"]


def test_a_conclusion_stays_as_long_as_anybody_says_its_premise(keyed: Keyed) -> None:
    first = keyed.world.given(fact("Ana", "city", "Lyon"))
    second = keyed.world.given(fact("Ana", "city", "lyon"))
    keyed.world.remember(concluded("country", "France", source_of(keyed, "city")))
    keyed.world.remember(concluded("city", "Lyon", source_of(keyed, "city")))
    keyed.post(revisions.retract_turn, {"turn_id": ulid(first.turn_ids[0])})
    assert "France" in values(keyed)
    # and no longer: that a model has concluded the premise too is no support
    keyed.post(revisions.retract_turn, {"turn_id": ulid(second.turn_ids[0])})
    assert values(keyed) == []
    assert is_sound(keyed.world)


def test_what_was_concluded_from_a_correction_goes_when_it_is_undone(keyed: Keyed) -> None:
    keyed.world.given(fact("Ana", "city", "Porto"))
    keyed.world.given(fact("Ana", "city", "Lyon"))
    keyed.world.remember(concluded("country", "France", source_of(keyed, "city")), scopes=HOME)
    (correction,) = keyed.get(corrections.list_corrections)["corrections"]
    done = keyed.post(revisions.undo_correction, {"correction_id": correction["id"]})
    assert values(keyed) == ["Porto"]
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert sorted(values(keyed)) == ["France", "Lyon"]
    assert is_sound(keyed.world)


def retract_then_undo(services: Services, history: History, pick: int) -> None:
    keyed = lived(services, history)
    turns = [one.event.turn_id for one in keyed.world.events() if isinstance(one.event, TurnRecorded)]
    at = "2099-01-01T00:00:00Z"
    before = seen(keyed, at)
    try:
        done = keyed.post(revisions.retract_turn, {"turn_id": ulid(turns[pick % len(turns)])})
    except Conflict:
        return
    assert is_sound(keyed.world)
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert seen(keyed, at) == before
    assert is_sound(keyed.world)


@settings(max_examples=10, **SETTINGS)
@given(history=histories, pick=st.integers(0, 8))
def test_retract_then_undo_gives_the_state_before(services: Services, history: History, pick: int) -> None:
    retract_then_undo(services, history, pick)


@pytest.mark.long
@settings(max_examples=200, **SETTINGS)
@given(history=histories, pick=st.integers(0, 8))
def test_retract_then_undo_at_length(services: Services, history: History, pick: int) -> None:
    retract_then_undo(services, history, pick)
