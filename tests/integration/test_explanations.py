"""The chain of a fact tells of each version who said it last, and by which rule and words it ended."""

from typing import Any
from uuid import UUID

import pytest

from api.ids import ulid
from api.routes import entities, revisions
from api.wiring import Services
from memory.candidates import AttributeCandidate, Polarity
from memory.events import TurnRecorded
from tests.calls import Keyed, keyed_world
from tests.integration.test_kinds import ANA, likes
from tests.worlds import fact


@pytest.fixture
def keyed(services: Services) -> Keyed:
    return keyed_world(services)


def told(keyed: Keyed, text: str, candidate: AttributeCandidate) -> UUID:
    return keyed.world.given(candidate, text=text).turn_ids[0]


def path(key: str) -> dict[str, str]:
    return {"entity_type": "person", "entity_name": "ana", "key": key}


def history(keyed: Keyed, key: str) -> list[dict[str, Any]]:
    return keyed.get(entities.get_history, path(key))["history"]  # type: ignore[no-any-return]


def test_a_chain_tells_rule_turn_position_and_all_clocks(keyed: Keyed) -> None:
    told(keyed, "Porto.", fact("Ana", "city", "Porto"))
    again = told(keyed, "Porto, as I said.", fact("Ana", "city", "porto"))
    moved = told(keyed, "Lyon.", fact("Ana", "city", "Lyon"))
    ending = AttributeCandidate(entity=ANA, key="city", value="Lyon", polarity=Polarity.ENDED)
    left = told(keyed, "Not Lyon any more.", ending)
    lyon, porto = history(keyed, "city")
    events = keyed.world.events()
    positions = {one.event.turn_id: one.position for one in events if isinstance(one.event, TurnRecorded)}
    assert (porto["latestSource"]["ref"], porto["evidenceCount"]) == (ulid(again), 2)
    assert (porto["rule"], porto["endedBy"]["ref"]) == ("it was said differently", ulid(moved))
    assert (lyon["rule"], lyon["endedBy"]["ref"]) == ("it was said to have ended", ulid(left))
    assert (lyon["position"], lyon["endedBy"]["position"]) == (positions[moved], positions[left])
    assert lyon["endedBy"]["saidAt"] == lyon["validUntil"]
    text = keyed.get(entities.explain, path("city"))["text"]
    assert "by words of" in text
    assert "“Not Lyon any more.”" in text


def test_what_ended_with_its_wider_kind_tells_these_words_whenever_it_was_told(keyed: Keyed) -> None:
    told(keyed, "", likes("trail running"))
    ended = told(keyed, "No more running.", likes("running", polarity=Polarity.ENDED))
    (row,) = history(keyed, "likes")
    assert (row["rule"], row["endedBy"]["ref"]) == ("it was said to have ended", ulid(ended))
    keyed.post(revisions.retract_turn, {"turn_id": ulid(ended)})
    (row,) = history(keyed, "likes")
    assert (row["rule"], row["endedBy"]) == (None, None)
