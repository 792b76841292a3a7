"""Who is who: other names, merges and their undoing, and who "I" is once a name is told."""

from datetime import timedelta
from itertools import permutations

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
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    SeparationCandidate,
    UncertaintyCandidate,
)
from memory.events import (
    AttributeReopened,
    AttributeSuperseded,
    EntitiesMerged,
    EntitiesSeparated,
    EntityAliased,
    Event,
    SpeakerNamed,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.nicknames import first_word, lookups, may_be_one
from memory.timeline import line
from memory.values import Role, SourceKind, name_key
from tests.given import NOON, Story

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
KAT = Mention(type="person", name="Kat")
KATHERINE = Mention(type="person", name="Katherine")
SHORT = AliasCandidate(entity=KATHERINE, name=KAT)


def city(who: Mention, value: str, **more: object) -> AttributeCandidate:
    return AttributeCandidate(entity=who, key="city", value=value, **more)  # type: ignore[arg-type]


def types(events: list[Event]) -> list[str]:
    return [event.TOPIC for event in events]


def only(events: list[Event], kind: type[Event]) -> Event:
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


def segments_are_of_the_words(story: Story) -> None:
    for words in [*story.known.attributes.values(), *story.known.relations.values()]:
        assert {said.id: story.segments[said.id] for said in words} == line(words)


def test_a_new_name_of_a_known_entity_is_an_alias_and_its_words_go_to_the_entity() -> None:
    story = Story()
    story.when(city(KATHERINE, "Porto"))
    assert types(story.when(SHORT)) == ["EntityMentioned", "EntityAliased"]
    story.when(city(KAT, "Lyon"), at=NOON + DAY)
    assert [value for value, *_ in story.line("katherine", "city")] == ["Porto", "Lyon"]
    assert story.line("kat", "city") == story.line("katherine", "city")


def test_the_words_of_the_turn_that_tells_the_name_meet_what_is_known() -> None:
    story = Story()
    story.when(city(KATHERINE, "Porto"))
    events = story.when(SHORT, city(KAT, "Lyon", start=30), at=NOON + DAY)
    assert isinstance(only(events, AttributeSuperseded), AttributeSuperseded)


def test_two_known_entities_are_merged_into_one_line() -> None:
    story = Story()
    story.when(city(KAT, "Porto"))
    story.when(city(KATHERINE, "Lyon"), at=NOON + DAY)
    events = story.when(SHORT, at=NOON + 2 * DAY)
    merged, superseded = only(events, EntitiesMerged), only(events, AttributeSuperseded)
    assert isinstance(merged, EntitiesMerged)
    assert isinstance(superseded, AttributeSuperseded)
    assert len(merged.moved.attributes) == 1
    assert (superseded.segment.reason, superseded.correction_id is None) == ("merged", False)
    assert story.line("kat", "city") == [("Porto", NOON, NOON + DAY), ("Lyon", NOON + DAY, None)]
    segments_are_of_the_words(story)


def test_what_is_said_after_the_merge_supersedes_as_usual() -> None:
    story = Story()
    story.when(city(KAT, "Porto"))
    story.when(city(KATHERINE, "Lyon"), at=NOON + DAY)
    story.when(SHORT, at=NOON + 2 * DAY)
    superseded = only(story.when(city(KAT, "Oslo", change=True), at=NOON + 3 * DAY), AttributeSuperseded)
    assert isinstance(superseded, AttributeSuperseded)
    assert superseded.segment.reason == "moved_on"
    segments_are_of_the_words(story)


def test_a_separation_reopens_exactly_what_the_merge_closed_and_leaves_what_was_said_since() -> None:
    story = Story()
    story.when(city(KAT, "Porto"), ActionCandidate(actor=KAT, verb="met", object="Bo", summary="met Bo"))
    story.when(city(KATHERINE, "Lyon"), at=NOON + DAY)
    before = dict(story.segments)
    story.when(SHORT, at=NOON + 2 * DAY)
    story.when(AttributeCandidate(entity=KAT, key="job_title", value="CTO"), at=NOON + 3 * DAY)
    events = story.when(SeparationCandidate(name=KAT), at=NOON + 4 * DAY)
    separated = only(events, EntitiesSeparated)
    assert isinstance(separated, EntitiesSeparated)
    assert [len(separated.moved.attributes), len(separated.moved.actions), len(separated.moved.corrections)] == [
        1,
        1,
        1,
    ]
    assert isinstance(only(events, AttributeReopened), AttributeReopened)
    assert {one: story.segments[one] for one in before} == before
    assert story.line("kat", "city") == [("Porto", NOON, None)]
    assert story.line("katherine", "city") == [("Lyon", NOON + DAY, None)]
    assert story.line("kat", "job_title") == []
    assert [value for value, *_ in story.line("katherine", "job_title")] == ["CTO"]
    assert story.corrections == {}


def test_merging_and_separating_again_comes_to_the_same() -> None:
    story = Story()
    story.when(city(KAT, "Porto"))
    story.when(city(KATHERINE, "Lyon"), at=NOON + DAY)
    lines = []
    for day in range(2, 8, 2):
        story.when(SHORT, at=NOON + day * DAY)
        lines.append(story.line("kat", "city"))
        story.when(SeparationCandidate(name=KAT), at=NOON + (day + 1) * DAY)
        lines.append(story.line("kat", "city"))
    assert lines[:2] * 3 == lines


def test_a_separation_takes_along_what_had_been_merged_before_into_the_name() -> None:
    kitty = Mention(type="person", name="Kitty")
    story = Story()
    story.when(city(kitty, "Oslo"))
    story.when(city(KAT, "Porto"), at=NOON + DAY)
    story.when(city(KATHERINE, "Lyon"), at=NOON + 2 * DAY)
    story.when(AliasCandidate(entity=KAT, name=kitty), at=NOON + 3 * DAY)
    two = story.line("kat", "city")
    story.when(SHORT, at=NOON + 4 * DAY)
    assert len(story.line("kitty", "city")) == 3
    story.when(SeparationCandidate(name=KAT), at=NOON + 5 * DAY)
    assert story.line("kitty", "city") == story.line("kat", "city") == two
    assert story.line("katherine", "city") == [("Lyon", NOON + 2 * DAY, None)]


def test_relations_are_merged_at_both_ends() -> None:
    acme, acme_inc = (Mention(type="organisation", name=name) for name in ("Acme", "Acme Inc"))
    story = Story()
    story.when(RelationCandidate(subject=KAT, label="works_at", object=acme))
    story.when(RelationCandidate(subject=KAT, label="works_at", object=acme_inc), at=NOON + DAY)
    story.when(RelationCandidate(subject=KAT, label="knows", object=KATHERINE), at=NOON + DAY)
    assert len(story.known.relations) == 2
    story.when(AliasCandidate(entity=acme, name=acme_inc), at=NOON + 2 * DAY)
    (words,) = [words for (_, label, _), words in story.known.relations.items() if label == "works_at"]
    assert [story.segments[said.id].standing.value for said in words] == ["current", "supporting"]
    story.when(SHORT, at=NOON + 3 * DAY)
    story.when(SeparationCandidate(name=KAT), at=NOON + 4 * DAY)
    story.when(SeparationCandidate(name=acme_inc), at=NOON + 5 * DAY)
    segments_are_of_the_words(story)
    assert [story.segments[said.id].standing.value for said in words] == ["current", "current"]


def test_a_contrary_word_of_lower_rank_becomes_a_claim_and_a_doubt_until_the_two_are_separated() -> None:
    story = Story()
    story.when(city(KAT, "Porto"))
    story.when(city(KATHERINE, "Lyon"), at=NOON + DAY, source=SourceKind.UPSERT)
    doubt = only(story.when(SHORT, at=NOON + 2 * DAY), UncertaintyFlagged)
    resolved = only(story.when(SeparationCandidate(name=KAT), at=NOON + 3 * DAY), UncertaintyResolved)
    assert isinstance(doubt, UncertaintyFlagged)
    assert isinstance(resolved, UncertaintyResolved)
    assert (resolved.uncertainty_id, resolved.how) == (doubt.uncertainty_id, "separated")
    assert story.line("kat", "city") == [("Porto", NOON, None)]


@pytest.mark.parametrize("candidate", [SHORT, AliasCandidate(entity=KATHERINE, name=KAT, confidence=0.4)])
def test_the_word_of_an_assistant_or_an_unsure_one_joins_nothing(candidate: AliasCandidate) -> None:
    story = Story()
    story.when(city(KAT, "Porto"), city(KATHERINE, "Lyon"))
    role = Role.ASSISTANT if candidate is SHORT else Role.USER
    events = story.when(candidate, at=NOON + DAY, role=role)
    assert not {"EntitiesMerged", "EntityAliased"} & set(types(events))
    assert "UncertaintyFlagged" in types(events)


def test_what_the_speaker_calls_somebody_is_a_name_too() -> None:
    ana = Mention(type="person", name="Ana")
    sister = Mention(type="person", name="sister", mine=True)
    story = Story()
    story.when(EntityCandidate(entity=ana), AliasCandidate(entity=ana, name=sister))
    story.when(city(sister, "Rome"), at=NOON + DAY)
    assert [value for value, *_ in story.line("ana", "city")] == ["Rome"]


def test_a_name_that_two_go_by_joins_nobody() -> None:
    katrin, ana, eva = (Mention(type="person", name=name) for name in ("Katrin", "Ana", "Eva"))
    sister = Mention(type="person", name="sister", mine=True)
    story = Story()
    story.when(EntityCandidate(entity=katrin), AliasCandidate(entity=katrin, name=KAT))
    events = story.when(AliasCandidate(entity=KATHERINE, name=KAT), at=NOON + DAY)
    assert "EntitiesMerged" not in types(events)
    assert [event.about for event in events if isinstance(event, UncertaintyFlagged)] == [
        "Kat: Katrin, or perhaps Katherine"
    ]
    story.when(AliasCandidate(entity=ana, name=sister), at=NOON + 2 * DAY)
    assert types(story.when(AliasCandidate(entity=eva, name=sister), at=NOON + 3 * DAY)) == ["EntityRecognised"]


# (hours after noon, by which name, value, polarity, whether it tells of a change): one of each hour.
tellings = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.sampled_from([KAT, KATHERINE]),
        st.sampled_from(["Porto", "Lyon", "Oslo"]),
        st.sampled_from([Polarity.AFFIRMED, Polarity.AFFIRMED, Polarity.ENDED]),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
    unique_by=lambda one: one[0],
)


