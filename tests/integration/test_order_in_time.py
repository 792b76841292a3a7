"""What time does to the order of what is found: newer words about the same thing, and the time in a question."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from api import ids
from api.work.indexing import Indexing
from memory.principals import Caller
from memory.remember import Turn
from memory.values import Infer
from projections.reading import Reader
from projections.recall.embedding import Vector
from projections.retrieval.recaller import Recall
from projections.retrieval.wanted import Wanted
from tests.worlds import World

OLD, NEW = "My salary is 4000 at the moment.", "They raised it to 4400."
BETWEEN = ["A salary is paid monthly.", "The salary cap in sports.", "Salary comes from salt.", "Salary or wages?"]
QUESTION, OF_THE_PAST = "What is my salary?", "What was my salary previously?"
# By hand: how near each is to the question, and what two of them have in common besides.
VECTORS: Mapping[str, Vector] = {
    QUESTION: [1.0, 0.0, 0.0, 0.0],
    OF_THE_PAST: [1.0, 0.0, 0.0, 0.0],
    OLD: [0.8, 0.6, 0.0, 0.0],
    NEW: [0.4, 0.9, 0.0, 0.17],
    **{text: [0.6, 0.0, 0.8, 0.0] for text in BETWEEN},
}


@dataclass
class ByHand:
    """Embeds by a table."""

    model: str = "test/by-hand"
    ready: bool = True

    def load(self) -> None: ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [VECTORS.get(text, [0.0, 0.0, 0.0, 1.0]) for text in texts]

    def kept(self, text: str, context_id: str, /) -> tuple[Vector, str]:
        return self.question(text, context_id)

    def question(self, text: str, _: str, /) -> tuple[Vector, str]:
        return self.embed([text])[0], self.model


def found(world: World, text: str, *said: str) -> list[str]:
    world.remember(*(Turn(turn_id=ids.new_id(), text=one, infer=Infer.NONE) for one in said))
    Indexing(world.services.pool, lambda _: ByHand()).catch_up(world.context_id)

    @contextmanager
    def reading() -> Iterator[tuple[Caller, Reader]]:
        with world.reading() as reader:
            yield world.caller, reader

    recall = Recall(ByHand(), world.services.traces)
    return [hit.text for hit in recall.retrieve(world.context_id, reading, Wanted(text=text)).hits]


def test_newer_words_about_what_the_best_hit_is_about_stand_third_at_the_latest(world: World) -> None:
    hits = found(world, QUESTION, OLD, *BETWEEN, NEW)
    assert hits[0] == OLD
    assert hits[2] == NEW


def test_older_words_are_not_moved_up(world: World) -> None:
    hits = found(world, QUESTION, NEW, *BETWEEN, OLD)
    assert hits[0] == OLD
    assert hits.index(NEW) > 2


def test_nothing_is_moved_where_the_past_is_asked_for(world: World) -> None:
    hits = found(world, OF_THE_PAST, OLD, *BETWEEN, NEW)
    assert hits[0] == OLD
    assert hits.index(NEW) > 2
