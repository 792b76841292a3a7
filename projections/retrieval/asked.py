"""What a question asks for besides its words: a time, the past, the present. Pure; English cues."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from projections.recall.words import words

_BEFORE = re.compile(r"\b(?:before|prior to)\s+(?P<what>[^?!.;,]+)", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:used to|use to|previous(?:ly)?|former(?:ly)?|originally|at first|initially|back then|in the past|earlier"
    r"|prior|history|(?:has|have) \S+ (?:\S+ )?changed|over time|over the years|(?<!how )old(?! (?:is|am|are)\b)"
    r"|(?:my|'s|’s) (?:first|last))\b",
    re.IGNORECASE,
)
# A state asked for in the past tense: "where did I live" asks for how it was, "when did she call" does not.
_PAST_STATE = re.compile(
    r"\bdid\b[^?!.;]*\b(?:live|reside|work|study|own|have|like|love|prefer|believe|weigh|earn|drive)\b", re.IGNORECASE
)
_PRESENT = re.compile(
    r"\b(?:now|nowadays|currently|current|latest|newest|most recent|today|at the moment|these days|still|any ?more)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|never|no longer|without|except|other than)\b|n['’]t\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")
_FUTURE = re.compile(r"\b(?:will|going to|next|upcoming|coming|plan(?:s|ned|ning)?|tomorrow)\b", re.IGNORECASE)
# Up to the time of asking, so no calendar week or month.
_LATELY = re.compile(
    r"\b(?:(?:in|over|during|within|for)\s+)?the\s+(?:last|past)\s+(?:(?P<many>\d{1,3}|[a-z]+)\s+(?:of\s+)?)?"
    r"(?P<unit>day|week|month|year)s?\b",
    re.IGNORECASE,
)
# "the week before 3 August", "two days after that"
_NEXT_TO = re.compile(
    r"\b(?:the\s+)?(?:(?P<many>\d{1,3}|[a-z]+)\s+)?(?P<unit>day|weekend|week|month|year)s?\s*$", re.IGNORECASE
)
_VAGUE = {"couple": 2, "few": 5, "several": 7}
_DAYS = {"day": 1, "weekend": 7, "week": 7, "month": 31, "year": 366}
_LEAD = re.compile(r"^(?:before|prior to|until|till|after|since|from)\b", re.IGNORECASE)


_CALENDAR = re.compile(
    r"\d{4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Window:
    """A time that the question names: start <= time < end, aware; None is open. phrase: as asked.

    bare: a month or weekday without its year or week, taken to be the nearest past one.
    """

    start: datetime | None
    end: datetime | None
    phrase: str
    precision: str
    bare: bool = False

    @property
    def relative(self) -> bool:
        """Whether the words of its phrase tell of the time of asking: "last week", not "in March 2024"."""
        return _CALENDAR.search(self.phrase) is None


@dataclass(frozen=True, slots=True)
class Asked:
    """past: asks for how it was, not how it is. before: what the asked came before, as words ("the move",
    "Berlin"); empty if nothing. idle: besides a time and "I" it names nothing. present: asks for the newest in so many
    words. numbers: as written.
    """

    text: str
    window: Window | None = None
    idle: bool = False
    past: bool = False
    before: str = ""
    present: bool = False
    negated: bool = False
    numbers: tuple[str, ...] = ()

    @property
    def only_time(self) -> bool:
        """Whether it asks for all that there was at the time of the window."""
        return self.idle and self.window is not None

    @property
    def only_recent(self) -> bool:
        """Whether all of a time is asked for that is told from the time of asking, so nothing of another time."""
        return self.only_time and self.window is not None and self.window.relative


def asked(text: str, *, now: datetime) -> Asked:
    """now: aware, when the question is asked; days begin in its offset."""
    window = _window(text, now)
    before = _BEFORE.search(text)
    led = window is not None and bool(before) and window.phrase.lower().startswith(("before", "prior"))
    what = before["what"].strip() if before and not led and _tells_of_the_past(text) else ""
    ended = window is not None and window.end is not None and window.end <= now
    return Asked(
        text=text,
        window=window,
        idle=_idle().issuperset(words(text.replace(window.phrase, " ") if window else text)),
        past=bool(what) or ended or _PAST.search(text) is not None or _PAST_STATE.search(text) is not None,
        before=what,
        present=_PRESENT.search(text) is not None,
        negated=_NEGATED.search(text) is not None,
        numbers=tuple(_NUMBER.findall(text)),
    )


def without_before(text: str) -> str:
    """The question without what it says of the time before something."""
    return _BEFORE.sub(" ", text)


def _tells_of_the_past(text: str) -> bool:
    """Whether "before" looks back; "what shall I pack before the trip" does not."""
    return re.search(r"\b(?:did|was|were|had|used|\w+ed)\b", text, re.IGNORECASE) is not None


@cache
def _idle() -> frozenset[str]:
    """What is done at any time, and what is asked of anybody."""
    return frozenset(
        words("happen say said tell told talk speak spoke discuss mention chat write wrote new news know remember")
    )


def _window(text: str, now: datetime) -> Window | None:
    try:
        return _named_window(text, now)
    except OverflowError:
        return None  # outside of the calendar: "the last 900 years", seen from the year 500


def _named_window(text: str, now: datetime) -> Window | None:
    # Here, as it is slow to import and few processes ask questions.
    from memory.extraction.stated_time import Bound, Tense, find_stated_times

    lately = _LATELY.search(text)
    if lately:
        unit, count = lately["unit"].lower(), _count(lately["many"])
        if count:
            return Window(now - count * timedelta(days=_DAYS[unit]), None, lately[0], unit)
    tense = Tense.FUTURE if _FUTURE.search(text) else Tense.PAST
    found = find_stated_times(text, said_at=now, tense=tense)
    if not found:
        return None
    first, last = found[0], found[-1]
    lead = _LEAD.match(first.phrase.strip())
    word = lead[0].lower() if lead else ""
    bare = first.precision in ("month", "day") and not re.search(
        r"\d{4}|last|past|previous|this|next|coming|ago|yesterday|today|tonight|tomorrow|night", first.phrase.lower()
    )
    start: datetime | None = first.start
    end: datetime | None = first.end
    phrase = first.phrase
    near = _NEXT_TO.search(text[: first.span_start]) if word in ("before", "prior to", "after") else None
    if near:
        length = (_count(near["many"]) or 1) * timedelta(days=_DAYS[near["unit"].lower()])
        start, end = (first.end, first.end + length) if word == "after" else (first.start - length, first.start)
        phrase = text[near.start() : first.span_end]
    elif word in ("before", "prior to", "until", "till"):
        start, end = None, first.start if word in ("before", "prior to") else first.end
    elif word == "after":
        start, end = first.end, None
    elif first.bound in (Bound.SINCE, Bound.LENGTH):
        end = None
        if last is not first and last.bound is Bound.UNTIL:
            end, phrase = last.end, text[first.span_start : last.span_end]
    elif len(found) == 2 and re.search(r"\bbetween\b", text, re.IGNORECASE):
        start, end = min(first.start, last.start), max(first.end, last.end)
        phrase = text[first.span_start : last.span_end]
    return Window(start, end, phrase.strip(), first.precision, bare)


def _count(many: str | None) -> int | None:
    """How many the word says; None if it is no number. No word: one."""
    from memory.extraction.calendar_words import NUMBERS

    word = (many or "1").lower()
    return int(word) if word.isdigit() else _VAGUE.get(word, NUMBERS.get(word))
