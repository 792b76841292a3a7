"""Names, keys, types and ids."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.importance import importance
from memory.values import attribute_key, comparable, entity_type, folded, name_key, unit_value


@pytest.mark.parametrize(
    ("name", "key"),
    [("Alice", "alice"), ("  AirPods   Pro ", "airpods_pro"), ("ＡＣＭＥ", "acme"), ("Straße", "strasse")],
)
def test_a_name_is_normalised_for_paths(name: str, key: str) -> None:
    assert name_key(name) == key


@pytest.mark.parametrize(
    ("given_type", "stored"),
    [("Person", "person"), ("company", "organisation"), ("Organization", "organisation"), ("creature", "other")],
)
def test_entity_types_are_a_closed_set_with_aliases(given_type: str, stored: str) -> None:
    assert entity_type(given_type) == stored


def test_keys_are_snake_case() -> None:
    assert attribute_key("Job Title") == attribute_key("job-title") == "job_title"


@given(st.text())
def test_folding_is_idempotent_enough_to_compare_and_short_enough_to_index(text: str) -> None:
    assert folded(folded(text)) == folded(text)
    assert len(comparable(text * 50)) <= 200


def test_a_unit_has_one_line_unless_it_has_many_values() -> None:
    assert unit_value("Porto", single_valued=True) == ""
    assert unit_value("Tea", single_valued=False) == "tea"


@pytest.mark.parametrize(
    ("category", "days", "expected"),
    [
        ("identity", 900, 1.0),
        ("knowledge", 0, 0.8),
        ("knowledge", 100, 0.4846),
        ("context", 30, 0.1073),
        ("context", -3, 0.5),
    ],
)
def test_importance_decays_by_category_when_it_is_read(category: str, days: int, expected: float) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert importance(category, said_at=now - timedelta(days=days), now=now) == expected
