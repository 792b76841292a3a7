"""The search over documents' chunks: by words, by meaning, by both, and along what ties documents together."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.documents.fingerprints import is_near
from projections import document_chunks, document_ties, documents
from projections.document_chunks import ChunkRow
from projections.document_ties import EDGE_KINDS, Tie
from projections.documents import DocumentRow
from projections.passages import TABLE, Kind
from projections.reading import Reader
from projections.recall.filters import Filters
from projections.recall.question import Question
from projections.recall.ranking import Signals
from projections.recall.search import Hit, Mode, search
from projections.retrieval import places
from projections.retrieval.places import Area

THRESHOLD = 0.5
VECTOR_WEIGHT = 2 / 3  # of meaning beside words, in the usual fusion
VECTOR_WEIGHT_OF_RANKS = 0.5  # in that by reciprocal ranks
RRF_K = 60.0
RERANK_WEIGHT = 0.25  # of all signals of memory's ranking, which fit talk better than documents
GRAPH_ALPHA = 0.3
POOL = 60
SEEDS = 10

OF_TYPES = """
SELECT d.id FROM {documents} AS d WHERE lower(d.mime_type) = ANY(%(mime_types)s) AND d.deleted_at IS NULL
"""

# Documents in force of some chunks.
OF_CHUNKS = """
SELECT DISTINCT c.document_id FROM {document_chunks} AS c JOIN {documents} AS d
    ON d.id = c.document_id AND d.live_version = c.version
