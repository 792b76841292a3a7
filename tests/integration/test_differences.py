"""What changed between two places of the log, and by one turn at any later time."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from api.ids import ulid
from api.routes import curation, differences, facts, forgetting, instructions, lifecycle, revisions, uncertainties
from api.routes.events import shown
from api.shapes import differences as told
from api.wiring import Services
from memory.candidates import ActionCandidate, InstructionCandidate, Mention, UncertaintyCandidate
from memory.events import EntityRecognised
from memory.scopes import scope_set
from projections import changes
from tests.calls import Keyed, keyed_world
from tests.worlds import fact


@pytest.fixture
def keyed(services: Services) -> Keyed:
    return keyed_world(services)


def test_a_diff_tells_what_was_learnt_corrected_ended_and_erased(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Porto"), fact("Ana", "likes", "tea"), text="as told")
    begin = world.events()[-1].position
    world.given(fact("Ana", "city", "Lyon"), fact("Bo", "city", "Oslo"))
    keyed.post(forgetting.forget, query="tea")
    middle = world.events()[-1].position
    diff = keyed.get(differences.get_diff, **{"from": str(begin)})
    ana, bo = diff["entities"]
    assert (ana["entity"]["name"], bo["entity"]["name"]) == ("Ana", "Bo")
    assert [(one["former"], one["value"]) for one in ana["corrected"]] == [("Porto", "Lyon")]
    assert [one["value"] for one in ana["ended"]] == ["tea"]
    assert [one["value"] for one in bo["learnt"]] == ["Bo", "Oslo"]

    with world.reading() as reader:
        lines = list(told.told(changes.between(world.services.log, reader, begin, middle)))
    assert [line.partition("  [")[0] for line in lines] == [
        "Ana (entity:person/ana)",
        "  ~ city: Porto -> Lyon",
        "  - likes: tea",
        "Bo (entity:person/bo)",
        "  + became known",
        "  + city: Oslo",
    ]

    keyed.post(forgetting.forget, query="Lyon", purge=True)
    later = keyed.get(differences.get_diff, **{"from": f"position:{middle}"})
    assert [one["value"] for entity in later["entities"] for one in entity["erased"]] == ["query"]
    assert keyed.get(differences.get_diff, **{"from": str(begin), "to": str(begin)})["entities"] == []


def test_a_diff_tells_of_what_was_taken_back_and_of_nothing_else(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Porto"), text="Ana lives in Porto")
    moved = world.given(fact("Ana", "city", "Lyon"), text="Ana moved to Lyon")
    head = world.events()[-1].position
    done = keyed.post(revisions.retract_turn, {"turn_id": ulid(moved.turn_ids[0])})
    retracted = world.events()[-1].position
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})

    def lines(begin: int, end: int) -> list[str]:
        with world.reading() as reader:
            found = told.told(changes.between(world.services.log, reader, begin, end))
            return [line.partition("  [")[0] for line in found]

    assert lines(head, retracted) == ["Ana (entity:person/ana)", "  - city: Lyon", "  + city: Porto (again)"]
    assert lines(retracted, world.events()[-1].position) == ["Ana (entity:person/ana)", "  ~ city: Porto -> Lyon"]
    assert lines(head, head) == ["nothing changed"]


def lines(keyed: Keyed, begin: int) -> list[str]:
    """What a person reads of all that changed since, without positions."""
    world = keyed.world
    with world.reading() as reader:
        found = told.told(changes.between(world.services.log, reader, begin, world.events()[-1].position))
        return [line.partition("  [")[0] for line in found]


def test_a_diff_tells_of_doubts_by_entity_and_of_directives_by_none(keyed: Keyed) -> None:
    # given a doubt and a directive
    world = keyed.world
    doubt = UncertaintyCandidate(
        about="Ana may live in Rome", reason="hedged", entity=Mention(type="person", name="Ana"), key="city"
    )
    order = InstructionCandidate(label="language", description="always answer in French")
    begin = world.events()[-1].position
    world.given(fact("Ana", "age", "30"), doubt, order)
    assert lines(keyed, begin) == [
        "Ana (entity:person/ana)",
        "  + became known",
        "  + not certain: Ana may live in Rome",
        "  + age: 30",
        "(about no entity)",
        "  + language: always answer in French",
    ]
    # when both end
    begin = world.events()[-1].position
    world.given(fact("Ana", "city", "Oslo"))
    (told_directive,) = keyed.get(instructions.list_instructions)["instructions"]
    keyed.post(curation.close_instruction, {"instruction_id": told_directive["id"]})
    # then each end is told where the thing was, by the same id
    ana, nobody = keyed.get(differences.get_diff, **{"from": str(begin)})["entities"]
    (settled,) = keyed.get(uncertainties.list_uncertainties, resolved="true")["unknowns"]
    assert [(one["kind"], one["id"], one["key"]) for one in ana["ended"]] == [("uncertainty", settled["id"], "city")]
    assert nobody["entity"] is None
    assert [(one["kind"], one["id"]) for one in nobody["ended"]] == [("instruction", told_directive["id"])]
    assert lines(keyed, begin)[-4:] == [
        "  + city: Oslo",
        "  - doubt settled: Ana may live in Rome",
        "(about no entity)",
        "  - language: always answer in French",
    ]


def test_a_diff_tells_what_lapsed_was_forgotten_or_was_taken_back(keyed: Keyed) -> None:
    # given what was true for the moment, deeds and a directive
    def bought(who: str, what: str) -> ActionCandidate:
        mention = Mention(type="person", name=who)
        return ActionCandidate(actor=mention, verb="buy", object=what, summary=f"bought {what}")

    world = keyed.world
    mood = replace(fact("Ana", "mood", "tired"), category="context")
    world.given(mood, bought("Ana", "a boat"), observed_at=datetime(2020, 1, 1, tzinfo=UTC))
    later = world.given(InstructionCandidate(label="tone", description="be brief"), bought("Bo", "a car"))
    begin = world.events()[-1].position
    # when they lapse, are forgotten and are taken back
    keyed.post(lifecycle.expire)
    keyed.post(forgetting.forget, query="bought a boat")
    done = keyed.post(revisions.retract_turn, {"turn_id": ulid(later.turn_ids[0])})
    # then
    ended = world.events()[-1].position
    assert lines(keyed, begin) == [
        "Ana (entity:person/ana)",
        "  - mood: tired",
        "  - buy: bought a boat",
        "Bo (entity:person/bo)",
        "  - buy: bought a car",
        "  - is known no more",
        "(about no entity)",
        "  - tone: be brief",
    ]
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert lines(keyed, ended)[1:3] == ["  + buy: bought a car (again)", "  + is known again"]


def test_the_diff_of_a_turn_is_what_its_write_answered(keyed: Keyed) -> None:
    def write(city: str) -> dict[str, object]:
        triple = {"entity": {"type": "person", "name": "Ana"}, "key": "city", "value": city}
        return keyed.post(facts.create_fact, infer="triples", triples=[triple], text=f"Ana lives in {city}")

    write("Porto")
    answer = write("Lyon")
    write("Oslo")
    diff = keyed.get(differences.get_turn_diff, {"turn_id": str(answer["turnId"])})
    assert diff["extraction"] == answer["extraction"]
    assert keyed.get(differences.get_turn_diff, {"turn_id": ulid(keyed.world.caller.principal_id)}) == {"absent": True}


def test_that_a_name_is_known_elsewhere_is_told_to_nobody_but_its_writer(keyed: Keyed) -> None:
    # given a name known in a scope of its writer's own
    keyed.world.given(fact("Zeus", "kind", "secret", kind="project"), scopes=scope_set([["user/ada"]]))
    keyed.world.given(fact("Zeus", "kind", "public", kind="project"), scopes=scope_set([["org/acme"]]))
    again = [one for one in keyed.world.events() if isinstance(one.event, EntityRecognised)][-1]
    assert isinstance(again.event, EntityRecognised)
    assert not again.event.is_new
    # then the event that others read in the shared scope does not tell of it
    assert shown(again)["payload"]["is_new"]
