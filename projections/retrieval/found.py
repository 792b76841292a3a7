"""Things found, from the search's hits and from rows."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from msgspec.structs import replace

from projections import entities, passages
from projections.entities import EntityRow
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

# The turns, or chunks, at these places of their sessions or documents. The pairs are spelt out beside the two lists
# that they come from: by those one index answers, whatever the planner knows of the tables.
AT_PLACES = "= ANY(%(seqs)s) AND ({0}) IN (SELECT * FROM unnest(%(sequences)s::uuid[], %(seqs)s::integer[]))"
NEAR_TURNS = f"""
SELECT p.* FROM {{passages}} AS p
WHERE p.ordinal = 0 AND p.kind = 'turn' AND p.retracted_at IS NULL AND p.turn_id = ANY(ARRAY(
    SELECT t.id FROM {{turns}} AS t
    WHERE t.session_id = ANY(%(sequences)s) AND t.seq {AT_PLACES.format("t.session_id, t.seq")}
))
ORDER BY p.number
"""
NEAR_CHUNKS = f"""
SELECT p.* FROM {{passages}} AS p
WHERE p.document_id = ANY(%(sequences)s) AND p.ordinal {AT_PLACES.format("p.document_id, p.ordinal")}
    AND p.kind = 'document'
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
        seq=hit.seq,
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
    turns = {(hit.session_id, hit.seq + step) for hit in hits if hit.kind is Kind.TURN for step in (-1, 1)}
    chunks = {(hit.document_id, hit.seq + step) for hit in hits if hit.kind is Kind.DOCUMENT for step in (-1, 1)}
    sections = {(hit.document_id, hit.section) for hit in hits if hit.kind is Kind.DOCUMENT}
    beside = _at(reader, NEAR_TURNS, turns)
    beside += [one for one in _at(reader, NEAR_CHUNKS, chunks) if (one.document_id, one.section) in sections]
    known = {hit.id for hit in hits}
    return [one for one in beside if one.id not in known]


def _at(reader: Reader, sql: str, places: Collection[tuple[UUID | None, int]]) -> list[Recalled]:
    """What stands at these places, each a session or document and a number in it."""
    pairs = sorted((sequence_id, seq) for sequence_id, seq in places if sequence_id is not None)
    if not pairs:
        return []
    sequences, seqs = zip(*pairs, strict=True)
    parameters = {"sequences": list(sequences), "seqs": list(seqs)}
    return [_of_row(row, 0.0) for row in reader.rows(passages.TABLE, sql, parameters)]


def with_actors(reader: Reader, hits: Sequence[Recalled]) -> list[Recalled]:
    """Actions with who acted, without those of forgotten entities."""
    wanted = [hit.entity_ids[0] for hit in hits if hit.kind is Kind.ACTION and hit.entity_ids]
    known = entities.by_ids(reader, wanted) if wanted else {}
    actors = {entity_id: row for entity_id, row in known.items() if row.forgotten_at is None}
    shown = (replace(hit, actor=_actor(hit, actors)) if hit.kind is Kind.ACTION else hit for hit in hits)
    return [hit for hit in shown if hit.kind is not Kind.ACTION or hit.actor is not None]


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
        seq=row.seq,
        ordinal=row.ordinal,
        char_start=row.char_start,
        char_end=row.char_end,
        title=row.title,
        section=row.section,
        labels=row.labels,
        entity_ids=row.entity_ids,
    )


def _actor(hit: Recalled, actors: Mapping[UUID, EntityRow]) -> EntityRow | None:
    return actors.get(hit.entity_ids[0]) if hit.entity_ids else None
