"""What a format's reader makes of a file: its text, and the pieces that the text is made of."""

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

Section = tuple[str, ...]  # headings from the outermost inwards

SECTION_SEPARATOR = " > "
HEADING_LENGTH_MAX = 200


class Unreadable(Exception):
    """A file that gives no text. The message is shown to whoever uploaded it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece that is best kept whole: a paragraph, an item, a row. [start, end) are offsets into the text.

    section: where it stands. heading: it is the title of that section.
    """

    start: int
    end: int
    section: Section = ()
    heading: bool = False


class Link(msgspec.Struct, frozen=True):
    """A link. Part of a stored format. kind: markdown_link, html_link or pdf_annotation. char_start: of its words."""

    kind: str
    target: str
    label: str
    char_start: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as text.

    blocks: in order, without overlap; between them is white space only. headers: what the document says
    of itself (title, creationdate, …), names in lower case.
    """

    text: str
    blocks: Sequence[Block]
    links: Sequence[Link] = ()
    headers: dict[str, str] = field(default_factory=dict)


class Outline:
    """The headings that are open at a place of a document."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def section(self) -> Section:
        return tuple(title for _, title in self._open)

    def enter(self, level: int, title: str) -> Section:
        """A heading of `level` (1 = outermost) begins; returns the section that it opens."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        title = " ".join(title.split())[:HEADING_LENGTH_MAX]
        if title:
            self._open.append((level, title))
        return self.section


class TextBuilder:
    """Text put together piece by piece, each a block."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []

    def add(self, piece: str, section: Section, *, heading: bool = False, separator: str = "\n\n") -> int:
        """Append a piece after `separator`; returns the offset at which it begins. White space around it is cut."""
        piece = piece.strip()
        if not piece:
            return self.length
        if self._parts:
            self._parts.append(separator)
            self.length += len(separator)
        start = self.length
        self._parts.append(piece)
        self.length += len(piece)
        self.blocks.append(Block(start, self.length, section, heading))
        return start

    @property
    def text(self) -> str:
        return "".join(self._parts)


class Lines:
    """Offsets of the lines of a text, whatever ends them: LF, CRLF or CR."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text))]
        self._length = len(text)

    def start(self, line: int) -> int:
        return self.starts[line] if line < len(self.starts) else self._length

    def at(self, offset: int) -> int:
        return bisect.bisect_right(self.starts, offset) - 1


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends; empty at `start` if there is nothing else."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return (start + left, start + len(piece.rstrip())) if left < len(piece) else (start, start)
