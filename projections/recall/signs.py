"""What the form of a text says before its meaning: does it tell a time, ask something, name things? Pure."""

import re

import msgspec

_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week(?:end)?s?|months?|years?|days?|recently|since|soon|just"
    r"|mornings?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|seasons?|spring|summer|autumn|winter|\d{4})\b",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?<![.!?:]\s)(?<=\s)[^\W\d_a-zà-öø-ÿ][^\W\d_]+")
_SPEAKER = re.compile(r"([^\W\d_][\w.'’ -]{0,38}?): ")
PROPER_MAX = 3


class Signs(msgspec.Struct, frozen=True):
    """speaker: a name before the words, as in "Ana: hello"; empty if there is none. tells_time: holds a word
    of time. asks: holds a question mark; ends_asking: ends with one. proper: capitalised words inside
    sentences, at most PROPER_MAX. words: white-space separated."""

    speaker: str
    tells_time: bool
    asks: bool
    ends_asking: bool
    proper: int
    words: int


def signs(text: str) -> Signs:
    named = _SPEAKER.match(text)
    said = text[named.end() :] if named else text
    return Signs(
        speaker=named[1] if named else "",
        tells_time=_TIME.search(said) is not None,
        asks="?" in said or "？" in said,
        ends_asking=said.rstrip().endswith(("?", "？")),
        proper=min(sum(1 for _ in _PROPER.finditer(said)), PROPER_MAX),
        words=len(said.split()),
    )
