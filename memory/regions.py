"""Regions: what a principal may read, as the patterns of its grants. Pure.

What one principal's reading left behind, such as a trace, belongs to the region that it read. Another
one may see it if it may read all of that region.
"""

from memory import scopes
from memory.principals import Grants

Region = tuple[str, ...]  # canonical patterns, sorted


def region_of(grants: Grants, verb: str = "memory:read") -> Region:
    """The region that the grants give `verb` on; empty for none."""
    return tuple(sorted({scopes.canonical_pattern(pattern) for pattern in grants.get(verb, ())}))


def includes(wide: Region, narrow: Region) -> bool:
    """Whether all of `narrow` lies within `wide`. Nothing includes the empty region: fail closed."""
    return bool(narrow) and all(any(scopes.includes(outer, inner) for outer in wide) for inner in narrow)
