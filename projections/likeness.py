"""How alike a searched name and the name of an entity are, by their words alone. Pure."""

import re

from memory.values import folded, name_key

PARTIAL_MAX = 0.9
BEGINNING = 0.8  # what the beginning of a word is worth, by the part of the word that it is
_SEPARATORS = re.compile(r"[\W_]+")


def words(name: str) -> frozenset[str]:
    """The words of a name, folded: "AirPods-Pro" -> airpods, pro."""
    return frozenset(word for word in _SEPARATORS.split(folded(name)) if word)


def likeness(searched: str, key: str) -> float:
    """1 for the same normalised name, else what the two share of their words, at most PARTIAL_MAX; 0 for nothing.

    key: the normalised name of an entity. A searched word that begins a word of the name shares that
    part of it.
    """
    if name_key(searched) == key:
        return 1.0
    left, right = words(searched), words(key)
    if not left or not right:
        return 0.0
    begun = sum(
        max((BEGINNING * len(word) / len(other) for other in right - left if other.startswith(word)), default=0.0)
        for word in left - right
    )
    shared = min(len(left & right) + begun, len(left), len(right))
    return PARTIAL_MAX * shared / (len(left) + len(right) - shared)
