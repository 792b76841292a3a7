"""What is said of "my mother" belongs to one entity, and follows when her name is told."""

from projections import attribute_versions, entities
from tests.worlds import World


def values(world: World, name: str, key: str) -> list[str]:
    with world.reading() as reader:
        known = [row.id for row in entities.named(reader, "person", name)]
        return [row.value for row in attribute_versions.history(reader, known, key)]


def test_a_relative_without_a_name_is_one_entity_that_a_name_joins(world: World) -> None:
    session = world.say("My name is Ottavia.").session_id
    world.say("My mother lives in Tucson.", session_id=session)
    world.say("My mother moved to Phoenix last month.", session_id=session)
    assert values(world, "ottavia's_mother", "location") == ["Phoenix", "Tucson"]
    world.say("My mother's name is Ruth.", session_id=session)
    assert values(world, "ruth", "location") == ["Phoenix", "Tucson"]
    assert not world.verified().problem


def test_a_sister_stays_ones_own_when_one_tells_ones_name_and_nobody_elses(world: World) -> None:
    other = world.say("My sister lives in Oslo.").session_id
    session = world.say("My sister lives in Turin. My mother is called Ruth.").session_id
    world.say("I'm Nora.", session_id=session)
    world.say("My sister moved to Bergen last month. My mother moved to Rome last month.", session_id=session)
    assert values(world, "nora's_sister", "location") == ["Bergen", "Turin"]
    assert values(world, "nora's_mother", "location") == values(world, "ruth", "location") == ["Rome"]
    world.say("My sister moved to Lund last month.", session_id=other)
    assert values(world, "user's_sister", "location") == ["Lund", "Oslo"]
    assert not world.verified().problem
