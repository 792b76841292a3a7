"""Pictures of text, read by tesseract where the machine has it."""

import shutil
import subprocess
from collections.abc import Callable
from typing import Any

from memory.documents.blocks import Unreadable
from memory.documents.plain_text import storable
from memory.documents.reading_process import end_with_parent

PAGES_MAX = 50
SCALE = 150 / 72  # 150 dots an inch
PAGE_TIMEOUT_S = 30

_MISSING = "no text recognition is installed (tesseract)"


def of_pages(document: Any, progress: Callable[[int, int], None]) -> list[str]:
    """The text of each page of a scanned PDF. Raises Unreadable without tesseract, or for too many pages."""
    tesseract = shutil.which("tesseract")
    if tesseract is None:
        raise Unreadable(f"the PDF holds no text, only pictures of it, and {_MISSING}")
    if len(document) > PAGES_MAX:
        raise Unreadable(f"the PDF is scanned and has {len(document)} pages; text of at most {PAGES_MAX} is recognised")
    texts = []
    for number in range(len(document)):
        bitmap = document[number].render(scale=SCALE, grayscale=True)
        texts.append(_recognised(tesseract, _graymap(bitmap)))
        progress(number + 1, len(document))
    if not any(text.strip() for text in texts):
        raise Unreadable("no text is recognised on the pages of this PDF")
    return texts


def of_picture(data: bytes) -> str:
    """The text on a picture. Raises Unreadable without tesseract or without text."""
    tesseract = shutil.which("tesseract")
    if tesseract is None:
        raise Unreadable(f"this is a picture, and {_MISSING}")
    text = _recognised(tesseract, data)
    if not text.strip():
        raise Unreadable("no text is recognised on this picture")
    return text


def _graymap(bitmap: Any) -> bytes:
    """A bitmap as PGM, which needs no library."""
    rows = bytes(bitmap.buffer)
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    lines = [rows[start : start + width] for start in range(0, height * stride, stride)]
    return b"P5 %d %d 255\n" % (width, height) + b"".join(lines)


def _recognised(tesseract: str, picture: bytes) -> str:
    try:
        done = subprocess.run(
            [tesseract, "stdin", "stdout"],
            input=picture,
            capture_output=True,
            timeout=PAGE_TIMEOUT_S,
            check=True,
            preexec_fn=end_with_parent,
        )
    except subprocess.TimeoutExpired as error:
        raise Unreadable(f"recognising text took longer than {PAGE_TIMEOUT_S} s a page") from error
    except (subprocess.CalledProcessError, OSError) as error:
        raise Unreadable("the picture can't be read by tesseract") from error
    return storable(done.stdout.decode("utf-8", "replace")).strip()
