"""Chunks: the pieces of a document that are found and shown, as ranges of its text. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from memory.documents.blocks import SECTION_SEPARATOR, Block, Section, trimmed

CHUNK_LENGTH_MAX = 1_000  # characters
CHUNK_LENGTH_MIN = 80  # a shorter one takes in what follows, even from a section below
SECTION_LENGTH_MAX = 500

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+")
_LINE = re.compile(r"(?:\r\n?|\n)+")
_SPACE = re.compile(r"\s+")
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a document: text[char_start:char_end]. Part of a stored format.

    section: the headings above it, outermost first, None outside all. tokens: words and marks, an
    estimate. fingerprint: see `memory.documents.fingerprints`, 0 for too few words. duplicate_of: the
    ordinal of an earlier chunk of the document that says nearly the same.
    """

    ordinal: int
    char_start: int
    char_end: int
    section: str | None = None
    tokens: int = 0
    fingerprint: int = 0
    duplicate_of: int | None = None


@dataclass(slots=True)
class _Open:
    """The chunk that is being filled."""

    start: int
    end: int
    section: Section
    only_headings: bool


def chunks(text: str, blocks: Sequence[Block]) -> list[Chunk]:
    """Cut `text` along its blocks: whole blocks of one section together, long ones at sentences, lines or words.

    Every character that is not white space is in exactly one chunk.
    """
    made: list[Chunk] = []
    current: _Open | None = None
    for block in _short(text, blocks):
        if current is not None and not _goes_with(current, block):
            made.append(_chunk(text, len(made), current))
            current = None
        if current is None:
            current = _Open(block.start, block.end, block.section, block.heading)
        else:
            current.end = block.end
            if current.only_headings or not block.heading:
                current.section = block.section
            current.only_headings = current.only_headings and block.heading
    if current is not None:
        made.append(_chunk(text, len(made), current))
    return made


def _goes_with(current: _Open, block: Block) -> bool:
    if block.end - current.start > CHUNK_LENGTH_MAX:
        return False
    if block.section == current.section:
        return True
    is_below = block.section[: len(current.section)] == current.section
    return (is_below or current.only_headings) and current.end - current.start < CHUNK_LENGTH_MIN


def _chunk(text: str, ordinal: int, open_chunk: _Open) -> Chunk:
    start, end = open_chunk.start, open_chunk.end
    section = SECTION_SEPARATOR.join(open_chunk.section)[:SECTION_LENGTH_MAX] or None
    tokens = sum(1 for _ in _TOKEN.finditer(text, start, end))
    return Chunk(ordinal=ordinal, char_start=start, char_end=end, section=section, tokens=tokens)


def _short(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, none longer than a chunk."""
    for block in blocks:
        if block.end - block.start <= CHUNK_LENGTH_MAX:
            yield block
            continue
        begin = block.start
        while begin < block.end:
            limit = min(begin + CHUNK_LENGTH_MAX, block.end)
            cut = limit if limit == block.end else _cut(text, begin, limit)
            start, end = trimmed(text, begin, cut)
            if start < end:
                yield Block(start, end, block.section)
            begin = cut


def _cut(text: str, begin: int, limit: int) -> int:
    """The last end of a sentence, else of a line, else of a word, in the second half of the range."""
    for border in (_SENTENCE, _LINE, _SPACE):
        ends = [match.end() for match in border.finditer(text, begin + CHUNK_LENGTH_MAX // 2, limit)]
        if ends:
            return ends[-1]
    return limit
