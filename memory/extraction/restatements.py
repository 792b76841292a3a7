"""Short values said anew within a turn: "on Tuesday, no wait, Wednesday", "forty, no, forty-five people"."""

import re

from memory.extraction.calendar_words import MONTHS, WEEKDAYS
from memory.extraction.quantities import IN_WORDS, ORDINAL

_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"
# What may stand for each other, told apart by form alone; the most telling form first.
_KINDS = (
    rf"\b(?:{'|'.join(WEEKDAYS)}|today|tonight|tomorrow)\b",
    r"\b\d{1,2}(?:[:.]\d\d)?\s?[ap]m\b|\b\d{1,2}:\d\d\b",
    rf"\b(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|(?:\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL})(?: of)? {_MONTH})\b",
    rf"{ORDINAL}(?! of\b)",
    rf"\b{_MONTH}\b",
    r"(?<![\w.:/-])\d[\d,]*(?:\.\d+)?k?(?![\w:/-]|\.\d)",
    rf"(?:{IN_WORDS})",
)
_CUE = (
    r"(?:\b(?:ah|oh|er+m?|u[hm]+)\b[\s,.:;!–—-]+)?"
    r"(?:\b(?:no|nope|sorry|oops|whoops|wait|scratch that|strike that|make (?:that|it)|correction|or rather|"
    r"rather|i (?:actually )?mean(?:t)?|sry|hang on|hold on|my mistake|i should say)\b[\s,.:;!–—-]+)+"
)
_LEAD = r"(?:(?:it's|its|it is|that's|at|on|by|the)\s+)*[£$€]?"
_UNIT = r"(?: (?:a|an|per|each) \w+| (?:euros?|pounds?|dollars?|quid|bucks))?"
_BEHIND = r"(?=\s*(?:$|[.,;!?)\n])|\s(?:a|per|in|at|on|with|for|from|to|and|lol)\b|\s(?:[a-z]+s|people|children)\b)"
_IN_TURN = tuple(
    re.compile(rf"(?P<old>{kind})(?P<unit>{_UNIT})[\s,.;:!–—-]+{_CUE}{_LEAD}(?P<new>{kind}){_BEHIND}", re.IGNORECASE)
    for kind in _KINDS
)


_NAME = r"(?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]*(?: (?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]*){0,3}"
# "I live in Leeds, wait, Hull", "born in Kraków, or rather in Skawina"; never "yes, sorry, Bob".
_NAMES_IN_TURN = re.compile(
    rf"(?<=\w )(?P<old>{_NAME})(?P<unit>)[\s,.;:!–—-]+{_CUE}(?:(?:it's|it is|that's|in|at|to|from|for|with|on)\s+)*"
    r"(?:an? (?:\w+ ){1,4}?(?:called|named)\s+)?"
    rf"(?P<new>{_NAME})(?=\s*(?:$|[.,;!?)\n]))",
    re.IGNORECASE,
)


def restated(text: str) -> list[tuple[int, int, str]]:
    """(start, end, what holds) of each value that `text` says and at once says anew."""
    said: list[tuple[int, int, str]] = []
    for pattern in (*_IN_TURN, _NAMES_IN_TURN):
        for found in pattern.finditer(text):
            apart = all(found.end() <= start or end <= found.start() for start, end, _ in said)
            if apart and found["old"].casefold() != found["new"].casefold():
                unit = "" if _begins_unit(text, found) else found["unit"]
                said.append((found.start(), found.end(), found["new"] + unit))
    return sorted(said)


def _begins_unit(text: str, found: re.Match[str]) -> bool:
    return re.match(r" (?:a|an|per)\b", text[found.end() :]) is not None
