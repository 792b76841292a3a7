"""Kinds: who no longer likes running no longer likes trail running. Pure.

Such an ending is told once, about the wider value. In the line of each of its kinds it stands as words borrowed
from there, whether the kind was told before it or arrives later, so the order of arrival does not matter. Who takes
back to like running, as said wrongly, says nothing of its kinds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from memory.known import Unit
from memory.segments import Said, borrowed_id


def wider_values(value: str) -> list[str]:
    """What a value (comparable) names a kind of: "long trail running" of "trail running" and of "running"."""
    words = value.split(" ")
    return [" ".join(words[first:]) for first in range(1, len(words))]


def borrowed(ending: Said, wider: str, kind: str) -> Said:
    """An ending of a wider value, as it stands in the line of one of its kinds."""
    value = ending.value.removesuffix(wider) + kind
    return replace(ending, id=borrowed_id(ending.id), value=value, borrowed=True)


def endings_for(unit: Unit, lines: Mapping[Unit, Iterable[Said]]) -> list[Said]:
    """The endings in the lines of wider values, as they stand in the line of `unit`."""
    owner_id, key, kind = unit
    return [
        borrowed(said, wider, kind)
        for wider in wider_values(kind)
        for said in lines.get((owner_id, key, wider), ())
        if said.ends and not (said.is_tacit or said.withdraws)
    ]


def with_borrowed(lines: Mapping[Unit, Iterable[Said]]) -> dict[Unit, list[Said]]:
    """The lines of all values of some keys, each with the endings that it borrows from the others."""
    return {
        unit: [*(said for said in words if not said.borrowed), *endings_for(unit, lines)]
        for unit, words in lines.items()
    }
