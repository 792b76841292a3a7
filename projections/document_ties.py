"""What ties documents together: keywords that they share, and links from one to the other."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from uuid import UUID

from projections import document_keywords
from projections.document_links import EVERY_EDGE
from projections.reading import Reader

EDGE_KINDS = ("knowledge_has_keyword", "section_match", "document_link")
DECAY = 0.5  # of a tie's weight for each further step


@dataclass(frozen=True, slots=True)
class Tie:
    """Why a chunk ranks higher: it is tied to another good one. label: by what. kind: of EDGE_KINDS. weight: 0 to 1."""

    label: str
    kind: str
    weight: float


def between(reader: Reader, ids: set[UUID], *, kinds: Collection[str], depth: int) -> dict[tuple[UUID, UUID], Tie]:
    """The strongest tie from each of the documents to others, at most `depth` steps away."""
    ties: dict[tuple[UUID, UUID], Tie] = {}
    near: dict[UUID, dict[UUID, Tie]] = {one: {one: Tie("", "", 1.0)} for one in ids}
    for _ in range(depth):
        steps = _steps(reader, {reached for ends in near.values() for reached in ends}, kinds)
        following: dict[UUID, dict[UUID, Tie]] = defaultdict(dict)
        for origin, ends in near.items():
            for reached, so_far in ends.items():
                for other, tie in steps.get(reached, {}).items():
                    weight = tie.weight if reached == origin else DECAY * so_far.weight * tie.weight
                    known = ties.get((origin, other))
                    if other != origin and (known is None or known.weight < weight):
                        ties[origin, other] = following[origin][other] = replace(tie, weight=weight)
        near = following
    return ties


def _steps(reader: Reader, ids: set[UUID], kinds: Collection[str]) -> dict[UUID, dict[UUID, Tie]]:
    steps: dict[UUID, dict[UUID, Tie]] = defaultdict(dict)

    def add(one: UUID, other: UUID, tie: Tie) -> None:
        known = steps[one].get(other)
        if known is None or known.weight < tie.weight:
            steps[one][other] = tie

    bound = {"ids": list(ids)}
    if "knowledge_has_keyword" in kinds:
        for one, other, words, score in reader.tuples(document_keywords.SHARED, bound):
            add(one, other, Tie(words, "knowledge_has_keyword", score / (1 + score)))
    if "document_link" in kinds:
        for origin, target, kind in reader.tuples(EVERY_EDGE, bound):
            add(origin, target, Tie(kind, "document_link", 1.0))
            add(target, origin, Tie(kind, "document_link", 1.0))
    return steps
