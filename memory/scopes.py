"""Scopes: which rows a caller may see and where writes go. Pure.

A path is slash-separated ("org/acme/user/alice"), the root is "/". A scope set is an OR of
AND-clauses of paths. A row is visible when the caller's grants cover every path of at least one
clause of its scope set; anything else is invisible (fail closed).
"""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from uuid import UUID, uuid5

from memory.errors import InvalidScope

ROOT = "/"
DEPTH_MAX = 16
PATH_LENGTH_MAX = 512
CLAUSES_MAX = 64

_NAMESPACE = UUID("8f2c5c5e-3f0f-5d0a-9a52-6f5f1f2c7b11")

Clause = tuple[str, ...]
ScopeSet = tuple[Clause, ...]


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
    canonical = set()
    for clause in clauses:
        paths = tuple(sorted({canonical_path(path) for path in clause}))
        if not paths:
            raise InvalidScope("a scope clause names at least one path")
        canonical.add(paths)
    if not canonical or len(canonical) > CLAUSES_MAX:
        raise InvalidScope(f"a scope set has 1 to {CLAUSES_MAX} clauses")
    return tuple(sorted(canonical))


ROOT_SET: ScopeSet = ((ROOT,),)


def scope_set_id(scopes: ScopeSet) -> UUID:
    """The id of a canonical scope set: the same set has the same id everywhere."""
    return uuid5(_NAMESPACE, json.dumps(scopes, ensure_ascii=True, separators=(",", ":")))


def covers(pattern: str, path: str) -> bool:
    """Whether a grant pattern covers a canonical path.

    "org/acme" is that node alone, "org/acme/*" the node and all below it, "*" or "/*" everything.
    """
    pattern = pattern.strip()
    if pattern in ("*", "/*"):
        return True
    if pattern.endswith("/*"):
        return path.startswith(canonical_path(pattern[:-2]))
    return canonical_path(pattern) == path


def visible(scopes: ScopeSet, patterns: Sequence[str]) -> bool:
    """Whether grants over `patterns` show a row of this scope set."""
    return any(all(any(covers(pattern, path) for pattern in patterns) for path in clause) for clause in scopes)


def user_in(scopes: ScopeSet) -> str | None:
    """The name after the last "user" segment, if all paths that have one agree on it."""
    names = set()
    for path in (path for clause in scopes for path in clause):
        segments = path.strip("/").split("/")
        followers = [after for before, after in pairwise(segments) if before == "user"]
        names.update(followers[-1:])
    return names.pop() if len(names) == 1 else None
