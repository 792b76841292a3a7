"""The reply without a language model: the best of what memory holds, in its own words and with its markers."""

import re
from collections.abc import Mapping

from api.chat.markers import marker
from api.chat.sources import Reason, Source, snippet

MODEL = "local/extractive"
NO_MEMORY = "I have no memory of that."
FACTS_MAX, PASSAGES_MAX = 6, 2
LEAST_SHARE = 0.5  # of the best score; what is further behind is about something else

_ASKS = re.compile(
    r"[?？؟;]\s*$"
    r"|^\s*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|am|do|does|did|has|have|had|can|could|will"
    r"|would|should|tell|remind|list|show|describe|summari[sz]e|give|name|find|recall)\b",
    re.IGNORECASE,
)


_ABOUT_ME = re.compile(
    r"\b(?:(?:know|remember|learn(?:ed|t)?|told you|heard?) about (?:me|us)|who (?:am i|i am)|about (?:me|myself)\W*$"
    r"|describe me|my profile)\b",
    re.IGNORECASE,
)


def extractive_reply(message: str, sources: Mapping[int, Source]) -> str:
    """What memory holds on `message`. sources: by marker number, best first."""
    hits = {number: source for number, source in sources.items() if source.reason is Reason.HIT}
    # Under what replaced it a former value only explains; where the past is asked for, it stands above.
    place = {source.row_id: number for number, source in hits.items()}
    hits = {
        number: source
        for number, source in hits.items()
        if source.superseded_by is None or place.get(source.superseded_by, number) >= number
    }
    best = max((source.score for source in hits.values()), default=0.0)
    near = {number: source for number, source in hits.items() if source.score >= LEAST_SHARE * best}
    if _ABOUT_ME.search(message):
        profile = {number: source for number, source in sources.items() if source.reason is Reason.PROFILE}
        near = {
            **profile,
            **{number: source for number, source in near.items() if not source.is_passage or not profile},
        }
    facts = [_fact(number, source) for number, source in near.items() if not source.is_passage]
    passages = [_passage(number, source) for number, source in near.items() if source.is_passage]
    found = "\n".join(facts[:FACTS_MAX] + passages[: PASSAGES_MAX if facts else PASSAGES_MAX + 1])
    if _ASKS.search(message):
        return f"From memory:\n{found}" if found else NO_MEMORY
    return f"Noted. On this I remember:\n{found}" if found else "Noted."


def _fact(number: int, source: Source) -> str:
    return f"- {snippet(source.text)}{f' ({source.note})' if source.note else ''} {marker(number)}"


def _passage(number: int, source: Source) -> str:
    return f"- “{snippet(source.text)}” ({source.note}) {marker(number)}"
