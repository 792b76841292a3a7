"""From files to text and chunks, for every format; and files that mean harm."""

import contextlib
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.documents import formats, sandbox
from memory.documents.blocks import Unreadable
from memory.documents.chunks import CHUNK_LENGTH_MAX
from memory.documents.contents import Contents, contents, own_date
from memory.documents.fingerprints import fingerprint, is_near
from tests import files

MARKDOWN = """---
title: Handbook
date: 2024-05-01
---
# Handbook

Welcome to the company. This page tells how we work together, and what to do when we do not.

## Returns

- Goods come back within 30 days, with the bill, and in the state in which they were sold to the customer.
- After that nothing comes back, whatever the customer says, unless the manager of the shop agrees to it.

### Exceptions

Food is never taken back. See [the law](https://example.org/law "Law") and [prices](prices.csv) for what it costs.

```python
# Not a heading
[not](a-link)
```

| what | days |
| --- | --- |
| shoes | 60 |

[reference]: https://example.org/else
"""
SENTENCES = " ".join(f"Sentence number {n} tells that the value of parameter {n} is {n * n}." for n in range(60))
HTML = b"""<!doctype html><html><head><title>Guide</title><meta name="date" content="2023-02-03">
<style>p { color: red }</style><script>alert("no")</script></head><body><h1>Guide</h1><p>First
 paragraph with <b>bold</b> words and enough of them to stand alone as one chunk of this small page.<h2>Steps</h2>
<ol><li>One</li><li>Two <a href="/next?a=1&amp;b=2">next</a></li></ol><table><tr><td>x</td><td>1</td></tr></table>
<p hidden>secret</p><pre>a
  b</pre></body></html>"""
CODE = b'''import os


class Store:
    """Keeps things, and gives them back when they are asked for, which is all that a store has to do."""

    def put(self, key, value):
        self._things[key] = value

    def get(self, key):
        return self._things.get(key)
'''
CSV = b"name,days\n" + b"".join(b"item %d,%d\n" % (n, n) for n in range(200))
JSON = b'{\n  "name": "Palimpsest",\n  "days": [\n    30,\n    60\n  ]\n}\n'
PDF = files.pdf(
    [["The first page tells of returns.", "Goods come back within 30 days."], ["The second page tells of food."]],
    bookmarks=[("Returns", 0), ("Food", 1)],
    link="https://example.org/terms",
    created="D:20240131120000+01'00'",
)
DOCX = files.docx(
    ("Title", "Manual"),
    ("Normal", "A manual of some words that stand before all of its chapters, and say why it was written at all."),
    ("Heading 1", "Chapter"),
    ("Normal", "Words of the chapter, which are many enough to fill a chunk of their own, as this one does here."),
    [["what", "days"], ["shoes", "60"]],
)
SAMPLES = {
    "handbook.md": MARKDOWN.encode(),
    "long.txt": SENTENCES.encode(),
    "crlf.txt": b"One paragraph.\r\n\r\nAnother one.\r\nStill it.\r\n",
    "guide.html": HTML,
    "store.py": CODE,
    "items.csv": CSV,
    "about.json": JSON,
    "terms.pdf": PDF,
    "manual.docx": DOCX,
}


def read(name: str) -> Contents:
    data = SAMPLES[name]
    kind = formats.recognised(data, name, None)
    assert kind is not None
    return contents(data, kind)


def texts(read_file: Contents) -> list[str]:
    return [read_file.text[one.char_start : one.char_end] for one in read_file.chunks]


def assert_tiled(found: Contents) -> None:
    """Each chunk is a range of the text, in order, and all but white space is in one."""
    end = 0
    for ordinal, chunk in enumerate(found.chunks):
        assert chunk.ordinal == ordinal
        assert chunk.char_start < chunk.char_end <= len(found.text)
        assert chunk.char_end - chunk.char_start <= CHUNK_LENGTH_MAX
        assert not found.text[end : chunk.char_start].strip()
        assert found.text[chunk.char_start : chunk.char_end].strip()
        end = chunk.char_end
    assert not found.text[end:].strip()