def every_order_of_words_and_merge_gives_one_line(data: st.DataObject) -> None:
    """As if all had been said of one name, whenever it turned out that the two are one, separated in between or not."""
    told = data.draw(tellings)
    plain = Story()
    plain.when(EntityCandidate(entity=KATHERINE))
    for hour, _, value, polarity, change in sorted(told, key=lambda one: one[0]):
        plain.when(city(KATHERINE, value, polarity=polarity, change=change), at=NOON + hour * HOUR)
    story = Story()
    story.when(EntityCandidate(entity=KATHERINE))
    turns: list[tuple[int, AnyCandidate]] = [
        (hour, city(who, value, polarity=polarity, change=change)) for hour, who, value, polarity, change in told
    ]
    for hour, candidate in data.draw(st.permutations([*turns, (40, SHORT)])):
        story.when(candidate, at=NOON + hour * HOUR)
    if data.draw(st.booleans()):
        story.when(SeparationCandidate(name=KAT), at=NOON + 50 * HOUR)
        story.when(SHORT, at=NOON + 51 * HOUR)
    assert story.line("kat", "city") == plain.line("katherine", "city")
    segments_are_of_the_words(story)


test_every_order_of_words_and_merge_gives_one_line = settings(max_examples=50, deadline=None)(
    given(st.data())(every_order_of_words_and_merge_gives_one_line)
)
test_every_order_of_words_and_merge_gives_one_line_at_length = pytest.mark.long(
    settings(max_examples=2_000, deadline=None)(given(st.data())(every_order_of_words_and_merge_gives_one_line))
)


