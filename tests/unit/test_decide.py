"""Decisions, as given / when / then."""

from datetime import timedelta
from uuid import uuid5

import pytest

from memory.candidates import (
    SPEAKER,
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)
from memory.events import (
    AttributeAsserted,
    AttributeClosed,
    AttributeKeyDefined,
    AttributeSuperseded,
    EntityRecognised,
    Event,
    RelationClosed,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.values import SourceKind
from tests.given import NAMESPACE, NOON, Story

DAY = timedelta(days=1)
ANA = Mention(type="person", name="Ana")
ACME = Mention(type="company", name="Acme")


def city(value: str, *, start: int = 0, **more: object) -> AttributeCandidate:
    return AttributeCandidate(entity=ANA, key="city", value=value, start=start, **more)  # type: ignore[arg-type]


def types(events: list[Event]) -> list[str]:
    return [event.TOPIC for event in events]


def only(events: list[Event], kind: type[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, kind)]


def test_a_first_value_brings_the_entity_the_key_and_the_version() -> None:
    events = Story().when(city("Porto"))
    assert types(events) == ["EntityRecognised", "AttributeKeyDefined", "AttributeAsserted"]
    entity, key, version = events
    assert isinstance(entity, EntityRecognised)
    assert isinstance(key, AttributeKeyDefined)
    assert isinstance(version, AttributeAsserted)
    assert (entity.type, entity.name, entity.name_key, entity.is_new) == ("person", "Ana", "ana", True)
    assert (key.key, key.single_valued) == ("city", True)
    assert (version.value, version.segment.valid_from, version.start) == ("Porto", NOON, None)


def test_an_entity_is_created_once_and_matched_afterwards_by_type_and_normalised_name() -> None:
    story = Story()
    story.when(EntityCandidate(entity=ACME))
    again = story.when(EntityCandidate(entity=Mention(type="organization", name="  ACME ")))
    assert types(again) == ["EntityMentioned"]
    other_type = story.when(EntityCandidate(entity=Mention(type="product", name="Acme")))
    assert types(other_type) == ["EntityRecognised"]


@pytest.mark.parametrize("same", ["Porto", " porto", "PORTO", "Ｐorto", "Porto  "])
def test_the_same_value_again_reaffirms_and_makes_no_version_and_no_correction(same: str) -> None:
    story = Story()
    story.when(city("Porto"))
    assert types(story.when(city(same), at=NOON + DAY)) == ["EntityMentioned", "AttributeReaffirmed"]
    assert [value for value, _, _ in story.line("ana", "city")] == ["Porto"]


def test_another_value_supersedes_with_a_correction_and_ends_the_former_where_it_begins() -> None:
    story = Story()
    story.when(city("Porto"))
    events = story.when(city("Lyon"), at=NOON + DAY)
    (superseded,) = only(events, AttributeSuperseded)
    assert isinstance(superseded, AttributeSuperseded)
    assert (superseded.segment.reason, superseded.segment.valid_until) == ("restated", NOON + DAY)
    assert superseded.correction_id is not None
    assert story.line("ana", "city") == [("Porto", NOON, NOON + DAY), ("Lyon", NOON + DAY, None)]


def test_a_move_with_a_stated_time_ends_the_former_value_at_that_time() -> None:
    story = Story()
    story.when(city("Porto"), at=NOON)
    moved = NOON + 3 * DAY
    (superseded,) = only(
        story.when(city("Lyon", valid_from=moved, precision="day", change=True), at=NOON + 9 * DAY),
        AttributeSuperseded,
    )
    assert isinstance(superseded, AttributeSuperseded)
    assert (superseded.segment.reason, superseded.segment.valid_until) == ("moved_on", moved)


def test_a_move_dated_before_the_former_statement_leaves_that_an_empty_interval_and_never_a_negative_one() -> None:
    story = Story()
    story.when(city("Porto"), at=NOON)
    story.when(city("Lyon", valid_from=NOON - 30 * DAY), at=NOON + DAY)
    assert story.line("ana", "city") == [("Porto", NOON, NOON), ("Lyon", NOON - 30 * DAY, None)]


def test_a_late_statement_takes_its_place_and_corrects_only_the_one_before_it() -> None:
    story = Story()
    story.when(city("Porto"), at=NOON)
    story.when(city("Lyon"), at=NOON + 4 * DAY)
    events = story.when(city("Oslo"), at=NOON + 2 * DAY)
    links = [
        (event.segment.reason, event.correction_id is not None)
        for event in events
        if isinstance(event, AttributeSuperseded)
    ]
    assert links == [("restated", True), ("restated", False)], "the newer value is not corrected"
    assert story.line("ana", "city") == [
        ("Porto", NOON, NOON + 2 * DAY),
        ("Oslo", NOON + 2 * DAY, NOON + 4 * DAY),
        ("Lyon", NOON + 4 * DAY, None),
    ]


def test_of_two_values_in_one_turn_the_later_words_win_whatever_the_order_of_candidates() -> None:
    first, second = city("Porto", start=0), city("Lyon", start=20)
    one, other = Story(), Story()
    assert one.when(first, second) == other.when(second, first)
    assert [value for value, _, until in one.line("ana", "city") if until is None] == ["Lyon"]


def test_a_many_valued_key_keeps_its_values_beside_each_other() -> None:
    story = Story()
    for value in ("tea", "chess", "TEA"):
        story.when(AttributeCandidate(entity=ANA, key="likes", value=value))
    assert [value for value, _, until in story.line("ana", "likes") if until is None] == ["tea", "chess"]


def test_an_ending_closes_what_it_matches_and_invents_no_successor() -> None:
    story = Story()
    story.when(city("Porto"))
    events = story.when(city("porto", polarity=Polarity.ENDED), at=NOON + DAY)
    assert types(events) == ["EntityMentioned", "AttributeEnded", "AttributeClosed"]
    assert story.line("ana", "city") == [("Porto", NOON, NOON + DAY)]
    back = story.when(city("Porto"), at=NOON + 2 * DAY)
    assert "AttributeAsserted" in types(back)
    assert "AttributeSuperseded" not in types(back)


def test_an_ending_that_matches_nothing_is_an_uncertainty() -> None:
    story = Story()
    story.when(city("Porto"))
    assert "UncertaintyFlagged" in types(story.when(city("Lyon", polarity=Polarity.ENDED)))
    assert story.line("ana", "city") == [("Porto", NOON, None)]


def test_a_value_stated_as_past_is_stored_closed_and_leaves_the_current_one_alone() -> None:
    story = Story()
    story.when(city("Porto"))
    past = city("Rome", valid_from=NOON - 900 * DAY, valid_until=NOON - 400 * DAY)
    assert "AttributeSuperseded" not in types(story.when(past, at=NOON + DAY))
    assert "AttributeAsserted" not in types(story.when(past, at=NOON + 2 * DAY))
    story.when(city("Lyon"), at=NOON + 3 * DAY)
    assert story.line("ana", "city") == [
        ("Porto", NOON, NOON + 3 * DAY),
        ("Rome", NOON - 900 * DAY, NOON - 400 * DAY),
        ("Lyon", NOON + 3 * DAY, None),
    ]


@pytest.mark.parametrize("candidate", [city("Lyon", confidence=0.5), city("Lyon", polarity=Polarity.NEGATED)])
def test_a_doubtful_or_negated_statement_is_flagged_and_the_known_value_stays(candidate: AnyCandidate) -> None:
    story = Story()
    story.when(city("Porto"))
    assert types(story.when(candidate)) == ["EntityMentioned", "UncertaintyFlagged"]
    assert story.line("ana", "city") == [("Porto", NOON, None)]


def test_what_is_denied_as_said_wrongly_is_taken_back_and_leaves_no_doubt() -> None:
    def allergy(value: str, **more: object) -> AttributeCandidate:
        return AttributeCandidate(entity=ANA, key="allergies", value=value, **more)  # type: ignore[arg-type]

    story = Story()
    story.when(allergy("shrimp"), allergy("pollen"))
    denied = allergy("shrimp", polarity=Polarity.NEGATED, repair=True, start=9)
    events = story.when(allergy("mussels", repair=True), denied, at=NOON + DAY)
    assert "UncertaintyFlagged" not in types(events)
    (closed,) = only(events, AttributeClosed)
    assert isinstance(closed, AttributeClosed)
    assert (closed.segment.standing, closed.segment.reason) == ("retracted", "explicit_correction")
    assert (closed.segment.valid_from, closed.segment.valid_until) == (NOON, NOON)
    assert types(story.when(denied, at=NOON + 2 * DAY)) == ["EntityMentioned", "AttributeEnded"]


def test_a_correction_that_names_the_old_value_is_one_correction() -> None:
    story = Story()
    story.when(city("Porto"))
    denied = city("Porto", polarity=Polarity.NEGATED, repair=True, start=9)
    events = story.when(city("Lyon", repair=True), denied, at=NOON + DAY)
    assert "UncertaintyFlagged" not in types(events)
    (superseded,) = only(events, AttributeSuperseded)
    assert isinstance(superseded, AttributeSuperseded)
    assert superseded.correction_id is not None
    assert superseded.segment.reason == "explicit_correction"


def test_a_relation_is_asserted_reaffirmed_ended_and_asserted_anew() -> None:
    story = Story()

    def works(**more: object) -> RelationCandidate:
        return RelationCandidate(subject=ANA, label="works_at", object=ACME, **more)  # type: ignore[arg-type]

    assert "RelationAsserted" in types(story.when(works()))
    assert "RelationReaffirmed" in types(story.when(works()))
    assert "RelationClosed" in types(story.when(works(polarity=Polarity.ENDED)))
    again = story.when(works(polarity=Polarity.ENDED))
    assert types(again) == ["EntityMentioned", "EntityMentioned", "RelationEnded"]
    assert "RelationAsserted" in types(story.when(works()))


def test_the_end_of_an_unknown_relation_is_an_uncertainty() -> None:
    ended = RelationCandidate(subject=ANA, label="works_at", object=ACME, polarity=Polarity.ENDED)
    assert "UncertaintyFlagged" in types(Story().when(ended))


def test_actions_and_instructions_repeat_without_a_second_record() -> None:
    story = Story()
    deed = ActionCandidate(actor=ANA, verb="visit", object="Lisbon", summary="Ana visited Lisbon", occurred_at=NOON)
    rule = InstructionCandidate(label="language", description="Always reply in French")
    assert {"ActionRecorded", "InstructionDetected"} <= set(types(story.when(deed, rule)))
    assert {"ActionReaffirmed", "InstructionReaffirmed"} <= set(types(story.when(deed, rule)))


class TestWhoTheSpeakerIs:
    TITLE = AttributeCandidate(entity=SPEAKER, key="job_title", value="CTO", start=9)

    def owner(self, events: list[Event]) -> str:
        (recognised,) = only(events, EntityRecognised)
        assert isinstance(recognised, EntityRecognised)
        return recognised.name_key

    def test_the_user_of_the_scope_comes_first(self) -> None:
        events = Story().when(self.TITLE, NameCandidate(name="Al"), user_name="Alice", principal_name="Bo")
        assert self.owner(events) == "alice"
        assert "SpeakerNamed" not in types(events)

    def test_then_the_name_told_in_this_turn(self) -> None:
        events = Story().when(self.TITLE, NameCandidate(name="Alice"), principal_name="Bo")
        assert self.owner(events) == "alice"
        assert "SpeakerNamed" in types(events)

    def test_then_the_name_told_before_in_this_session(self) -> None:
        story = Story()
        story.when(NameCandidate(name="Alice"))
        assert types(story.when(self.TITLE, principal_name="Bo"))[0] == "EntityMentioned"

    def test_then_the_principal_and_else_an_unnamed_user(self) -> None:
        assert self.owner(Story().when(self.TITLE, principal_name="Bo")) == "bo"
        assert self.owner(Story().when(self.TITLE)) == "user"


def test_an_uncertainty_names_its_entity_and_is_flagged_once_a_turn() -> None:
    story = Story()
    doubt = UncertaintyCandidate(about="Ana may move", reason="hedged", entity=ANA)
    assert types(story.when(doubt, doubt)) == ["EntityRecognised", "UncertaintyFlagged"]


def test_a_functional_relation_gives_way_to_another_object_and_others_stand_beside_each_other() -> None:
    beta = Mention(type="organisation", name="Beta")
    story = Story()
    story.when(RelationCandidate(subject=ANA, label="works_at", object=ACME))
    assert "RelationSuperseded" in types(story.when(RelationCandidate(subject=ANA, label="works at", object=beta)))
    story.when(RelationCandidate(subject=ANA, label="knows", object=ACME))
    assert "RelationSuperseded" not in types(story.when(RelationCandidate(subject=ANA, label="knows", object=beta)))


# From the highest rank to the lowest: those of one line outrank all below them.
RANKS = (
    (SourceKind.UPSERT,),
    (SourceKind.DOCUMENT,),
    (SourceKind.USER,),
    (SourceKind.SYSTEM,),
    (SourceKind.TOOL, SourceKind.ASSISTANT),
    (SourceKind.REFLECT, SourceKind.ELABORATE, SourceKind.CONSOLIDATE),
)
PAIRS = [
    (higher, lower)
    for place, ones in enumerate(RANKS)
    for higher in ones
    for below in RANKS[place + 1 :]
    for lower in below
]


@pytest.mark.parametrize("higher_first", [True, False])
@pytest.mark.parametrize(("higher", "lower"), PAIRS)
def test_of_two_ranks_the_higher_is_current_and_the_lower_a_flagged_claim_in_either_order(
    higher: SourceKind, lower: SourceKind, higher_first: bool
) -> None:
    told = [("Porto", higher), ("Lyon", lower)]
    (first, source), (second, other) = told if higher_first else told[::-1]
    story = Story()
    story.when(city(first), source=source)
    events = story.when(city(second), at=NOON + DAY, source=other)
    flagged = [event for event in events if isinstance(event, UncertaintyFlagged)]
    assert [event.about for event in flagged] == ["city: Lyon, against Porto"]
    assert not [event for event in events if isinstance(event, AttributeSuperseded)]
    assert story.standings() == (["current", "claimed"] if higher_first else ["claimed", "current"])


@pytest.mark.parametrize(("one", "other"), [(one, other) for ones in RANKS for one in ones for other in ones])
def test_within_a_rank_the_newer_word_supersedes_with_a_correction(one: SourceKind, other: SourceKind) -> None:
    story = Story()
    story.when(city("Porto"), source=one)
    (superseded,) = only(story.when(city("Lyon"), at=NOON + DAY, source=other), AttributeSuperseded)
    assert isinstance(superseded, AttributeSuperseded)
    assert superseded.correction_id is not None
    assert story.standings() == ["current", "current"]


def test_what_is_taken_back_is_retracted_with_a_correction() -> None:
    story = Story()
    story.when(city("Porto"))
    (superseded,) = only(story.when(city("Lyon", repair=True), at=NOON + DAY), AttributeSuperseded)
    assert isinstance(superseded, AttributeSuperseded)
    assert superseded.correction_id is not None
    assert superseded.segment.reason == "explicit_correction"
    assert story.line("ana", "city") == [("Porto", NOON, NOON), ("Lyon", NOON + DAY, None)]


def test_an_ending_that_came_first_closes_the_older_value_that_arrives_later() -> None:
    story = Story()
    story.when(city("Porto", polarity=Polarity.ENDED), at=NOON + DAY)
    story.when(city("Porto"), at=NOON)
    assert story.line("ana", "city") == [("Porto", NOON, NOON + DAY)]


def likes(key: str, **more: object) -> AttributeCandidate:
    return AttributeCandidate(entity=ANA, key=key, value="durian", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "second"), [("likes", "dislikes"), ("dislikes", "likes")])
