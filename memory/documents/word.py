"""DOCX: paragraphs, headings and tables in their order."""

import re
import zipfile
from io import BytesIO
from typing import Any

from memory.documents.blocks import Link, Outline, Reading, TextBuilder, Unreadable
from memory.documents.plain_text import storable

UNPACKED_BYTES_MAX = 200 * 1024 * 1024
PARTS_MAX = 5_000
_HEADING = re.compile(r"(?:heading|überschrift|titre)\s*(\d)", re.IGNORECASE)
_HEADERS = ("title", "author", "subject", "created", "modified")


def read(data: bytes) -> Reading:
    """Raises Unreadable with the reason; nothing is unpacked that says it is too large."""
    _check(data)
    import docx
    from docx.table import Table

    try:
        document = docx.Document(BytesIO(data))
        outline, builder = Outline(), TextBuilder()
        links: list[Link] = []
        for item in document.iter_inner_content():
            if isinstance(item, Table):
                for row in _rows(item):
                    builder.add(row, outline.section, separator="\n")
                continue
            words = storable(item.text)
            level = _level(item)
            section = outline.enter(level, words) if level else outline.section
            is_item = "list" in str(getattr(item.style, "name", "")).lower()
            start = builder.add(words, section, heading=bool(level), separator="\n" if is_item else "\n\n")
            links += [Link("html_link", one.address, one.text[:300], start) for one in item.hyperlinks if one.address]
        headers = {name: _header(getattr(document.core_properties, name)) for name in _HEADERS}
    except (KeyError, ValueError, AttributeError, zipfile.BadZipFile, NotImplementedError, SyntaxError) as error:
        raise Unreadable("the DOCX is damaged and can't be read") from error
    return Reading(builder.text, builder.blocks, links, {name: value for name, value in headers.items() if value})


def _check(data: bytes) -> None:
    """Raises Unreadable for a bomb, and for what is no readable archive, before anything is unpacked."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Unreadable("the DOCX is damaged and can't be opened") from error
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("the DOCX is encrypted")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > UNPACKED_BYTES_MAX or len(parts) > PARTS_MAX:
        raise Unreadable(f"the DOCX unpacks to {unpacked} bytes; at most {UNPACKED_BYTES_MAX} are read")


def _level(paragraph: Any) -> int:
    """The heading level of a paragraph, 0 for none; a title stands above all headings."""
    name = str(getattr(paragraph.style, "name", "") or "")
    if name.lower() == "title":
        return 1
    found = _HEADING.match(name)
    return 1 + int(found[1]) if found else 0


def _rows(table: Any) -> list[str]:
    rows = []
    for row in table.rows:
        cells: list[str] = []
        for cell in row.cells:
            words = " ".join(storable(cell.text).split())
            if not cells or cells[-1] != words:  # a merged cell comes once for each of its columns
                cells.append(words)
        rows.append(" | ".join(cells))
    return rows


def _header(value: Any) -> str:
    return storable(value.isoformat() if hasattr(value, "isoformat") else str(value or ""))[:500]