# --- who "I" is ---------------------------------------------------------------------------------


def test_what_a_session_said_before_the_name_follows_the_name() -> None:
    story = Story()
    likes = AttributeCandidate(entity=SPEAKER, key="likes", value="tea")
    doubt = UncertaintyCandidate(about="may move", reason="hedged", entity=SPEAKER, key="city", start=5)
    story.when(city(SPEAKER, "Porto"), likes, doubt)
    events = story.when(NameCandidate(name="Alice"), at=NOON + DAY)
    named = only(events, SpeakerNamed)
    assert isinstance(named, SpeakerNamed)
    assert (len(named.moved.attributes), len(named.moved.uncertainties)) == (2, 1)
    assert story.line("alice", "city") == [("Porto", NOON, None)]
    assert story.line("user", "city") == []
    segments_are_of_the_words(story)


def test_whom_the_session_called_my_sister_stays_the_sister_of_the_named_one() -> None:
    sister, edda = Mention(type="person", name="sister", mine=True), Mention(type="person", name="Edda")
    story = Story()
    story.when(city(sister, "Oslo"))
    story.when(NameCandidate(name="Nora"), at=NOON + DAY)
    assert story.line("nora's_sister", "city") == [("Oslo", NOON, None)]
    assert story.line("user's_sister", "city") == []
    story.when(city(sister, "Bergen", change=True), at=NOON + 2 * DAY)
    assert [value for value, *_ in story.line("nora's_sister", "city")] == ["Oslo", "Bergen"]
    segments_are_of_the_words(story)
    # and one whose name was told keeps it
    story = Story()
    held = AttributeCandidate(entity=SPEAKER, key="sister", value="Edda")
    story.when(held, AliasCandidate(entity=edda, name=sister), city(edda, "Oslo", start=9))
    story.when(NameCandidate(name="Nora"), at=NOON + DAY)
    story.when(city(sister, "Bergen", change=True), at=NOON + 2 * DAY)
    assert [value for value, *_ in story.line("edda", "city")] == ["Oslo", "Bergen"]


