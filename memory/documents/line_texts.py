"""Plain text, tables of values, JSON and source code: the text is the file as it stands."""

import re

from memory.documents.blocks import Block, Outline, Reading, trimmed

_PARAGRAPH = re.compile(r"\S.*?(?=(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)|\Z)", re.DOTALL)
_LINE = re.compile(r"[^\r\n]*\S[^\r\n]*")
# A named part of a program at any depth: enough of every language to say where a chunk stands.
_DEFINITION = re.compile(
    r"^([ \t]*)(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)\n]*\))?|"
    r"unsafe|extern|inline|virtual|override|sealed|open|data)\s+)*"
    r"(?:def|class|interface|trait|struct|enum|impl|module|namespace|package|object|func|fun|fn|function|type)\b"
    r"\s+(?:\([^)\n]*\)\s*)?([A-Za-z_$][\w$]*(?:(?:\.|::)[\w$]+)*)"
)
_SQL = re.compile(r"^()\s*CREATE\s+(?:OR\s+REPLACE\s+)?\w+\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"]+)", re.IGNORECASE)
_TAB = 4


def read_paragraphs(text: str) -> Reading:
    """Paragraphs, which blank lines separate."""
    blocks = []
    for match in _PARAGRAPH.finditer(text):
        start, end = trimmed(text, match.start(), match.end())
        blocks.append(Block(start, end))
    return Reading(text, blocks)


def read_rows(text: str) -> Reading:
    """Line by line: a row of values, or a line of JSON."""
    return Reading(text, [Block(match.start(), match.end()) for match in _LINE.finditer(text)])


def read_code(text: str) -> Reading:
    """Source code: lines, each in the classes and functions that it stands in, as its indentation tells."""
    outline = Outline()
    blocks: list[Block] = []
    start = end = None
    for match in _LINE.finditer(text):
        line = match.group()
        found = _DEFINITION.match(line) or _SQL.match(line)
        gap = end is not None and text.count("\n", end, match.start()) > 1
        if start is not None and end is not None and (found or gap):
            blocks.append(Block(start, end, outline.section))
            start = None
        if found:
            outline.enter(1 + len(found[1].expandtabs(_TAB)), found[2])
        if start is None:
            start = match.start()
        end = match.end()
    if start is not None and end is not None:
        blocks.append(Block(start, end, outline.section))
    return Reading(text, blocks)
