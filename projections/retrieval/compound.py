"""Questions that ask several things at once, taken apart. Pure; English cues."""

import re

from projections.recall.words import words

PARTS_MAX = 4
WORDS_MIN = 2  # that tell something; a part with fewer asks nothing by itself

_ASKS = r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will)"
_BORDER = re.compile(
    rf"\?\s+|;\s+|[,.]?\s+(?:and|but|or)\s+(?:also\s+|then\s+)?(?={_ASKS}\b)|,\s+(?={_ASKS}\b)", re.IGNORECASE
)


def parts(text: str) -> list[str]:
    """The questions that `text` consists of, in order; none if it asks one thing only."""
    found = [part.strip(" ?.,;") for part in _BORDER.split(text)]
    found = [part for part in found if len(words(part)) >= WORDS_MIN]
    return found[:PARTS_MAX] if len(found) > 1 else []
