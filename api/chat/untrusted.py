"""Text that somebody else wrote, made fit to stand in a prompt as one line of data."""

import re
import unicodedata

from api.chat.markers import MARKERS

FRAME = "untrusted-data"
FRAME_BEGIN, FRAME_END = f"<{FRAME}>", f"</{FRAME}>"

# Nobody sees these, so they could hide what a frame or a line is: control characters, direction overrides,
# joiners of nothing, and the invisible copy of ASCII that tag characters are.
_CONTROLS = (code for code in range(0xA0) if unicodedata.category(chr(code)) == "Cc" and not chr(code).isspace())
_JOINERS = (0xAD, 0x200B, 0x2060, 0xFEFF)
_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_TAGS = range(0xE0000, 0xE0080)
_HIDDEN = dict.fromkeys((*_CONTROLS, *_JOINERS, *_DIRECTIONS, *_TAGS))
_FRAME_TAG = re.compile(r"[<＜﹤](?=[\s/]*untrusted)", re.IGNORECASE)


def one_line(text: str) -> str:
    """`text` as one line that can't end the frame it stands in, nor pass for one of our citation markers."""
    line = MARKERS.sub(" ", text.translate(_HIDDEN))
    return _FRAME_TAG.sub("‹", " ".join(line.split()))
