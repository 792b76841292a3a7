"""The hybrid search over passages: candidates from words, vectors and names, then one ranking of them all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import zip_longest
from uuid import UUID

from projections.passages import TABLE, Kind, PassageRow, sentence
from projections.reading import Reader
from projections.recall import keyword, pool, ranking, vectors
from projections.recall.filters import ANY, Filters
from projections.recall.question import Question
from projections.recall.ranking import Ranked, Signals

PASSAGES = "SELECT p.* FROM {passages} AS p WHERE p.number = ANY(%(numbers)s)"


class Mode(StrEnum):
    """Where candidates come from. GRAPH: only what names or is about the entities that the question names."""

    HYBRID = "hybrid"
    VECTOR = "vector"
    BM25 = "bm25"
    GRAPH = "graph"


@dataclass(frozen=True, slots=True)
class Hit:
    """One found passage. id: the turn's, chunk's (its passage's) or fact's. passage_id: of the piece that
    matched best. text: a fact's is a sentence with names. score: comparable within one search only."""

    kind: Kind
    id: UUID
    passage_id: UUID
    number: int
    text: str
    said_at: datetime
    score: float
    signals: Signals
    role: str
    speaker: str
    turn_id: UUID | None
    session_id: UUID | None
    document_id: UUID | None
    ordinal: int
    char_start: int
    char_end: int
    title: str
    section: str
    labels: Sequence[str]
    entity_ids: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class Found:
    """hits: best first. entity_ids: what the question names. by_vector: whether vectors took part."""

    hits: list[Hit]
    entity_ids: list[UUID]
    by_vector: bool


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many candidates each way may bring, and around how many of them the neighbours become candidates too."""

    by_words: int
    by_vector: int
    around: int


USUAL = Sizes(by_words=60, by_vector=40, around=40)
WIDE = Sizes(by_words=300, by_vector=200, around=150)


def search(
    reader: Reader,
    question: Question,
    *,
    mode: Mode = Mode.HYBRID,
    filters: Filters = ANY,
    limit: int = 10,
    wide: bool = False,
    weights: Mapping[str, float] = ranking.WEIGHTS,
) -> Found:
    """The best passages that the caller may see, one hit a turn, chunk or fact; equal scores newest first.

    wide: take in more candidates, at more cost. weights: of the ranking's signals, only for measuring them.
    """
    sizes = WIDE if wide else USUAL
    entity_ids = keyword.named_entities(reader, question.names)
    # A filter is applied before the cut, or what passes it could be cut off by what does not; so is an instant,
    # as postings and vectors know nothing of it.
    widened = keyword.POSTINGS_MAX if filters or not reader.instant.is_now else 0
    scored = keyword.scored(reader, question, limit=max(widened, sizes.by_words))
    near: list[int] = []
    if mode in (Mode.HYBRID, Mode.VECTOR):
        near = vectors.nearest(reader, question, held=scored.statistics.passages, limit=max(widened, sizes.by_vector))
    by_words = scored.numbers if mode in (Mode.HYBRID, Mode.BM25) else []
    about = keyword.facts_about(reader, entity_ids) if mode in (Mode.HYBRID, Mode.GRAPH) else []
    passing = filters.passing(reader, {*by_words, *near, *about})
    numbers = _interleaved(
        [number for number in by_words if number in passing][: sizes.by_words],
        [number for number in near if number in passing][: sizes.by_vector],
        [number for number in about if number in passing],
    )
    members = pool.members(reader, numbers, candidates_around=sizes.around, filters=filters)
    if mode is not Mode.BM25:
        cosines = vectors.cosines(reader, question, [member.number for member in members])
        for member in members:
            member.cosine = cosines.get(member.number)
    ranked = ranking.ranked(question, members, scored, entity_ids, limit=limit, weights=weights)
    return Found(_hits(reader, ranked), entity_ids, by_vector=bool(near))


def _interleaved(*lists: Sequence[int]) -> list[int]:
    """The first of each list, then the second of each, and so on, each number once."""
    taken = (number for numbers in zip_longest(*lists) for number in numbers if number is not None)
    return list(dict.fromkeys(taken))


def _hits(reader: Reader, ranked: Sequence[Ranked]) -> list[Hit]:
    rows = {row.number: row for row in reader.rows(TABLE, PASSAGES, {"numbers": [one.member.number for one in ranked]})}
    names = pool.names_of(reader, {entity_id for row in rows.values() for entity_id in row.entity_ids})
    return [_hit(rows[one.member.number], one, names) for one in ranked]


def _hit(row: PassageRow, one: Ranked, names: Mapping[UUID, str]) -> Hit:
    ids = {Kind.TURN: row.turn_id, Kind.DOCUMENT: row.id}
    hit_id = ids.get(Kind(row.kind), row.fact_id)
    assert hit_id is not None
    return Hit(
        kind=Kind(row.kind),
        id=hit_id,
        passage_id=row.id,
        number=row.number,
        text=sentence(row, names),
        said_at=row.said_at,
        score=one.score,
        signals=one.signals,
        role=row.role,
        speaker=row.speaker,
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