@pytest.mark.parametrize("name", SAMPLES)
def test_chunks_are_exact_ranges_that_cover_the_text(name: str) -> None:
    found = read(name)
    assert found.chunks
    assert_tiled(found)


@settings(max_examples=150, deadline=None)
@given(
    st.text(st.sampled_from("#-* \n\r\t`|>[]()ab.1é_=\\<&:"), max_size=400),
    st.sampled_from([formats.MARKDOWN, formats.PLAIN, formats.CSV, "text/x-python", formats.HTML]),
)
def test_chunks_cover_whatever_the_text_is(text: str, kind: str) -> None:
    try:
        found = contents(text.encode(), kind)
    except Unreadable:
        return
    assert_tiled(found)
    if kind != formats.HTML:
        assert found.text == text


@pytest.mark.parametrize("name", ["handbook.md", "crlf.txt", "items.csv", "about.json", "store.py"])
def test_the_text_of_a_text_file_is_the_decoded_file_itself(name: str) -> None:
    assert read(name).text == SAMPLES[name].decode()


def test_markdown_sections_are_its_headings() -> None:
    found = read("handbook.md")
    sections = {chunk.section: piece for chunk, piece in zip(found.chunks, texts(found), strict=True)}
    assert "30 days" in sections["Handbook > Returns"]
    assert "Food is never" in sections["Handbook > Returns > Exceptions"]
    assert [(one.target, one.label) for one in found.links] == [
        ("https://example.org/law", "the law"),
        ("prices.csv", "prices"),
    ]
    assert found.headers["title"] == "Handbook"


def test_html_is_what_a_reader_sees() -> None:
    found = read("guide.html")
    assert found.text.startswith("Guide\n\nFirst paragraph with bold words")
    assert not any(word in found.text for word in ("alert", "color", "secret"))
    assert "x | 1" in found.text
    assert "a\n  b" in found.text
    assert found.chunks[-1].section == "Guide > Steps"
    assert found.links[0].target == "/next?a=1&b=2"


def test_pdf_has_pages_bookmarks_links_and_its_own_date() -> None:
    found = read("terms.pdf")
    assert "Goods come back within 30 days." in found.text
    assert [chunk.section for chunk in found.chunks] == ["Returns > Page 1", "Food > Page 2"]
    assert [(one.kind, one.target) for one in found.links] == [("pdf_annotation", "https://example.org/terms")]
    assert str(own_date(found.headers, "CreationDate")) == "2024-01-31 11:00:00+00:00"


def test_docx_has_headings_and_tables() -> None:
    found = read("manual.docx")
    assert "shoes | 60" in found.text
    assert [chunk.section for chunk in found.chunks] == ["Manual", "Manual > Chapter"]


def test_code_stands_in_its_classes_and_functions() -> None:
    found = read("store.py")
    assert found.chunks[0].section == "Store"
    assert found.chunks[-1].section in ("Store > put", "Store > get")


@pytest.mark.parametrize(
    ("data", "filename", "claimed", "kind"),
    [
        (PDF, "notes.txt", "text/plain", formats.PDF),
        (b"just words", "report.pdf", "application/pdf", formats.PLAIN),
        (b"# words", "readme", "text/markdown", formats.MARKDOWN),
        (b"<!DOCTYPE html><p>x", "page", None, formats.HTML),
        (DOCX, "x.bin", None, formats.DOCX),
        ("Füße".encode("utf-16"), "a.txt", None, formats.PLAIN),
        ("Füße".encode("cp1252"), "a.txt", None, formats.PLAIN),
        (b"\x89PNG\r\n\x1a\n....", "a.pdf", None, "image/png"),
        (b"RIFF....WAVEfmt ", "a.wav", None, "audio/wav"),
        (b"\x00\x01\x02\x03 nothing known", "a.txt", "text/plain", None),
        (b"PK\x03\x04 an archive of something else", "a.docx", None, None),
        (b"\x7fELF\x02\x01\x01\x00", "a.md", "text/markdown", None),
    ],
)
def test_content_says_what_a_file_is(data: bytes, filename: str, claimed: str | None, kind: str | None) -> None:
    assert formats.recognised(data, filename, claimed) == kind


