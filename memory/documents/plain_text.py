"""Bytes as text, and text as it may be stored."""

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Of no text: control characters other than white space, form feed, backspace and escape.
_CONTROL = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_CONTROL_SHARE_MAX = 0.001
_UNSTORABLE = re.compile("[\x00\ud800-\udfff\ufffe\uffff]")


class Undecodable(Exception):
    """These bytes are no text"""


def decoded(data: bytes) -> str:
    """The text of a text file: by its byte-order mark, else UTF-8, else Windows-1252.

    Raises Undecodable for what holds NUL or too many other control characters.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _checked(data, encoding)
    if b"\0" in data:
        raise Undecodable
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _checked(data, "cp1252")
    return _sane(text)


def storable(text: str) -> str:
    """`text` without what Postgres or UTF-8 can't hold, and with plain line ends."""
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _checked(data: bytes, encoding: str) -> str:
    try:
        return _sane(data.decode(encoding))
    except (UnicodeDecodeError, ValueError) as error:
        raise Undecodable from error


def _sane(text: str) -> str:
    if "\0" in text or _UNSTORABLE.search(text):
        raise Undecodable
    if len(_CONTROL.findall(text)) > _CONTROL_SHARE_MAX * len(text):
        raise Undecodable
    return text