def test_the_contrary_of_a_liking_supersedes_it_with_a_correction(first: str, second: str) -> None:
    story = Story()
    story.when(likes(first))
    events = story.when(likes(second), at=NOON + DAY)
    assert types(events)[-2:] == ["AttributeAsserted", "AttributeSuperseded"]
    assert story.line("ana", "likes") == [("durian", NOON, NOON + DAY), ("durian", NOON + DAY, None)]


def test_a_negation_that_says_the_contrary_is_no_uncertainty_of_its_own() -> None:
    story = Story()
    story.when(likes("likes"))
    events = story.when(likes("likes", polarity=Polarity.NEGATED), likes("dislikes"), at=NOON + DAY)
    assert "UncertaintyFlagged" not in types(events)
    assert "AttributeSuperseded" in types(events)


def test_a_clear_statement_settles_an_earlier_doubt_about_the_fact() -> None:
    story = Story()
    (doubt,) = only(story.when(city("Lyon", confidence=0.4)), UncertaintyFlagged)
    (settled,) = only(story.when(city("Porto"), at=NOON + DAY), UncertaintyResolved)
    assert isinstance(doubt, UncertaintyFlagged)
    assert isinstance(settled, UncertaintyResolved)
    assert (settled.uncertainty_id, settled.how) == (doubt.uncertainty_id, "stated")


