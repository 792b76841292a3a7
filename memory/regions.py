"""Regions: what a principal may read, as the patterns of its grants. Pure.

What one principal's reading left behind, such as a trace, belongs to the region that it read. Another
one may see it if it may read all of that region.
"""

from memory import scopes
from memory.principals import Caller, Grants

Region = tuple[str, ...]  # canonical patterns, sorted


def region_of(grants: Grants, verb: str = "memory:read") -> Region:
    """The region that the grants give `verb` on; empty for none."""
    return tuple(sorted({scopes.canonical_pattern(pattern) for pattern in grants.get(verb, ())}))


def narrowing_of(caller: Caller) -> Region | None:
    """The region that the caller may read, where its key or a delegation narrows it; None where nothing does."""
    key = caller.key
    is_narrowed = key is not None and (key.grants is not None or caller.is_delegated)
    return region_of(caller.grants) if is_narrowed else None


def includes(wide: Region, narrow: Region) -> bool:
    """Whether all of `narrow` lies within `wide`. Nothing includes the empty region: fail closed."""
    return bool(narrow) and all(any(scopes.includes(outer, inner) for outer in wide) for inner in narrow)
