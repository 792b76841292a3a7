"""The pool: candidates with their neighbours, as the ranking sees them."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from projections.passages import Kind, sequence_key
from projections.reading import Reader
from projections.recall.filters import ANY, Filters
from projections.recall.words import words

# Around each passage of `middles`, two before and two after it in its session or document.
AROUND = """
SELECT DISTINCT n.number
FROM (
    SELECT p.number, p.sequence_id FROM {passages} AS p
    WHERE p.number = ANY(%(middles)s) AND p.sequence_id IS NOT NULL
) AS m CROSS JOIN LATERAL (
    (
        SELECT b.number FROM {passages} AS b
        WHERE b.sequence_id = m.sequence_id AND b.number < m.number
        ORDER BY b.number DESC
        LIMIT %(reach)s
    ) UNION ALL (
        SELECT a.number FROM {passages} AS a
        WHERE a.sequence_id = m.sequence_id AND a.number > m.number
        ORDER BY a.number
        LIMIT %(reach)s
    )
) AS n
"""

MEMBERS = """
SELECT p.number, p.kind, p.turn_id, p.fact_id, p.sequence_id, p.seq, p.entity_ids, p.role, p.speaker, p.said_at,
    p.words, p.counts, p.length, p.tells_time, p.asks, p.ends_asking, p.proper, p.word_count
FROM {passages} AS p
WHERE p.number = ANY(%(numbers)s) AND p.retracted_at IS NULL
ORDER BY p.number DESC
"""

NAMES = "SELECT e.id, e.name FROM {entities} AS e WHERE e.id = ANY(%(ids)s)"


@dataclass(slots=True)
class Member:
    """One passage of the pool, with what `projections.passages.PassageRow` says of it. sequence: see
    `projections.passages.sequence_key`. counts: by word. is_candidate: may be found; otherwise it is only
    somebody's neighbour. before, after: the neighbours in the session or document. cosine: with the question,
    None without a vector."""

    is_candidate: bool
    number: int
    kind: str
    turn_id: UUID | None
    fact_id: UUID | None
    sequence: int
    seq: int
    entity_ids: Sequence[UUID]
    role: str
    speaker: str
    said_at: datetime
    counts: dict[str, int]
    length: int
    tells_time: bool
    asks: bool
    ends_asking: bool
    proper: int
    word_count: int
    before: "Member | None" = None
    after: "Member | None" = None
    cosine: float | None = None

    @property
    def key(self) -> Hashable:
        """The same for the pieces of one turn, else the passage's own."""
        return self.turn_id if self.kind == Kind.TURN else self.number


def members(reader: Reader, numbers: Sequence[int], *, candidates_around: int, filters: Filters = ANY) -> list[Member]:
    """The passages with these numbers and the neighbours of each, newest first.

    candidates_around: of the first so many, the neighbours are candidates themselves.
    """
    first, rest = list(numbers[:candidates_around]), list(numbers[candidates_around:])
    # The neighbours of a candidate are needed to judge it, so those of a candidate's neighbour as well.
    near = {number for (number,) in reader.tuples(AROUND, {"middles": first, "reach": 2})}
    beside = {number for (number,) in reader.tuples(AROUND, {"middles": rest, "reach": 1})} if rest else set()
    rows = reader.tuples(MEMBERS, {"numbers": list({*numbers, *near, *beside})})
    candidates = filters.passing(reader, {*numbers, *near})
    found = [_member(row, candidates) for row in rows]
    _linked(found)
    _named(reader, found)
    return found


def _member(row: tuple[Any, ...], candidates: set[int]) -> Member:
    number, kind, turn_id, fact_id, sequence_id, seq, entity_ids, role, speaker, said_at, words, counts, *form = row
    return Member(
        number in candidates,
        number,
        kind,
        turn_id,
        fact_id,
        sequence_key(sequence_id),
        seq,
        entity_ids,
        role,
        speaker,
        said_at,
        dict(zip(words, counts, strict=True)),
        *form,
    )


def _linked(found: Sequence[Member]) -> None:
    """Tie neighbours together. What lies between two members of a sequence may not have been fetched."""
    last: dict[int, Member] = {}
    for member in found:  # newest first
        if not member.sequence:
            continue
        after = last.get(member.sequence)
        if after is not None and after.seq - member.seq <= 1:
            member.after, after.before = after, member
        last[member.sequence] = member


def _named(reader: Reader, found: Sequence[Member]) -> None:
    """The names of what facts are about count as words of theirs."""
    ids = {entity_id for member in found for entity_id in member.entity_ids}
    if not ids:
        return
    names = names_of(reader, ids)
    for member in found:
        for entity_id in member.entity_ids:
            for word in words(names.get(entity_id, "")):
                member.counts[word] = member.counts.get(word, 0) + 1
                member.length += 1


def names_of(reader: Reader, entity_ids: Iterable[UUID]) -> dict[UUID, str]:
    return dict(reader.tuples(NAMES, {"ids": list(entity_ids)}))