def settled(events: list[Event]) -> int:
    return len(only(events, UncertaintyResolved))


MAYBE = UncertaintyCandidate(about="Ana may move to Lyon", reason="hedged", entity=ANA, key="city")


@pytest.mark.parametrize("doubt", [MAYBE, city("Lyon", confidence=0.4), city("Porto", polarity=Polarity.NEGATED)])
def test_so_does_a_clear_repetition_of_what_was_known(doubt: AnyCandidate) -> None:
    story = Story()
    story.when(city("Porto"))
    story.when(doubt, at=NOON + DAY)
    assert settled(story.when(city("porto"), at=NOON + 2 * DAY)) == 1
    assert settled(story.when(city("porto"), at=NOON + 3 * DAY)) == 0


def test_an_echo_of_lower_rank_settles_nothing_and_a_user_who_repeats_an_operator_does() -> None:
    story = Story()
    story.when(city("Porto"), source=SourceKind.UPSERT)
    story.when(MAYBE, at=NOON + DAY)
    assert settled(story.when(city("Porto"), at=NOON + 2 * DAY, source=SourceKind.ASSISTANT)) == 0
    assert settled(story.when(city("Porto"), at=NOON + 3 * DAY)) == 1


def test_what_was_said_before_a_doubt_and_arrives_later_does_not_settle_it() -> None:
    story = Story()
    story.when(city("Porto"))
    story.when(MAYBE, at=NOON + 3 * DAY)
    assert settled(story.when(city("Porto"), at=NOON + DAY)) == 0


