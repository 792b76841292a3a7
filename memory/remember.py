"""The main job: a turn becomes an event, its extraction becomes events, all of it durable.

With `infer: full` the words are committed first, then the extractor is asked while no connection
is held, then a second transaction decides and records what was learnt. Given triples and bare words
need no extractor: one transaction.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from msgspec import structs

from memory import idempotency
from memory.candidates import Extraction
from memory.errors import ExtractorUnavailable
from memory.events import ExtractionFailed, TurnRecorded
from memory.idempotency import Done, RequestKey
from memory.learning import Learning
from memory.log import EventLog, Writing
from memory.ports import Knowledge, KnownSession
from memory.principals import Caller
from memory.recorded import Origin
from memory.regions import narrowing_of
from memory.retries import Retries
from memory.scopes import ScopeSet
from memory.sessions import Sessions
from memory.turns import Answer, ExtractionStatus, Learnt, PendingTurn, Remembered, Said, Turn
from memory.understanding import Outcome, Understanding
from memory.values import Infer

__all__ = ["ExtractionStatus", "Learnt", "Memory", "PendingTurn", "Remembered", "Turn"]

T = TypeVar("T")

logger = logging.getLogger(__name__)

EARLIER_TURNS = 4
GIVEN_TRIPLES = "triples"
DEADLINE = "deadline_exceeded"


class Memory:
    """The write side's use cases over one log. Shared by all threads."""

    def __init__(
        self, log: EventLog, knowledge: Knowledge, understanding: Understanding, retries: Retries | None = None
    ) -> None:
        self.log = log
        self.knowledge = knowledge
        self.understanding = understanding
        self.learning = Learning(log, knowledge, retries or Retries())
        self.sessions = Sessions(log, knowledge)
        self.outcomes: Counter[ExtractionStatus] = Counter()  # extractions since the start, by what came of them

    def remember(
        self,
        caller: Caller,
        turns: Sequence[Turn],
        *,
        session_id: UUID | None,
        new_session_id: UUID,
        scopes: ScopeSet | None = None,
        request: RequestKey | None = None,
        answered: UUID | None = None,
        together: bool = False,
        answer: Answer[T],
    ) -> Remembered[T]:
        """Record the turns, learn from each, and answer inside the transaction that made it true.

        All turns are durable before the first one is understood. What is not understood by the deadline is
        answered as pending while the work goes on. together: let the extractor read the turns as one
        conversation. request: if one of the same key was done before, nothing is recorded and the answers are
        rebuilt from the log. answered: a turn recorded before that the request is about too. Raises
        SessionUnavailable, SessionClosedAlready or Conflict before anything is recorded.
        """
        if any(turn.infer is Infer.PREVIEW for turn in turns):
            return self._preview(caller, turns, session_id, new_session_id, scopes, answer, together=together)
        answers: list[T] = []
        pending: list[Said] = []
        with self.log.writing(caller.context_id) as writing:
            done = idempotency.find(writing, request) if request else None
            if done:
                return self._again(writing, done, answer)
            session = self.sessions.for_write(writing, caller, session_id, new_session_id, scopes)
            for seq, turn in enumerate(turns, start=session.next_seq):
                said = self._record(writing, caller, session, turn, seq)
                if turn.infer is Infer.FULL:
                    pending.append(said)
                else:
                    answers.append(answer(writing, self._learn_given(writing, caller, said)))
                if turn.infer is Infer.TRIPLES and turn is not turns[-1]:
                    writing.flush()  # the next turn meets what this one said
                    session = self.sessions.refreshed(writing, caller, session)
            if request:
                before = [answered] if answered else []
                idempotency.keep(writing, request, session.session_id, [*before, *(turn.turn_id for turn in turns)])
            position = writing.position
        for outcome, reached in self._learnt_in_time(caller, pending, answer, together=together):
            answers.append(outcome)
            position = max(position, reached)
        return Remembered(session.session_id, [turn.turn_id for turn in turns], answers, position)

    def remember_given(self, writing: Writing, caller: Caller, session: KnownSession, turn: Turn) -> Learnt:
        """Record a turn with given candidates and what they say, inside an open append."""
        said = self._record(writing, caller, session, turn, session.next_seq)
        return self._learn_given(writing, caller, said)

    def learn_pending(self, caller: Caller, pending: PendingTurn) -> Learnt:
        """Understand a turn that was recorded but never learnt from, as it would have been at once.

        Raises SessionUnavailable if the caller may not see its session.
        """
        said = self.recalled(caller, pending)
        ((learnt, _),) = self._learn(caller, [said], lambda writing, learnt: learnt)
        return learnt

    def recalled(self, caller: Caller, pending: PendingTurn) -> Said:
        """A turn as it was when it was recorded, with the words before it. Raises SessionUnavailable."""
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
        return Said(pending.turn, session, origin, pending.said_at, pending.position, tuple(earlier))

    def refreshed(self, writing: Writing, caller: Caller, said: Said) -> Said:
        """With the session as later turns left it."""
        return replace(said, session=self.sessions.refreshed(writing, caller, said.session))

    def _record(self, writing: Writing, caller: Caller, session: KnownSession, turn: Turn, seq: int) -> Said:
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
            reply=turn.reply,
            region=narrowing_of(caller),
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
        return Said(turn, session, origin, said_at, recorded.position, tuple(earlier))

    def _learn_given(self, writing: Writing, caller: Caller, said: Said) -> Learnt:
        if said.turn.infer is Infer.NONE:
            return said.learnt(ExtractionStatus.NONE, [], writing.position)
        extraction = Extraction(extractor=GIVEN_TRIPLES, candidates=said.turn.candidates)
        return self.learning.decided(writing, caller, said, extraction)

    # --- extraction and transaction 2 ---

    def _learnt_in_time(
        self, caller: Caller, pending: Sequence[Said], answer: Answer[T], *, together: bool
    ) -> Iterable[tuple[T, int]]:
        """The answer and position of each turn, at the latest at the deadline of its context.

        Past it the work goes on in its thread, and the answer is what the log tells by then.
        """
        context_id = caller.context_id
        if not pending or self.understanding.remote_of(context_id) is None:
            return list(self._learn(caller, pending, answer, together=together))
        work = _Work(lambda: self._learn(caller, pending, answer, together=together))
        done = work.until(self.understanding.deadline_of(context_id))
        return [*done, *(self._not_yet(caller, said, answer) for said in pending[len(done) :])]

    def _learn(
        self, caller: Caller, pending: Sequence[Said], answer: Answer[T], *, together: bool = False
    ) -> Iterator[tuple[T, int]]:
        outcomes = self.understanding.outcomes(caller, pending, together=together)
        for said, outcome in zip(pending, outcomes, strict=True):
            yield self._record_outcome(caller, said, outcome, answer)

    def _record_outcome(self, caller: Caller, said: Said, outcome: Outcome, answer: Answer[T]) -> tuple[T, int]:
        with self.log.writing(caller.context_id) as writing:
            turn_id, session = said.turn.turn_id, said.session
            visible = [*caller.visible, session.scope_set_id]
            found = self.knowledge.pending(writing, turn_id, session.session_id, visible)
            if found is None:
                learnt = self.learning.before(writing.cursor, writing.context_id, turn_id)
                return answer(writing, learnt), learnt.position
            pending, session = found  # as later turns left it
            said = replace(said, session=session)
            if isinstance(outcome, ExtractorUnavailable):
                name = self.understanding.name(caller.context_id)
                learnt = self.learning.failed(writing, said, name, outcome, pending)
            else:
                learnt = self.learning.decided(writing, caller, said, outcome)
            self.outcomes[learnt.status] += 1
            return answer(writing, learnt), writing.position

    def _not_yet(self, caller: Caller, said: Said, answer: Answer[T]) -> tuple[T, int]:
        """The answer for a turn that is still being read, or was read just now."""
        with self.log.writing(caller.context_id) as writing:
            learnt = self.learning.before(writing.cursor, writing.context_id, said.turn.turn_id)
            if learnt.status is ExtractionStatus.PENDING and learnt.failure is None:
                name = self.understanding.name(caller.context_id)
                learnt = replace(learnt, failure=ExtractionFailed(extractor=name, error=DEADLINE, retryable=True))
            return answer(writing, learnt), writing.position

    def _again(self, writing: Writing, done: Done, answer: Answer[T]) -> Remembered[T]:
        """The answers to a request that was done before, as they are now."""
        answers = [
            answer(writing, self.learning.before(writing.cursor, writing.context_id, turn_id))
            for turn_id in done.turn_ids
        ]
        assert done.session_id is not None, "turns are said in sessions"
        return Remembered(done.session_id, list(done.turn_ids), answers, writing.position)

    # --- dry run ---

    def _preview(
        self,
        caller: Caller,
        turns: Sequence[Turn],
        session_id: UUID | None,
        new_session_id: UUID,
        scopes: ScopeSet | None,
        answer: Answer[T],
        *,
        together: bool,
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
        for outcome in self.understanding.outcomes(caller, saids, together=together):
            if isinstance(outcome, ExtractorUnavailable):
                raise outcome
            extractions.append(outcome)
        with self.log.writing(caller.context_id) as writing:
            session = self.sessions.for_write(writing, caller, session_id, new_session_id, scopes)
            for said, extraction in zip(saids, extractions, strict=True):
                turn = replace(said.turn, observed_at=said.said_at)
                said = self._record(writing, caller, session, turn, session.next_seq)
                learnt = self.learning.decided(writing, caller, said, extraction)
                answers.append(answer(writing, learnt))
                writing.flush()  # the next turn meets what this one said
                session = self.sessions.refreshed(writing, caller, session)
            writing.roll_back()
        return Remembered(session.session_id, [turn.turn_id for turn in turns], answers, position)


class _Work(Generic[T]):
    """Results that come one by one from a thread of its own, which nobody needs to wait for to the end."""

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self._make = make
        self._results: list[T] = []
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="learning", daemon=True)
        self._thread.start()

    def until(self, deadline_s: float) -> list[T]:
        """What there is after `deadline_s` seconds, or all of it. Raises what the work raised by then."""
        self._thread.join(deadline_s)
        if self._error is not None:
            raise self._error
        return list(self._results)

    def _run(self) -> None:
        try:
            for result in self._make():
                self._results.append(result)
        except Exception as error:
            # Nobody may be waiting any more; the turns stay pending and are found again.
            logger.warning("learning stopped: %s", type(error).__name__)
            self._error = error


def _utc_offset_s(moment: datetime | None) -> int:
    offset = moment.utcoffset() if moment else None
    return int(offset.total_seconds()) if offset else 0
