"""Citation markers: real ones stay, invented ones go, however the reply is cut into pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.markers import MarkerFilter


def filtered(*pieces: str, known: int = 3, suppressed: bool = False) -> tuple[str, list[int]]:
    markers = MarkerFilter(range(1, known + 1), suppressed=suppressed)
    reply = "".join([*(markers.feed(piece) for piece in pieces), markers.finish()])
    return reply, markers.cited


@pytest.mark.parametrize(
    ("reply", "expected", "cited"),
    [
        ("Alice is CTO [S1].", "Alice is CTO [S1].", [1]),
        ("Alice is CTO [S9].", "Alice is CTO.", []),
        ("Alice [S9] is CTO [S2], they say.", "Alice is CTO [S2], they say.", [2]),
        ("[S9] Alice is CTO", "Alice is CTO", []),
        ("Both [S2, S1] and [S1][S9][S3].", "Both [S2][S1] and [S1][S3].", [2, 1, 3]),
        ("Also [S2; S9] or [s1].", "Also [S2] or [S1].", [2, 1]),
        ("CTO【S1】", "CTO[S1]", [1]),
        ("No marker: [Stop], [S], S1, a[1], [S1", "No marker: [Stop], [S], S1, a[1], [S1", []),
        ("Nothing [S0] [S007]", "Nothing", []),
        ("One\n[S9]\nTwo", "One\n\nTwo", []),
        ("Huge [S99999999999999999999999999].", "Huge.", []),
        ("  spaces around \n ", "spaces around", []),
        ("word[S9]word", "wordword", []),
        ("one [S8] [S9] two", "one two", []),
        ("", "", []),
    ],
)
def test_markers_are_resolved(reply: str, expected: str, cited: list[int]) -> None:
    assert filtered(reply) == (expected, cited)
    assert filtered(*reply) == (expected, cited), "letter by letter"


def test_forty_invented_markers_leave_no_trace() -> None:
    reply = "Alice" + "".join(f" [S{number}]" for number in range(4, 44)) + " is CTO [S1]."
    assert filtered(reply) == ("Alice[S1] is CTO [S1].".replace("Alice[S1]", "Alice"), [1])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("CTO [S1].", "CTO."),
        ("CTO S1.", "CTO."),
        ("See S2 and S9", "See and S9"),
        ("S3: CTO", ": CTO"),
        ("S12X", "S12X"),
    ],
)
def test_suppressed_markers_go_and_still_count(reply: str, expected: str) -> None:
    text, cited = filtered(reply, suppressed=True)
    assert text == expected == filtered(*reply, suppressed=True)[0]
    assert bool(cited) == (text != reply)


def test_words_come_out_as_they_come_in() -> None:
    markers = MarkerFilter({1})
    assert [markers.feed(piece) for piece in ("Alice", " is", " C", "TO", " [", "S1", "]", ". Bye")] == [
        "Alice",
        " is",
        " C",
        "TO",
        "",
        "",
        "",
        " [S1]. Bye",
    ]


PIECES = st.lists(st.sampled_from([*"[]S19, .ab\n", "[S1]", " [S2]", "[S7]", "【", "Alice", "S1"]), max_size=25)


@given(PIECES, st.booleans())
def test_cutting_the_reply_elsewhere_changes_nothing(pieces: list[str], suppressed: bool) -> None:
    assert filtered(*pieces, suppressed=suppressed) == filtered("".join(pieces), suppressed=suppressed)


@given(PIECES)
def test_no_invented_marker_is_left(pieces: list[str]) -> None:
    reply, cited = filtered(*pieces)
    assert "[S7]" not in reply
    assert reply == reply.strip()
    assert set(cited) <= {1, 2, 3}
