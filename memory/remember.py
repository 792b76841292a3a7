"""The main job: a turn becomes an event, its extraction becomes events, all of it durable.

With `infer: full` the words are committed first, then the extractor is asked while no connection
is held, then a second transaction decides and records what was learnt. Given triples and bare words
need no extractor: one transaction.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar
from uuid import UUID

from msgspec import structs

from memory import idempotency
from memory.candidates import AnyCandidate, Extraction, MemoryCategory
from memory.decide import decide
from memory.errors import ExtractorUnavailable, NotFound
from memory.events import Citation, Event, ExtractionAbandoned, ExtractionCompleted, ExtractionFailed, TurnRecorded
from memory.extraction import Extractor
from memory.idempotency import Done, RequestKey
from memory.known import Statement
from memory.log import EventLog, Writing
from memory.ports import Knowledge, KnownSession, PendingExtraction
from memory.principals import Caller
from memory.recorded import Origin, Recorded
from memory.retries import Retries
from memory.scopes import ScopeSet, user_in
from memory.sessions import Sessions
from memory.values import Infer, Role, SourceKind
from memory.wanted import wanted

T = TypeVar("T")

logger = logging.getLogger(__name__)

EARLIER_TURNS = 4
GIVEN_TRIPLES = "triples"


class ExtractionStatus(StrEnum):
    """How a turn was understood. PENDING: it will be tried again. FAILED: given up. NONE: nothing was asked for."""

    COMPLETE = "complete"
    NOTHING_FOUND = "nothing_found"
    PENDING = "pending"
    FAILED = "failed"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a caller asks to remember.

    candidates: the given triples, for `infer: triples`. observed_at: aware; when it was said, if
    not now. session_id: None opens one, in `scopes` or the caller's write scopes. citations: of a reply.
    """

    turn_id: UUID
    text: str
    role: Role = Role.USER
    infer: Infer = Infer.FULL
    labels: tuple[str, ...] = ()
    memory_category: MemoryCategory | None = None
    observed_at: datetime | None = None
    candidates: tuple[AnyCandidate, ...] = ()
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingTurn:
    """A recorded turn that waits to be understood. said_at: in the offset in which it was said. position,
    seq: of its record in the log, and in its session."""

    turn: Turn
    session_id: UUID
    said_at: datetime
    position: int
    seq: int


@dataclass(frozen=True, slots=True)
class Learnt:
    """The outcome of one turn: the events recorded for it after the turn itself.

    source_kind: what its statements count as.
    """

    turn_id: UUID
    session_id: UUID
    source_kind: SourceKind
    status: ExtractionStatus
    recorded: Sequence[Recorded]
    position: int
    failure: ExtractionFailed | None = None

    @property
    def error(self) -> str | None:
        """Why the last attempt failed, while the turn is not understood."""
        return self.failure.error if self.failure else None


Answer = Callable[[Writing, Learnt], T]


@dataclass(frozen=True, slots=True)
class Remembered(Generic[T]):
    """session_id: where the turns went. turn_ids: theirs, those of the first time if the request was done
    before. answers: what `answer` made of each turn, in order."""

    session_id: UUID
    turn_ids: Sequence[UUID]
    answers: list[T]
    position: int


@dataclass(frozen=True, slots=True)
class _Said:
    """A recorded turn and all that deciding over it later needs."""

    turn: Turn
    session: KnownSession
    origin: Origin
    said_at: datetime
    position: int
    earlier: tuple[str, ...] = ()

    @property
    def source_kind(self) -> SourceKind:
        return _source_kind(self.turn.infer, self.turn.role)

    def learnt(
        self,
        status: ExtractionStatus,
        recorded: Sequence[Recorded],
        position: int,
        failure: ExtractionFailed | None = None,
    ) -> Learnt:
        session_id = self.session.session_id
        return Learnt(self.turn.turn_id, session_id, self.source_kind, status, recorded, position, failure)


