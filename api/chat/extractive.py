"""The reply without a language model: the best of what memory holds, in its own words and with its markers."""

import re
from collections.abc import Mapping

from api.chat.markers import marker
from api.chat.sources import Source, snippet

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


def extractive_reply(message: str, sources: Mapping[int, Source]) -> str:
    """What memory holds on `message`. sources: by marker number, best first."""
    best = max((source.score for source in sources.values()), default=0.0)
    near = {number: source for number, source in sources.items() if source.score >= LEAST_SHARE * best}
    facts = [_fact(number, source) for number, source in near.items() if not source.is_passage]
    passages = [_passage(number, source) for number, source in near.items() if source.is_passage]
    found = "\n".join(facts[:FACTS_MAX] + passages[: PASSAGES_MAX if facts else PASSAGES_MAX + 1])
    if _ASKS.search(message):
        return f"From memory:\n{found}" if found else NO_MEMORY
    return f"Noted. On this I remember:\n{found}" if found else "Noted."


def _fact(number: int, source: Source) -> str:
    return f"- {snippet(source.text)} {marker(number)}"


def _passage(number: int, source: Source) -> str:
    said = f" ({source.occurred_at:%Y-%m-%d})" if source.occurred_at else ""
    if source.document_title:
        said = f" ({source.document_title})"
    elif source.role == "assistant":
        said = f" (my own words{said.replace(' (', ', ').rstrip(')')})"
    return f"- “{snippet(source.text)}”{said} {marker(number)}"
