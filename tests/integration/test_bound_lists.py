"""Lists that are bound to a read arrive as they were, whatever their values hold."""

from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.wiring import Services
from projections.reading import Reader

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
ODD = ['a "quoted" one', "back\\slash", "{a,b}", "NULL", "", " ", ",", "\n", "ä日"]


def bound(services: Services, values: list[object], kind: str) -> object:
    with services.pool.connection() as connection:
        reader = Reader(connection.cursor(), "none", 1, [])
        return reader.tuples(f"SELECT %(values)s::{kind}[]", {"values": values})[0][0]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
def test_texts_come_back_as_they_were(services: Services, texts: list[object]) -> None:
    assert bound(services, texts, "text") == texts


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (ODD, "text"),
        ([None, "a"], "text"),
        ([1, -(2**62), 0], "bigint"),
        ([UUID(int=0), UUID(int=2**128 - 1)], "uuid"),
        ([], "uuid"),
        ([0.5, 1.25], "float8"),
    ],
)
def test_values_of_each_kind_come_back_as_they_were(services: Services, values: list[object], kind: str) -> None:
    assert bound(services, values, kind) == values
