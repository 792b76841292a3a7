"""Things found, from the search's hits and from rows."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from projections import passages
from projections.passages import Kind, PassageRow, passage_id
from projections.reading import Reader
from projections.recall.search import Hit
from projections.retrieval import floor
from projections.retrieval.facts import Fact
from projections.retrieval.wanted import Recalled

OF_TURNS = """
SELECT p.* FROM {passages} AS p
WHERE p.turn_id = ANY(%(turn_ids)s) AND p.ordinal = 0 AND p.kind = 'turn' AND p.retracted_at IS NULL
ORDER BY p.number
"""

# A superset of the turns, or chunks, just before and after some, which one index answers whatever the planner
# knows of the tables; the pairs are sorted out afterwards.
NEAR_TURNS = """
SELECT t.id, t.session_id, t.seq FROM {turns} AS t
WHERE t.session_id = ANY(%(sequences)s) AND t.seq = ANY(%(seqs)s)
"""
NEAR_CHUNKS = """
SELECT p.* FROM {passages} AS p
WHERE p.document_id = ANY(%(sequences)s) AND p.ordinal = ANY(%(seqs)s) AND p.kind = 'document'
ORDER BY p.number
"""

BY_IDS = "SELECT p.* FROM {passages} AS p WHERE p.id = ANY(%(ids)s)"


def of_hit(hit: Hit) -> Recalled:
    return Recalled(
        kind=hit.kind,
        id=hit.id,
        passage_id=hit.passage_id,
        number=hit.number,
        text=hit.text,
        score=floor.score(hit.signals),
        said_at=hit.said_at,
        role=hit.role,
        turn_id=hit.turn_id,
        session_id=hit.session_id,
        document_id=hit.document_id,
        ordinal=hit.ordinal,
        char_start=hit.char_start,
        char_end=hit.char_end,
        title=hit.title,
        section=hit.section,
        labels=hit.labels,
        entity_ids=hit.entity_ids,
        covered=hit.signals.covered,
        cosine=hit.signals.cosine,
    )


def of_fact(fact: Fact, *, score: float) -> Recalled:
    row = fact.row
    ends = [fact.subject.id, *([fact.target.id] if fact.target else [])]
    return Recalled(
        kind=Kind.RELATION if fact.target else Kind.ATTRIBUTE,
        id=fact.id,
        passage_id=passage_id(fact.id, 0),
        text=fact.text,
        score=score,
        said_at=row.said_at,
        role=row.source_kind,
        turn_id=row.turn_id,
        session_id=row.session_id,
        labels=row.labels,
        entity_ids=ends,
        fact=fact,
        supersedes=row.supersedes,
        superseded_by=row.superseded_by,
    )


def of_turns(reader: Reader, turn_ids: Collection[UUID], *, score: float = 0.0) -> list[Recalled]:
    """The turns by their first passages, oldest first."""
    if not turn_ids:
        return []
    rows = reader.rows(passages.TABLE, OF_TURNS, {"turn_ids": list(turn_ids)})
    return [_of_row(row, score) for row in rows]


def of_passages(reader: Reader, passage_ids: Collection[UUID]) -> list[Recalled]:
    """Passages of turns and documents by their ids; those that are gone are left out."""
    if not passage_ids:
        return []
    return [_of_row(row, 0.0) for row in reader.rows(passages.TABLE, BY_IDS, {"ids": list(passage_ids)})]


def around(reader: Reader, hits: Sequence[Recalled]) -> list[Recalled]:
    """What was said just before and after the hits, or stands there in the same section, and is none of them."""
    asked = [hit.passage_id for hit in hits if not hit.is_fact]
    if not asked:
        return []
    rows = reader.rows(passages.TABLE, BY_IDS, {"ids": asked})
    turns, parameters = _near(rows, Kind.TURN)
    near = reader.tuples(NEAR_TURNS, parameters) if turns else []
    beside = of_turns(reader, [turn_id for turn_id, session_id, seq in near if (session_id, seq) in turns])
    chunks, parameters = _near(rows, Kind.DOCUMENT)
    near_chunks = reader.rows(passages.TABLE, NEAR_CHUNKS, parameters) if chunks else []
    sections = {(row.document_id, row.section) for row in rows}
    beside += [
        _of_row(row, 0.0)
        for row in near_chunks
        if (row.document_id, row.ordinal) in chunks and (row.document_id, row.section) in sections
    ]
    known = {hit.id for hit in hits}
    return list({one.id: one for one in beside if one.id not in known}.values())


def _near(rows: Sequence[PassageRow], kind: Kind) -> tuple[set[tuple[UUID | None, int]], dict[str, Any]]:
    """The places before and after the passages of this kind, as (session or document, number in it)."""
    places = {(row.sequence_id, row.seq + step) for row in rows if row.kind == kind for step in (-1, 1)}
    sequences = sorted({sequence_id for sequence_id, _ in places if sequence_id})
    return places, {"sequences": sequences, "seqs": sorted({seq for _, seq in places})}


def _of_row(row: PassageRow, score: float) -> Recalled:
    hit_id = row.turn_id if row.kind == Kind.TURN else row.id
    assert hit_id is not None
    return Recalled(
        kind=Kind(row.kind),
        id=hit_id,
        passage_id=row.id,
        number=row.number,
        text=row.text,
        score=score,
        said_at=row.said_at,
        role=row.role,
        turn_id=row.turn_id,
        session_id=row.session_id,
        document_id=row.document_id,
        ordinal=row.ordinal,
        char_start=row.char_start,
        char_end=row.char_end,
        title=row.title,
        section=row.section,
        labels=row.labels,
        entity_ids=row.entity_ids,
    )
