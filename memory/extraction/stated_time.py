"""Times that a turn states in words, as intervals.

Spans are cut by the expressions below, never by a library's free-text search, which takes "may",
"sat" or "now" for dates. Nothing here reads a clock: everything is relative to the turn's time.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from enum import StrEnum
from itertools import pairwise

import dateparser

from memory.extraction.calendar_intervals import (
    SEASONS,
    Interval,
    day_of,
    midnight,
    months_of,
    nearest,
    period,
    season_of,
    weekday_near,
    year_of,
)
from memory.extraction.calendar_words import MONTH_WORDS, MONTHS, NUMBERS, WEEKDAYS

AMOUNT_MAX = 10_000


class Tense(StrEnum):
    """Which way a bare "in March" or "on Friday" points."""

    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"


class Bound(StrEnum):
    """What a stated time says of the statement: it held or happened at, from or until then."""

    AT = "at"
    SINCE = "since"
    LENGTH = "length"  # "for three years": since then if it goes on, else no certain time
    UNTIL = "until"


@dataclass(frozen=True, slots=True)
class StatedTime:
    """An interval that the words name.

    start, end: aware UTC, end exclusive; borders lie at midnight in the turn's own offset, unless
        precision is "instant".
    precision: instant, day, week, month, season or year.
    phrase: the words, as said; span_start, span_end: their offsets in the text, end exclusive.
    """

    start: datetime
    end: datetime
    precision: str
    phrase: str
    span_start: int
    span_end: int
    bound: Bound = Bound.AT


_MONTH = rf"(?:{MONTH_WORDS})\.?(?![a-z])"
_WEEKDAY = "(?:" + "|".join(WEEKDAYS) + ")"
_SEASON = "(?:" + "|".join(SEASONS) + ")"
_NUMBER = r"(?:\d{1,9}|" + "|".join(sorted(map(re.escape, NUMBERS), key=len, reverse=True)) + ")"
_UNIT = "(?:minute|hour|day|week|month|year|decade)s?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d{2}"
_CLOCK = r"(?:,?\s+at\s+\d{1,2}(?:[:.]\d{2})?(?:\s*[ap]\.?m\b)?)?"


def find_stated_times(text: str, *, said_at: datetime, tense: Tense = Tense.PAST) -> list[StatedTime]:
    """Times named in `text`, in the order of the words, not overlapping.

    said_at: aware; its offset is the zone in which days begin. Expressions that name no certain
    time, or one outside the calendar, are left out; no text raises.
    """
    zone = timezone(said_at.utcoffset() or timedelta())
    local = said_at.astimezone(zone).replace(tzinfo=None)
    found: list[StatedTime] = []
    taken: list[tuple[int, int]] = []
    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            stated = _stated(match, resolve, local, zone, tense)
            if stated is not None:
                found.append(stated)
    return _ranges_joined(sorted(found, key=lambda stated: stated.span_start), zone)


def resolve_stated_time(phrase: str, *, said_at: datetime, tense: Tense = Tense.PAST) -> StatedTime | None:
    """The one time that `phrase` names, or None."""
    found = find_stated_times(phrase, said_at=said_at, tense=tense)
    return found[0] if len(found) == 1 else None


def _ranges_joined(found: list[StatedTime], zone: timezone) -> list[StatedTime]:
    """ "From January to March 2024": the first month takes its year from the second."""
    joined = list(found)
    for position, (first, second) in enumerate(pairwise(found)):
        if first.bound is Bound.SINCE and second.bound is Bound.UNTIL and first.precision == "month":
            start, border = first.start.astimezone(zone), second.start.astimezone(zone)
            if start > border:
                interval = months_of(border.year - (1 if start.month > border.month else 0), start.month)
                joined[position] = replace(
                    first,
                    start=interval.start.replace(tzinfo=zone).astimezone(UTC),
                    end=interval.end.replace(tzinfo=zone).astimezone(UTC),
                )
    return joined


@dataclass(frozen=True, slots=True)
class _Said:
    """An expression found, with what resolves it: the turn's local time, naive, and the verb's tense."""

    match: re.Match[str]
    local: datetime
    tense: Tense


_Resolver = Callable[[_Said], Interval | None]


def _stated(
    match: re.Match[str], resolve: _Resolver, local: datetime, zone: timezone, tense: Tense
) -> StatedTime | None:
    try:
        since = _bound_of(match) in (Bound.SINCE, Bound.LENGTH)
        interval = resolve(_Said(match, local, Tense.PAST if since else tense))
        if interval is None:
            return None
        start = interval.start.replace(tzinfo=zone).astimezone(UTC)
        end = interval.end.replace(tzinfo=zone).astimezone(UTC)
    except (OverflowError, ValueError):
        return None  # outside the calendar ("100000 years ago") or no such day ("30 February")
    stated = StatedTime(start, end, interval.precision, match.group(), match.start(), match.end())
    return replace(stated, bound=_bound_of(match))


def _bound_of(match: re.Match[str]) -> Bound:
    lead = (match.groupdict().get("lead") or "").lower()
    if lead == "for":
        return Bound.LENGTH
    if lead.startswith(("since", "from", "as of")):
        return Bound.SINCE
    if lead.startswith(("until", "till", "to", "through")):
        return Bound.UNTIL
    return Bound.AT


# Resolvers, one for each kind of expression


def _amount(words: str) -> int:
    words = " ".join(words.lower().split())
    return NUMBERS[words] if words in NUMBERS else int(words)


def _iso(said: _Said) -> Interval | None:
    if said.match["clock"]:
        moment = datetime.fromisoformat(said.match["stamp"])
        if moment.tzinfo is not None:
            return None  # a stamp of its own zone: a log line rather than something said
        return Interval(moment, moment, "instant")
    return day_of(datetime.combine(date.fromisoformat(said.match["stamp"][:10]), datetime.min.time()))


def _near_day(said: _Said) -> Interval | None:
    words = " ".join(said.match["near"].lower().split())
    shifts = {"the day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1}
    shift = shifts.get(words, 2 if words == "the day after tomorrow" else 0)
    return day_of(said.local + timedelta(days=shift))


def _relative(said: _Said) -> Interval | None:
    which, what = said.match["which"].lower(), said.match["what"].lower().rstrip(".")
    shift = {"this": 0, "next": 1, "coming": 1}.get(which, -1)
    if what == "weekend":
        saturday = said.local + timedelta(days=5 - said.local.weekday(), weeks=shift)
        return day_of(saturday, length_days=2)
    if what in WEEKDAYS:
        return day_of(weekday_near(said.local, WEEKDAYS[what], shift))
    if what in MONTHS:
        return nearest(lambda year: months_of(year, MONTHS[what]), said.local, shift)
    if what in SEASONS:
        return nearest(lambda year: season_of(year, what), said.local, shift)
    return period(what, said.local, shift)


def _ago(said: _Said) -> Interval | None:
    amount = _amount(said.match["amount"])
    return period(said.match["unit"].lower().rstrip("s"), said.local, -amount) if amount <= AMOUNT_MAX else None


def _ahead(said: _Said) -> Interval | None:
    amount = _amount(said.match["amount"])
    if amount > AMOUNT_MAX or (said.match["lead"] and said.tense is Tense.PAST):
        return None  # "I did it in three weeks" tells how long, not when
    return period(said.match["unit"].lower().rstrip("s"), said.local, amount)


def _month(said: _Said) -> Interval | None:
    month = MONTHS[said.match["month"].lower().rstrip(".")]
    if said.match["year"]:
        return months_of(int(said.match["year"]), month)
    passed = month <= said.local.month
    if said.tense is Tense.FUTURE:
        return months_of(said.local.year + (1 if month < said.local.month else 0), month)
    return months_of(said.local.year - (0 if passed else 1), month)


def _plain_year(said: _Said) -> Interval | None:
    return year_of(int(said.match["year"]))


def _season_of(said: _Said) -> Interval | None:
    return season_of(int(said.match["year"]), said.match["season"].lower())


def _day_of_month(said: _Said) -> Interval | None:
    """The nearest such day in the direction of the said.tense; months without it are passed over."""
    number = int(re.sub(r"\D", "", said.match["day"]))
    step = 1 if said.tense is Tense.FUTURE else -1
    for shift in range(0, 4 * step, step):
        month = months_of(said.local.year, said.local.month + shift)
        if number < 1 or month.start + timedelta(days=number - 1) >= month.end:
            continue
        day = month.start + timedelta(days=number - 1)
        if (step < 0 and day <= said.local) or (step > 0 and day >= midnight(said.local)):
            return day_of(day)
    return None


def _bare_weekday(said: _Said) -> Interval | None:
    return day_of(
        weekday_near(said.local, WEEKDAYS[said.match["weekday"].lower()], -1 if said.tense is Tense.PAST else 1)
    )


def _calendar_date(said: _Said) -> Interval | None:
    """A day with its month: read by dateparser, which never sees more than this span."""
    words = said.match["date"]
    moment = dateparser.parse(
        re.sub(r"\bof\b", " ", words, flags=re.IGNORECASE),
        languages=["en"],
        settings={
            "RELATIVE_BASE": said.local,
            "PREFER_DATES_FROM": "future" if said.tense is Tense.FUTURE else "past",
            "DATE_ORDER": "DMY",
            "PARSERS": ["absolute-time"],
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
    if moment is None:
        return None
    if re.search(r"\bat\s+\d", words, re.IGNORECASE):
        return Interval(moment, moment, "instant")
    return day_of(moment)


def _rules() -> Iterator[tuple[re.Pattern[str], _Resolver]]:
    """Longer and surer expressions first: a span once taken is not read again."""
    lead = r"(?:(?P<lead>since|until|till|from|to|through|as of|by|on|in|at|during|around|before|after)\s+)?"
    led = r"(?P<lead>in|at|since|until|till|by|during|from|to|around|before|after|back in)\s+"
    part = r"(?:(?:early|earlier|late|later|mid|middle of|beginning of|start of|end of)[\s-]+)?"
    period_lead = rf"{lead}(?:the\s+)?{part}(?:the\s+)?"
    roughly = r"(?:(?:about|around|over|almost|nearly)\s+)?"
    many = rf"(?P<amount>{_NUMBER})\s+(?P<unit>{_UNIT})"
    clock = r"(?P<clock>[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?"
    near = "the day before yesterday|yesterday|last night|today|tonight|this morning|this afternoon|this evening"
    what = f"week|month|year|weekend|{_SEASON}|{_WEEKDAY}|{_MONTH}"
    month_first = rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?{_CLOCK}"
    day_first = rf"{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?{_CLOCK}"
    ordinal = r"(?P<day>\d{1,2}(?:st|nd|rd|th))(?!\s+of|\s+[a-z]+(?:day|iversary))"
    table: list[tuple[str, _Resolver]] = [
        (rf"{lead}(?P<stamp>\d{{4}}-\d{{2}}-\d{{2}}{clock})(?![\d-])", _iso),
        (rf"{lead}(?P<near>{near}|the day after tomorrow|tomorrow)", _near_day),
        (rf"{lead}(?:the\s+)?(?P<date>{month_first})(?![\d%:])", _calendar_date),
        (rf"{lead}(?:the\s+)?(?P<date>{day_first})", _calendar_date),
        (rf"{period_lead}(?P<which>last|past|previous|this|next|coming)\s+(?P<what>{what})", _relative),
        (rf"(?:(?P<lead>since)\s+)?{roughly}{many}\s+ago", _ago),
        (rf"(?P<lead>for)\s+{roughly}(?:the\s+(?:last|past)\s+)?{many}(?!\s+(?:ago|from))", _ago),
        (rf"(?P<lead>in)\s+{many}(?:'\s+time)?", _ahead),
        (rf"(?P<lead>){many}\s+from\s+(?:now|today)", _ahead),
        (rf"{period_lead}(?P<season>{_SEASON})\s+(?:of\s+)?(?P<year>{_YEAR})", _season_of),
        (rf"{period_lead}(?P<month>{_MONTH}),?\s+(?:of\s+)?(?P<year>{_YEAR})", _month),
        (rf"{led}{part}(?P<month>{_MONTH})(?P<year>)(?!\s+\d)", _month),
        (rf"{led}(?:the\s+year\s+)?{part}(?P<year>{_YEAR})(?![\d%]|[.,]\d|-\d)", _plain_year),
        (rf"(?P<lead>on|since|until|till|by|from)\s+the\s+{ordinal}", _day_of_month),
        (rf"(?P<lead>on|since|until|till|by|from)\s+(?P<weekday>{_WEEKDAY})", _bare_weekday),
    ]
    for expression, resolve in table:
        yield re.compile(rf"(?<![\w-])(?:{expression})(?!\w)", re.IGNORECASE), resolve


_RULES = tuple(_rules())