WHERE c.id = ANY(%(ids)s) AND d.deleted_at IS NULL
"""

OPENING = """
SELECT p.* FROM {passages} AS p
WHERE p.document_id = %(id)s AND p.kind = 'document' AND p.ordinal = 0
"""


@dataclass(frozen=True, slots=True)
class Found:
    """score: comparable within one search only. expanded: it was not found itself, only by its ties."""

    hit: Hit
    chunk: ChunkRow
    document: DocumentRow
    score: float
    ties: Sequence[Tie] = ()
    expanded: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """mode: hybrid, vector, bm25 or hybrid_graph. threshold: least cosine of what only the vectors bring.

    vector_weight: of meaning beside words, 0 to 1. rrf_k: if given, the legs are fused by reciprocal ranks instead
    of by score. graph: kinds of ties that count. expand: take in chunks that are only tied to good ones. rerank: let
    all signals of `projections.recall.ranking` count in the order of what was found.
    """

    mode: str = "hybrid"
    k: int = 10
    threshold: float = THRESHOLD
    vector_weight: float | None = None
    rrf_k: float | None = None
    graph_alpha: float = GRAPH_ALPHA
    graph_depth: int = 1
    graph: Collection[str] = EDGE_KINDS
    expand: bool = False
    rerank: bool = False
    document_ids: Collection[UUID] | None = None
    include_duplicates: bool = False


@dataclass(slots=True)
class _Scored:
    hit: Hit
    score: float
    ties: list[Tie] = field(default_factory=list)
    expanded: bool = False


def documents_of_types(reader: Reader, mime_types: Sequence[str]) -> set[UUID]:
    """The documents of these types, in whatever case they are given."""
    wanted = [one.lower() for one in mime_types]
    return {document_id for (document_id,) in reader.tuples(OF_TYPES, {"mime_types": wanted})}


def documents_about(reader: Reader, area: Area) -> set[UUID]:
    """The documents that name a place in the area."""
    located = places.located(reader, area)
    return {document_id for (document_id,) in reader.tuples(OF_CHUNKS, {"ids": list(located.turn_ids)})}


def search_documents(reader: Reader, question: Question, asked: Asked, parts: Sequence[Question] = ()) -> list[Found]:
    """The best chunks, best first. Without an embedding of the question, words alone search.

    parts: what the question asks, one by one; the best of each then stands beside the best of the whole.
    """
    scored = _merged([_ranked(reader, one, asked) for one in (question, *parts)])
    if asked.mode == "hybrid_graph" and scored:
        scored = _tied(reader, question, asked, scored)
    ids = [one.hit.id for one in scored]
    chunks = document_chunks.by_ids(reader, ids)
    owners = documents.by_ids(reader, list({row.document_id for row in chunks.values()}))
    found: list[Found] = []
    for one in scored:
        chunk = chunks.get(one.hit.id)
        if chunk is None or len(found) == asked.k:
            continue  # of a version that is not in force yet
        if asked.include_duplicates or not any(is_near(chunk.fingerprint, other.chunk.fingerprint) for other in found):
            found.append(Found(one.hit, chunk, owners[chunk.document_id], one.score, one.ties, one.expanded))
    return found


def _filters(asked: Asked) -> Filters:
    ids = None if asked.document_ids is None else frozenset(asked.document_ids)
    return Filters(kinds=frozenset((Kind.DOCUMENT,)), document_ids=ids)


def _merged(lists: Sequence[list[_Scored]]) -> list[_Scored]:
    """One list of them all, by how near each hit comes to the best one of a list."""
    if len(lists) == 1:
        return lists[0]
    best: dict[UUID, _Scored] = {}
    for scored in lists:
        _spread(scored)
        for one in scored:
            known = best.get(one.hit.id)
            if known is None or known.score < one.score:
                best[one.hit.id] = one
    return sorted(best.values(), key=lambda one: (-one.score, one.hit.number))


def _spread(scored: Sequence[_Scored]) -> None:
    """Bring the scores to a scale from 0, the worst, to 1, the best."""
    least, most = (choose((one.score for one in scored), default=0.0) for choose in (min, max))
    for one in scored:
        one.score = (one.score - least) / (most - least) if most > least else 1.0


def _ranked(reader: Reader, question: Question, asked: Asked) -> list[_Scored]:
    scored = _by_mode(reader, question, asked)
    if not asked.rerank or not scored:
        return scored
    _spread(scored)
    signals = [_Scored(one.hit, one.hit.score) for one in scored]
    _spread(signals)
    for one, signal in zip(scored, signals, strict=True):
        one.score = (1 - RERANK_WEIGHT) * one.score + RERANK_WEIGHT * signal.score
    return sorted(scored, key=lambda one: (-one.score, one.hit.number))


def _by_mode(reader: Reader, question: Question, asked: Asked) -> list[_Scored]:
    limit = max(POOL, 2 * asked.k)
    by_words = asked.mode == "bm25" or question.vector is None
    if by_words:
        return _by_words(reader, question, asked, limit)
    if asked.mode == "vector":
        return _by_vector(reader, question, asked, limit)
    if asked.rrf_k is not None:
        return _fused_by_rank(reader, question, asked, limit)
    return _fused(reader, question, asked, limit)


def _fused(reader: Reader, question: Question, asked: Asked, limit: int) -> list[_Scored]:
    """Cosine and BM25, each as a share of the best, weighted: 0 to 1."""
    weight = VECTOR_WEIGHT if asked.vector_weight is None else asked.vector_weight
    found = search(reader, question, mode=Mode.HYBRID, filters=_filters(asked), limit=limit)
    hits = [hit for hit in found.hits if _counts(hit, asked)]
    best_words = max((hit.signals.bm25 for hit in hits), default=0.0) or 1.0
    best_cosine = max((hit.signals.cosine or 0.0 for hit in hits), default=0.0) or 1.0
    scored = [
        _Scored(
            hit,
            weight * max(hit.signals.cosine or 0.0, 0.0) / best_cosine + (1 - weight) * hit.signals.bm25 / best_words,
        )
        for hit in hits
    ]
    return sorted(scored, key=lambda one: (-one.score, one.hit.number))


def _counts(hit: Hit, asked: Asked) -> bool:
    """Whether words brought it, or it is near enough in meaning."""
    return hit.signals.bm25 > 0 or (hit.signals.cosine or 0.0) >= asked.threshold


def _by_words(reader: Reader, question: Question, asked: Asked, limit: int) -> list[_Scored]:
    found = search(reader, question, mode=Mode.BM25, filters=_filters(asked), limit=limit)
    scored = [_Scored(hit, hit.signals.bm25) for hit in found.hits if hit.signals.bm25 > 0]
    return sorted(scored, key=lambda one: -one.score)


def _by_vector(reader: Reader, question: Question, asked: Asked, limit: int) -> list[_Scored]:
    found = search(reader, question, mode=Mode.VECTOR, filters=_filters(asked), limit=limit)
    cosines = [_Scored(hit, hit.signals.cosine or 0.0) for hit in found.hits]
    return sorted((one for one in cosines if one.score >= asked.threshold), key=lambda one: -one.score)


def _fused_by_rank(reader: Reader, question: Question, asked: Asked, limit: int) -> list[_Scored]:
    """Reciprocal rank fusion of the two legs (Cormack et al. 2009), weighted."""
    weight = VECTOR_WEIGHT_OF_RANKS if asked.vector_weight is None else asked.vector_weight
    k = asked.rrf_k or RRF_K
    scores: dict[UUID, float] = defaultdict(float)
    hits: dict[UUID, Hit] = {}
    for leg, share in (
        (_by_vector(reader, question, asked, limit), weight),
        (_by_words(reader, question, asked, limit), 1 - weight),
    ):
        for rank, one in enumerate(leg, start=1):
            hits[one.hit.id] = one.hit
            scores[one.hit.id] += share / (k + rank)
    best = sorted(hits, key=lambda one: (-scores[one], hits[one].number))
    return [_Scored(hits[one], scores[one]) for one in best if scores[one] > 0]


# --- ties ----------------------------------------------------------------------------------------


def _tied(reader: Reader, question: Question, asked: Asked, scored: list[_Scored]) -> list[_Scored]:
    """Each chunk's score mixed with that of the best chunk that it is tied to, by graph_alpha."""
    _spread(scored)
    seeds = scored[:SEEDS]
    owners = {one.hit.document_id for one in seeds if one.hit.document_id}
    between = document_ties.between(reader, owners, kinds=asked.graph, depth=asked.graph_depth)
    if asked.expand:
        scored = scored + _expansion(reader, question, asked, seeds, between, {one.hit.id for one in scored})
    plain = {id(one): one.score for one in scored}
    for one in scored:
        best = 0.0
        for seed in seeds:
            tie = None if seed is one else _tie(seed.hit, one.hit, asked, between)
            if tie is not None and plain[id(seed)] > 0:
                one.ties.append(tie)
                best = max(best, tie.weight * plain[id(seed)])
        one.score = (1 - asked.graph_alpha) * plain[id(one)] + asked.graph_alpha * best
    return sorted(scored, key=lambda one: (-one.score, one.hit.number))


