"""All that a file gives: text, chunks, keywords, links. What a reading process answers."""

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from memory.documents import formats
from memory.documents.blocks import Link, Reading, Unreadable
from memory.documents.chunks import Chunk, chunks
from memory.documents.keywords import Keyword, keywords
from memory.documents.language import language_of
from memory.documents.plain_text import Undecodable, decoded

TEXT_LENGTH_MAX = 8_000_000  # characters; offsets of statements in it must fit 31 bits
CHUNKS_MAX = 60_000
LINKS_MAX = 2_000

Stage = Callable[[str, int, int], None]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """headers: what the document says of itself, names in lower case. language: see `language_of`."""

    text: str
    chunks: tuple[Chunk, ...]
    keywords: tuple[Keyword, ...]
    links: tuple[Link, ...]
    headers: dict[str, str]
    language: str | None = None


def contents(data: bytes, kind: str, stage: Stage = lambda name, done, of: None) -> Contents:
    """Read a file of a media type. stage: called with the stage's name and how much of it is done.

    Raises Unreadable with a reason to show.
    """
    stage("extracting", 0, 0)
    reading = _read(data, kind, lambda done, of: stage("extracting", done, of))
    if not reading.text.strip():
        raise Unreadable("the document holds no text")
    if len(reading.text) > TEXT_LENGTH_MAX:
        raise Unreadable(f"the document has {len(reading.text)} characters of text; at most {TEXT_LENGTH_MAX} are read")
    stage("chunking", 0, 0)
    cut = chunks(reading.text, reading.blocks)
    if len(cut) > CHUNKS_MAX:
        raise Unreadable(f"the document falls into {len(cut)} pieces; at most {CHUNKS_MAX} are kept")
    # Imported here: numpy costs more than reading a short file.
    from memory.documents.fingerprints import marked

    cut = marked(reading.text, cut)
    return Contents(
        text=reading.text,
        chunks=tuple(cut),
        keywords=tuple(keywords(reading.text)),
        links=tuple(reading.links[:LINKS_MAX]),
        headers=reading.headers,
        language=None if kind in formats.CODE_TYPES else language_of(reading.text),
    )


def _read(data: bytes, kind: str, progress: Callable[[int, int], None]) -> Reading:
    from memory.documents import line_texts, markdown, ocr, pdf, web_page, word

    if kind == formats.PDF:
        return pdf.read(data, progress)
    if kind == formats.DOCX:
        return word.read(data)
    if kind == formats.HTML:
        return web_page.read(data)
    if kind.startswith("image/"):
        return line_texts.read_paragraphs(ocr.of_picture(data))
    if formats.is_media(kind):
        raise Unreadable(f"there is no transcription of {kind.partition('/')[0]} here")
    try:
        text = decoded(data)
    except Undecodable as error:
        raise Unreadable("the file is no text in an encoding that is known here") from error
    if kind == formats.MARKDOWN:
        return markdown.read(text)
    if kind in (formats.CSV, formats.JSON, "text/tab-separated-values", "application/jsonl"):
        return line_texts.read_rows(text)
    if kind in formats.CODE_TYPES:
        return line_texts.read_code(text)
    return line_texts.read_paragraphs(text)


# What a caller may call the document's own date, and the headers that hold it.
_DATES = (
    "creationdate",
    "created",
    "date",
    "moddate",
    "modified",
    "article:published_time",
    "dc.date",
    "dcterms.created",
)


def own_date(headers: dict[str, str], name: str) -> datetime | None:
    """The document's own date: the header that the caller names, else the first that holds one. Aware, UTC."""
    for header in (name.strip().lower(), *_DATES):
        if (found := _date(headers.get(header, ""))) is not None:
            return found
    return None


def _date(text: str) -> datetime | None:
    """ISO 8601, or the form of PDF: D:YYYYMMDDHHmmSS+HH'mm'. A date alone is its midnight in UTC."""
    text = text.strip()
    if text.startswith("D:"):
        digits = text[2:16].ljust(4, "0")
        parts = digits[:4], digits[4:6] or "01", digits[6:8] or "01", digits[8:10], digits[10:12], digits[12:14]
        zone = text[16:].replace("'", "") or "+0000"
        year, month, day, hour, minute, second = (part or "00" for part in parts)
        zone = "+00:00" if zone[:1] in ("Z", "") else f"{zone[:3]}:{zone[3:5] or '00'}"
        text = f"{year}-{month}-{day}T{hour}:{minute}:{second}{zone}"
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
