"""The line of a unit: its rules as a table, and that the order of arrival never matters."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.line_changes import Tail, changes, tail_suffices
from memory.segments import Said, Segment, Standing
from memory.timeline import in_order, line
from tests.given import Beliefs, as_of, believed

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
USER, DOCUMENT = 4, 5


def said(number: int, value: str, day: float, **more: object) -> Said:
    fields: dict[str, object] = {"rank": USER, **more}
    return Said(id=UUID(int=number), place=(NOON + day * DAY, number, 0), value=value, **fields)  # type: ignore[arg-type]


def days(moment: datetime | None) -> float | None:
    return None if moment is None else (moment - NOON) / DAY


def shown(*statements: Said) -> list[tuple[str, str, float | None, float | None, str]]:
    """(value, standing, from day, until day, reason) of every statement, in the order said."""
    placed = line(statements)
    return [
        (
            one.value,
            str(placed[one.id].standing),
            days(placed[one.id].valid_from),
            days(placed[one.id].valid_until),
            placed[one.id].reason,
        )
        for one in sorted(statements, key=lambda one: one.place)
    ]


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        pytest.param(
            [said(1, "porto", 0), said(2, "porto", 1)],
            [("porto", "current", 0, None, ""), ("porto", "supporting", 1, None, "")],
            id="the same value again supports it",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 1)],
            [("porto", "current", 0, 1, "restated"), ("lyon", "current", 1, None, "")],
            id="another value ends the former where it begins",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 5, start=NOON + 3 * DAY, change=True)],
            [("porto", "current", 0, 3, "moved_on"), ("lyon", "current", 3, None, "")],
            id="a move ends the former at the stated time",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 1, start=NOON - 30 * DAY, change=True)],
            [("porto", "current", 0, 0, "moved_on"), ("lyon", "current", -30, None, "")],
            id="a move dated before the former statement leaves it an empty interval",
        ),
        pytest.param(
            [said(1, "a", 0), said(2, "b", 2), said(3, "c", 4, start=NOON + DAY)],
            [("a", "current", 0, 1, "restated"), ("b", "current", 2, 2, "moved_on"), ("c", "current", 1, None, "")],
            id="a move dated far back trims all that it covers",
        ),
        pytest.param(
            [said(1, "berlin", 0, start=NOON - 9 * DAY), said(2, "rome", 1, start=NOON - 90 * DAY)],
            [("berlin", "current", -9, None, ""), ("rome", "current", -90, -9, "relinked")],
            id="an earlier stated date takes its place in the past",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 1, repair=True)],
            [("porto", "retracted", 0, 0, "explicit_correction"), ("lyon", "current", 1, None, "")],
            id="what is taken back was never true",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 1, repair=True, change=True)],
            [("porto", "current", 0, 1, "moved_on"), ("lyon", "current", 1, None, "")],
            id="a move is a move even in the form of a repair",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "porto", 1, repair=True, ends=True)],
            [("porto", "retracted", 0, 0, "explicit_correction"), ("porto", "ending", 1, None, "")],
            id="what is denied as said wrongly was never true",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 1, repair=True), said(3, "porto", 2, repair=True, ends=True)],
            [
                ("porto", "retracted", 0, 0, "explicit_correction"),
                ("lyon", "current", 1, None, ""),
                ("porto", "unmatched", 2, None, ""),
            ],
            id="what is denied beside its correction has gone already",
        ),
        pytest.param(
            [said(1, "30 days", 0, rank=DOCUMENT), said(2, "60 days", 1)],
            [("30 days", "current", 0, None, ""), ("60 days", "claimed", 1, None, "")],
            id="a lower rank only claims",
        ),
        pytest.param(
            [said(1, "60 days", 0), said(2, "30 days", 1, rank=DOCUMENT)],
            [("60 days", "claimed", 0, None, ""), ("30 days", "current", 1, None, "")],
            id="a higher rank makes the lower one a claim",
        ),
        pytest.param(
            [said(1, "acme", 0), said(2, "acme", 3, ends=True), said(3, "acme", 5)],
            [("acme", "current", 0, 3, "ended"), ("acme", "ending", 3, None, ""), ("acme", "current", 5, None, "")],
            id="an ending closes, and the value may come back",
        ),
        pytest.param(
            [said(1, "acme", 0), said(2, "acme", 3, ends=True, until=NOON + DAY)],
            [("acme", "current", 0, 1, "ended"), ("acme", "ending", 3, None, "")],
            id="an ending closes at its stated time",
        ),
        pytest.param(
            [said(1, "acme", 0), said(2, "beta", 3, ends=True)],
            [("acme", "current", 0, None, ""), ("beta", "unmatched", 3, None, "")],
            id="an ending of something else matches nothing",
        ),
        pytest.param(
            [said(1, "acme", 0, rank=6), said(2, "acme", 3, ends=True)],
            [("acme", "current", 0, None, ""), ("acme", "unmatched", 3, None, "")],
            id="an ending of lower rank closes nothing",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 1), said(3, "porto", 2, ends=True)],
            [
                ("porto", "current", 0, 1, "restated"),
                ("lyon", "current", 1, None, ""),
                ("porto", "supporting", 2, None, ""),
            ],
            id="the end of what has already ended adds nothing",
        ),
        pytest.param(
            [said(1, "a", 0), said(2, "a", 4), said(3, "b", 2)],
            [("a", "current", 0, 2, "restated"), ("b", "current", 2, 4, "restated"), ("a", "current", 4, None, "")],
            id="a late value parts two statements of one value",
        ),
        pytest.param(
            [said(1, "beta", 0, start=NOON + 90 * DAY), said(2, "beta", 1, ends=True), said(3, "acme", 2)],
            [("beta", "current", 90, 90, "ended"), ("beta", "ending", 1, None, ""), ("acme", "current", 2, None, "")],
            id="what was called off cuts nothing off",
        ),
        pytest.param(
            [said(1, "acme", 3, ends=True), said(2, "acme", 0)],
            [("acme", "current", 0, 3, "ended"), ("acme", "ending", 3, None, "")],
            id="an ending closes an older statement that arrives later",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "rome", 1, start=NOON - 9 * DAY, until=NOON - 4 * DAY), said(3, "lyon", 2)],
            [
                ("porto", "current", 0, 2, "restated"),
                ("rome", "current", -9, -4, ""),
                ("lyon", "current", 2, None, ""),
            ],
            id="a time that is over takes its place in the past and leaves what holds now",
        ),
        pytest.param(
            [said(1, "rome", 0), said(2, "rome", 9, start=NOON - 9 * DAY, until=NOON + 4 * DAY)],
            [("rome", "current", 0, 4, "ended"), ("rome", "supporting", -9, None, "")],
            id="a time that is over closes what was in force in it",
        ),
        pytest.param(
            [said(1, "rome", 0), said(2, "rome", 9, start=NOON - 9 * DAY, until=NOON - 4 * DAY)],
            [("rome", "current", 0, None, ""), ("rome", "current", -9, -4, "")],
            id="but not what began after it",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "rome", 9, start=NOON + DAY, until=NOON + 4 * DAY)],
            [("porto", "current", 0, None, ""), ("rome", "claimed", 1, 4, "")],
            id="what holds now gives way to no past",
        ),
        pytest.param(
            [said(1, "porto", 9, start=NOON), said(2, "rome", 10, start=NOON - 9 * DAY, until=NOON + 4 * DAY)],
            [("porto", "current", 0, None, ""), ("rome", "current", -9, 0, "")],
            id="a time that is over ends where the next one begins",
        ),
        pytest.param(
            [
                said(1, "rome", 20, start=NOON, until=NOON + 5 * DAY),
                said(2, "oslo", 21, start=NOON + 3 * DAY, until=NOON + 8 * DAY),
                said(3, "rome", 22, start=NOON, until=NOON + 2 * DAY),
                said(4, "bern", 23, start=NOON + 3 * DAY, until=NOON + 4 * DAY),
            ],
            [
                ("rome", "current", 0, 2, ""),
                ("oslo", "current", 3, 3, "moved_on"),
                ("rome", "supporting", 0, None, ""),
                ("bern", "current", 3, 4, ""),
            ],
            id="of two times that are over the newer word counts",
        ),
        pytest.param(
            [said(1, "acme", 0), said(2, "acme", 1, until=NOON + 9 * DAY), said(3, "acme", 2), said(4, "beta", 3)],
            [
                ("acme", "current", 0, 3, "restated"),
                ("acme", "supporting", 1, None, ""),
                ("acme", "supporting", 2, None, ""),
                ("beta", "current", 3, None, ""),
            ],
            id="what will end is in force until then",
        ),
        pytest.param(
            [said(1, "acme", 0, until=NOON + 9 * DAY), said(2, "acme", 3, ends=True), said(3, "acme", 4)],
            [("acme", "current", 0, 3, "ended"), ("acme", "ending", 3, None, ""), ("acme", "current", 4, None, "")],
            id="and may end earlier",
        ),
        pytest.param(
            [
                said(1, "rome", 0, start=NOON - 9 * DAY, until=NOON - 5 * DAY),
                said(2, "berlin", 1, start=NOON - 20 * DAY),
            ],
            [("rome", "current", -9, -9, "moved_on"), ("berlin", "current", -20, None, "")],
            id="what holds since before a time that is over takes its place",
        ),
        pytest.param(
            [
                said(1, "rome", 7, start=NOON + DAY, until=NOON + DAY),
                said(2, "rome", 8, start=NOON, until=NOON + 5 * DAY),
                said(3, "oslo", 9, start=NOON + 2 * DAY),
            ],
            [
                ("rome", "current", 1, 1, ""),
                ("rome", "current", 0, 2, "moved_on"),
                ("oslo", "current", 2, None, ""),
            ],
            id="a version without time hides none that another ends",
        ),
        pytest.param(
            [
                said(1, "beta", 0, start=NOON + 9 * DAY),
                said(2, "acme", 1, until=NOON + 4 * DAY),
                said(3, "acme", 2, ends=True, until=NOON + 12 * DAY),
            ],
            [
                ("beta", "current", 9, None, ""),
                ("acme", "current", 1, 9, "ended"),
                ("acme", "ending", 2, None, ""),
            ],
            id="an ending stated later than the next version begins ends there",
        ),
        pytest.param(
            [said(1, "acme", 0, start=NOON + 5 * DAY), said(2, "acme", 1, until=NOON + 9 * DAY)],
            [("acme", "current", 5, 9, "ended"), ("acme", "supporting", 1, None, "")],
            id="words that say when a later time of the value ends leave it its time",
        ),
        pytest.param(
            [said(1, "acme", 0, start=NOON + 5 * DAY), said(2, "acme", 1, until=NOON + 3 * DAY)],
            [("acme", "current", 5, None, ""), ("acme", "current", 1, 3, "")],
            id="a time that ends before a later one of the value is another",
        ),
        pytest.param(
            [
                said(1, "porto", 0, rank=DOCUMENT),
                said(2, "porto", 1, ends=True, rank=DOCUMENT),
                said(3, "lyon", 2),
                said(4, "oslo", 3, start=NOON),
            ],
            [
                ("porto", "current", 0, 1, "ended"),
                ("porto", "ending", 1, None, ""),
                ("lyon", "current", 2, None, ""),
                ("oslo", "claimed", 0, None, ""),
            ],
            id="a lower rank dated back over several versions cuts none of a higher rank short",
        ),
        pytest.param(
            [
                said(1, "rome", 20, start=NOON, until=NOON + 9 * DAY),
                said(2, "oslo", 21, start=NOON + 4 * DAY, until=NOON + 4 * DAY),
                said(3, "bern", 22, start=NOON, until=NOON),
            ],
            [("rome", "current", 0, 9, ""), ("oslo", "current", 4, 4, ""), ("bern", "current", 0, 0, "")],
            id="a past without length cuts none short",
        ),
        pytest.param(
            [said(1, "porto", 9, start=NOON), said(2, "rome", 10, start=NOON, until=NOON)],
            [("porto", "current", 0, None, ""), ("rome", "current", 0, 0, "")],
            id="what ended where the one in force begins is no contradiction",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "rome", 10, start=NOON + DAY, until=NOON + DAY, rank=DOCUMENT)],
            [("porto", "current", 0, None, ""), ("rome", "current", 1, 1, "")],
            id="nor does a moment of higher rank take the place of what holds now",
        ),
        pytest.param(
            [said(1, "porto", 0), said(2, "lyon", 1, start=NOON + 5 * DAY, until=NOON + 5 * DAY)],
            [("porto", "current", 0, None, ""), ("lyon", "current", 5, 5, "")],
            id="what will have no time ends nothing",
        ),
    ],
)
def test_a_line(statements: list[Said], expected: list[object]) -> None:
    assert shown(*statements) == expected


def test_links_go_both_ways_along_the_line() -> None:
    placed = line([said(1, "a", 0), said(2, "b", 1), said(3, "c", 2)])
    a, b, c = (placed[UUID(int=number)] for number in (1, 2, 3))
    assert (a.superseded_by, b.supersedes, b.superseded_by, c.supersedes) == (b.id, a.id, c.id, b.id)


values = st.sampled_from(["a", "b", "c"])
moments = st.one_of(st.none(), st.integers(-6, 6).map(lambda day: NOON + day * DAY))


@st.composite
def histories(draw: st.DrawFn, *, ranks: bool = False) -> list[Said]:
    """Statements with distinct times: values, repairs, endings, times with one stated end or two."""
    times = draw(st.lists(st.integers(-6, 6), min_size=1, max_size=6, unique=True))
    return [
        said(
            number,
            draw(values),
            day,
            **stated(draw(moments), draw(moments), NOON + day * DAY),
            ends=draw(st.sampled_from([False, False, True])),
            change=draw(st.booleans()),
            repair=draw(st.booleans()),
            rank=draw(st.sampled_from([2, 4, 6])) if ranks else USER,
        )
        for number, day in enumerate(times, start=1)
    ]


def stated(start: datetime | None, until: datetime | None, said_at: datetime) -> dict[str, datetime | None]:
    """Stated times as `Statement.said` gives them: no end is before its beginning."""
    if until is not None and (start or until <= said_at):
        start = min(start or until, until)
    return {"start": start, "until": until}


def every_order_of_arrival_gives_the_same_line(history: list[Said], order: list[int]) -> None:
    beliefs: Beliefs = {}
    arrived: list[Said] = []
    for index in order:
        if index < len(history):
            believed(changes(arrived, [history[index]]), beliefs)
            arrived.append(history[index])
    assert {one: entries[-1][1] for one, entries in beliefs.items()} == line(arrived)
    for day in range(-7, 8):
        moment = NOON + day * DAY
        assert as_of(beliefs, moment) == line(one for one in arrived if one.place[0] <= moment)


def the_line_never_overlaps_and_never_forks(history: list[Said]) -> None:
    placed = line(history)
    current = sorted(
        (one for one in placed.values() if one.standing is Standing.CURRENT),
        key=lambda one: (one.valid_from, one.valid_until or datetime.max.replace(tzinfo=UTC)),
    )
    assert sum(one.valid_until is None for one in current) <= 1
    assert all(
        one.valid_until is None or one.valid_until >= one.valid_from
        for one in placed.values()
        if one.version == one.id and one.standing is not Standing.UNMATCHED
    )
    filled = [one for one in current if one.valid_until != one.valid_from]
    for earlier, later in pairwise(filled):
        assert earlier.valid_until is not None
        assert earlier.valid_until <= later.valid_from
    successors = [one.superseded_by for one in current if one.superseded_by]
    assert len(successors) == len(set(successors))


def no_word_changes_what_outranks_it_or_without_time_what_is_another_value(history: list[Said]) -> None:
    for place, new in enumerate(ordered := in_order(history)):
        before, after = line(ordered[:place]), line(ordered[: place + 1])
        values = {one.id: one.value for one in ordered}
        for one in before.values():
            outranked = new.rank < one.rank
            without_time = new.until == new.start is not None and values[one.id] != new.value
            if one.version == one.id and (outranked or without_time):
                assert interval(after[one.id]) == interval(one)


def interval(segment: Segment) -> tuple[Standing, datetime, datetime | None]:
    return segment.standing, segment.valid_from, segment.valid_until


@settings(max_examples=200, deadline=None)
@given(histories(), st.permutations(range(6)))
def test_every_order_of_arrival_gives_the_same_line(history: list[Said], order: list[int]) -> None:
    every_order_of_arrival_gives_the_same_line(history, order)


@settings(max_examples=200, deadline=None)
@given(histories(ranks=True), st.permutations(range(6)))
def test_so_it_is_with_ranks(history: list[Said], order: list[int]) -> None:
    every_order_of_arrival_gives_the_same_line(history, order)


def tail_of(history: list[Said]) -> Tail:
    """What a loader reads of a line's end: the version in force, by its effective rank, and the last words."""
    if not history:
        return Tail()
    placed = line(history)
    last = max(history, key=lambda one: one.place)
    live = [one for one in history if (placed[one.id].standing, placed[one.id].valid_until) == (Standing.CURRENT, None)]
    rows = {one.id: one for one in [*live, last]}
    return Tail(
        said=[replace(one, rank=placed[one.id].rank, follows=placed[one.id].supersedes) for one in rows.values()],
        in_force=live[0].id if live else None,
        last_version=placed[last.id].version,
    )