def test_a_doubt_raised_beside_a_clear_statement_stays() -> None:
    story = Story()
    assert settled(story.when(city("Porto"), MAYBE)) == 0
    assert settled(story.when(city("Porto"), MAYBE, at=NOON + DAY)) == 1, "the one of before"


def test_of_many_values_a_clear_word_settles_the_doubts_that_name_it() -> None:
    story = Story()
    story.when(UncertaintyCandidate(about="Ana might like durian", reason="hedged", entity=ANA, key="likes"))
    assert settled(story.when(AttributeCandidate(entity=ANA, key="likes", value="tea"), at=NOON + DAY)) == 0
    assert settled(story.when(AttributeCandidate(entity=ANA, key="likes", value="ian"), at=NOON + DAY)) == 0
    assert settled(story.when(likes("dislikes"), at=NOON + 2 * DAY)) == 1


def test_a_past_or_an_end_settles_the_doubts_that_name_its_value() -> None:
    story = Story()
    story.when(city("Porto"))
    story.when(MAYBE, at=NOON + DAY)
    story.when(
        UncertaintyCandidate(about="Has Ana left Porto?", reason="hedged", entity=ANA, key="city"), at=NOON + DAY
    )
    past = city("Rome", valid_from=NOON - 90 * DAY, valid_until=NOON - 40 * DAY)
    assert settled(story.when(past, at=NOON + 2 * DAY)) == 0
    assert settled(story.when(city("Porto", polarity=Polarity.ENDED), at=NOON + 3 * DAY)) == 1


