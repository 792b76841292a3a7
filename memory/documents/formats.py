"""What an uploaded file is: by its content first, by its name where content can't tell."""

import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from memory.documents.plain_text import Undecodable, decoded

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML = "text/html"
MARKDOWN = "text/markdown"
CSV = "text/csv"
JSON = "application/json"
PLAIN = "text/plain"

# Text by the name's ending. What is not listed is plain text.
TEXT_ENDINGS = {
    ".md": MARKDOWN, ".markdown": MARKDOWN, ".mdx": MARKDOWN,
    ".htm": HTML, ".html": HTML, ".xhtml": HTML,
    ".csv": CSV, ".tsv": "text/tab-separated-values",
    ".json": JSON, ".jsonl": "application/jsonl", ".ndjson": "application/jsonl",
    ".py": "text/x-python", ".pyi": "text/x-python", ".js": "text/javascript", ".mjs": "text/javascript",
    ".jsx": "text/javascript", ".ts": "text/x-typescript", ".tsx": "text/x-typescript", ".java": "text/x-java",
    ".kt": "text/x-kotlin", ".scala": "text/x-scala", ".c": "text/x-c", ".h": "text/x-c", ".cpp": "text/x-c++",
    ".cc": "text/x-c++", ".hpp": "text/x-c++", ".cs": "text/x-csharp", ".go": "text/x-go", ".rs": "text/x-rust",
    ".rb": "text/x-ruby", ".php": "text/x-php", ".swift": "text/x-swift", ".sh": "text/x-shellscript",
    ".bash": "text/x-shellscript", ".sql": "text/x-sql", ".lua": "text/x-lua", ".r": "text/x-r",
    ".css": "text/css", ".xml": "text/xml", ".yaml": "text/yaml", ".yml": "text/yaml", ".toml": "text/x-toml",
    ".ini": PLAIN, ".cfg": PLAIN, ".log": PLAIN, ".rst": "text/x-rst", ".tex": "text/x-tex",
}  # fmt: skip
CODE_TYPES = frozenset(
    kind for kind in TEXT_ENDINGS.values() if kind.startswith("text/x-") and kind not in ("text/x-rst", "text/x-tex")
) | {"text/javascript"}
TEXT_TYPES = frozenset(TEXT_ENDINGS.values()) | {PLAIN, "application/xml", "application/x-yaml"}

# Kept, and shown as failed: what holds no text that can be read here.
MEDIA = ("image/", "audio/", "video/")

_SIGNATURES = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_PDF_HEADER_WITHIN = 1_024  # bytes: readers find the header that far into a file


def recognised(data: bytes, filename: str, claimed: str | None) -> str | None:
    """The media type of a file, None for one that no document is made of.

    filename, claimed: what the uploader calls it; they choose among kinds of text, and never make a
    document of something else.
    """
    kind = _by_signature(data)
    if kind is not None:
        return kind
    if data[:4] == b"PK\x03\x04":
        return DOCX if _is_docx(data) else None
    try:
        text = decoded(data)
    except Undecodable:
        return _by_magic(data)
    by_name = TEXT_ENDINGS.get(PurePosixPath(filename.lower()).suffix)
    stated = (claimed or "").partition(";")[0].strip().lower()
    if stated in TEXT_TYPES and stated != PLAIN:
        return stated
    if by_name is not None:
        return by_name
    start = text.lstrip("\ufeff \t\r\n")[:256].lower()
    return HTML if start.startswith(("<!doctype html", "<html")) else PLAIN


def is_media(kind: str) -> bool:
    return kind.startswith(MEDIA)


def _by_signature(data: bytes) -> str | None:
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            return kind
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12])
    if data[4:8] == b"ftyp":
        brand = data[8:12]
        return "image/heic" if brand in (b"heic", b"mif1") else "audio/mp4" if brand == b"M4A " else "video/mp4"
    return PDF if b"%PDF-" in data[:_PDF_HEADER_WITHIN] and b"\0" not in data[: data.find(b"%PDF-")] else None


def _is_docx(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return "word/document.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        # A cut or damaged archive that names a DOCX part is one that will fail with a reason.
        return b"word/document.xml" in data


def _by_magic(data: bytes) -> str | None:
    """Rarer pictures, sounds and films, which are kept although nothing is read from them."""
    import puremagic

    try:
        found = puremagic.magic_string(data[:65_536])
    except (puremagic.PureError, ValueError):
        return None
    kind = found[0].mime_type if found and found[0].confidence >= 0.5 else ""
    return kind if is_media(kind) else None
