"""What changed between two places of the log, and by one turn at any later time."""

import pytest

from api.ids import ulid
from api.routes import differences, facts, forgetting, revisions
from api.routes.events import shown
from api.shapes import differences as told
from api.wiring import Services
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
