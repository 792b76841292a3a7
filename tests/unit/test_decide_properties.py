"""Properties that every decision has, over random histories."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.candidates import (
    SPEAKER,
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    SeparationCandidate,
    UncertaintyCandidate,
)
from memory.timeline import Standing, line
from memory.values import SourceKind
from tests.given import NOON, Story

HOUR = timedelta(hours=1)

mentions = st.one_of(
    st.just(SPEAKER),
    st.builds(
        Mention, type=st.sampled_from(["person", "company", "gizmo"]), name=st.sampled_from(["Ana", "ana ", "Bo"])
    ),
)
moments = st.one_of(st.none(), st.integers(-50, 50).map(lambda hours: NOON + hours * HOUR))
common = {
    "start": st.integers(0, 3),
    "end": st.integers(0, 3),
    "confidence": st.sampled_from([0.3, 0.7, 1.0]),
    "category": st.sampled_from(["identity", "knowledge", "context"]),
}
statement = {
    **common,
    "polarity": st.sampled_from(Polarity),
    "valid_from": moments,
    "valid_until": moments,
    "change": st.booleans(),
    "repair": st.booleans(),
}
words = st.sampled_from(["Porto", "porto ", "Lyon", "", "\u202e\u200b", "x" * 500])
rules = st.sampled_from(["use emojis", "stop using emojis", "reply in French", "reply in German"])
candidates: st.SearchStrategy[AnyCandidate] = st.one_of(
    st.builds(EntityCandidate, entity=mentions, **common),
    st.builds(NameCandidate, name=st.sampled_from(["Ana", "Al"]), **common),
    st.builds(AliasCandidate, entity=mentions, name=mentions, **common),
    st.builds(SeparationCandidate, name=mentions, **common),
    st.builds(AttributeCandidate, entity=mentions, key=st.sampled_from(["city", "likes"]), value=words, **statement),
    st.builds(RelationCandidate, subject=mentions, label=words, object=mentions, **statement),
    st.builds(ActionCandidate, actor=mentions, verb=words, object=words, summary=words, occurred_at=moments, **common),
    st.builds(InstructionCandidate, label=words, description=rules, **common),
    st.builds(UncertaintyCandidate, about=words, reason=words, entity=st.one_of(st.none(), mentions), **common),
)
turns = st.lists(st.tuples(st.integers(-30, 30), st.lists(candidates, max_size=6)), min_size=1, max_size=6)
SOURCES = (SourceKind.USER, SourceKind.USER, SourceKind.ASSISTANT, SourceKind.UPSERT)


def told(history: list[tuple[int, list[AnyCandidate]]]) -> Story:
    story = Story()
    for number, (hours, said) in enumerate(history):
        source = SOURCES[number % len(SOURCES)]
        story.when(*said, at=NOON + hours * HOUR, source=source)
    return story


def deciding_twice_adds_nothing(history: list[tuple[int, list[AnyCandidate]]]) -> None:
    story = told(history)
    turn, (_, said) = len(history), history[-1]
    assert story.decide_again(turn, said) == []


def chains_are_linear(history: list[tuple[int, list[AnyCandidate]]]) -> None:
    story = told(history)
    for words in [*story.known.attributes.values(), *story.known.relations.values()]:
        placed = [story.segments[said.id] for said in words]
        assert {one.id: one for one in placed} == line(words), "the events tell another line than the words"
        current = [one for one in placed if one.standing is Standing.CURRENT]
        assert sum(one.valid_until is None for one in current) <= 1
        successors = [one.superseded_by for one in current if one.superseded_by]
        assert len(successors) == len(set(successors)), "two versions have one successor: a fork"


def the_order_of_candidates_does_not_matter(said: list[AnyCandidate]) -> None:
    assert Story().when(*said) == Story().when(*reversed(said))


test_deciding_twice_adds_nothing = settings(max_examples=50, deadline=None)(given(turns)(deciding_twice_adds_nothing))
test_chains_are_linear = settings(max_examples=50, deadline=None)(given(turns)(chains_are_linear))
test_the_order_of_candidates_does_not_matter = settings(max_examples=50, deadline=None)(
    given(st.lists(candidates, max_size=8))(the_order_of_candidates_does_not_matter)
)
test_deciding_twice_adds_nothing_at_length = pytest.mark.long(
    settings(max_examples=2_000, deadline=None)(given(turns)(deciding_twice_adds_nothing))
)
test_chains_are_linear_at_length = pytest.mark.long(
    settings(max_examples=2_000, deadline=None)(given(turns)(chains_are_linear))
)
test_the_order_of_candidates_does_not_matter_at_length = pytest.mark.long(
    settings(max_examples=1_000, deadline=None)(
        given(st.lists(candidates, max_size=8))(the_order_of_candidates_does_not_matter)
    )
)
