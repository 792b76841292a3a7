"""The line of a unit: its rules as a table, and that the order of arrival never matters."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.timeline import Change, Said, Segment, Standing, changes, line

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
            [
                said(1, "30", 0, rank=DOCUMENT, document=UUID(int=91)),
                said(2, "45", 1, rank=DOCUMENT, document=UUID(int=92)),
                said(3, "50", 2, rank=DOCUMENT, document=UUID(int=91)),
            ],
            [("30", "current", 0, 2, "restated"), ("45", "claimed", 1, None, ""), ("50", "current", 2, None, "")],
            id="of two documents the older stays, and a newer version of it supersedes",
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
            [said(1, "acme", 3, ends=True), said(2, "acme", 0)],
            [("acme", "current", 0, 3, "ended"), ("acme", "ending", 3, None, "")],
            id="an ending closes an older statement that arrives later",
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
starts = st.one_of(st.none(), st.integers(-6, 6).map(lambda day: NOON + day * DAY))


@st.composite
def histories(draw: st.DrawFn, *, ranks: bool = False) -> list[Said]:
    """Statements with distinct times."""
    times = draw(st.lists(st.integers(-6, 6), min_size=1, max_size=6, unique=True))
    return [
        said(
            number,
            draw(values),
            day,
            start=draw(starts),
            ends=draw(st.sampled_from([False, False, True])),
            change=draw(st.booleans()),
            repair=draw(st.booleans()),
            rank=draw(st.sampled_from([2, 4, 6])) if ranks else USER,
        )
        for number, day in enumerate(times, start=1)
    ]


def believed(found: list[Change], beliefs: dict[UUID, list[tuple[datetime, Segment]]]) -> None:
    """Apply changes as the read model does: from known_at on, whatever was believed for later is replaced."""
    for change in found:
        kept = [(since, segment) for since, segment in beliefs.get(change.segment.id, []) if since < change.known_at]
        later = [(since, change.segment) for since, _ in beliefs.get(change.segment.id, []) if since > change.known_at]
        beliefs[change.segment.id] = [*kept, (change.known_at, change.segment), *later]


def as_of(beliefs: dict[UUID, list[tuple[datetime, Segment]]], moment: datetime) -> dict[UUID, Segment]:
    known = {}
    for one, history in beliefs.items():
        held = [segment for since, segment in history if since <= moment]
        if held:
            known[one] = held[-1]
    return known


def every_order_of_arrival_gives_the_same_line(history: list[Said], order: list[int]) -> None:
    beliefs: dict[UUID, list[tuple[datetime, Segment]]] = {}
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


@settings(max_examples=200, deadline=None)
@given(histories(), st.permutations(range(6)))
def test_every_order_of_arrival_gives_the_same_line(history: list[Said], order: list[int]) -> None:
    every_order_of_arrival_gives_the_same_line(history, order)


@settings(max_examples=200, deadline=None)
@given(histories(ranks=True), st.permutations(range(6)))
def test_so_it_is_with_ranks(history: list[Said], order: list[int]) -> None:
    every_order_of_arrival_gives_the_same_line(history, order)


@settings(max_examples=300, deadline=None)
@given(histories())
def test_the_line_never_overlaps_and_never_forks(history: list[Said]) -> None:
    the_line_never_overlaps_and_never_forks(history)
