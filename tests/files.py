"""Files to upload: PDFs written by hand, DOCX by its library, and some that mean harm."""

import zipfile
from collections.abc import Sequence
from io import BytesIO


def pdf(
    pages: Sequence[Sequence[str]],
    *,
    bookmarks: Sequence[tuple[str, int]] = (),
    link: str | None = None,
    created: str | None = None,
    encrypted: bool = False,
) -> bytes:
    """A PDF with the lines of each page. bookmarks: (title, index of the page). link: an address on the first page.
    created: such as D:20240131120000Z."""
    objects: list[bytes] = []

    def put(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    font = put(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    tree = put(b"")
    kids = []
    for number, lines in enumerate(pages):
        shown = b"".join(b"(%s) Tj T* " % _escaped(line) for line in lines)
        stream = b"BT /F1 11 Tf 14 TL 50 790 Td %sET" % shown
        content = put(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        notes = b""
        if link and number == 0:
            action = b"<< /S /URI /URI (%s) >>" % _escaped(link)
            note = put(b"<< /Type /Annot /Subtype /Link /Rect [50 700 200 720] /A %s >>" % action)
            notes = b" /Annots [%d 0 R]" % note
        resources = b"<< /Font << /F1 %d 0 R >> >>" % font
        kids.append(
            put(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Resources %s /Contents %d 0 R%s >>"
                % (tree, resources, content, notes)
            )
        )
    objects[tree - 1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (
        b" ".join(b"%d 0 R" % kid for kid in kids),
        len(kids),
    )
    catalog = b"<< /Type /Catalog /Pages %d 0 R" % tree
    if bookmarks:
        first = len(objects) + 1
        root = first + len(bookmarks)
        for place, (title, page) in enumerate(bookmarks):
            beside = b" /Next %d 0 R" % (first + place + 1) if place + 1 < len(bookmarks) else b""
            put(b"<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit]%s >>" % (_escaped(title), root, kids[page], beside))
        put(b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (first, root - 1, len(bookmarks)))
        catalog += b" /Outlines %d 0 R" % root
    trailer = b"/Root %d 0 R" % put(catalog + b" >>")
    if created:
        trailer += b" /Info %d 0 R" % put(b"<< /CreationDate (%s) /Title (Made by hand) >>" % created.encode())
    if encrypted:
        secret = b"<%s>" % (b"ab" * 32)
        lock = put(b"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -44 /O %s /U %s >>" % (secret, secret))
        trailer += b" /Encrypt %d 0 R /ID [<00> <00>]" % lock
    return _file(objects, trailer)


def scanned_pdf() -> bytes:
    """A PDF whose only page is a picture."""
    picture = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
    objects = [
        b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 1 0 R /MediaBox [0 0 100 100] /Contents 3 0 R"
            b" /Resources << /XObject << /I 4 0 R >> >> >>"
        ),
        b"<< /Length 21 >>\nstream\n100 0 0 100 0 0 cm /I\nendstream",
        picture + b" /Length 1 >>\nstream\n\x80\nendstream",
        b"<< /Type /Catalog /Pages 1 0 R >>",
    ]
    return _file(objects, b"/Root 5 0 R")


def docx(*paragraphs: tuple[str, str] | Sequence[Sequence[str]]) -> bytes:
    """A DOCX of (style, words), or rows of a table."""
    import docx as library

    document = library.Document()
    for one in paragraphs:
        if isinstance(one, tuple) and isinstance(one[1], str):
            document.add_paragraph(one[1], style=str(one[0]))
        else:
            rows = [list(row) for row in one]
            table = document.add_table(len(rows), len(rows[0]))
            for row, cells in zip(table.rows, rows, strict=True):
                for cell, words in zip(row.cells, cells, strict=True):
                    cell.text = words
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def bomb() -> bytes:
    """A DOCX of some 300 kB that unpacks to 300 MB."""
    return _archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w>" + b" " * 300_000_000 + b"</w>"})


def docx_with_entities() -> bytes:
    """A DOCX whose document would grow a billion times, or read a file, if its entities were resolved."""
    clean = docx(("Normal", "WORDS"))
    with zipfile.ZipFile(BytesIO(clean)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    entities = b'<!ENTITY a "lol">' + b"".join(
        b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in range(ord("b"), ord("k"))
    )
    declared = b'<!DOCTYPE d [%s<!ENTITY file SYSTEM "file:///etc/passwd">]>' % entities
    before, mark, after = parts["word/document.xml"].partition(b"<w:document")
    parts["word/document.xml"] = before + declared + mark + after.replace(b"WORDS", b"&j;&file;")
    return _archive(parts)


def _archive(parts: dict[str, bytes]) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()


def _escaped(text: str) -> bytes:
    return text.encode("cp1252", "replace").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, table)
    return bytes(out)
