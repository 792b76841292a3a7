"""What a question asks for, told from its words alone; and how things found are put in order. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memory.errors import InvalidRequest
from projections.passages import Kind
from projections.recall.ranking import Signals
from projections.retrieval import duplicates, floor, roles
from projections.retrieval.asked import Asked, asked
from projections.retrieval.direct import plausible
from projections.retrieval.places import Circle, Polygon, polygon
from projections.retrieval.slots import BIRTH, EMPLOYER, JOB, LIVING, slot_of
from projections.retrieval.wanted import Recalled

NOW = datetime(2026, 6, 17, 12, tzinfo=UTC)  # a Wednesday


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What did I do last week?", day(2026, 6, 8), day(2026, 6, 15)),
        ("What did I do yesterday?", day(2026, 6, 16), day(2026, 6, 17)),
        ("Where was Ana in March?", day(2026, 3, 1), day(2026, 4, 1)),
        ("Where was Ana in March 2024?", day(2024, 3, 1), day(2024, 4, 1)),
        ("Where was Ana in 2023?", day(2023, 1, 1), day(2024, 1, 1)),
        ("What has happened since March 2024?", day(2024, 3, 1), None),
        ("Where did I work before 2020?", None, day(2020, 1, 1)),
        ("What did Bo say after March 2024?", day(2024, 4, 1), None),
        ("What happened between March 2024 and May 2024?", day(2024, 3, 1), day(2024, 6, 1)),
        ("What happened in the last three days?", datetime(2026, 6, 14, 12, tzinfo=UTC), None),
        ("What have I eaten over the past couple of weeks?", datetime(2026, 6, 3, 12, tzinfo=UTC), None),
        ("What did I eat in the past week?", datetime(2026, 6, 10, 12, tzinfo=UTC), None),
        ("What did Bo do the week before 3 August 2024?", day(2024, 7, 27), day(2024, 8, 3)),
        ("What did Bo do two days after 3 August 2024?", day(2024, 8, 4), day(2024, 8, 6)),
        ("What will I do next month?", day(2026, 7, 1), day(2026, 8, 1)),
    ],
)
def test_times_in_questions_are_windows(text: str, start: datetime | None, end: datetime | None) -> None:
    window = asked(text, now=NOW).window
    assert window is not None
    assert (window.start, window.end) == (start, end)
    assert window.phrase in text


@pytest.mark.parametrize(
    ("text", "only_time"),
    [
        ("What happened last week?", True),
        ("What did we talk about yesterday?", True),
        ("What's new since Monday?", True),
        ("What did I eat last week?", False),
        ("What was the plan in March 2024?", False),
        ("What happened?", False),
    ],
)
def test_whether_only_a_time_is_asked_for(text: str, only_time: bool) -> None:
    assert asked(text, now=NOW).only_time is only_time


@pytest.mark.parametrize("text", ["What is my job?", "May I?", "Who is March?", "", "  ", "?" * 500])
def test_no_time_is_no_window(text: str) -> None:
    assert asked(text, now=NOW).window is None


def test_a_time_before_the_calendar_is_no_window() -> None:
    assert asked("What did I do in the last 900 years?", now=datetime(500, 3, 1, tzinfo=UTC)).window is None


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("Where did I live before Berlin?", True),
        ("Where did she use to work?", True),
        ("Where did Ana live?", True),
        ("What was my previous job?", True),
        ("Who was the former boss?", True),
        ("Where was I in 2023?", True),
        ("What's Ana's old address?", True),
        ("What is my job?", False),
        ("When did Ana call?", False),
        ("What should I do before the trip?", False),
        ("How old is Ana?", False),
        ("Where will I be next week?", False),
        ("What happened at the party?", False),
    ],
)
def test_whether_a_question_asks_for_the_past(text: str, past: bool) -> None:
    assert asked(text, now=NOW).past is past


def test_what_came_before_is_told() -> None:
    assert asked("Where did I live before the move?", now=NOW).before == "the move"
    assert asked("Where did I live before I moved to Berlin, then?", now=NOW).before == "I moved to Berlin"
    found = asked("Is my salary 3,500 or 4200.50, and not 7?", now=NOW)
    assert (found.numbers, found.negated, found.present) == (("3,500", "4200.50", "7"), True, False)
    assert asked("Where do I live now?", now=NOW).present


@given(st.text(max_size=200))
def test_any_text_is_a_question(text: str) -> None:
    assert isinstance(asked(text, now=NOW), Asked)
    plausible(asked(text, now=NOW))
    slot_of(text)


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("where does @ live?", LIVING),
        ("where do @ currently live", LIVING),
        ("which city does @ live in?", LIVING),
        ("Where is @ based?", LIVING),
        ("where does @ work?", EMPLOYER),
        ("Who do @ work for?", EMPLOYER),
        ("what does @ do for a living?", JOB),
        ("what is @'s role?", JOB),
        ("what is the job title of @?", JOB),
        ("when was @ born?", BIRTH),
        ("what is @'s shoe size?", ()),
        ("where does @ live with the dog?", None),
        ("what does @ do on Sundays?", None),
        ("what do you think?", None),
        ("what did Bo say about @'s long trip to the coast?", None),
    ],
)
def test_the_slot_of_a_question(question: str, keys: tuple[str, ...] | None) -> None:
    slot = slot_of(question)
    assert (slot.keys if slot else None) == keys


# --- order -------------------------------------------------------------------------------------


def a_hit(number: int, text: str, *, role: str = "user", covered: float = 0.5, cosine: float = 0.5) -> Recalled:
    name = uuid5(UUID(int=0), str(number))
    return Recalled(
        kind=Kind.TURN,
        id=name,
        passage_id=name,
        text=text,
        score=0.5,
        said_at=NOW,
        role=role,
        turn_id=name,
        covered=covered,
        cosine=cosine,
    )


def numbers(hits: Sequence[Recalled], given_hits: Sequence[Recalled]) -> list[int]:
    return [given_hits.index(hit) for hit in hits]


def test_an_assistants_turn_moves_below_what_matches_as_well_and_no_further() -> None:
    hits = [
        a_hit(0, "a", role="assistant", covered=0.5, cosine=0.5),
        a_hit(1, "b", covered=0.4, cosine=0.9),
        a_hit(2, "c", covered=0.5, cosine=0.5),
        a_hit(3, "d", covered=0.1, cosine=0.1),
    ]
    assert numbers(roles.ordered(hits, "where?"), hits) == [1, 2, 0, 3]
    assert roles.ordered(hits, "What did you recommend?") == hits


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.floats(0, 1), st.floats(-1, 1)), max_size=12))
def test_ordering_by_role_loses_nothing_and_keeps_all_others_in_order(given_: list[tuple[str, float, float]]) -> None:
    hits = [
        a_hit(number, str(number), role=role, covered=covered, cosine=cosine)
        for number, (role, covered, cosine) in enumerate(given_)
    ]
    ordered = roles.ordered(hits, "where?")
    assert sorted(numbers(ordered, hits)) == list(range(len(hits)))
    others = [hit for hit in hits if hit.role != "assistant"]
    assert [hit for hit in ordered if hit.role != "assistant"] == others


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The boat leaves at 7.", "the boat leaves at 7", True),
        ("The boat leaves at 7.", "The boat leaves at 8.", False),
        (
            "The boat leaves at the pier today, everybody said to me",
            "The boat leaves at the pier today, everybody told me",
            False,
        ),
        ("I like tea.", "I don't like tea.", False),
        ("yes", "no", False),
    ],
)
def test_what_says_the_same_is_folded(one: str, other: str, same: bool) -> None:
    hits = [a_hit(0, one), a_hit(1, other)]
    kept = duplicates.folded(hits, limit=9)
    assert len(kept) == (1 if same else 2)
    if same:
        assert kept[0] == replace(hits[0], folded=(hits[1].id,))


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.integers(0, 9), st.integers(0, 9))
def test_the_score_rises_with_every_signal(
    cosine: float, more_cosine: float, covered: float, more_covered: float, named: int, more_named: int
) -> None:
    low = Signals(0.0, min(cosine, more_cosine), min(covered, more_covered), min(named, more_named))
    assert floor.score(low) <= floor.score(replace(low, timely=True)) <= 1
    high = Signals(9.0, max(cosine, more_cosine), max(covered, more_covered), max(named, more_named))
    assert 0 <= floor.score(low) <= floor.score(high) <= 1
    assert floor.score(replace(low, cosine=None)) <= floor.score(replace(high, cosine=None))


# --- places ------------------------------------------------------------------------------------


def test_areas_hold_what_lies_in_them() -> None:
    berlin, potsdam, lima = (52.52, 13.405), (52.39, 13.06), (-12.05, -77.04)
    assert Circle(berlin, 30).holds(potsdam) and not Circle(berlin, 20).holds(potsdam)
    brandenburg = polygon("POLYGON((12 52, 14.5 52, 14.5 53.3, 12 53.3, 12 52))")
    assert brandenburg.holds(berlin) and brandenburg.holds(potsdam) and not brandenburg.holds(lima)
    assert isinstance(brandenburg, Polygon)


@pytest.mark.parametrize(
    "wkt", ["", "POINT(1 2)", "POLYGON((1 2, 3 4))", "POLYGON((a b, c d, e f))", "POLYGON", "x" * 999]
)
def test_what_is_no_polygon_is_refused(wkt: str) -> None:
    with pytest.raises(InvalidRequest):
        polygon(wkt)