def test_an_ending_that_meets_its_version_late_leaves_no_doubt() -> None:
    story = Story()
    story.when(city("Porto", polarity=Polarity.ENDED), at=NOON + DAY)
    story.when(city("Rome", polarity=Polarity.ENDED), at=NOON + DAY)
    assert settled(story.when(city("Porto"))) == 1


def not_with(name: str, story: Story) -> list[Event]:
    """Words that may be read as the end of one fact or of another."""
    works_at = RelationCandidate(
        subject=ANA, label="works_at", object=Mention(type="company", name=name), polarity=Polarity.ENDED
    )
    uses = AttributeCandidate(entity=ANA, key="uses", value=name, polarity=Polarity.ENDED)
    return story.when(works_at, uses, at=NOON + DAY)


def test_of_two_readings_of_an_ending_one_that_matches_nothing_leaves_no_doubt_where_the_other_does() -> None:
    story = Story()
    story.when(RelationCandidate(subject=ANA, label="works_at", object=ACME))
    events = not_with("Acme", story)
    assert (len(only(events, RelationClosed)), len(only(events, UncertaintyFlagged))) == (1, 0)
    assert len(only(not_with("Beta", story), UncertaintyFlagged)) == 2


def test_an_ending_names_its_value_so_the_successor_stays() -> None:
    story = Story()
    story.when(AttributeCandidate(entity=ANA, key="uses", value="Acme"))
    story.when(AttributeCandidate(entity=ANA, key="uses", value="Beta"))
    not_with("Acme", story)
    assert story.line("ana", "uses") == [("Acme", NOON, NOON + DAY), ("Beta", NOON, None)]


