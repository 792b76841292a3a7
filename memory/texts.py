"""What text may enter the log: cleaned or refused here, once, before anything is stored."""

import unicodedata

from memory.errors import UnreadableText

# Of what callers give; what extractors find is bounded in `memory.candidates`.
NAME_LENGTH_MAX = 200
KEY_LENGTH_MAX = 100
VALUE_LENGTH_MAX = 8_000


def readable(text: str, *, field: str) -> str:
    """`text` unchanged. Raises UnreadableText for NUL and for lone surrogates.

    Postgres can't store the former and UTF-8 can't encode the latter, so either would be lost or
    would block a replay later. All other characters, control and zero-width ones included, are
    somebody's words and are kept.
    """
    if "\0" in text:
        raise UnreadableText(f"{field}: the NUL character can't be stored")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnreadableText(f"{field}: a lone surrogate at character {error.start} can't be stored") from error
    return text


def name_like(text: str, *, field: str, length_max: int = NAME_LENGTH_MAX) -> str:
    """`text` as a name or key: white space collapsed. Raises UnreadableText if blank, too long or unprintable."""
    cleaned = " ".join(readable(text, field=field).split())
    if not cleaned:
        raise UnreadableText(f"{field}: must not be blank")
    if len(cleaned) > length_max:
        raise UnreadableText(f"{field}: at most {length_max} characters")
    if any(unicodedata.category(character) == "Cc" for character in cleaned):
        raise UnreadableText(f"{field}: control characters are not allowed")
    return cleaned
