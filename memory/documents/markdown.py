"""Markdown: the text is the file as it stands; its structure is that of CommonMark with tables."""

import re
from collections.abc import Iterator, Sequence

from memory.documents.blocks import Block, Lines, Link, Outline, Reading, trimmed

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*(?:\r\n?|\n)(.*?)(?:\r\n?|\n)---[ \t]*(?:\r\n?|\n|\Z)", re.DOTALL)
_FRONT_MATTER_LENGTH_MAX = 20_000
_FIELD = re.compile(r"^([A-Za-z][\w-]{0,60})[ \t]*:[ \t]*[\"']?(.{0,500}?)[\"']?[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{0,300})\]\(\s*<?([^\s()<>]{1,2000})>?(?:\s+[\"'][^\"'\n]{0,300}[\"'])?\s*\)")
_MARKS = re.compile(r"[*_`]+|\s+#+\s*$")
_WHOLE = {"fence", "code_block", "html_block", "table_open", "blockquote_open", "hr"}


def read(text: str) -> Reading:
    """Raises nothing: every text is Markdown."""
    from markdown_it import MarkdownIt

    # Only the block structure is needed, and inline rules are most of the time.
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    front = _FRONT_MATTER.match(text[:_FRONT_MATTER_LENGTH_MAX])
    body = front.end() if front else 0
    headers = {name.lower(): value for name, value in _FIELD.findall(front[1])} if front else {}
    lines = Lines(text[body:])
    outline = Outline()
    blocks: list[Block] = []
    if front:
        blocks.append(Block(*trimmed(text, 0, body)))
    code: list[tuple[int, int]] = []
    end_before = body
    for kind, level, first, last, title in _pieces(parser.parse(text[body:])):
        start, end = trimmed(text, max(body + lines.start(first), end_before), body + lines.start(last))
        if start >= end:
            continue
        if kind == "heading_open":
            section = outline.enter(level, _MARKS.sub("", title))
            headers.setdefault("title", section[-1] if section else "")
        if kind in ("fence", "code_block"):
            code.append((start, end))
        blocks.append(Block(start, end, outline.section, kind == "heading_open"))
        end_before = end
    return Reading(text, _complete(text, blocks), _links(text, code), headers)


def _pieces(tokens: Sequence[object]) -> Iterator[tuple[str, int, int, int, str]]:
    """(kind, heading level, first line, line after the last, heading) of what is kept whole.

    Lists are taken item by item, everything else as it stands outermost.
    """
    depth_taken: int | None = None
    for index, token in enumerate(tokens):
        kind, lines, level = token.type, token.map, token.level  # type: ignore[attr-defined]
        if depth_taken is not None:
            if level == depth_taken and kind.endswith("_close"):
                depth_taken = None
            continue
        if lines is None:
            continue
        if kind == "heading_open":
            title = tokens[index + 1].content  # type: ignore[attr-defined]
            yield kind, int(token.tag[1:]), lines[0], lines[1], title  # type: ignore[attr-defined]
            depth_taken = level
        elif kind in _WHOLE or kind in ("paragraph_open", "list_item_open"):
            yield kind, 0, lines[0], lines[1], ""
            if kind.endswith("_open"):
                depth_taken = level


def _complete(text: str, blocks: list[Block]) -> list[Block]:
    """With blocks for what the parser gives none, such as link definitions."""
    complete: list[Block] = []
    begin = 0
    for block in [*blocks, Block(len(text), len(text))]:
        start, end = trimmed(text, begin, block.start)
        if start < end:
            complete.append(Block(start, end, complete[-1].section if complete else ()))
        if block.start < block.end:
            complete.append(block)
        begin = block.end
    return complete


def _links(text: str, code: list[tuple[int, int]]) -> list[Link]:
    spans = iter([*code, (len(text), len(text))])
    start, end = next(spans)
    links = []
    for match in _LINK.finditer(text):
        while match.start() >= end and end < len(text):
            start, end = next(spans)
        if not start <= match.start() < end:
            links.append(Link("markdown_link", match[2], match[1], match.start()))
    return links
