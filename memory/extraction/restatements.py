"""Short values said anew: "on Tuesday, no wait, Wednesday"; "the rent is 950", and a turn later "no wait 1050"."""

import re

from memory.extraction.calendar_words import MONTHS, WEEKDAYS

_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"
# What may stand for each other, told apart by form alone; the most telling form first.
_KINDS = (
    rf"\b(?:{'|'.join(WEEKDAYS)}|today|tonight|tomorrow)\b",
    r"\b\d{1,2}(?:[:.]\d\d)?\s?[ap]m\b|\b\d{1,2}:\d\d\b",
    rf"\b(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH})\b",
    r"(?<![\w.:/-])\d[\d,]*(?:\.\d+)?k?(?![\w:/-]|\.\d)",
)
_CUE = (
    r"(?:\b(?:ah|oh)\b[\s,.:;!–—-]+)?"
    r"(?:\b(?:no|nope|sorry|oops|whoops|wait|scratch that|strike that|make (?:that|it)|correction|or rather|"
    r"rather|i (?:actually )?mean(?:t)?)\b[\s,.:;!–—-]+)+"
)
_LEAD = r"(?:(?:it's|its|it is|that's|at|on|by|the)\s+)*[£$€]?"
_UNIT = r"(?: (?:a|an|per|each) \w+| (?:euros?|pounds?|dollars?|quid|bucks))?"
_BEHIND = r"(?=\s*(?:$|[.,;!?)\n])|\s(?:a|per|in|at|on|with|for|from|to|and|lol)\b)"
_IN_TURN = tuple(
    re.compile(rf"(?P<old>{kind})(?P<unit>{_UNIT})[\s,.;:!–—-]+{_CUE}{_LEAD}(?P<new>{kind}){_BEHIND}", re.IGNORECASE)
    for kind in _KINDS
)
_ALONE = tuple(
    (re.compile(rf"\W*{_CUE}{_LEAD}(?P<new>{kind})\W*", re.IGNORECASE), re.compile(kind, re.IGNORECASE))
    for kind in _KINDS
)
_DAY_ALONE = re.compile(rf"\W*{_CUE}{_LEAD}(?P<new>\d{{1,2}}(?:st|nd|rd|th))\W*", re.IGNORECASE)
_DAY_IN_DATE = re.compile(
    "|".join(
        (
            rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?=(?: of)? {_MONTH}\b)",
            *(rf"(?<=\b{month} )\d{{1,2}}(?:st|nd|rd|th)?\b" for month in MONTHS),
        )
    ),
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    rf"\W*(?:{_CUE})?not (?:at |in |on )?(?P<old>[^,;.!?]{{1,40}}?),? (?:but |i meant? |it's |its )+"
    r"(?P<new>[\w' -]{1,40}?)\W*",
    re.IGNORECASE,
)


def restated(text: str) -> list[tuple[int, int, str]]:
    """(start, end, what holds) of each value that `text` says and at once says anew."""
    return [
        (found.start(), found.end(), found["new"] + ("" if _begins_unit(text, found) else found["unit"]))
        for pattern in _IN_TURN
        for found in pattern.finditer(text)
        if found["old"].casefold() != found["new"].casefold()
    ]


def spliced(text: str, before: str) -> str | None:
    """`before` with the value that `text` brings in place of the one of its kind; None: it brings none."""
    named = _NOT_BUT.fullmatch(text)
    if named is not None:
        return _with(before, named["new"], re.compile(rf"\b{re.escape(named['old'])}\b", re.IGNORECASE))
    day = _DAY_ALONE.fullmatch(text)
    if day is not None:
        return _with(before, day["new"], _DAY_IN_DATE)
    for alone, kind in _ALONE:
        found = alone.fullmatch(text)
        if found is not None:
            return _with(before, found["new"], kind)
    return None


def _with(before: str, new: str, old: re.Pattern[str]) -> str | None:
    """Only where it is plain which value is meant."""
    places = list(old.finditer(before))
    if len(places) != 1 or places[0].group().casefold() == new.casefold():
        return None
    return before[: places[0].start()] + new + before[places[0].end() :]


def _begins_unit(text: str, found: re.Match[str]) -> bool:
    return re.match(r" (?:a|an|per)\b", text[found.end() :]) is not None