def test_nearly_the_same_words_are_marked() -> None:
    again = "The delivery takes three to five working days after the order was paid, everywhere in the country."
    other = "Nobody under eighteen may order wine, beer or spirits, whatever the parents of the person say to us."
    text = "\n\n".join([f"# One\n\n{again}", f"# Two\n\n{other}", f"# One\n\n{again}"])
    found = contents(text.encode(), formats.MARKDOWN)
    assert [chunk.duplicate_of for chunk in found.chunks] == [None, None, 0]
    assert not is_near(fingerprint(again), fingerprint(other))


def test_keywords_are_phrases_in_upper_case() -> None:
    text = "The solar panel feeds the battery storage. A solar panel needs light. Battery storage needs a solar panel."
    found = contents(text.encode(), formats.PLAIN).keywords
    assert {one.normalised for one in found} >= {"SOLAR PANEL", "BATTERY STORAGE"}
    assert len(found) <= 5
    assert all(one.score >= 0.8 for one in found)


# --- files that mean harm, each in its own process ------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind", "reason"),
    [
        (files.pdf([["secret"]], encrypted=True), formats.PDF, "encrypted"),
        (files.scanned_pdf(), formats.PDF, "only pictures"),
        (PDF[:300], formats.PDF, "damaged"),
        (b"%PDF-1.7\n" + b"\xff" * 50_000, formats.PDF, "damaged"),
        (files.bomb(), formats.DOCX, "unpacks to"),
        (DOCX[: len(DOCX) // 2], formats.DOCX, "damaged"),
        (b"\x89PNG\r\n\x1a\n", "image/png", "tesseract"),
        (b"ID3....", "audio/mpeg", "no transcription"),
        (b" \n ", formats.PLAIN, "no text"),
    ],
    ids=["encrypted", "scanned", "cut pdf", "garbage pdf", "bomb", "cut docx", "picture", "sound", "blank"],
)
def test_a_hostile_file_fails_alone_with_a_reason(
    data: bytes, kind: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # no tesseract
    began = time.monotonic()
    with pytest.raises(Unreadable, match=reason):
        sandbox.read(data, kind)
    assert time.monotonic() - began < 20


def test_entities_of_xml_are_not_resolved() -> None:
    try:
        found = sandbox.read(files.docx_with_entities(), formats.DOCX)
    except Unreadable:
        return
    assert len(found.text) < 1_000
    assert "root:" not in found.text


def test_ten_thousand_pages_are_refused_in_bounded_time() -> None:
    began = time.monotonic()
    with pytest.raises(Unreadable, match="10000 pages"):
        sandbox.read(files.pdf([["x"]] * 10_000), formats.PDF)
    assert time.monotonic() - began < 20


def test_a_page_of_a_hundred_thousand_nested_elements_is_read_or_refused() -> None:
    data = b"<html><body>" + b"<div>" * 100_000 + b"deep" + b"</div>" * 100_000
    with contextlib.suppress(Unreadable):
        assert len(sandbox.read(data, formats.HTML).text) < 1_000


def test_a_scanned_pdf_is_read_where_tesseract_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = tmp_path / "tesseract"
    stand_in.write_text("#!/bin/sh\nhead -c 2 | grep -q P5 && echo 'Words on the picture'\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert sandbox.read(files.scanned_pdf(), formats.PDF).text == "Words on the picture"


def test_the_reading_process_knows_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert "OPENAI_API_KEY" not in sandbox.environment()


def test_what_a_reading_process_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = tmp_path / "tesseract"
    stand_in.write_text('#!/bin/sh\necho $$ > "$0.pid"\nexec sleep 60\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(sandbox, "WALL_S_MAX", 2)
    with pytest.raises(Unreadable, match="takes longer"):
        sandbox.read(b"\x89PNG\r\n\x1a\n", "image/png")
    started = int((tmp_path / "tesseract.pid").read_text())
    deadline = time.monotonic() + 2
    while Path(f"/proc/{started}").exists() and "Z" not in Path(f"/proc/{started}/stat").read_text():
        assert time.monotonic() < deadline, "it still runs"
        time.sleep(0.05)