def test_the_users_name_is_another_name_of_the_scopes_user() -> None:
    story = Story()
    story.when(city(SPEAKER, "Porto"), user_name="u-17")
    events = story.when(NameCandidate(name="Alice Smith"), at=NOON + DAY, user_name="u-17")
    alias = only(events, EntityAliased)
    assert isinstance(alias, EntityAliased)
    assert (alias.name, "SpeakerNamed" in types(events)) == ("Alice Smith", False)
    assert story.line("alice_smith", "city") == [("Porto", NOON, None)]


def test_a_longer_name_told_later_is_the_same_persons() -> None:
    story = Story()
    story.when(NameCandidate(name="Alice"), city(SPEAKER, "Porto", start=9))
    events = story.when(NameCandidate(name="Alice Smith"), at=NOON + DAY)
    assert types(events) == ["EntityMentioned", "EntityAliased"]
    assert story.line("alice_smith", "city") == [("Porto", NOON, None)]


def test_quite_another_name_told_later_is_another_persons() -> None:
    story = Story()
    story.when(NameCandidate(name="Alice"), city(SPEAKER, "Porto", start=9))
    events = story.when(NameCandidate(name="Bo"), city(SPEAKER, "Lyon", start=9), at=NOON + DAY)
    assert "SpeakerNamed" in types(events)
    assert story.line("alice", "city") == [("Porto", NOON, None)]
    assert story.line("bo", "city") == [("Lyon", NOON + DAY, None)]


def test_an_assistant_names_nobody_and_does_itself_what_it_promises() -> None:
    story = Story()
    send = ActionCandidate(actor=SPEAKER, verb="send", object="it", summary="will send it")
    events = story.when(NameCandidate(name="Alice"), send, role=Role.ASSISTANT)
    assert "SpeakerNamed" not in types(events)
    assert ("agent", "assistant") in story.known.entities


# --- likely nicknames -----------------------------------------------------------------------------


def test_a_likely_nickname_is_asked_about_and_settled_by_the_answer() -> None:
    story = Story()
    story.when(EntityCandidate(entity=Mention(type="person", name="Katherine Obi")))
    flagged = only(story.when(EntityCandidate(entity=KAT)), UncertaintyFlagged)
    assert isinstance(flagged, UncertaintyFlagged)
    assert (flagged.about, flagged.key) == ("Kat: perhaps Katherine Obi", "same_as")
    obi = Mention(type="person", name="Katherine Obi")
    events = story.when(AliasCandidate(entity=obi, name=KAT), at=NOON + DAY)
    assert isinstance(only(events, EntitiesMerged), EntitiesMerged)
    assert isinstance(only(events, UncertaintyResolved), UncertaintyResolved)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Kat", "Katherine Obi"), ("Katie", "Katherine"), ("Johnny", "John"), ("Bob", "Robert Ng"), ("Ana", "Ana Silva")],
)
def test_likely_forms_of_one_name(one: str, other: str) -> None:
    assert may_be_one(one, other)
    assert may_be_one(other, one)


def test_all_that_may_mean_one_person_is_looked_up() -> None:
    names = """Kat, Katie, Katherine, Katherine Obi, Bob, Bob Ng, Robert Ng, John, Johnny Cash, Ana, Ana Silva, Jo,
        Joanna, Al, Albert King, Sascha, Alexander Smith, Alex Smith, Toni, Antonia, Tonia Lu Chen"""
    for one, other in permutations((name.strip() for name in names.split(",")), 2):
        first, key = first_word(other), name_key(other)
        found = any(
            low <= first <= high and (not rest or key == first or key.endswith(rest))
            for low, high, rest in lookups(one)
        )
        assert found or not may_be_one(one, other), (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Locker 41", "Locker 42"),
        ("Ana", "Anb"),
        ("Dan", "Dana"),
        ("Alice Smith", "Alice Jones"),
        ("Bo", "Bob"),
        ("Ana's sister", "Ana"),
    ],
)
def test_names_that_differ_by_a_number_or_one_letter_are_not_even_asked_about(one: str, other: str) -> None:
    assert not may_be_one(one, other)
