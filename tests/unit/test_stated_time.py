"""Stated times: which interval the words name, in the turn's own offset."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.extraction.stated_time import Bound, Tense, find_stated_times, resolve_stated_time

SAID_AT = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)  # a Monday

PAST_TIMES = [
    ("last month", "2026-10-01", "2026-11-01", "month"),
    ("this month", "2026-11-01", "2026-12-01", "month"),
    ("next month", "2026-12-01", "2027-01-01", "month"),
    ("last week", "2026-11-23", "2026-11-30", "week"),
    ("this week", "2026-11-30", "2026-12-07", "week"),
    ("last year", "2025-01-01", "2026-01-01", "year"),
    ("late last year", "2025-01-01", "2026-01-01", "year"),
    ("last summer", "2026-06-01", "2026-09-01", "season"),
    ("last winter", "2025-12-01", "2026-03-01", "season"),
    ("next summer", "2027-06-01", "2027-09-01", "season"),
    ("in the summer of 2019", "2019-06-01", "2019-09-01", "season"),
    ("today", "2026-11-30", "2026-12-01", "day"),
    ("yesterday", "2026-11-29", "2026-11-30", "day"),
    ("the day before yesterday", "2026-11-28", "2026-11-29", "day"),
    ("tomorrow", "2026-12-01", "2026-12-02", "day"),
    ("last Friday", "2026-11-27", "2026-11-28", "day"),
    ("last Monday", "2026-11-23", "2026-11-24", "day"),
    ("next Friday", "2026-12-04", "2026-12-05", "day"),
    ("last weekend", "2026-11-28", "2026-11-30", "day"),
    ("this weekend", "2026-12-05", "2026-12-07", "day"),
    ("in March", "2026-03-01", "2026-04-01", "month"),
    ("in December", "2025-12-01", "2026-01-01", "month"),
    ("in May 2020", "2020-05-01", "2020-06-01", "month"),
    ("since January", "2026-01-01", "2026-02-01", "month"),
    ("in 2019", "2019-01-01", "2020-01-01", "year"),
    ("in early 2021", "2021-01-01", "2022-01-01", "year"),
    ("on the 12th", "2026-11-12", "2026-11-13", "day"),
    ("on the 31st", "2026-10-31", "2026-11-01", "day"),
    ("a couple of weeks ago", "2026-11-16", "2026-11-23", "week"),
    ("three years ago", "2023-01-01", "2024-01-01", "year"),
    ("10 days ago", "2026-11-20", "2026-11-21", "day"),
    ("2026-02-10", "2026-02-10", "2026-02-11", "day"),
    ("on March 3rd", "2026-03-03", "2026-03-04", "day"),
    ("March 3rd, 2024", "2024-03-03", "2024-03-04", "day"),
    ("12 May 1990", "1990-05-12", "1990-05-13", "day"),
    ("the 3rd of March", "2026-03-03", "2026-03-04", "day"),
]


def midnight(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


@pytest.mark.parametrize(("phrase", "start", "end", "precision"), PAST_TIMES)
def test_words_name_an_interval(phrase: str, start: str, end: str, precision: str) -> None:
    stated = resolve_stated_time(f"I did it {phrase} with Ana.", said_at=SAID_AT)
    assert stated is not None
    assert (stated.start, stated.end, stated.precision) == (midnight(start), midnight(end), precision)
    assert stated.phrase == phrase


@pytest.mark.parametrize(
    ("phrase", "start"),
    [
        ("in March", "2027-03-01"),
        ("on Friday", "2026-12-04"),
        ("on the 12th", "2026-12-12"),
        ("on March 3rd", "2027-03-03"),
        ("in three weeks", "2026-12-21"),
        ("two months from now", "2027-01-01"),
    ],
)
def test_a_verb_in_the_future_points_ahead(phrase: str, start: str) -> None:
    stated = resolve_stated_time(phrase, said_at=SAID_AT, tense=Tense.FUTURE)
    assert stated is not None
    assert stated.start == midnight(start)


def test_days_begin_at_midnight_of_the_turns_own_offset() -> None:
    said_at = datetime(2026, 12, 1, 1, 0, tzinfo=timezone(timedelta(hours=9)))  # still November in UTC
    stated = resolve_stated_time("last month", said_at=said_at)
    assert stated is not None
    assert stated.start == datetime(2026, 10, 31, 15, 0, tzinfo=UTC)
    assert stated.end == datetime(2026, 11, 30, 15, 0, tzinfo=UTC)


def test_a_clock_time_is_an_instant() -> None:
    said_at = SAID_AT.astimezone(timezone(timedelta(hours=2)))
    stated = resolve_stated_time("on 12 May 1990 at 5pm", said_at=said_at)
    assert stated is not None
    assert (stated.start, stated.precision) == (datetime(1990, 5, 12, 15, 0, tzinfo=UTC), "instant")


def test_a_range_has_two_bounds() -> None:
    first, second = find_stated_times("I lived there from 2015 to 2019.", said_at=SAID_AT)
    assert (first.bound, first.start) == (Bound.SINCE, midnight("2015-01-01"))
    assert (second.bound, second.start) == (Bound.UNTIL, midnight("2019-01-01"))


def test_the_first_month_of_a_range_takes_its_year_from_the_second() -> None:
    first, _ = find_stated_times("From January to March 2024 I lived in Faro.", said_at=SAID_AT)
    assert first.start == midnight("2024-01-01")


@pytest.mark.parametrize("year", [1990, 2010, 2024])
def test_only_the_turns_time_counts_never_the_clock(year: int) -> None:
    """Every kind of expression, said in another year, moves along with it."""
    for phrase, _, _, _ in PAST_TIMES:
        if any(character.isdigit() for character in phrase.replace("12th", "").replace("31st", "").replace("3rd", "")):
            continue
        stated = resolve_stated_time(phrase, said_at=SAID_AT.replace(year=year))
        assert stated is not None, phrase
        assert abs(stated.start.year - year) <= 3, phrase


@pytest.mark.parametrize(
    "phrase",
    [
        "I may go, we sat in the sun now and then",
        "in 99999",
        "100000 years ago",
        "99999999999 days ago",
        "in 9000 years",
        "30 February 2020",
        "2026-99-99",
        "9999-12-31",
        "in three weeks",  # of the past: how long, not when
        "march on",
        "I weigh 2019 grams",
        "the 12th floor",
    ],
)
def test_what_names_no_certain_time_gives_none(phrase: str) -> None:
    assert find_stated_times(phrase, said_at=SAID_AT) == []


PIECES = st.sampled_from(
    "last next this in on since until from to for week month year summer Friday March May 12th 31st 30 2019 9999 0 1 "
    "a couple of ago days years at 5pm 2026-02-30 99999999 , . the now tomorrow".split()
)


@given(
    st.lists(PIECES | st.text(max_size=6), max_size=12).map(" ".join),
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-11)), timezone(timedelta(hours=14))])),
    st.sampled_from(Tense),
)
def test_no_words_raise_and_intervals_are_in_order(text: str, said_at: datetime, tense: Tense) -> None:
    for stated in find_stated_times(text, said_at=said_at, tense=tense):
        assert stated.start <= stated.end
        assert stated.start.utcoffset() == timedelta()
        assert text[stated.span_start : stated.span_end] == stated.phrase