def test_what_was_told_before_its_wider_kind_ended_is_closed_whenever_it_arrives() -> None:
    def running(kind: str, **more: object) -> AttributeCandidate:
        return AttributeCandidate(entity=ANA, key="likes", value=f"{kind}running", **more)  # type: ignore[arg-type]

    story = Story()
    story.when(running("trail "))
    events = story.when(running("", polarity=Polarity.ENDED), at=NOON + 2 * DAY)
    assert not only(events, UncertaintyFlagged)
    story.when(running("road "), at=NOON + DAY)
    story.when(running("Long Trail "), at=NOON + 3 * DAY)
    assert story.line("ana", "likes") == [
        ("trail running", NOON, NOON + 2 * DAY),
        ("road running", NOON + DAY, NOON + 2 * DAY),
        ("Long Trail running", NOON + 3 * DAY, None),
    ]


def test_who_takes_a_wider_kind_back_says_nothing_of_its_kinds() -> None:
    story = Story()
    for what in ("running", "trail running"):
        story.when(AttributeCandidate(entity=ANA, key="likes", value=what))
    denied = AttributeCandidate(entity=ANA, key="likes", value="running", polarity=Polarity.NEGATED, repair=True)
    story.when(denied, at=NOON + DAY)
    assert story.line("ana", "likes") == [("running", NOON, NOON), ("trail running", NOON, None)]


def contradicted() -> Story:
    """An operator says Porto, then a user Lyon."""
    story = Story()
    story.when(city("Porto"), source=SourceKind.UPSERT)
    story.when(city("Lyon"), at=NOON + DAY)
    return story


