"""The pool: candidates with their neighbours, as the ranking sees them."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from projections.passages import Kind, sequence_key
from projections.reading import Reader
from projections.recall.filters import ANY, PASSES, WITHIN_BOUNDS, Filters
from projections.recall.question import Question
from projections.recall.vectors import COSINE, bound
from projections.recall.words import words

REACH = 2  # neighbours of a candidate on either side, where they are candidates themselves

# The passages with these numbers, and around each one or two before and after it in its session or document: the
# neighbours of a candidate are needed to judge it, so those of a candidate's neighbour as well.
_MEMBERS = f"""
SELECT p.words, CASE WHEN p.length > cardinality(p.words) THEN p.counts END, p.sequence_id, <passes>, {COSINE},
    p.number, p.kind, p.seq, p.entity_ids, p.role, p.speaker, p.said_at, p.length, p.tells_time, p.asks, p.ends_asking,
    p.proper, p.word_count
FROM {{passages}} AS p
WHERE p.number = ANY(ARRAY(
    WITH found AS MATERIALIZED (
        SELECT p.number, p.sequence_id, CASE WHEN p.number = ANY(%(middles)s) THEN {REACH} ELSE 1 END AS reach
        FROM {{passages}} AS p
        WHERE p.number = ANY(%(numbers)s)
    )
    SELECT f.number FROM found AS f
    UNION ALL
    SELECT n.number FROM found AS f CROSS JOIN LATERAL (
        (
            SELECT b.number FROM {{passages}} AS b
            WHERE b.sequence_id = f.sequence_id AND b.number < f.number AND b.retracted_at IS NULL
            ORDER BY b.number DESC
            LIMIT f.reach
        ) UNION ALL (
            SELECT a.number FROM {{passages}} AS a
            WHERE a.sequence_id = f.sequence_id AND a.number > f.number AND a.retracted_at IS NULL
            ORDER BY a.number
            LIMIT f.reach
        )
    ) AS n
    WHERE f.sequence_id IS NOT NULL
)) AND p.retracted_at IS NULL
ORDER BY p.number DESC
"""
MEMBERS = _MEMBERS.replace("<passes>", PASSES)
MEMBERS_WITHIN = _MEMBERS.replace("<passes>", f"({PASSES} AND {WITHIN_BOUNDS})")

NAMES = "SELECT e.id, e.name FROM {entities} AS e WHERE e.id = ANY(%(ids)s)"


@dataclass(slots=True)
class Member:
    """One passage of the pool, with what `projections.passages.PassageRow` says of it. sequence: see
    `projections.passages.sequence_key`. counts: by word. is_candidate: may be found; otherwise it is only
    somebody's neighbour. before, after: the neighbours in the session or document. cosine: with the question,
    None without a vector."""

    counts: dict[str, int]
    sequence: int
    is_candidate: bool
    cosine: float | None
    number: int
    kind: str
    seq: int
    entity_ids: Sequence[UUID]
    role: str
    speaker: str
    said_at: datetime
    length: int
    tells_time: bool
    asks: bool
    ends_asking: bool
    proper: int
    word_count: int
    before: "Member | None" = None
    after: "Member | None" = None

    @property
    def key(self) -> Hashable:
        """The same for the pieces of one turn, else the passage's own."""
        return (self.sequence, self.seq) if self.kind == Kind.TURN else self.number


@dataclass(frozen=True, slots=True)
class Pool:
    """members: newest first. names: of the entities that they are about, by id."""

    members: list[Member]
    names: Mapping[UUID, str]


def pool(reader: Reader, question: Question, numbers: Sequence[int], *, around: int, filters: Filters = ANY) -> Pool:
    """The passages with these numbers and the neighbours of each, with their cosines if the question has a vector.

    around: of the first so many, the neighbours are candidates themselves.
    """
    middles = numbers[:around]
    asked = {"numbers": numbers, "middles": middles, **filters.parameters, **bound(question)}
    sql = MEMBERS_WITHIN if reader.instant.is_bounded else MEMBERS
    rows = reader.tuples(sql, asked) if numbers else []
    members = [_member(row) for row in rows]
    _linked(members)
    candidates = _near(members, frozenset(middles)).union(numbers)
    for member in members:
        member.is_candidate = member.is_candidate and member.number in candidates
    return Pool(members, _named(reader, members))


def _member(row: tuple[Any, ...]) -> Member:
    words, counts, sequence_id, *same = row
    # Most passages repeat no word, so that their counts are not worth sending.
    counted = dict.fromkeys(words, 1) if counts is None else dict(zip(words, counts, strict=True))
    return Member(counted, sequence_key(sequence_id), *same)


def _near(found: Sequence[Member], middles: Collection[int]) -> set[int]:
    """The numbers of the REACH passages before and after each of the middles in its session or document.

    All of them are among what was found, and what else was found of that session lies farther away.
    """
    sequences: dict[int, list[int]] = defaultdict(list)
    for member in found:
        if member.sequence:
            sequences[member.sequence].append(member.number)
    return {
        near
        for numbers in sequences.values()
        for place, number in enumerate(numbers)
        if number in middles
        for near in numbers[max(place - REACH, 0) : place + REACH + 1]
    }


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


def _named(reader: Reader, found: Sequence[Member]) -> dict[UUID, str]:
    """The names of what facts are about, which count as words of theirs."""
    ids = {entity_id for member in found for entity_id in member.entity_ids}
    if not ids:
        return {}
    names = names_of(reader, ids)
    for member in found:
        for entity_id in member.entity_ids:
            for word in words(names.get(entity_id, "")):
                member.counts[word] = member.counts.get(word, 0) + 1
                member.length += 1
    return names


def names_of(reader: Reader, entity_ids: Iterable[UUID]) -> dict[UUID, str]:
    return dict(reader.tuples(NAMES, {"ids": list(entity_ids)}))
