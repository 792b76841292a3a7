"""Who said it: what an assistant said ranks below a user or a document that answers as well. Pure."""

import re
from collections.abc import Sequence

from projections.retrieval.wanted import Recalled

COSINE_MARGIN = 0.02

_ASKS_THE_ASSISTANT = re.compile(
    r"\b(?:did|have|had|were|would) you\b"
    r"|\byou(?:['’]d|['’]ve)? (?:\w+ )?(?:say|said|suggest|recommend|advise|tell|told|explain|mention|propose|give|gave"
    r"|write|wrote|list|provide)\w*\b"
    r"|\byour (?:advice|suggestion|recommendation|answer)",
    re.IGNORECASE,
)


def ordered(hits: Sequence[Recalled], question: str) -> list[Recalled]:
    """In the given order, but for an assistant's turn: below each later hit that matches at least as well, by the
    words that it shares with the question and by its meaning. Not where the question asks what the assistant said."""
    if _ASKS_THE_ASSISTANT.search(question):
        return list(hits)
    places = [
        max([place, *(later + 0.5 for later, other in enumerate(hits) if later > place and _as_good(other, hit))])
        if hit.role == "assistant"
        else place
        for place, hit in enumerate(hits)
    ]
    return [hit for _, hit in sorted(zip(places, hits, strict=True), key=lambda placed: placed[0])]


def _as_good(other: Recalled, hit: Recalled) -> bool:
    if other.role == "assistant" or not other.covered or other.covered < hit.covered:
        return False
    return hit.cosine is None or (other.cosine is not None and other.cosine >= hit.cosine - COSINE_MARGIN)
