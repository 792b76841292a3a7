"""Questions that ask several things at once, taken apart."""

import pytest

from projections.retrieval.compound import parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "When does the shop open, and how long may I return a lamp?",
            ["When does the shop open", "how long may I return a lamp"],
        ),
        (
            "Who approves holidays? What does parking cost? Is there a gym in the house?",
            ["Who approves holidays", "What does parking cost", "Is there a gym in the house"],
        ),
        ("What is the warranty of lamps and of chairs?", []),
        ("Which returns are accepted and refunded", []),
        ("And when?", []),
        ("", []),
    ],
)
def test_only_questions_of_their_own_are_parts(text: str, expected: list[str]) -> None:
    assert parts(text) == expected