def test_a_contradiction_of_ranks_stays_open_while_it_lasts_and_is_flagged_once() -> None:
    story = contradicted()
    again = story.when(city("Lyon"), at=NOON + 2 * DAY)
    assert not only(again, UncertaintyFlagged)
    assert not only(again, UncertaintyResolved)


@pytest.mark.parametrize(
    ("value", "source", "expected"),
    [
        ("Porto", SourceKind.UPSERT, 1),  # the higher-ranked one says it again
        ("Lyon", SourceKind.UPSERT, 1),  # or takes over what was claimed
        ("Oslo", SourceKind.UPSERT, 1),  # or knows better than both
        ("Porto", SourceKind.USER, 1),  # who claimed it takes it back
        ("Porto", SourceKind.ASSISTANT, 0),
        ("Lyon", SourceKind.DOCUMENT, 0),
    ],
)
def test_a_contradiction_is_settled_by_words_in_force_that_count_more_than_the_claim(
    value: str, source: SourceKind, expected: int
) -> None:
    assert settled(contradicted().when(city(value), at=NOON + 2 * DAY, source=source)) == expected


def test_a_newer_edition_with_a_third_value_settles_no_claim_against_the_document() -> None:
    story = Story()
    story.when(city("Porto"), source=SourceKind.DOCUMENT)
    story.when(city("Lyon"), at=NOON + DAY)
    assert settled(story.when(city("Oslo"), at=NOON + 2 * DAY, source=SourceKind.DOCUMENT)) == 0
    assert settled(story.when(city("Oslo"), at=NOON + 3 * DAY)) == 1, "who claimed Lyon says Oslo, too"


def test_a_contradiction_that_was_settled_is_flagged_anew_when_it_comes_up_again() -> None:
    story = contradicted()
    story.when(city("Porto"), at=NOON + 2 * DAY, source=SourceKind.UPSERT)
    assert len(only(story.when(city("Lyon"), at=NOON + 3 * DAY), UncertaintyFlagged)) == 1


def test_a_bare_mention_whose_type_is_guessed_means_the_entity_of_that_name() -> None:
    story = Story()
    story.when(EntityCandidate(entity=Mention(type="location", name="Malmö")))
    guessed = EntityCandidate(entity=Mention(type="person", name="malmö"), confidence=0.75)
    assert types(story.when(guessed)) == ["EntityMentioned"]


def test_a_newer_contrary_directive_closes_the_older_one() -> None:
    story = Story()
    story.when(InstructionCandidate(label="language", description="Always reply in French"))
    newer = story.when(InstructionCandidate(label="language", description="Reply in German"))
    assert types(newer) == ["InstructionClosed", "InstructionDetected"]
    beside = story.when(InstructionCandidate(label="sources", description="Always cite sources"))
    assert types(beside) == ["InstructionDetected"]


@pytest.mark.parametrize("polarity", [Polarity.AFFIRMED, Polarity.ENDED])
def test_a_time_with_both_ends_is_stored_as_past(polarity: Polarity) -> None:
    rome = city("Rome", valid_from=NOON - 900 * DAY, valid_until=NOON - 400 * DAY, polarity=polarity)
    story = Story()
    story.when(rome)
    assert story.line("ana", "city") == [("Rome", NOON - 900 * DAY, NOON - 400 * DAY)]


def test_an_ending_with_both_ends_closes_what_is_known_to_hold_and_adds_nothing_twice() -> None:
    rome = city("Rome", valid_from=NOON - 900 * DAY, valid_until=NOON - 400 * DAY, polarity=Polarity.ENDED)
    story = Story()
    story.when(city("Rome"), at=NOON - 700 * DAY)
    story.when(rome)
    assert story.line("ana", "city") == [("Rome", NOON - 700 * DAY, NOON - 400 * DAY)]
    assert story.decide_again(2, [rome]) == []


