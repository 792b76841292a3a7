"""What the form of a text says before its meaning: does it tell a time, ask something, name things? Pure."""

import re

import msgspec

_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"\b\d{4}\b")
_TIME = frozenset(
    """
    yesterday today tonight tomorrow last next ago week weeks weekend weekends month months year years day days recently
    since soon just morning mornings monday tuesday wednesday thursday friday saturday sunday january february march
    april may june july august september october november december season seasons spring summer autumn winter
    """.split()
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
    asks = "?" in said or "？" in said
    return Signs(
        speaker=named[1] if named else "",
        tells_time=not _TIME.isdisjoint(_WORD.findall(said.lower())) or _YEAR.search(said) is not None,
        asks=asks,
        ends_asking=asks and said.rstrip().endswith(("?", "？")),
        proper=min(len(_PROPER.findall(said)), PROPER_MAX),
        words=len(said.split()),
    )