def _source_kind(infer: Infer, role: Role) -> SourceKind:
    return SourceKind.UPSERT if infer is Infer.TRIPLES else SourceKind(role)


class Memory:
    """The write side's use cases over one log. Shared by all threads."""

    def __init__(
        self, log: EventLog, knowledge: Knowledge, extractor: Extractor, retries: Retries | None = None
    ) -> None:
        self.log = log
        self.knowledge = knowledge
        self.extractor = extractor
        self.retries = retries or Retries()
        self.sessions = Sessions(log, knowledge)

    def remember(
        self,
        caller: Caller,
        turns: Sequence[Turn],
        *,
        session_id: UUID | None,
        new_session_id: UUID,
        scopes: ScopeSet | None = None,
        request: RequestKey | None = None,
        answer: Answer[T],
    ) -> Remembered[T]:
        """Record the turns, learn from each, and answer inside the transaction that made it true.

        All turns are durable before the first one is understood. request: if one of the same key was
        done before, nothing is recorded and the answers are rebuilt from the log. Raises
        SessionUnavailable, SessionClosedAlready or Conflict before anything is recorded.
        """
        if any(turn.infer is Infer.PREVIEW for turn in turns):
            return self._preview(caller, turns, session_id, new_session_id, scopes, answer)
        answers: list[T] = []
        pending: list[_Said] = []
        with self.log.writing(caller.context_id) as writing:
            done = idempotency.find(writing, request) if request else None
            if done:
                return self._again(writing, done, answer)
            session = self.sessions.for_write(writing, caller, session_id, new_session_id, scopes)
            for number, turn in enumerate(turns):
                said = self._record(writing, caller, session, turn, session.next_seq + number)
                if turn.infer is Infer.FULL:
                    pending.append(said)
                else:
                    answers.append(answer(writing, self._learn_given(writing, caller, said)))
            if request:
                idempotency.keep(writing, request, session.session_id, [turn.turn_id for turn in turns])
            position = writing.position
        for said in pending:
            outcome, position = self._learn(caller, said, answer)
            answers.append(outcome)
        return Remembered(session.session_id, [turn.turn_id for turn in turns], answers, position)

    def remember_given(self, writing: Writing, caller: Caller, session: KnownSession, turn: Turn) -> Learnt:
        """Record a turn with given candidates and what they say, inside an open append."""
        said = self._record(writing, caller, session, turn, session.next_seq)
        return self._learn_given(writing, caller, said)

    def learn_pending(self, caller: Caller, pending: PendingTurn) -> Learnt:
        """Understand a turn that was recorded but never learnt from, as it would have been at once.

        Raises SessionUnavailable if the caller may not see its session.
        """
        with self.log.writing(caller.context_id) as writing:
            session = self.sessions.existing(writing, caller, pending.session_id)
            earlier = self.knowledge.earlier_words(
                writing, session.session_id, caller.visible, before_seq=pending.seq, limit=EARLIER_TURNS
            )
        origin = Origin(
            turn_id=pending.turn.turn_id,
            session_id=session.session_id,
            principal_id=caller.principal_id,
            scope_set_id=session.scope_set_id,
            observed_at=pending.said_at,
        )
        said = _Said(pending.turn, session, origin, pending.said_at, pending.position, tuple(earlier))
        return self._learn(caller, said, lambda writing, learnt: learnt)[0]

    def _record(self, writing: Writing, caller: Caller, session: KnownSession, turn: Turn, seq: int) -> _Said:
        visible = [*caller.visible, session.scope_set_id]
        earlier: list[str] = []
        if turn.infer in (Infer.FULL, Infer.PREVIEW):
            earlier = self.knowledge.earlier_words(
                writing, session.session_id, visible, before_seq=seq, limit=EARLIER_TURNS
            )
        event = TurnRecorded(
            turn_id=turn.turn_id,
            seq=seq,
            role=turn.role,
            infer=turn.infer,
            text=turn.text,
            labels=turn.labels,
            memory_category=turn.memory_category,
            utc_offset_s=_utc_offset_s(turn.observed_at),
            citations=turn.citations,
        )
        origin = Origin(
            turn_id=turn.turn_id,
            session_id=session.session_id,
            principal_id=caller.principal_id,
            scope_set_id=session.scope_set_id,
            observed_at=turn.observed_at,
        )
        (recorded,) = writing.record([event], origin)
        # What the turn says carries the turn's time, whenever it comes to be decided.
        said_at = recorded.known_at
        origin = structs.replace(origin, observed_at=said_at)
        return _Said(turn, session, origin, said_at, recorded.position, tuple(earlier))

    def _learn_given(self, writing: Writing, caller: Caller, said: _Said) -> Learnt:
        if said.turn.infer is Infer.NONE:
            return said.learnt(ExtractionStatus.NONE, [], writing.position)
        extraction = Extraction(extractor=GIVEN_TRIPLES, candidates=said.turn.candidates)
        return self._decided(writing, caller, said, extraction)

    # --- extraction and transaction 2 ---

    def _learn(self, caller: Caller, said: _Said, answer: Answer[T]) -> tuple[T, int]:
        extraction = self._extracted(said)
        with self.log.writing(caller.context_id) as writing:
            turn_id = said.turn.turn_id
            pending = self.knowledge.pending(writing, turn_id, said.session.scope_set_id)
            if pending is None:
                learnt = self._learnt_before(writing, turn_id)
                return answer(writing, learnt), learnt.position
            said = replace(said, session=self.sessions.refreshed(writing, caller, said.session))
            if isinstance(extraction, ExtractorUnavailable):
                learnt = self._failed(writing, said, extraction, pending)
            else:
                learnt = self._decided(writing, caller, said, extraction)
            return answer(writing, learnt), writing.position

    def _again(self, writing: Writing, done: Done, answer: Answer[T]) -> Remembered[T]:
        """The answers to a request that was done before, as they are now."""
        answers = [answer(writing, self._learnt_before(writing, turn_id)) for turn_id in done.turn_ids]
        assert done.session_id is not None, "turns are said in sessions"
        return Remembered(done.session_id, list(done.turn_ids), answers, writing.position)

    def _learnt_before(self, writing: Writing, turn_id: UUID) -> Learnt:
        """What the log tells of a turn: by another process, or by an earlier request."""
        said, *recorded = self.log.of_turn(writing.cursor, writing.context_id, turn_id)
        if not isinstance(said.event, TurnRecorded):
            raise NotFound("the turn was erased")
        status = ExtractionStatus.PENDING
        failure: ExtractionFailed | None = None
        if said.event.infer is Infer.NONE:
            status = ExtractionStatus.NONE
        for event in (one.event for one in recorded):
            if isinstance(event, ExtractionCompleted):
                status = ExtractionStatus.COMPLETE if event.candidates else ExtractionStatus.NOTHING_FOUND
                failure = None
            elif isinstance(event, ExtractionFailed):
                failure = event
            elif isinstance(event, ExtractionAbandoned):
                status = ExtractionStatus.FAILED
        last = recorded[-1] if recorded else said
        assert said.origin.session_id is not None
        source_kind = _source_kind(said.event.infer, said.event.role)
        return Learnt(turn_id, said.origin.session_id, source_kind, status, recorded, last.position, failure)

    def _failed(self, writing: Writing, said: _Said, error: ExtractorUnavailable, pending: PendingExtraction) -> Learnt:
        attempt = pending.attempts + 1
        failed = ExtractionFailed(
            extractor=self.extractor.name,
            error=error.kind,
            retryable=error.retryable,
            attempt=attempt,
            retry_in_s=self.retries.delay_s(attempt, error.wait_s) if error.retryable else None,
            model=error.model,
            usage=error.usage,
        )
        events: list[Event] = [failed]
        status = ExtractionStatus.PENDING
        if (writing.now - pending.recorded_at).total_seconds() >= self.retries.give_up_s:
            events.append(ExtractionAbandoned(extractor=failed.extractor, error=failed.error, attempts=attempt))
            status = ExtractionStatus.FAILED
        return said.learnt(status, writing.record(events, said.origin), writing.position, failed)

    def _extracted(self, said: _Said) -> Extraction | ExtractorUnavailable:
        turn = said.turn
        try:
            return self.extractor.extract(turn.text, role=turn.role, said_at=said.said_at, earlier=said.earlier)
        except ExtractorUnavailable as error:
            return error
        except Exception as error:
            # The words are durable by now: whatever broke, the answer is "pending", not a lost turn.
            logger.exception("extractor %s failed", self.extractor.name)
            return ExtractorUnavailable(kind=type(error).__name__, retryable=False)

    def _decided(self, writing: Writing, caller: Caller, said: _Said, extraction: Extraction) -> Learnt:
        session = said.session
        visible = [*caller.visible, session.scope_set_id]
        candidates = tuple(_filed(candidate, said.turn.memory_category) for candidate in extraction.candidates)
        statement = Statement(
            turn_id=said.turn.turn_id,
            session_id=session.session_id,
            role=said.turn.role,
            source_kind=said.source_kind,
            said_at=said.said_at,
            position=said.position,
            next_position=writing.position + 2,  # after ExtractionCompleted
            user_name=user_in(session.scopes),
            speaker_id=session.speaker_id,
            principal_name=caller.display_name if caller.kind == "human" else None,
            labels=said.turn.labels,
        )
        asked = wanted(candidates, statement, session.speaker)
        known = self.knowledge.load(
            writing, asked, statement, scope_set_id=session.scope_set_id, visible=visible, again=False
        )
        completed = ExtractionCompleted(extractor=extraction.extractor, candidates=candidates)
        recorded = writing.record([completed, *decide(candidates, known, statement)], said.origin)
        status = ExtractionStatus.COMPLETE if candidates else ExtractionStatus.NOTHING_FOUND
        return said.learnt(status, recorded, writing.position)

    # --- dry run ---

    def _preview(
        self,
        caller: Caller,
        turns: Sequence[Turn],
        session_id: UUID | None,
        new_session_id: UUID,
        scopes: ScopeSet | None,
        answer: Answer[T],
    ) -> Remembered[T]:
        """The same as a write, in transactions that are rolled back: exact, and nothing stays."""
        extractions: list[Extraction] = []
        answers: list[T] = []
        with self.log.writing(caller.context_id) as writing:
            position = writing.position
            session = self.sessions.for_write(writing, caller, session_id, new_session_id, scopes)
            saids = [
                self._record(writing, caller, session, turn, session.next_seq + number)
                for number, turn in enumerate(turns)
            ]
            writing.roll_back()
        for said in saids:
            extraction = self._extracted(said)
            if isinstance(extraction, ExtractorUnavailable):
                raise extraction
            extractions.append(extraction)
        with self.log.writing(caller.context_id) as writing:
            session = self.sessions.for_write(writing, caller, session_id, new_session_id, scopes)
            for said, extraction in zip(saids, extractions, strict=True):
                turn = replace(said.turn, observed_at=said.said_at)
                said = self._record(writing, caller, session, turn, session.next_seq)
                learnt = self._decided(writing, caller, said, extraction)
                answers.append(answer(writing, learnt))
                writing.flush()  # the next turn meets what this one said
                session = self.sessions.refreshed(writing, caller, session)
            writing.roll_back()
        return Remembered(session.session_id, [turn.turn_id for turn in turns], answers, position)


def _utc_offset_s(moment: datetime | None) -> int:
    offset = moment.utcoffset() if moment else None
    return int(offset.total_seconds()) if offset else 0


def _filed(candidate: AnyCandidate, category: MemoryCategory | None) -> AnyCandidate:
    """The candidate under the category that the caller asked for, if any."""
    return candidate if category is None else structs.replace(candidate, category=category)
