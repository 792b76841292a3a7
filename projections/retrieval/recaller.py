"""Answers questions, tier by tier, and leaves a trace of each."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID

from msgspec import structs
from ulid import ULID

from memory.errors import NotFound
from memory.principals import Caller
from memory.regions import region_of
from memory.values import folded
from projections import relations, sessions
from projections.passages import FACTS, Kind
from projections.reading import Reader
from projections.recall.filters import Filters
from projections.recall.question import Question, parsed
from projections.recall.search import Found, Mode, search
from projections.retrieval import (
    direct,
    duplicates,
    floor,
    found,
    freshness,
    places,
    roles,
    searched,
    subjects,
    supersession,
)
from projections.retrieval.asked import Asked, asked
from projections.retrieval.background import background
from projections.retrieval.direct import Direct
from projections.retrieval.wanted import DIRECT, ESCALATED, HYBRID, Background, Recalled, Retrieved, Wanted
from projections.trace_buffer import TraceBuffer
from projections.traces import RETRIEVAL, Retrieval, Returned, Trace

DIRECT_SCORE = 1.0
SOURCE_SCORE = 0.95  # of the words that a direct answer was read from
POOL_MIN = 40  # hits looked at, whatever k: what is replaced or folded makes room
BESIDE_OF = 3  # hits whose neighbours are shown
HITS_MIN = 3  # fewer, where more were wanted, is thin
HOPS_MAX = 30  # entities one step from those that the question names

NO_MEMORY = "no memory of this"

Reading = Callable[[], AbstractContextManager[tuple[Caller, Reader]]]


class Embedder(Protocol):
    """Turns questions into vectors."""

    def kept(self, text: str, context_id: str, /) -> tuple[Sequence[float] | None, str]:
        """The vector, if it is there without asking the model, and the model's name."""
        ...

    def question(self, text: str, context_id: str, /) -> tuple[Sequence[float] | None, str]:
        """The vector and its model's name; no vector while the model can't answer. Never raises."""
        ...


class Recall:
    """Answers questions. Shared by all threads."""

    def __init__(self, embedder: Embedder, traces: TraceBuffer, settle: Callable[[str], bool]) -> None:
        """settle: waits for the vectors of what was written into a context just now; whether there was any."""
        self._embedder = embedder
        self._traces = traces
        self._settle = settle

    def retrieve(self, context_id: str, reading: Reading, wanted: Wanted) -> Retrieved:
        """The answer to `wanted` for whom `reading` opens a reader.

        No reader is open while a model is asked for the question's vector; none is asked where one property
        of one entity answers the question, and nobody who may not read asks one. Where little was found, what was
        written just now may lack its vectors: it is awaited, and the question asked again.
        """
        started = time.perf_counter()
        trace_id = ULID().to_uuid()
        look = asked(wanted.text, now=datetime.now(UTC))
        question = parsed(wanted.text)
        by_meaning = wanted.mode in (Mode.HYBRID, Mode.VECTOR)
        if by_meaning:
            vector, model = self._embedder.kept(wanted.text, context_id)
            question = replace(question, vector=vector, model=model)
        with reading() as (caller, reader):
            _check_session(reader, wanted)
            look = _then(look, reader)
            retrieved = _answered_directly(reader, caller, wanted, question, look, trace_id)
            if retrieved is None:
                question = searched.question_of(reader, caller, question, look, session_id=wanted.session_id)
                if question.vector is not None or not by_meaning:
                    retrieved = _Search(reader, wanted, question, look, trace_id).answer()
            if retrieved is not None:
                retrieved = _with_background(reader, caller, retrieved, wanted)
        if retrieved is None:
            vector, model = self._embedder.question(wanted.text, context_id)
            question = replace(question, vector=vector, model=model)
            caller, retrieved = _searched(reading, wanted, question, look, trace_id)
        is_little = retrieved.tier == ESCALATED or not retrieved.hits
        if is_little and question.vector is not None and self._settle(context_id):
            caller, retrieved = _searched(reading, wanted, question, look, trace_id)
        return self._traced(caller, retrieved, wanted, started)

    def _traced(self, caller: Caller, retrieved: Retrieved, wanted: Wanted, started: float) -> Retrieved:
        retrieved = replace(retrieved, latency_ms=round((time.perf_counter() - started) * 1000))
        if wanted.traced:
            self._traces.add(
                Trace(
                    context_id=caller.context_id,
                    id=retrieved.trace_id,
                    kind=RETRIEVAL,
                    created_at=datetime.now(UTC),
                    region=region_of(caller.grants),
                    principal_id=caller.principal_id,
                    session_id=wanted.session_id,
                    query_text=wanted.text,
                    tier=retrieved.tier,
                    tier_reason=retrieved.reason,
                    latency_ms=retrieved.latency_ms,
                    candidates=retrieved.candidates,
                    retrievals=retrieved.passes,
                    source=wanted.source,
                )
            )
        return retrieved