def test_a_former_employer_leaves_the_present_one_alone() -> None:
    story = Story()
    story.when(RelationCandidate(subject=ANA, label="works_at", object=ACME))
    beta = Mention(type="organisation", name="Beta")
    past = RelationCandidate(
        subject=ANA, label="works_at", object=beta, valid_from=NOON - 900 * DAY, valid_until=NOON - 400 * DAY
    )
    assert "RelationSuperseded" not in types(story.when(past, at=NOON + DAY))


HANDBOOK, LEAFLET = (uuid5(NAMESPACE, name) for name in ("handbook", "leaflet"))


def test_of_two_documents_the_older_word_stays_and_one_doubt_names_the_fact() -> None:
    story = Story()
    story.when(city("Porto"), source=SourceKind.DOCUMENT, document_id=HANDBOOK)
    events = story.when(city("Lyon"), at=NOON + DAY, source=SourceKind.DOCUMENT, document_id=LEAFLET)
    assert types(events).count("UncertaintyFlagged") == 1
    assert "AttributeSuperseded" not in types(events)
    assert story.standings() == ["current", "claimed"]


def test_neither_of_two_documents_settles_what_they_disagree_about_and_an_operator_does() -> None:
    story = Story()
    story.when(city("Porto"), source=SourceKind.DOCUMENT, document_id=HANDBOOK)
    story.when(city("Lyon"), at=NOON + DAY, source=SourceKind.DOCUMENT, document_id=LEAFLET)
    again = story.when(city("Porto"), at=NOON + 2 * DAY, source=SourceKind.DOCUMENT, document_id=HANDBOOK)
    assert settled(again) == 0
    assert settled(story.when(city("Porto"), at=NOON + 3 * DAY, source=SourceKind.UPSERT)) == 1


def test_so_it_is_when_the_older_document_arrives_later() -> None:
    story = Story()
    story.when(city("Lyon"), at=NOON + DAY, source=SourceKind.DOCUMENT, document_id=LEAFLET)
    story.when(city("Porto"), source=SourceKind.DOCUMENT, document_id=HANDBOOK)
    assert story.standings() == ["current", "claimed"]
    assert [value for value, *_ in story.line("ana", "city")] == ["Porto", "Lyon"]


def test_a_newer_version_of_a_document_supersedes_and_users_and_operators_are_below_and_above_it() -> None:
    story = Story()
    story.when(city("Porto"), source=SourceKind.DOCUMENT, document_id=HANDBOOK)
    story.when(city("Lyon"), at=NOON + DAY, source=SourceKind.DOCUMENT, document_id=HANDBOOK)
    story.when(city("Oslo"), at=NOON + 2 * DAY, source=SourceKind.USER)
    story.when(city("Rome"), at=NOON + 3 * DAY, source=SourceKind.UPSERT)
    assert story.standings() == ["current", "claimed", "claimed", "current"]


def test_a_document_that_repeats_another_supports_it() -> None:
    story = Story()
    story.when(city("Porto"), source=SourceKind.USER)
    story.when(city("Porto"), at=NOON + DAY, source=SourceKind.DOCUMENT, document_id=HANDBOOK)
    story.when(city("Lyon"), at=NOON + 2 * DAY, source=SourceKind.DOCUMENT, document_id=LEAFLET)
    assert story.standings() == ["current", "supporting", "claimed"]


def pen(colour: str, single_valued: bool | None) -> AttributeCandidate:
    return AttributeCandidate(entity=ANA, key="pen", value=colour, single_valued=single_valued)


def test_the_extractor_says_at_first_sight_whether_a_key_has_many_values_and_is_not_heard_later() -> None:
    story = Story()
    story.when(pen("red", False))
    assert story.known.keys == {"pen": False}
    story.when(pen("blue", True), at=NOON + DAY)
    assert story.standings() == ["current", "current"]
    assert [until for *_, until in story.line("ana", "pen")] == [None, None]


def test_what_the_registry_knows_the_extractor_does_not_change() -> None:
    story = Story()
    story.when(AttributeCandidate(entity=ANA, key="likes", value="tea", single_valued=True), pen("red", None))
    assert story.known.keys == {"likes": False, "pen": True}