def _tie(seed: Hit, hit: Hit, asked: Asked, between: Mapping[tuple[UUID, UUID], Tie]) -> Tie | None:
    if seed.document_id is None or hit.document_id is None:
        return None
    if seed.document_id == hit.document_id:
        is_same = bool(hit.section) and seed.section == hit.section
        return Tie(hit.section, "section_match", 1.0) if is_same and "section_match" in asked.graph else None
    return between.get((seed.document_id, hit.document_id))


def _expansion(
    reader: Reader,
    question: Question,
    asked: Asked,
    seeds: Sequence[_Scored],
    between: Mapping[tuple[UUID, UUID], Tie],
    found: set[UUID],
) -> list[_Scored]:
    """The best chunk of each document that is only tied to the seeds."""
    others = {other for _, other in between} - {one.hit.document_id for one in seeds}
    if asked.document_ids is not None:
        others &= set(asked.document_ids)
    expansion = []
    for other in sorted(others)[:SEEDS]:
        within = replace(asked, document_ids=frozenset((other,)))
        hits = search(reader, question, filters=_filters(within), limit=1).hits or _opening(reader, other)
        expansion += [_Scored(hit, 0.0, expanded=True) for hit in hits if hit.id not in found]
    return expansion


def _opening(reader: Reader, document_id: UUID) -> list[Hit]:
    """The first chunk of a document in which nothing is found."""
    return [
        Hit(
            kind=Kind.DOCUMENT,
            id=row.id,
            passage_id=row.id,
            number=row.number,
            text=row.text,
            said_at=row.said_at,
            score=0.0,
            signals=Signals(bm25=0.0, cosine=None, covered=0.0, named=0),
            role=row.role,
            speaker=row.speaker,
            turn_id=None,
            session_id=None,
            document_id=document_id,
            seq=row.seq,
            ordinal=row.ordinal,
            char_start=row.char_start,
            char_end=row.char_end,
            title=row.title,
            section=row.section,
            labels=row.labels,
            entity_ids=row.entity_ids,
        )
        for row in reader.rows(TABLE, OPENING, {"id": document_id})
    ]