def _searched(
    reading: Reading, wanted: Wanted, question: Question, look: Asked, trace_id: UUID
) -> tuple[Caller, Retrieved]:
    with reading() as (caller, reader):
        _check_session(reader, wanted)
        retrieved = _Search(reader, wanted, question, look, trace_id).answer()
        return caller, _with_background(reader, caller, retrieved, wanted)


class _Search:
    """Tiers 3 and 4 of one question, in one snapshot."""

    def __init__(self, reader: Reader, wanted: Wanted, question: Question, look: Asked, trace_id: UUID) -> None:
        self.reader, self.wanted, self.question, self.look = reader, wanted, question, look
        self.trace_id = trace_id
        self.filters = Filters(kinds=_kinds(wanted))
        self.asked = folded(wanted.text)
        self.located = places.located(reader, wanted.area) if wanted.area else None
        self.passes: list[Retrieval] = []
        self.candidates = 0
        self.degraded = wanted.mode in (Mode.HYBRID, Mode.VECTOR) and question.vector is None

    def answer(self) -> Retrieved:
        pool, seeds = self._passed(3, self.question, wide=False)
        tier, reason = HYBRID, "words, meaning and names together"
        if self.wanted.mode is Mode.HYBRID and self._is_thin(pool):
            wider, seeds = self._passed(4, self._one_hop_further(seeds), wide=True)
            pool = _merged(pool, wider)
            tier, reason = ESCALATED, "too little in the first pass, so wider and one hop further"
        hits = self._arranged(pool)
        if not hits:
            reason = NO_MEMORY if not pool else f"{NO_MEMORY}: nothing found is near enough to the question"
        if self.degraded:
            reason += "; degraded: by words alone, no question vector was to be had"
        return Retrieved(
            trace_id=self.trace_id,
            tier=tier,
            reason=reason,
            hits=hits,
            beside=found.around(self.reader, hits[:BESIDE_OF]),
            seeds=_names(self.reader, seeds),
            window=self.look.window,
            degraded=self.degraded,
            passes=(*self.passes[:-1], structs.replace(self.passes[-1], returned=_returned(hits))),
            candidates=self.candidates,
        )

    def _passed(self, tier: int, question: Question, *, wide: bool) -> tuple[list[Recalled], list[UUID]]:
        """One pass over memory: what was found that the caller wants, best first, and the entities named."""
        began = time.perf_counter()
        limit = max(POOL_MIN, 2 * self.wanted.k) * (2 if wide else 1)
        result: Found = search(
            self.reader, question, mode=self.wanted.mode, filters=self.filters, limit=limit, wide=wide
        )
        pool = [one for hit in result.hits if self._is_wanted(one := found.of_hit(hit))]
        self.candidates = max(self.candidates, len(result.hits))
        self.passes.append(
            Retrieval(
                id=ULID().to_uuid(),
                created_at=datetime.now(UTC),
                mode=self.wanted.mode.value,
                tier=tier,
                reason="wider pool" if wide else "bounded pool",
                latency_ms=round((time.perf_counter() - began) * 1000),
                returned=_returned(pool[: self.wanted.k]),
                as_of=self.reader.instant.known_at,
            )
        )
        return pool, result.entity_ids

    def _is_wanted(self, hit: Recalled) -> bool:
        wanted = self.wanted
        if hit.turn_id in wanted.without_turns and hit.kind is Kind.TURN:
            return False
        # The question itself, recorded as a turn before it is asked here, tells nothing.
        if hit.kind is Kind.TURN and len(hit.text) < 2 * len(wanted.text) and folded(hit.text) == self.asked:
            return False
        if not wanted.labels.issubset(hit.labels):
            return False
        if self.look.only_recent and not self.question.is_within(hit.said_at):
            return False
        if self.located is not None:
            return not self.located.entity_ids.isdisjoint(hit.entity_ids) or hit.turn_id in self.located.turn_ids
        return True

    def _is_thin(self, pool: Sequence[Recalled]) -> bool:
        """Whether so little or so unsure was found that a wider search is worth its time."""
        near = [hit for hit in pool if hit.score >= floor.FLOOR]
        best = max((hit.score for hit in near), default=0.0)
        return len(near) < min(self.wanted.k, HITS_MIN) or best < floor.SURE

    def _one_hop_further(self, seeds: Sequence[UUID]) -> Question:
        """The question as if it named the neighbours of the entities that it names."""
        if not seeds:
            return self.question
        edges = relations.live_of_entities(self.reader, seeds, limit=HOPS_MAX).rows
        ends = {end for edge in edges for end in (edge.subject_id, edge.object_id)} - set(seeds)
        names = [name for _, name in _names(self.reader, sorted(ends))]
        return replace(self.question, names=[*self.question.names, *names])

    def _arranged(self, pool: Sequence[Recalled]) -> list[Recalled]:
        """The hits: none if no memory of it; the superseded under what replaced it; what says the same, once."""
        if not pool or max(hit.score for hit in pool) < floor.FLOOR:
            return []
        ordered = roles.ordered(pool, self.wanted.text)
        if not self.look.past:
            ordered = freshness.freshened(self.reader, ordered, model=self.question.model)
        ordered = supersession.arranged(self.reader, ordered, past=self.look.past, window=self.question.window)
        ordered = found.with_actors(self.reader, ordered)
        ordered = [hit for hit in ordered if self._is_kind(hit)]
        if not self.wanted.duplicates:
            ordered = duplicates.folded(ordered, limit=self.wanted.k)
        return _rising(ordered[: self.wanted.k])

    def _is_kind(self, hit: Recalled) -> bool:
        """Whether the hit, maybe added as a successor, is of a kind that the caller wants."""
        return (self.wanted.facts if hit.is_fact else self.wanted.passages) and (
            hit.id not in self.wanted.without_turns
        )


