"""Scope paths, sets, grant patterns and visibility."""

import pytest

from memory.errors import InvalidScope
from memory.scopes import ROOT_SET, canonical_path, covers, scope_set, scope_set_id, user_in, visible


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        ("org/acme", "org/acme/"),
        ("/org/acme/", "org/acme/"),
        ("/", "/"),
        (" org ", "org/"),
        ("org/Ümläut", "org/Ümläut/"),
    ],
)
def test_a_path_ends_and_does_not_begin_with_a_slash(path: str, canonical: str) -> None:
    assert canonical_path(path) == canonical


@pytest.mark.parametrize("path", ["", "  ", "org//acme", "org/*", "a\nb", "/".join("a" * 17), "x" * 600])
def test_a_path_with_holes_wildcards_or_too_much_is_refused(path: str) -> None:
    with pytest.raises(InvalidScope):
        canonical_path(path)


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("org/acme", "org/acme/", True),
        ("org/acme", "org/acme/user/al/", False),
        ("org/acme/*", "org/acme/", True),
        ("org/acme/*", "org/acme/user/al/", True),
        ("org/acme/*", "org/acme2/", False),
        ("/*", "/", True),
        ("*", "any/", True),
        ("/", "org/", False),
    ],
)
def test_a_pattern_covers_its_node_and_with_a_star_all_below(pattern: str, path: str, covered: bool) -> None:
    assert covers(pattern, path) is covered


def test_a_row_is_visible_when_every_path_of_one_clause_is_covered() -> None:
    both = scope_set([["org/acme", "user/al"]])
    assert visible(both, ["org/acme", "user/al"])
    assert not visible(both, ["org/acme"])
    assert visible(scope_set([["org/acme"], ["user/al"]]), ["user/al"])
    assert not visible(both, [])


def test_a_set_is_canonical_and_so_is_its_id() -> None:
    one = scope_set([["b", "a"], ["c"]])
    assert one == scope_set([["/c/"], ["a/", "b", "a"]])
    assert scope_set_id(one) == scope_set_id(scope_set([["c"], ["a", "b"]]))
    assert scope_set_id(one) != scope_set_id(ROOT_SET)
    with pytest.raises(InvalidScope):
        scope_set([[]])


@pytest.mark.parametrize(
    ("clauses", "name"),
    [
        ([["org/acme/user/alice"]], "alice"),
        ([["org/acme", "user/al"]], "al"),
        ([["user/al"], ["user/bo"]], None),
        ([["org/acme"]], None),
        ([["org/user"]], None),
    ],
)
def test_the_user_of_a_scope_is_named_after_its_user_segment(clauses: list[list[str]], name: str | None) -> None:
    assert user_in(scope_set(clauses)) == name
