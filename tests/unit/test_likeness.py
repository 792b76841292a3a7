"""How names are compared in a search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.values import name_key
from projections.likeness import PARTIAL_MAX, likeness


@pytest.mark.parametrize("searched", ["AirPods Pro", "airpods_pro", " AIRPODS  pro ", "ＡｉｒＰｏｄｓ Pro"])
def test_the_same_normalised_name_is_entirely_alike(searched: str) -> None:
    assert likeness(searched, "airpods_pro") == 1


@pytest.mark.parametrize("searched", ["Bob", "pods", "o", "!", "", "_"])
def test_names_that_share_no_word_and_no_beginning_of_one_are_not_alike(searched: str) -> None:
    assert likeness(searched, "airpods_pro") == 0


def test_names_are_more_alike_the_more_of_their_words_they_share() -> None:
    searched = ["pro airpods", "airpods", "airp", "a"]
    scores = [likeness(one, "airpods_pro") for one in searched]
    assert scores[0] == PARTIAL_MAX
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert likeness("airpods", "airpods_pro") > likeness("airpods", "airpods_pro_max")


def test_a_name_without_any_word_is_found_by_itself_alone() -> None:
    assert likeness("!?", "!?") == 1
    assert likeness("!", "!?") == 0


@given(st.text(max_size=20), st.text(max_size=20))
def test_only_equal_names_are_entirely_alike(searched: str, name: str) -> None:
    score = likeness(searched, name_key(name))
    assert 0 <= score <= 1
    assert (score == 1) is (name_key(searched) == name_key(name))
    assert score == 1 or score <= PARTIAL_MAX