def _answered_directly(
    reader: Reader, caller: Caller, wanted: Wanted, question: Question, look: Asked, trace_id: UUID
) -> Retrieved | None:
    if wanted.mode is not Mode.HYBRID or not wanted.facts or not direct.plausible(look):
        return None
    answer = direct.answer(reader, caller, look, question.names, session_id=wanted.session_id)
    return _directly(reader, answer, wanted, trace_id, look) if answer else None


def _directly(reader: Reader, answer: Direct, wanted: Wanted, trace_id: UUID, look: Asked) -> Retrieved:
    """The facts that answer, then the words that they were read from."""
    facts = [found.of_fact(fact, score=DIRECT_SCORE) for fact in answer.facts]
    facts = [hit for hit in facts if wanted.labels.issubset(hit.labels)]
    sources = found.of_turns(reader, answer.turn_ids, score=SOURCE_SCORE) if wanted.passages else []
    order = {turn_id: place for place, turn_id in enumerate(answer.turn_ids)}
    sources = sorted(
        (hit for hit in sources if hit.id not in wanted.without_turns and wanted.labels.issubset(hit.labels)),
        key=lambda hit: order[hit.id],
    )
    hits = [*facts, *sources][: wanted.k]
    passed = Retrieval(
        id=ULID().to_uuid(),
        created_at=datetime.now(UTC),
        mode=wanted.mode.value,
        tier=1,
        reason=answer.reason,
        latency_ms=0,
        returned=_returned(hits),
        as_of=reader.instant.known_at,
    )
    return Retrieved(
        trace_id=trace_id,
        tier=DIRECT,
        reason=answer.reason,
        hits=hits,
        seeds=list(dict.fromkeys((fact.subject.type, fact.subject.name_key) for fact in answer.facts)),
        window=look.window,
        passes=(passed,),
        candidates=len(answer.facts),
    )


def _with_background(reader: Reader, caller: Caller, retrieved: Retrieved, wanted: Wanted) -> Retrieved:
    if not wanted.background:
        return retrieved
    seeds = [row.id for name in retrieved.seeds for row in subjects.of_name(reader, name)]
    told: Background = background(
        reader, caller, session_id=wanted.session_id, seeds=seeds, hits=[hit for hit in retrieved.hits if hit.is_fact]
    )
    return replace(retrieved, background=told)


def _then(look: Asked, reader: Reader) -> Asked:
    """The question as if asked at the reader's moment: "last month" is the month before that."""
    moment = reader.instant.moment
    return look if moment is None else asked(look.text, now=moment)


def _check_session(reader: Reader, wanted: Wanted) -> None:
    """Raises NotFound for a session that the caller can't see."""
    if wanted.session_id is not None and sessions.one(reader, wanted.session_id) is None:
        raise NotFound("there is no such session")


def _kinds(wanted: Wanted) -> frozenset[Kind] | None:
    if wanted.facts and wanted.passages:
        return None
    return frozenset(FACTS) if wanted.facts else frozenset(Kind) - frozenset(FACTS)


def _merged(first: Sequence[Recalled], second: Sequence[Recalled]) -> list[Recalled]:
    """The second pass, which saw more, with the higher score of each; then what only the first one found."""
    scores = {hit.id: hit.score for hit in first}
    merged = [structs.replace(hit, score=max(hit.score, scores.get(hit.id, 0.0))) for hit in second]
    known = {hit.id for hit in second}
    return [*merged, *(hit for hit in first if hit.id not in known)]


def _rising(hits: Sequence[Recalled]) -> list[Recalled]:
    """With scores that fall from hit to hit: one placed above another is no less sure."""
    best = 0.0
    risen = []
    for hit in reversed(hits):
        best = max(best, hit.score)
        risen.append(structs.replace(hit, score=best))
    return risen[::-1]


def _returned(hits: Sequence[Recalled]) -> tuple[Returned, ...]:
    return tuple(Returned(_table(hit.kind), _trace_id(hit), hit.score) for hit in hits)


def _table(kind: Kind) -> str:
    return "chunk" if kind in (Kind.TURN, Kind.DOCUMENT) else kind.value


def _trace_id(hit: Recalled) -> UUID:
    return hit.passage_id if hit.kind in (Kind.TURN, Kind.DOCUMENT) else hit.id


def _names(reader: Reader, entity_ids: Sequence[UUID]) -> list[tuple[str, str]]:
    return subjects.names_of(reader, entity_ids)
