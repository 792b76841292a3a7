"""Days, weeks, months, seasons and years around a moment, on the local calendar.

All moments here are naive: which offset they are in is the caller's matter. Weeks begin on Monday.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

# First month of each season, by the meteorological calendar of the northern hemisphere.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Interval:
    """Naive borders, end exclusive; an instant has both alike."""

    start: datetime
    end: datetime
    precision: str


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day_of(moment: datetime, *, length_days: int = 1) -> Interval:
    start = midnight(moment)
    return Interval(start, start + timedelta(days=length_days), "day")


def week_of(moment: datetime) -> Interval:
    start = midnight(moment) - timedelta(days=moment.weekday())
    return Interval(start, start + timedelta(days=7), "week")


def months_of(year: int, month: int, *, length: int = 1, precision: str = "month") -> Interval:
    """`month` counts from 1 and may lie outside of the year: 0 is December before it."""
    first, after = year * 12 + month - 1, year * 12 + month - 1 + length
    return Interval(_first_of(first), _first_of(after), precision)


def _first_of(month_count: int) -> datetime:
    return datetime.combine(date(month_count // 12, month_count % 12 + 1, 1), time.min)


def year_of(year: int) -> Interval:
    return months_of(year, 1, length=12, precision="year")


def season_of(year: int, season: str) -> Interval:
    return months_of(year, SEASONS[season], length=3, precision="season")


def period(unit: str, local: datetime, shift: int) -> Interval | None:
    """The day, week, month or year that lies `shift` units from now."""
    match unit:
        case "day":
            return day_of(local + timedelta(days=shift))
        case "week":
            return week_of(local + timedelta(weeks=shift))
        case "month":
            return months_of(local.year, local.month + shift)
        case "year":
            return year_of(local.year + shift)
        case "decade":
            return year_of(local.year + 10 * shift)
        case "hour" | "minute":
            moment = local + timedelta(**{f"{unit}s": shift})
            return Interval(moment, moment, "instant")
    return None


def weekday_near(local: datetime, weekday: int, shift: int) -> datetime:
    """Last: strictly before today. Next: strictly after. This: in the running week."""
    ahead = weekday - local.weekday()
    if shift < 0 and ahead >= 0:
        ahead -= 7
    if shift > 0 and ahead <= 0:
        ahead += 7
    return local + timedelta(days=ahead)


def nearest(of_year: Callable[[int], Interval], local: datetime, shift: int) -> Interval:
    """Of the yearly returning intervals: the last that is over, this year's, or the next to begin."""
    if shift == 0:
        return of_year(local.year)
    if shift < 0:
        this = of_year(local.year)
        return this if this.end <= local else _last_over(of_year, local)
    this = of_year(local.year)
    return this if this.start > local else of_year(local.year + 1)


def _last_over(of_year: Callable[[int], Interval], local: datetime) -> Interval:
    last = of_year(local.year - 1)
    return last if last.end <= local else of_year(local.year - 2)
