"""What was said again later: it stands near the top, also where nothing tells that it replaced the earlier words.

Of the first LOOKED_AT hits, the newer turn that is nearest to the best one, if near enough to be about the same
thing, stands third at the latest. So whoever reads the first few sees both the old word and the new one. More
preference for what is newer costs more good answers than it mends, since most newer words replace nothing.
"""

from collections.abc import Sequence
from datetime import datetime

from projections.passages import Kind
from projections.reading import Reader
from projections.recall import vectors
from projections.retrieval.wanted import Recalled

LOOKED_AT = 10
LIKE_MIN = 0.6  # cosine of two passages about the same thing
BELOW_MAX = 2  # places below the best one


def freshened(reader: Reader, hits: Sequence[Recalled], *, model: str) -> list[Recalled]:
    """The hits, at most one of them moved up. model: whose vectors tell which passages are alike."""
    said = [place for place, hit in enumerate(hits[:LOOKED_AT]) if hit.kind is Kind.TURN and hit.role != "assistant"]
    if not said or not model:
        return list(hits)
    best, target = hits[said[0]], said[0] + BELOW_MAX
    newer = [place for place in said if _said(hits[place]) > _said(best)]
    if not newer or newer[-1] <= target:
        return list(hits)
    likeness = vectors.likeness(reader, model, best.number, [hits[place].number for place in newer])
    # One that stands high enough already may be the nearest; then nothing moves.
    nearest = max(newer, key=lambda place: (likeness.get(hits[place].number, 0.0), -place))
    if nearest <= target or likeness.get(hits[nearest].number, 0.0) < LIKE_MIN:
        return list(hits)
    return [*hits[:target], hits[nearest], *hits[target:nearest], *hits[nearest + 1 :]]


def _said(hit: Recalled) -> tuple[datetime, int]:
    return hit.said_at, hit.number
