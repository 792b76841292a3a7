"""Times in other languages than English, as intervals: "letzten Monat", "en mars 2024", "先月".

The words are a model's, cut from the turn, so dateparser may look at all of them; what it can't tell stays untold.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from memory.extraction.calendar_intervals import Interval, day_of, months_of, week_of, year_of
from memory.extraction.stated_time import StatedTime, Tense, resolve_stated_time

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

PHRASE_LENGTH_MAX = 60
# English is not among them: its own rules have read the words before, and would write days behind months.
LANGUAGES = tuple("de fr es it pt nl sv da nb fi pl cs ru uk tr hu ro el bg ar he fa hi ja ko zh id vi th".split())
# What only says that something began or ended then.
_LEAD = re.compile(
    r"^(?:seit|ab|bis|vom|am|im|depuis|dès|jusqu'(?:en|au|à)|à partir de|desde|a partir de|hasta|até|dal|dalla|"
    r"da|fino a|sinds|"
    r"vanaf|tot|sedan|siden|od|do|с|со|от|до|з|від)\s+",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d{2}(?:年|년|r\.|г\.?|года?)?")
_SEASONS = {
    "spring": "frühling frühjahr printemps primavera lente wiosna wiosną весна весной våren vår",
    "summer": "sommer sommers été verano verão estate zomer lato latem лето летом sommaren",
    "autumn": "herbst automne otoño outono autunno herfst jesień jesienią осень осенью hösten",
    "winter": "winter hiver invierno inverno zima zimą зима зимой vintern",
}
_SEASON_OF = {word: season for season, words in _SEASONS.items() for word in words.split()}
_LAST = frozenset(
    "letzten letzter letztes vergangenen vorigen dernier dernière pasado pasada passado passada scorso scorsa vorige "
    "afgelopen zeszłego zeszłej ubiegłego прошлым прошлой прошлого förra".split()
)
_WORD = re.compile(r"[^\W\d_]+")


def resolve_worded_time(phrase: str, *, said_at: datetime, tense: Tense = Tense.PAST) -> StatedTime | None:
    """The one time that `phrase` names in one of LANGUAGES, or None. said_at: aware; days begin in its offset."""
    words = _LEAD.sub("", " ".join(phrase.split()))
    if not words or len(words) > PHRASE_LENGTH_MAX:
        return None
    english = _in_english(words)
    if english:
        return resolve_stated_time(english, said_at=said_at, tense=tense)
    if not _WORD.search(words) and "." not in words:
        return None  # "03/04/2025": whose order?
    zone = timezone(said_at.utcoffset() or timedelta())
    try:
        found = _parser(said_at.astimezone(zone).replace(tzinfo=None), tense).get_date_data(words)
        if found.date_obj is None:
            return None
        interval = _interval(found.date_obj, found.period)
        start = interval.start.replace(tzinfo=zone).astimezone(UTC)
        end = interval.end.replace(tzinfo=zone).astimezone(UTC)
    except (OverflowError, ValueError):
        return None  # outside of the calendar
    return StatedTime(start, end, interval.precision, phrase, 0, len(phrase))


def _in_english(words: str) -> str:
    """A bare year, and a season with its year or the last one: what dateparser does not know."""
    year = _YEAR.search(words)
    if year and year.group() == words:
        return f"in {words[:4]}"
    lowered = [word.lower() for word in _WORD.findall(words)]
    season = next((_SEASON_OF[word] for word in lowered if word in _SEASON_OF), "")
    if season and year:
        return f"in {season} {year.group()[:4]}"
    return f"last {season}" if season and _LAST & set(lowered) else ""


def _interval(moment: datetime, period: str) -> Interval:
    match period:
        case "year":
            return year_of(moment.year)
        case "month":
            return months_of(moment.year, moment.month)
        case "week":
            return week_of(moment)
        case "time":
            return Interval(moment, moment, "instant")
        case _:
            return day_of(moment)


def _parser(local: datetime, tense: Tense) -> "DateDataParser":
    """A parser knows the moment that it counts from; the languages that it has read stay in the library."""
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=list(LANGUAGES),
        settings={
            "RELATIVE_BASE": local,
            "PREFER_DATES_FROM": "future" if tense is Tense.FUTURE else "past",
            "PREFER_DAY_OF_MONTH": "first",
            "RETURN_TIME_AS_PERIOD": True,
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
