"""What is no longer so of a wider kind is no longer so of its kinds, in whatever order that is told and untold."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from api.ids import ulid
from api.routes import attributes, forgetting, revisions
from api.wiring import Services
from memory.candidates import AliasCandidate, AttributeCandidate, Mention, Polarity, SeparationCandidate
from projections import uncertainties
from tests.calls import Keyed, keyed_world
from tests.integration.test_replay_properties import NOON

HOUR = timedelta(hours=1)
ANA, KAT = Mention(type="person", name="Ana"), Mention(type="person", name="Kat")


@pytest.fixture
def keyed(services: Services) -> Keyed:
    return keyed_world(services)


def likes(what: str, entity: Mention = ANA, **more: object) -> AttributeCandidate:
    return AttributeCandidate(entity=entity, key="likes", value=what, **more)  # type: ignore[arg-type]


def told(keyed: Keyed, hours: float, what: str, **more: object) -> UUID:
    """Says it at a time. Returns the turn's id."""
    return keyed.world.given(likes(what, **more), observed_at=NOON + hours * HOUR).turn_ids[0]  # type: ignore[arg-type]


def liked(keyed: Keyed, at: datetime | None = None) -> list[str]:
    query = {"asOf": at.strftime("%Y-%m-%dT%H:%M:%SZ")} if at else {}
    return sorted(row["value"] for row in keyed.get(attributes.list_attributes, **query)["attributes"])


def doubts(keyed: Keyed) -> list[str]:
    with keyed.world.reading() as reader:
        return [row.about for row in uncertainties.unresolved(reader, limit=9).rows]


def is_sound(keyed: Keyed) -> bool:
    assert keyed.world.verified().problem is None
    return True


def test_the_end_of_the_wider_kind_closes_what_was_told_before_and_arrives_later(keyed: Keyed) -> None:
    told(keyed, 5, "running", polarity=Polarity.ENDED)
    assert doubts(keyed) == ["likes: running"]
    told(keyed, 1, "trail running")
    told(keyed, 2, "running shoes")
    told(keyed, 7, "road running")
    assert liked(keyed) == ["road running", "running shoes"]
    assert liked(keyed, NOON + 4 * HOUR) == ["running shoes", "trail running"]
    assert doubts(keyed) == []
    told(keyed, 3, "trail running")
    assert liked(keyed) == ["road running", "running shoes"]
    assert is_sound(keyed)


def test_so_it_is_when_another_kind_was_known_in_time(keyed: Keyed) -> None:
    told(keyed, 0, "road running")
    told(keyed, 5, "running", polarity=Polarity.ENDED)
    told(keyed, 1, "trail running")
    assert (liked(keyed), doubts(keyed)) == ([], [])
    assert is_sound(keyed)


def test_without_the_turn_that_ended_them_the_kinds_go_on(keyed: Keyed) -> None:
    told(keyed, 0, "road running")
    ended = told(keyed, 5, "running", polarity=Polarity.ENDED)
    told(keyed, 1, "trail running")
    done = keyed.post(revisions.retract_turn, {"turn_id": ulid(ended)})
    assert liked(keyed) == ["road running", "trail running"]
    keyed.post(revisions.undo_correction, {"correction_id": done["revisionId"]})
    assert liked(keyed) == []
    assert is_sound(keyed)
    keyed.get(forgetting.erase_turn, {"turn_id": ulid(ended)})
    assert liked(keyed) == ["road running", "trail running"]
    assert is_sound(keyed)


def test_a_merge_brings_the_ending_to_the_kinds_and_a_separation_takes_it_back(keyed: Keyed) -> None:
    told(keyed, 0, "trail running")
    told(keyed, 1, "running", entity=KAT)
    told(keyed, 5, "running", entity=KAT, polarity=Polarity.ENDED)
    assert liked(keyed) == ["trail running"]
    keyed.world.given(AliasCandidate(entity=ANA, name=KAT), observed_at=NOON + 6 * HOUR)
    assert liked(keyed) == []
    keyed.world.given(SeparationCandidate(name=KAT), observed_at=NOON + 7 * HOUR)
    assert liked(keyed) == ["trail running"]
    assert is_sound(keyed)
