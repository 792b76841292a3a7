"""The hybrid search, over words that were just written."""

from memory.values import Infer
from projections.passages import Kind
from projections.recall.filters import Filters
from projections.recall.question import parsed
from projections.recall.search import search
from tests.worlds import World, fact


def test_words_are_found_as_soon_as_they_are_written(world: World) -> None:
    said = world.say("Ana: My sister runs a bakery in Porto.", infer=Infer.NONE)
    world.say("Ben: I bought a new bicycle.", infer=Infer.NONE)
    with world.reading() as reader:
        found = search(reader, parsed("Who has a bakery?"))
    assert [hit.id for hit in found.hits][:1] == list(said.turn_ids)
    assert found.hits[0].signals.covered == 1


def test_a_fact_is_found_as_a_sentence_with_the_name(world: World) -> None:
    world.given(fact("Alice", "city", "Berlin"), fact("Bob", "city", "Porto"))
    with world.reading() as reader:
        found = search(
            reader, parsed("In which city does Alice live?"), filters=Filters(kinds=frozenset({Kind.ATTRIBUTE}))
        )
    assert found.hits[0].text == "Alice: city: Berlin"
    assert found.hits[0].signals.named == 1
