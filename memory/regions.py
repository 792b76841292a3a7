"""Regions: what a principal may read, as the patterns of its grants. Pure.

What one principal's reading left behind, such as a trace, belongs to the region that it read. Another
one may see it if it may read all of that region.
"""

from collections.abc import Sequence

from memory.principals import Grant, patterns_of
from memory.scopes import canonical_path

Region = tuple[str, ...]  # canonical patterns, sorted

_EVERYTHING = "/*"


def region_of(grants: Sequence[Grant], verb: str = "memory:read") -> Region:
    """The region that the grants give `verb` on; empty for none."""
    return tuple(sorted({_canonical(pattern) for pattern in patterns_of(grants, verb)}))


def includes(wide: Region, narrow: Region) -> bool:
    """Whether all of `narrow` lies within `wide`. Nothing includes the empty region: fail closed."""
    return bool(narrow) and all(any(_covers(outer, inner) for outer in wide) for inner in narrow)


def _canonical(pattern: str) -> str:
    pattern = pattern.strip()
    if pattern in ("*", _EVERYTHING):
        return _EVERYTHING
    if pattern.endswith("/*"):
        return canonical_path(pattern[:-2]) + "*"
    return canonical_path(pattern)


def _covers(outer: str, inner: str) -> bool:
    if outer in (_EVERYTHING, inner):
        return True
    return outer.endswith("/*") and inner.startswith(outer[:-1])
