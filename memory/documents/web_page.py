"""HTML: what a reader of the page would see, without scripts and styles."""

from typing import Any

from memory.documents.blocks import Link, Outline, Reading, TextBuilder, Unreadable
from memory.documents.plain_text import storable

_DROPPED = frozenset("script style template noscript svg math iframe object embed canvas head select".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BREAKING = frozenset(
    "p div section article main header footer nav aside ul ol dl table thead tbody tfoot form fieldset figure "
    "figcaption blockquote pre address details summary body html hr".split()
)
_ITEMS = frozenset("li dt dd tr".split())
_CELLS = frozenset(("td", "th"))


def read(data: bytes) -> Reading:
    """Raises Unreadable for what the parser can make nothing of."""
    import lxml.html
    from lxml import etree

    parser = lxml.html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, encoding=_encoding(data))
    try:
        root = lxml.html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.LxmlError, ValueError) as error:
        raise Unreadable("the page holds no HTML that can be read") from error
    page = _Page()
    page.walk(root)
    page.end_block()
    return Reading(page.builder.text, page.builder.blocks, page.links, _headers(root))


class _Page:
    """A walk over the elements, without recursion: pages are as deep as their makers like."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self.links: list[Link] = []
        self._outline = Outline()
        self._words: list[str] = []
        self._separator = "\n\n"
        self._level = 0
        self._preformatted = 0
        self._waiting: list[tuple[str, str]] = []

    def walk(self, root: Any) -> None:
        from lxml import etree

        skipped: Any = None
        for event, element in etree.iterwalk(root, events=("start", "end")):
            tag = element.tag if isinstance(element.tag, str) else ""
            if skipped is not None:
                if event == "end" and element is skipped:
                    skipped = None
                    self._text(element.tail)
                continue
            if event == "start":
                if tag in _DROPPED or not tag or element.get("hidden") is not None:
                    skipped = element
                    continue
                self._begin(tag)
                self._text(element.text)
            else:
                self._end(tag, element)
                self._text(element.tail)

    def end_block(self, *, heading: bool = False) -> None:
        """What was gathered becomes a block."""
        words = "".join(self._words)
        piece = words if self._preformatted else "\n".join(" ".join(line.split()) for line in words.split("\n"))
        self._words.clear()
        piece = storable(piece).strip().strip("|").strip()
        if piece:
            if heading:
                self._outline.enter(self._level, piece)
            start = self.builder.add(piece, self._outline.section, heading=heading, separator=self._separator)
            self._separator = "\n\n"
            self.links += [Link("html_link", target, label, start) for target, label in self._waiting]
        self._waiting.clear()

    def _begin(self, tag: str) -> None:
        if tag in _HEADINGS:
            self.end_block()
            self._level = _HEADINGS[tag]
        elif tag in _BREAKING or tag in _ITEMS:
            self.end_block()
            if tag in _ITEMS:
                self._separator = "\n"
            if tag == "pre":
                self._preformatted += 1
        elif tag == "br":
            self._words.append("\n")
        elif tag in _CELLS:
            self._words.append(" | ")

    def _end(self, tag: str, element: Any) -> None:
        if tag in _HEADINGS:
            self.end_block(heading=True)
        elif tag in _BREAKING or tag in _ITEMS:
            self.end_block()
            if tag == "pre":
                self._preformatted -= 1
        elif tag == "a" and (target := (element.get("href") or "").strip()):
            label = " ".join(("".join(element.itertext()))[:300].split())
            self._waiting.append((storable(target)[:2000], storable(label)))

    def _text(self, text: str | None) -> None:
        if text:
            self._words.append(text if self._preformatted else text.replace("\n", " ").replace("\r", " "))


def _encoding(data: bytes) -> str | None:
    """UTF-8 where the bytes are; else the parser goes by what the page says of itself."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _headers(root: Any) -> dict[str, str]:
    headers = {}
    title = root.find(".//title")
    if title is not None and title.text:
        headers["title"] = " ".join(storable(title.text).split())[:500]
    for meta in root.iterfind(".//meta"):
        name, content = meta.get("name") or meta.get("property"), meta.get("content")
        if name and content and len(headers) < 100:
            headers.setdefault(name.lower()[:60], storable(content)[:500])
    return headers
