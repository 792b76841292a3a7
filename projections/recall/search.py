"""The hybrid search over passages: candidates from words, vectors and names, then one ranking of them all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import zip_longest
from typing import Any
from uuid import UUID

import msgspec

from memory.log import Cursor
from projections.passages import Kind, sentence
from projections.reading import Reader
from projections.recall import keyword, pool, ranking, vectors
from projections.recall.filters import ANY, Filters
from projections.recall.question import Question
from projections.recall.ranking import Ranked, Signals

# What a hit shows beside what the ranking has seen.
SHOWN = """
SELECT p.number, p.id, p.turn_id, p.fact_id, p.session_id, p.document_id, p.ordinal, p.char_start, p.char_end, p.title,
    p.section, p.labels, p.text
FROM {passages} AS p
WHERE p.number = ANY(%(numbers)s)
"""


class Mode(StrEnum):
    """Where candidates come from. GRAPH: only what names or is about the entities that the question names."""

    HYBRID = "hybrid"
    VECTOR = "vector"
    BM25 = "bm25"
    GRAPH = "graph"


class Hit(msgspec.Struct, frozen=True):
    """One found passage. id: the turn's, chunk's (its passage's) or fact's. passage_id: of the piece that
    matched best. text: a fact's is a sentence with names. score: comparable within one search only. seq: the turn's
    place in its session, or the chunk's in its document."""

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
    seq: int
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
    by_time: int
    around: int


USUAL = Sizes(by_words=60, by_vector=40, by_time=40, around=30)
WIDE = Sizes(by_words=300, by_vector=200, by_time=200, around=150)


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
    # A filter is applied before the cut, or what passes it could be cut off by what does not; so is an instant,
    # as postings and vectors know nothing of it.
    widened = keyword.POSTINGS_MAX if filters or not reader.instant.is_now else 0
    named = reader.ask(keyword.NAMED, {"names": question.names})
    word_search = keyword.WordSearch(reader, question)
    within = None
    if question.window and mode is Mode.HYBRID:
        start, end = question.window
        said = {"start": start, "end": end, "limit": max(widened, sizes.by_time)}
        within = reader.ask(keyword.SAID_WITHIN, said)
    entity_ids = _column(named)
    told = None
    if entity_ids and mode in (Mode.HYBRID, Mode.GRAPH):
        told = reader.ask(keyword.ABOUT, {"entity_ids": entity_ids, "limit": keyword.ABOUT_MAX})
    held = word_search.held()
    nearest = None
    if mode in (Mode.HYBRID, Mode.VECTOR):
        limits = max(widened, sizes.by_vector)
        nearest = vectors.Nearest(reader, question, held=held.statistics.passages, limit=limits)
    by_words = held.best(max(widened, sizes.by_words)) if mode in (Mode.HYBRID, Mode.BM25) else []
    about, timely = _column(told), _column(within)
    near = nearest.numbers() if nearest else []
    passing = filters.passing(reader, {*by_words, *near, *about, *timely})
    numbers = _interleaved(
        [number for number in by_words if number in passing][: sizes.by_words],
        [number for number in near if number in passing][: sizes.by_vector],
        [number for number in about if number in passing],
        [number for number in timely if number in passing][: sizes.by_time],
    )
    compared = replace(question, vector=None) if mode is Mode.BM25 else question
    found = pool.pool(reader, compared, numbers, around=sizes.around, filters=filters)
    ranked = ranking.ranked(question, found.members, held, entity_ids, limit=limit, weights=weights)
    return Found(_hits(reader, ranked, found.names), entity_ids, by_vector=bool(near))


def _column(cursor: Cursor | None) -> list[Any]:
    """The only column of what was asked for, if anything was."""
    return [value for (value,) in cursor.fetchall()] if cursor else []


def _interleaved(*lists: Sequence[int]) -> list[int]:
    """The first of each list, then the second of each, and so on, each number once."""
    taken = (number for numbers in zip_longest(*lists) for number in numbers if number is not None)
    return list(dict.fromkeys(taken))


def _hits(reader: Reader, ranked: Sequence[Ranked], names: Mapping[UUID, str]) -> list[Hit]:
    if not ranked:
        return []
    shown = {number: row for number, *row in reader.tuples(SHOWN, {"numbers": [one.member.number for one in ranked]})}
    return [_hit(one, shown[one.member.number], names) for one in ranked]


def _hit(one: Ranked, shown: Sequence[Any], names: Mapping[UUID, str]) -> Hit:
    member, kind = one.member, Kind(one.member.kind)
    passage_id, turn_id, fact_id, session_id, document_id, ordinal, *chars, title, section, labels, text = shown
    char_start, char_end = chars
    hit_id = turn_id if kind is Kind.TURN else passage_id if kind is Kind.DOCUMENT else fact_id
    assert hit_id is not None
    return Hit(
        kind=kind,
        id=hit_id,
        passage_id=passage_id,
        number=member.number,
        text=sentence(kind, text, member.entity_ids, names),
        said_at=member.said_at,
        score=one.score,
        signals=one.signals,
        role=member.role,
        speaker=member.speaker,
        turn_id=turn_id,
        session_id=session_id,
        document_id=document_id,
        seq=member.seq,
        ordinal=ordinal,
        char_start=char_start,
        char_end=char_end,
        title=title,
        section=section,
        labels=labels,
        entity_ids=member.entity_ids,
    )
