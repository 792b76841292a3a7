"""PDF: the text that its pages hold, page by page."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from memory.documents import ocr
from memory.documents.blocks import Block, Link, Outline, Reading, Section, Unreadable, trimmed
from memory.documents.plain_text import storable

PAGES_MAX = 5_000
PAGE_SEPARATOR = "\n\n"
# Fewer letters a page than this, on the average, and the pages are pictures of text.
LETTERS_PER_PAGE_MIN = 8
_LINKS_MAX = 5_000
_OUTLINE_MAX = 5_000
_HYPHEN = re.compile("\u00ad\n?|\x02\n?")
_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|(?<=[.!?:])[ \t]*\n(?=[A-Z\d•*-])|\Z)", re.DOTALL)

Progress = Callable[[int, int], None]


def read(data: bytes, progress: Progress = lambda done, of: None) -> Reading:
    """Raises Unreadable with the reason. progress: pages done, of all."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        encrypted = "password" in str(error).lower() or "security" in str(error).lower()
        raise Unreadable("the PDF is encrypted" if encrypted else "the PDF is damaged and can't be opened") from error
    count = len(document)
    if count > PAGES_MAX:
        raise Unreadable(f"the PDF has {count} pages; at most {PAGES_MAX} are read")
    headers = {name.lower(): storable(value)[:500] for name, value in document.get_metadata_dict().items() if value}
    texts = []
    links: list[tuple[int, str]] = []
    for number in range(count):
        texts.append(_page_text(document, number))
        if len(links) < _LINKS_MAX:
            links += [(number, target) for target in _page_links(document, number)]
        progress(number + 1, count)
    if sum(len(text.split()) for text in texts) == 0 or _letters(texts) < LETTERS_PER_PAGE_MIN * count:
        texts = ocr.of_pages(document, progress)
    return _reading(texts, _sections(document), links, headers)


def _reading(
    texts: list[str], sections: dict[int, Section], links: list[tuple[int, str]], headers: dict[str, str]
) -> Reading:
    text = PAGE_SEPARATOR.join(texts)
    blocks: list[Block] = []
    starts: list[int] = []
    offset = 0
    section: Section = ()
    for number, page in enumerate(texts):
        starts.append(offset)
        section = sections.get(number, section)
        for match in _PARAGRAPH.finditer(text, offset, offset + len(page)):
            start, end = trimmed(text, match.start(), match.end())
            blocks.append(Block(start, end, (*section, f"Page {number + 1}")))
        offset += len(page) + len(PAGE_SEPARATOR)
    return Reading(text, blocks, [Link("pdf_annotation", target, "", starts[page]) for page, target in links], headers)


def _page_text(document: Any, number: int) -> str:
    import pypdfium2

    try:
        page = document[number]
        page_text = page.get_textpage()
        text = page_text.get_text_bounded()
        page_text.close()
        page.close()
    except pypdfium2.PdfiumError:
        return ""  # a damaged page among good ones
    return _HYPHEN.sub("", storable(text)).strip()


def _page_links(document: Any, number: int) -> Iterator[str]:
    """The addresses that the links on a page lead to."""
    import ctypes

    import pypdfium2.raw as raw

    page = raw.FPDF_LoadPage(document, number)
    if not page:
        return
    try:
        position, link = ctypes.c_int(0), raw.FPDF_LINK()
        while raw.FPDFLink_Enumerate(page, position, link):
            action = raw.FPDFLink_GetAction(link)
            if action and raw.FPDFAction_GetType(action) == raw.PDFACTION_URI:
                length = raw.FPDFAction_GetURIPath(document, action, None, 0)
                buffer = ctypes.create_string_buffer(length)
                raw.FPDFAction_GetURIPath(document, action, buffer, length)
                if target := storable(buffer.value.decode("utf-8", "replace")).strip():
                    yield target[:2000]
    finally:
        raw.FPDF_ClosePage(page)


def _sections(document: Any) -> dict[int, Section]:
    """From a page's index to the section of the bookmarks that begins on it."""
    outline = Outline()
    sections: dict[int, Section] = {}
    for number, bookmark in enumerate(document.get_toc(max_depth=6)):
        if number >= _OUTLINE_MAX:
            break
        section = outline.enter(1 + bookmark.level, storable(bookmark.get_title()))
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        if index is not None:
            sections[index] = section
    return sections


def _letters(texts: list[str]) -> int:
    return sum(sum(map(str.isalnum, text)) for text in texts)