def a_tail_that_suffices_gives_what_the_whole_line_gives(history: list[Said], new: list[Said]) -> None:
    tail = tail_of(history)
    if tail_suffices(tail, new):
        assert sorted(map(repr, changes(tail.said, new))) == sorted(map(repr, changes(history, new)))


@settings(max_examples=200, deadline=None)
@given(histories(ranks=True), histories(ranks=True))
def test_a_tail_that_suffices_gives_what_the_whole_line_gives(history: list[Said], new: list[Said]) -> None:
    a_tail_that_suffices_gives_what_the_whole_line_gives(history, later(new))


@pytest.mark.long
@settings(max_examples=20_000, deadline=None)
@given(histories(ranks=True), histories(ranks=True))
def test_a_tail_that_suffices_does_so_at_length(history: list[Said], new: list[Said]) -> None:
    a_tail_that_suffices_gives_what_the_whole_line_gives(history, later(new))


def later(new: list[Said]) -> list[Said]:
    """One or two of the words, as said after all others, in one turn."""
    moment = NOON + 9 * DAY
    return [replace(one, id=UUID(int=100 + number), place=(moment, 100, number)) for number, one in enumerate(new[:2])]


def test_a_tail_suffices_for_words_in_order_and_not_where_nothing_is_in_force() -> None:
    acme, again = said(1, "acme", 0), said(2, "beta", 1)
    assert tail_suffices(tail_of([acme]), [again])
    assert not tail_suffices(tail_of([acme, said(3, "acme", 0.5, ends=True)]), [again])
    assert tail_suffices(Tail(), [again])


