"""A question as the search sees it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from memory.values import name_key
from projections.recall.embedding import literal
from projections.recall.words import tokens, words

NAME_WORDS_MAX = 4
NAMES_MAX = 200

_MONTHS = "january february march april may june july august september october november december".split()
# "may" and "march" are words as well, so they need a day, a year or a preposition beside them.
_MONTH = re.compile(
    r"\b(?:(?P<sure>january|february|april|june|july|august|september|october|november|december)"
    r"|(?:(?:in|of|on|since|until|by|early|late|mid|during|last|this|next)\s+|\d{1,2}(?:st|nd|rd|th)?\s+)"
    r"(?P<beside>march|may)\b|(?P<before>march|may)(?=\s+\d))",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DAY = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(?=january|february|march|april|may|june|july|august|september"
    r"|october|november|december)|(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\s+(\d{1,2})(?:st|nd|rd|th)?\b)",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:year|month|day|date|time|week|season)\b", re.IGNORECASE
)
_ASKS_WHO = re.compile(r"\b(?:where|who|whom|which|whose)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedDate:
    """Parts of dates that a question names. months: 1 to 12."""

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    day: int | None = None

    def __bool__(self) -> bool:
        return bool(self.months or self.years)


@dataclass(frozen=True)
class Question:
    """text: as asked. words: its distinct stems in order. tokens: its folded words, stop words too.

    vector: the embedding of the text under `model`, None while there is none: then words alone search.
    names: normalised names (`memory.values.name_key`) that may stand in the text, longest first. window:
    aware times, from <= when it was said < to, None is open, if the question names such a time. window_words:
    the stems of its name, which are met by what was said then as well. only_time: it asks for nothing else.
    """

    text: str
    words: Sequence[str] = ()
    tokens: frozenset[str] = frozenset()
    names: Sequence[str] = ()
    date: NamedDate = field(default_factory=NamedDate)
    asks_when: bool = False
    asks_who: bool = False
    vector: Sequence[float] | None = None
    model: str = ""
    window: tuple[datetime | None, datetime | None] | None = None
    window_words: frozenset[str] = frozenset()
    only_time: bool = False

    def is_within(self, said_at: datetime) -> bool:
        """Whether the window is of that time."""
        if self.window is None:
            return False
        start, end = self.window
        return (start is None or start <= said_at) and (end is None or said_at < end)

    @cached_property
    def vector_text(self) -> str:
        """The vector as Postgres reads it."""
        return literal(self.vector or ())


def parsed(text: str, *, vector: Sequence[float] | None = None, model: str = "") -> Question:
    """The question that `text` asks; everything that can be told from the words alone."""
    return Question(
        text=text,
        words=list(dict.fromkeys(words(text))),
        tokens=frozenset(tokens(text)),
        names=_names(text),
        date=_date(text),
        asks_when=_ASKS_WHEN.search(text) is not None,
        asks_who=_ASKS_WHO.search(text) is not None,
        vector=vector,
        model=model,
    )


def _names(text: str) -> list[str]:
    """Runs of one to NAME_WORDS_MAX words as normalised names, longest first, possessives taken off."""
    plain = re.sub(r"['’]s\b", "", text)
    parts = [part.strip(".,;:!?\"“”‘’'()[]") for part in plain.split()]
    runs = (
        name_key(" ".join(parts[begin : begin + length]))
        for length in range(NAME_WORDS_MAX, 0, -1)
        for begin in range(len(parts) - length + 1)
    )
    return list(dict.fromkeys(run for run in runs if run))[:NAMES_MAX]


def _date(text: str) -> NamedDate:
    months = frozenset(
        _MONTHS.index((found["sure"] or found["beside"] or found["before"]).lower()) + 1
        for found in _MONTH.finditer(text)
    )
    day = _DAY.search(text)
    return NamedDate(
        months=months,
        years=frozenset(int(found[0]) for found in _YEAR.finditer(text)),
        day=int(day[1] or day[2]) if day else None,
    )
