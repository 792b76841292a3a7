"""What an extraction becomes inside the second transaction: events, or a failure to try again."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from memory.candidates import AnyCandidate, Extraction, MemoryCategory
from memory.decide import decide
from memory.errors import ExtractorUnavailable, NotFound
from memory.events import Event, ExtractionAbandoned, ExtractionCompleted, ExtractionFailed, TurnRecorded
from memory.known import Statement
from memory.log import Cursor, EventLog, Writing
from memory.ports import Knowledge, PendingExtraction
from memory.principals import Caller
from memory.retries import Retries
from memory.scopes import user_in
from memory.turns import ExtractionStatus, Learnt, Said, source_kind_of
from memory.values import Infer
from memory.wanted import wanted


class Learning:
    """Decides over extractions, inside an open append."""

    def __init__(self, log: EventLog, knowledge: Knowledge, retries: Retries) -> None:
        self.log = log
        self.knowledge = knowledge
        self.retries = retries

    def before(self, cursor: Cursor, context_id: str, turn_id: UUID) -> Learnt:
        """What the log tells of a turn: by another process, or by an earlier request. Raises NotFound once erased."""
        said, *recorded = self.log.of_turn(cursor, context_id, turn_id)
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
        source_kind = source_kind_of(said.event.infer, said.event.role)
        return Learnt(turn_id, said.origin.session_id, source_kind, status, recorded, last.position, failure)

    def failed(
        self,
        writing: Writing,
        said: Said,
        extractor: str,
        error: ExtractorUnavailable,
        pending: PendingExtraction,
    ) -> Learnt:
        """Record that the extractor did not answer, and that it never will once the turn is too old.

        What only a human can mend, such as a refused key, is tried again too: nobody tells when it was mended. While
        the model may not be asked, no turn is too old.
        """
        attempt = pending.attempts + 1
        failed = ExtractionFailed(
            extractor=extractor,
            error=error.kind,
            retryable=error.retryable,
            attempt=attempt,
            retry_in_s=self.retries.delay_s(attempt, error.wait_s),
            model=error.model,
            usage=error.usage,
        )
        events: list[Event] = [failed]
        status = ExtractionStatus.PENDING
        if not error.is_held and (writing.now - pending.recorded_at).total_seconds() >= self.retries.give_up_s:
            events.append(ExtractionAbandoned(extractor=failed.extractor, error=failed.error, attempts=attempt))
            status = ExtractionStatus.FAILED
        return said.learnt(status, writing.record(events, said.origin), writing.position, failed)

    def decided(self, writing: Writing, caller: Caller, said: Said, extraction: Extraction) -> Learnt:
        """Record what the extractor answered and what it changes."""
        candidates = tuple(_filed(candidate, said.turn.memory_category) for candidate in extraction.candidates)
        completed = ExtractionCompleted(
            extractor=extraction.extractor,
            candidates=candidates,
            model=extraction.model,
            usage=extraction.usage,
            dropped=extraction.dropped,
        )
        statement = self.statement(caller, said, next_position=writing.position + 2)
        decided = self.decide(writing, caller, said, candidates, statement, again=False)
        recorded = writing.record([completed, *decided], said.origin)
        status = ExtractionStatus.COMPLETE if candidates else ExtractionStatus.NOTHING_FOUND
        return said.learnt(status, recorded, writing.position)

    def decide(
        self,
        writing: Writing,
        caller: Caller,
        said: Said,
        candidates: Sequence[AnyCandidate],
        statement: Statement,
        *,
        again: bool,
    ) -> list[Event]:
        """What the candidates change. again: the turn was decided before."""
        session = said.session
        visible = [*caller.visible, session.scope_set_id]
        asked = wanted(candidates, statement, session.speaker)
        known = self.knowledge.load(
            writing, asked, statement, scope_set_id=session.scope_set_id, visible=visible, again=again
        )
        return decide(candidates, known, statement)

    def statement(self, caller: Caller, said: Said, *, next_position: int, after: int = 0) -> Statement:
        """The turn as the source of what it says."""
        session = said.session
        return Statement(
            turn_id=said.turn.turn_id,
            session_id=session.session_id,
            role=said.turn.role,
            source_kind=said.source_kind,
            said_at=said.said_at,
            position=said.position,
            next_position=next_position,
            user_name=user_in(session.scopes),
            speaker_id=session.speaker_id,
            principal_name=caller.display_name if caller.kind == "human" else None,
            labels=said.turn.labels,
            after=after,
        )


def _filed(candidate: AnyCandidate, category: MemoryCategory | None) -> AnyCandidate:
    """The candidate under the category that the caller asked for, if any."""
    return candidate if category is None else structs.replace(candidate, category=category)
