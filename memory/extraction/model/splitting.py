"""Long input in parts that are asked about at the same time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CALLS_MAX = 4
PART_LENGTH = 12_000  # characters that are read in one call, unless all is longer than four such parts

_BORDERS = (re.compile(r"\n\s*\n"), re.compile(r"(?<=[.!?。！？])\s*"), re.compile(r"\s"))


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters start to end, exclusive, of the message with that index."""

    message: int
    start: int
    end: int


Part = list[Piece]


def parts(texts: Sequence[str]) -> list[Part]:
    """`texts` in order, in one to four parts of about equal length, cut between messages or sentences."""
    length = max(PART_LENGTH, -(-sum(map(len, texts)) // CALLS_MAX))
    made: list[Part] = [[]]
    room = length
    for message, text in enumerate(texts):
        start = 0
        while True:
            if len(text) - start <= room or len(made) == CALLS_MAX:
                made[-1].append(Piece(message, start, len(text)))
                room -= len(text) - start
                break
            end = _border(text, start, start + room) if room > length // 2 or not made[-1] else start
            if end > start:
                made[-1].append(Piece(message, start, end))
            made.append([])
            room, start = length, end
    return made


def _border(text: str, start: int, limit: int) -> int:
    """The last good place to cut in the second half of start..limit; `limit` itself if there is none."""
    for border in _BORDERS:
        places = list(_ends(border, text, start + (limit - start) // 2, limit))
        if places:
            return places[-1]
    return limit


def _ends(border: re.Pattern[str], text: str, start: int, limit: int) -> Iterator[int]:
    return (match.end() for match in border.finditer(text, start, limit) if match.end() > start)
