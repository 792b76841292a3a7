"""Time limits of policies, alike in a handbook and in a user's words."""

from datetime import UTC, datetime

import pytest

from memory.candidates import AttributeCandidate, Polarity
from memory.extraction.local import LocalExtractor

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def extractor() -> LocalExtractor:
    return LocalExtractor()


def limits(extractor: LocalExtractor, text: str, role: str) -> list[tuple[str, str, str]]:
    return [
        (one.entity.type, one.entity.name, one.value)
        for one in extractor.extract(text, role=role, said_at=NOW).candidates
        if isinstance(one, AttributeCandidate) and one.key == "time_limit" and one.polarity is Polarity.AFFIRMED
    ]


@pytest.mark.parametrize("role", ["user", "tool"])
@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Returns are accepted within 30 days of delivery.", "Returns", "30 days"),
        ("The return window is sixty days.", "Returns", "60 days"),
        ("Our return policy is 60 days.", "Returns", "60 days"),
        ("Refunds are paid within 14 business days.", "Refunds", "14 business days"),
        ("The notice period is three months.", "Notice", "3 months"),
        ("Returns of unused goods are possible within one year.", "Returns", "1 year"),
    ],
)
def test_a_time_limit_is_read(extractor: LocalExtractor, role: str, text: str, name: str, value: str) -> None:
    assert limits(extractor, text, role) == [("policy", name, value)]


@pytest.mark.parametrize(
    "text",
    [
        "Are returns accepted within 30 days?",
        "Returns are not accepted within 30 days.",
        "If returns are accepted within 30 days, we lose money.",
        "Acme's return window is 30 days.",
        "He returns within 30 days.",
        "I think returns are accepted within 60 days.",
    ],
)
def test_what_does_not_say_so_is_no_limit(extractor: LocalExtractor, text: str) -> None:
    assert limits(extractor, text, "user") == []
