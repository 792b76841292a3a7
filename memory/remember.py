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

from memory.candidates import AnyCandidate, Extraction, MemoryCategory
from memory.decide import decide, wanted
from memory.errors import ExtractorUnavailable
from memory.events import ExtractionCompleted, ExtractionFailed, TurnRecorded
from memory.extraction import Extractor
from memory.known import Statement
from memory.log import EventLog, Writing
from memory.ports import Knowledge, KnownSession
from memory.principals import Caller
from memory.recorded import Origin, Recorded
from memory.scopes import ScopeSet, user_in
from memory.sessions import Sessions
from memory.values import Infer, Role, SourceKind

T = TypeVar("T")

logger = logging.getLogger(__name__)

EARLIER_TURNS = 4
GIVEN_TRIPLES = "triples"


class ExtractionStatus(StrEnum):
    """How a turn was understood. NONE: nothing was asked for."""

    COMPLETE = "complete"
    NOTHING_FOUND = "nothing_found"
    PENDING = "pending"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a caller asks to remember.

    candidates: the given triples, for `infer: triples`. observed_at: aware; when it was said, if
    not now. session_id: None opens one, in `scopes` or the caller's write scopes.
    """

    turn_id: UUID
    text: str
    role: Role = Role.USER
    infer: Infer = Infer.FULL
    labels: tuple[str, ...] = ()
    memory_category: MemoryCategory | None = None
    observed_at: datetime | None = None
    candidates: tuple[AnyCandidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Learnt:
    """The outcome of one turn: the events recorded for it after the turn itself."""

    turn_id: UUID
    status: ExtractionStatus
    recorded: Sequence[Recorded]
    position: int
    error: str | None = None


Answer = Callable[[Writing, Learnt], T]


@dataclass(frozen=True, slots=True)
class Remembered(Generic[T]):
    """session_id: where the turn went. answers: what `answer` made of each turn, in order."""

    session_id: UUID
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


class Memory:
    """The write side's use cases over one log. Shared by all threads."""

    def __init__(self, log: EventLog, knowledge: Knowledge, extractor: Extractor) -> None:
        self.log = log
        self.knowledge = knowledge
        self.extractor = extractor
        self.sessions = Sessions(log, knowledge)

    def remember(
        self,
        caller: Caller,
        turns: Sequence[Turn],
        *,
        session_id: UUID | None,
        new_session_id: UUID,
        scopes: ScopeSet | None = None,
        answer: Answer[T],
    ) -> Remembered[T]:
        """Record the turns, learn from each, and answer inside the transaction that made it true.

        All turns are durable before the first one is understood. Raises SessionUnavailable or
        SessionClosedAlready before anything is recorded.
        """
        if any(turn.infer is Infer.PREVIEW for turn in turns):
            return self._preview(caller, turns, session_id, new_session_id, scopes, answer)
        answers: list[T] = []
        pending: list[_Said] = []
        with self.log.writing(caller.context_id) as writing:
            session = self.sessions.for_write(writing, caller, session_id, new_session_id, scopes)
            for number, turn in enumerate(turns):
                said = self._record(writing, caller, session, turn, session.next_seq + number)
                if turn.infer is Infer.FULL:
                    pending.append(said)
                else:
                    answers.append(answer(writing, self._learn_given(writing, caller, said)))
            position = writing.position
        for said in pending:
            outcome, position = self._learn(caller, said, answer)
            answers.append(outcome)
        return Remembered(session.session_id, answers, position)

    def remember_given(self, writing: Writing, caller: Caller, session: KnownSession, turn: Turn) -> Learnt:
        """Record a turn with given candidates and what they say, inside an open append."""
        said = self._record(writing, caller, session, turn, session.next_seq)
        return self._learn_given(writing, caller, said)

    def learn_pending(self, caller: Caller, turn: Turn, session_id: UUID, said_at: datetime, position: int) -> None:
        """Understand a turn that was recorded but never learnt from, at its own time. Raises nothing new if
        another process was quicker."""
        with self.log.writing(caller.context_id) as writing:
            session = self.sessions.existing(writing, caller, session_id)
        origin = Origin(
            turn_id=turn.turn_id,
            session_id=session_id,
            principal_id=caller.principal_id,
            scope_set_id=session.scope_set_id,
            observed_at=said_at,
        )
        self._learn(caller, _Said(turn, session, origin, said_at, position), lambda writing, learnt: None)

    def _record(self, writing: Writing, caller: Caller, session: KnownSession, turn: Turn, seq: int) -> _Said:
        visible = [*caller.visible, session.scope_set_id]
        earlier: list[str] = []
        if turn.infer in (Infer.FULL, Infer.PREVIEW):
            earlier = self.knowledge.earlier_words(writing, session.session_id, visible, limit=EARLIER_TURNS)
        event = TurnRecorded(
            turn_id=turn.turn_id,
            seq=seq,
            role=turn.role,
            infer=turn.infer,
            text=turn.text,
            labels=turn.labels,
            memory_category=turn.memory_category,
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
            return Learnt(said.turn.turn_id, ExtractionStatus.NONE, [], writing.position)
        extraction = Extraction(extractor=GIVEN_TRIPLES, candidates=said.turn.candidates)
        return self._decided(writing, caller, said, extraction, SourceKind.UPSERT)

    # --- extraction and transaction 2 ---

    def _learn(self, caller: Caller, said: _Said, answer: Answer[T]) -> tuple[T, int]:
        extraction = self._extracted(said)
        with self.log.writing(caller.context_id) as writing:
            turn_id = said.turn.turn_id
            if not self.knowledge.is_pending(writing, turn_id, said.session.scope_set_id):
                learnt = self._learnt_elsewhere(writing, turn_id)
                return answer(writing, learnt), learnt.position
            said = replace(said, session=self.sessions.refreshed(writing, caller, said.session))
            if isinstance(extraction, ExtractionFailed):
                recorded = writing.record([extraction], said.origin)
                learnt = Learnt(turn_id, ExtractionStatus.PENDING, recorded, writing.position, extraction.error)
            else:
                learnt = self._decided(writing, caller, said, extraction, SourceKind(said.turn.role))
            return answer(writing, learnt), writing.position

    def _learnt_elsewhere(self, writing: Writing, turn_id: UUID) -> Learnt:
        """What another process recorded for the turn while this one was extracting."""
        _, *recorded = self.log.of_turn(writing.cursor, writing.context_id, turn_id)
        return Learnt(turn_id, ExtractionStatus.COMPLETE, recorded, recorded[-1].position)

    def _extracted(self, said: _Said) -> Extraction | ExtractionFailed:
        turn = said.turn
        try:
            return self.extractor.extract(turn.text, role=turn.role, said_at=said.said_at, earlier=said.earlier)
        except ExtractorUnavailable as error:
            return ExtractionFailed(
                extractor=self.extractor.name, error=type(error).__name__, retryable=error.retryable
            )
        except Exception as error:
            # The words are durable by now: whatever broke, the answer is "pending", not a lost turn.
            logger.exception("extractor %s failed", self.extractor.name)
            return ExtractionFailed(extractor=self.extractor.name, error=type(error).__name__, retryable=False)

    def _decided(
        self, writing: Writing, caller: Caller, said: _Said, extraction: Extraction, source_kind: SourceKind
    ) -> Learnt:
        session = said.session
        visible = [*caller.visible, session.scope_set_id]
        candidates = tuple(_filed(candidate, said.turn.memory_category) for candidate in extraction.candidates)
        statement = Statement(
            turn_id=said.turn.turn_id,
            session_id=session.session_id,
            role=said.turn.role,
            source_kind=source_kind,
            said_at=said.said_at,
            position=said.position,
            next_position=writing.position + 2,  # after ExtractionCompleted
            user_name=user_in(session.scopes),
            speaker_id=session.speaker_id,
            principal_name=caller.display_name if caller.kind == "human" else None,
            labels=said.turn.labels,
        )
        asked = wanted(candidates, statement, session.speaker_name)
        known = self.knowledge.load(
            writing, asked, statement, scope_set_id=session.scope_set_id, visible=visible, again=False
        )
        completed = ExtractionCompleted(extractor=extraction.extractor, candidates=candidates)
        recorded = writing.record([completed, *decide(candidates, known, statement)], said.origin)
        status = ExtractionStatus.COMPLETE if candidates else ExtractionStatus.NOTHING_FOUND
        return Learnt(said.turn.turn_id, status, recorded, writing.position)

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
            if isinstance(extraction, ExtractionFailed):
                raise ExtractorUnavailable()
            extractions.append(extraction)
        with self.log.writing(caller.context_id) as writing:
            session = self.sessions.for_write(writing, caller, session_id, new_session_id, scopes)
            for said, extraction in zip(saids, extractions, strict=True):
                turn = replace(said.turn, observed_at=said.said_at)
                said = self._record(writing, caller, session, turn, session.next_seq)
                learnt = self._decided(writing, caller, said, extraction, SourceKind(turn.role))
                answers.append(answer(writing, learnt))
                writing.flush()  # the next turn meets what this one said
                session = self.sessions.refreshed(writing, caller, session)
            writing.roll_back()
        return Remembered(session.session_id, answers, position)


def _filed(candidate: AnyCandidate, category: MemoryCategory | None) -> AnyCandidate:
    """The candidate under the category that the caller asked for, if any."""
    return candidate if category is None else structs.replace(candidate, category=category)
