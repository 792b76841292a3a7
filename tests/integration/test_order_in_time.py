"""What time does to the order of what is found: newer words about the same thing, and the time in a question."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from api import ids
from api.work.indexing import Indexing
from memory.principals import Caller
from memory.remember import Turn
from memory.values import Infer
from projections.reading import Reader
from projections.recall.embedding import Vector
from projections.retrieval.recaller import Recall
from projections.retrieval.wanted import Wanted
from tests.worlds import World, fact

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


def told(world: World, *said: str, days_ago: float = 0) -> None:
    observed_at = datetime.now(UTC) - timedelta(days=days_ago)
    turns = (Turn(turn_id=ids.new_id(), text=one, infer=Infer.NONE, observed_at=observed_at) for one in said)
    world.remember(*turns)


def found(world: World, text: str, *said: str) -> list[str]:
    if said:
        told(world, *said)
    Indexing(world.services.pool, lambda _: ByHand()).catch_up(world.context_id)

    @contextmanager
    def reading() -> Iterator[tuple[Caller, Reader]]:
        with world.reading() as reader:
            yield world.caller, reader

    recall = Recall(ByHand(), world.services.traces, lambda _: False)
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


@pytest.mark.parametrize(
    ("question", "days_ago"),
    [
        ("Which soup did I cook yesterday?", 1),
        ("Which soup have I cooked in the last three days?", 1),
        ("Which soup did I cook ten days ago?", 10),
        ("Which soup did I cook a year ago?", 365),
    ],
)
def test_words_said_at_the_time_that_a_question_names_come_first(world: World, question: str, days_ago: float) -> None:
    for days, kind in ((365, "leek"), (10, "bean"), (1, "lentil"), (40, "onion")):
        told(world, f"I cooked a {kind} soup, the usual thing.", days_ago=days)
    kinds = {365: "leek", 10: "bean", 1: "lentil"}
    assert kinds[int(days_ago)] in found(world, question)[0]


def test_a_time_alone_is_answered_by_what_was_said_then_and_by_nothing_if_nothing_was(world: World) -> None:
    told(world, "The boiler was mended by Mr Adler.", days_ago=1)
    told(world, "We painted the fence.", days_ago=60)
    assert found(world, "What happened yesterday?") == ["The boiler was mended by Mr Adler."]
    assert found(world, "What did we talk about twenty days ago?") == []


def test_before_something_favours_what_was_said_before_it(world: World) -> None:
    told(world, "I cooked onion soup for the guests.", days_ago=90)
    told(world, "We moved to Ghent at last.", days_ago=60)
    told(world, "I cooked leek soup for the guests.", days_ago=30)
    assert found(world, "Which soup did I cook for the guests before the move?")[0] == (
        "I cooked onion soup for the guests."
    )
    assert found(world, "Which soup did I cook for the guests before we married?")[0] == (
        "I cooked leek soup for the guests."
    ), "nothing was said of that, so the newer of two that match as well"


def test_a_fact_that_held_at_the_time_asked_for_stands_above_those_that_did_not(world: World) -> None:
    for year, place in ((2019, "an attic in Lyon"), (2021, "a barge near Ghent"), (2023, "the lighthouse")):
        world.given(
            fact("Bo Lindgren", "abode", place),
            observed_at=datetime(year, 1, 1, tzinfo=UTC),
            text=f"Bo has {place}.",
        )
    for question, place in (("in 2022", "barge"), ("in 2020", "attic"), ("before 2021", "attic")):
        hits = found(world, f"Tell me which abode Bo Lindgren had {question}, lighthouse or barge or what?")
        facts = [text for text in hits if text.startswith("Bo Lindgren: abode")]
        assert place in facts[0], question