def test_a_late_word_costs_a_moment_however_long_the_line() -> None:
    history = [said(number, str(number % 7), number) for number in range(1, 3_000)]
    begin = time.process_time()
    assert changes(history, [said(9_999, "late", 0.5)])
    assert time.process_time() - begin < 1.0


ENDED_BEYOND_THE_NEXT = [
    said(6, "a", -2, start=NOON + DAY, rank=2),
    said(5, "b", -1, until=NOON + DAY, rank=2),
    said(1, "b", 0, until=NOON + 2 * DAY, ends=True, rank=2),
    *(said(number, "a", day, rank=2) for number, day in ((2, 1), (3, 2), (4, 3))),
]
HIDDEN_BY_AN_EMPTY_ONE = [
    said(2, "a", -3, start=NOON - 5 * DAY, until=NOON - 5 * DAY),
    said(5, "a", -2, start=NOON - 6 * DAY, until=NOON - 2 * DAY),
    said(6, "b", 4, start=NOON - 4 * DAY),
]


@settings(max_examples=200, deadline=None)
@given(histories(ranks=True))
@example(ENDED_BEYOND_THE_NEXT)
@example(HIDDEN_BY_AN_EMPTY_ONE)
def test_the_line_never_overlaps_and_never_forks(history: list[Said]) -> None:
    the_line_never_overlaps_and_never_forks(history)


@settings(max_examples=200, deadline=None)
@given(histories(ranks=True))
def test_no_word_changes_what_outranks_it_or_without_time_what_is_another_value(history: list[Said]) -> None:
    no_word_changes_what_outranks_it_or_without_time_what_is_another_value(history)


@pytest.mark.long
@settings(max_examples=1_000, deadline=None)
@given(histories(), histories(ranks=True), st.permutations(range(6)))
def test_lines_at_length(history: list[Said], ranked: list[Said], order: list[int]) -> None:
    for one in (history, ranked):
        every_order_of_arrival_gives_the_same_line(one, order)
        the_line_never_overlaps_and_never_forks(one)
        no_word_changes_what_outranks_it_or_without_time_what_is_another_value(one)
