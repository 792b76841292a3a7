"""Scopes: which rows a caller may see and where writes go. Pure.

A path is slash-separated ("org/acme/user/alice"), the root is "/". A scope set is an OR of
AND-clauses of paths. A row is visible when the caller's grants cover every path of at least one
clause of its scope set; anything else is invisible (fail closed). A lens is an OR of AND-clauses of
patterns; it only narrows what is visible.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from uuid import UUID, uuid5

from memory.errors import InvalidScope

ROOT = "/"
DEPTH_MAX = 16
PATH_LENGTH_MAX = 512
CLAUSES_MAX = 64
PATHS_MAX = 32

_NAMESPACE = UUID("8f2c5c5e-3f0f-5d0a-9a52-6f5f1f2c7b11")

Clause = tuple[str, ...]
ScopeSet = tuple[Clause, ...]
Lens = tuple[Clause, ...]  # of patterns
EVERYTHING = "/*"


def canonical_path(path: str) -> str:
    """`path` with a trailing and no leading slash; the root is "/".

    Raises InvalidScope for empty segments, wildcards, control characters or too long a path.
    """
    stripped = path.strip().strip("/")
    if not stripped:
        if path.strip() != ROOT:
            raise InvalidScope(f"{path!r} is not a scope path")
        return ROOT
    segments = stripped.split("/")
    if len(segments) > DEPTH_MAX or len(stripped) > PATH_LENGTH_MAX:
        raise InvalidScope(f"a scope path has at most {DEPTH_MAX} segments and {PATH_LENGTH_MAX} characters")
    for segment in segments:
        if not segment.strip() or "*" in segment or not segment.isprintable():
            raise InvalidScope(f"{path!r} is not a scope path")
    return stripped + "/"


def scope_set(clauses: Iterable[Iterable[str]]) -> ScopeSet:
    """The canonical scope set: sorted, no duplicates. Raises InvalidScope for an empty clause."""
    return _canonical(clauses, canonical_path, what="scope set", clause="scope clause", member="paths")


def _canonical(
    clauses: Iterable[Iterable[str]], member_of: Callable[[str], str], *, what: str, clause: str, member: str
) -> tuple[Clause, ...]:
    """Clauses sorted and without duplicates, each of its members made canonical by `member_of`."""
    canonical = set()
    for given in clauses:
        members = tuple(sorted({member_of(text) for text in given}))
        if not members or len(members) > PATHS_MAX:
            raise InvalidScope(f"a {clause} names 1 to {PATHS_MAX} {member}")
        canonical.add(members)
    if not canonical or len(canonical) > CLAUSES_MAX:
        raise InvalidScope(f"a {what} has 1 to {CLAUSES_MAX} clauses")
    return tuple(sorted(canonical))


ROOT_SET: ScopeSet = ((ROOT,),)


def scope_set_id(scopes: ScopeSet) -> UUID:
    """The id of a canonical scope set: the same set has the same id everywhere."""
    return uuid5(_NAMESPACE, json.dumps(scopes, ensure_ascii=True, separators=(",", ":")))


def canonical_pattern(pattern: str) -> str:
    """`pattern` as "org/acme" (that node alone), "org/acme/*" (the node and all below it), "/*" (everything)
    or "/" (the root alone). Raises InvalidScope for a wildcard elsewhere, and as `canonical_path` does.
    """
    pattern = pattern.strip()
    if pattern in ("*", EVERYTHING):
        return EVERYTHING
    if pattern.endswith("/*"):
        return canonical_path(pattern[:-2]) + "*"
    path = canonical_path(pattern)
    return path if path == ROOT else path.removesuffix("/")


@lru_cache(maxsize=16_384)
def _region(pattern: str) -> tuple[str, bool]:
    """The path at the top of what a pattern covers, and whether it covers all below too."""
    pattern = canonical_pattern(pattern)
    if pattern == EVERYTHING:
        return ROOT, True
    return (pattern[:-1], True) if pattern.endswith("*") else (canonical_path(pattern), False)


def is_below(path: str, top: str) -> bool:
    """Whether a canonical path is `top` or lies below it."""
    return top == ROOT or path.startswith(top)


def covers(pattern: str, path: str) -> bool:
    """Whether a grant pattern covers a canonical path; see `canonical_pattern`."""
    top, deep = _region(pattern)
    return is_below(path, top) if deep else path == top


def includes(wide: str, narrow: str) -> bool:
    """Whether the pattern `wide` covers all that the pattern `narrow` does."""
    top, deep = _region(narrow)
    return covers(wide, top) and (_region(wide)[1] or not deep)


def common(one: str, other: str) -> str | None:
    """The pattern of what both patterns cover, None if there is nothing. Two patterns never just overlap."""
    if includes(one, other):
        return other
    return one if includes(other, one) else None


def top_of(pattern: str) -> str:
    """The canonical path at the top of what a pattern covers."""
    return _region(pattern)[0]


def ancestors(path: str) -> list[str]:
    """The canonical paths above a canonical path, from the top, without the root and itself."""
    segments = path.strip("/").split("/")
    return ["/".join(segments[:length]) + "/" for length in range(1, len(segments))]


def visible(scopes: ScopeSet, patterns: Sequence[str]) -> bool:
    """Whether grants over `patterns` show a row of this scope set."""
    return bool(visible_clauses(scopes, patterns))


def visible_clauses(scopes: ScopeSet, patterns: Sequence[str]) -> list[Clause]:
    """The clauses whose every path the patterns cover."""
    return [clause for clause in scopes if all(any(covers(pattern, path) for pattern in patterns) for path in clause)]


def lens_of(clauses: Iterable[Iterable[str]]) -> Lens:
    """The canonical lens. Raises InvalidScope for an empty clause or a pattern that is none."""
    return _canonical(clauses, canonical_pattern, what="lens", clause="lens clause", member="patterns")


def in_lens(clauses: Sequence[Clause], lens: Lens) -> bool:
    """Whether a row with these visible clauses involves every pattern of some clause of the lens."""
    paths = {path for clause in clauses for path in clause}
    return any(all(any(covers(pattern, path) for path in paths) for pattern in wanted) for wanted in lens)


def user_in(scopes: ScopeSet) -> str | None:
    """The name after the last "user" segment, if all paths that have one agree on it."""
    names = set()
    for path in (path for clause in scopes for path in clause):
        segments = path.strip("/").split("/")
        followers = [after for before, after in pairwise(segments) if before == "user"]
        names.update(followers[-1:])
    return names.pop() if len(names) == 1 else None
