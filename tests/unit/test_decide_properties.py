"""Properties that every decision has, over random histories."""

from datetime import datetime, timedelta

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
from memory.kinds import with_borrowed
from memory.segments import Standing
from memory.timeline import line
from memory.values import SourceKind
from tests.given import NOON, Story, as_of

HOUR = timedelta(hours=1)

mentions = st.one_of(
    st.just(SPEAKER),
    st.builds(
        Mention, type=st.sampled_from(["person", "company", "gizmo"]), name=st.sampled_from(["Ana", "ana ", "Bo"])
    ),
    st.just(Mention(type="person", name="sister", mine=True)),
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
    st.builds(
        AttributeCandidate,
        entity=mentions,
        key=st.sampled_from(["city", "likes", "dislikes"]),
        value=st.one_of(words, st.sampled_from(["running", "trail running"])),
        **statement,
    ),
    st.builds(
        RelationCandidate,
        subject=mentions,
        label=st.one_of(words, st.just("works_at")),
        object=mentions,
        **statement,
    ),
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
    for words in [*with_borrowed(story.known.attributes).values(), *story.known.relations.values()]:
        placed = [story.segments[said.id] for said in words if not said.is_tacit]
        assert {one.id: one for one in placed} == line(words), "the events tell another line than the words"
        current = [one for one in placed if one.standing is Standing.CURRENT]
        assert sum(one.valid_until is None for one in current) <= 1
        successors = [one.superseded_by for one in current if one.superseded_by]
        assert len(successors) == len(set(successors)), "two versions have one successor: a fork"


Line = list[tuple[str, str, datetime, datetime | None]]


def lines_of(story: Story, moment: datetime) -> dict[tuple[str, str, str], Line]:
    """What was known at a moment, by names, as ids hang on the order of arrival: of each unit (value, standing, valid
    from, valid until) of all words, in the order said."""
    known = as_of(story.beliefs, moment)
    names = {str(one.entity_id): one.name_key for one in story.known.entities.values()}
    told = {
        (names[str(owner)], key, names.get(value, value)): [
            (names.get(one.value, one.value), segment.standing.value, segment.valid_from, segment.valid_until)
            for one in sorted(words, key=lambda one: one.place)
            if (segment := known.get(one.id))
        ]
        for (owner, key, value), words in [*story.known.attributes.items(), *story.known.relations.items()]
    }
    return {unit: words for unit, words in told.items() if words}


plain_statement = {
    "polarity": st.sampled_from([Polarity.AFFIRMED, Polarity.AFFIRMED, Polarity.ENDED]),
    "valid_from": moments,
    "valid_until": moments,
    "change": st.booleans(),
    "repair": st.booleans(),
}
ANA, ACME, BETA = Mention(type="person", name="Ana"), *(Mention(type="company", name=name) for name in ("Acme", "Beta"))
statements: st.SearchStrategy[AnyCandidate] = st.one_of(
    st.builds(
        AttributeCandidate,
        entity=st.just(ANA),
        key=st.sampled_from(["city", "city", "likes", "dislikes"]),
        value=st.sampled_from(["Porto", "Lyon", "Oslo"]),
        **plain_statement,
    ),
    st.builds(
        AttributeCandidate,
        entity=st.just(ANA),
        key=st.sampled_from(["likes", "likes", "dislikes"]),
        value=st.sampled_from(["running", "trail running", "long trail running"]),
        **plain_statement,
    ),
    st.builds(
        RelationCandidate,
        subject=st.just(ANA),
        label=st.sampled_from(["works_at", "works_at", "knows"]),
        object=st.sampled_from([ACME, BETA]),
        **plain_statement,
    ),
)
tellings = st.lists(st.tuples(st.integers(-30, 30), statements), min_size=2, max_size=6, unique_by=lambda one: one[0])


def every_order_of_arrival_gives_one_line(data: st.DataObject) -> None:
    """Of single-valued and many-valued keys, contrary ones, relations; with repairs, endings, times that are over."""
    told = data.draw(tellings)
    plain, story = Story(), Story()
    for hours, said in sorted(told, key=lambda one: one[0]):
        plain.when(said, at=NOON + hours * HOUR)
    for hours, said in data.draw(st.permutations(told)):
        story.when(said, at=NOON + hours * HOUR)
    for hours, _ in told:
        moment = NOON + hours * HOUR
        assert lines_of(story, moment) == lines_of(plain, moment)


def the_order_of_candidates_does_not_matter(said: list[AnyCandidate]) -> None:
    assert Story().when(*said) == Story().when(*reversed(said))


test_deciding_twice_adds_nothing = settings(max_examples=50, deadline=None)(given(turns)(deciding_twice_adds_nothing))
test_chains_are_linear = settings(max_examples=50, deadline=None)(given(turns)(chains_are_linear))
test_the_order_of_candidates_does_not_matter = settings(max_examples=50, deadline=None)(
    given(st.lists(candidates, max_size=8))(the_order_of_candidates_does_not_matter)
)
test_every_order_of_arrival_gives_one_line = settings(max_examples=50, deadline=None)(
    given(st.data())(every_order_of_arrival_gives_one_line)
)
test_every_order_of_arrival_gives_one_line_at_length = pytest.mark.long(
    settings(max_examples=2_000, deadline=None)(given(st.data())(every_order_of_arrival_gives_one_line))
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
