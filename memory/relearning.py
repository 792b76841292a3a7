"""Learning an old turn again, with a better extractor, at the turn's own time.

What the new extraction says comes after what was read in the turn before, so where the two differ the new
one supersedes. What only the older one said, and nobody else, is closed; nothing is deleted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.candidates import (
    CANDIDATES_PER_TURN_MAX,
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    Extraction,
    InstructionCandidate,
    Mention,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)
from memory.errors import ExtractorUnavailable, NotFound
from memory.events import (
    ActionRecorded,
    AttributeAsserted,
    AttributeReaffirmed,
    ContextRowsExpired,
    Event,
    ExtractionCompleted,
    InstructionClosed,
    InstructionDetected,
    RelationAsserted,
    RelationReaffirmed,
    StatementEvent,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.extraction import RemoteExtractor
from memory.log import Writing
from memory.principals import Caller
from memory.recorded import Recorded
from memory.remember import Memory
from memory.turns import PendingTurn, Said
from memory.values import attribute_key, comparable, folded

LEARNT_AGAIN = "learnt_again"


@dataclass(frozen=True, slots=True)
class Relearnt:
    """What one turn came to. found: candidates of the new extraction. closed: of what only the older one said."""

    found: int
    closed: int
    extraction: Extraction


class Relearning:
    """Use case over turns that are understood already."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def learn(self, caller: Caller, turn: PendingTurn, extractor: RemoteExtractor) -> Relearnt:
        """Read the turn again. Raises ExtractorUnavailable, having changed nothing, SessionUnavailable or NotFound."""
        memory = self.memory
        said = memory.recalled(caller, turn)
        (outcome,) = memory.understanding.asked(extractor, caller, [said])
        if isinstance(outcome, ExtractorUnavailable):
            raise outcome
        with memory.log.writing(caller.context_id) as writing:
            before = [
                one for one in memory.log.of_turn(writing.cursor, writing.context_id, turn.turn.turn_id) if one.event
            ]
            if not before:
                raise NotFound("the turn was erased")
            said = memory.refreshed(writing, caller, said)
            self._record(writing, caller, said, outcome, _end_of(before))
            writing.flush()
            closed = self._close(writing, caller, said, outcome, before)
        return Relearnt(len(outcome.candidates), closed, outcome)

    def _record(self, writing: Writing, caller: Caller, said: Said, extraction: Extraction, after: int) -> None:
        learning = self.memory.learning
        completed = ExtractionCompleted(
            extractor=extraction.extractor,
            candidates=extraction.candidates,
            model=extraction.model,
            usage=extraction.usage,
            dropped=extraction.dropped,
        )
        statement = learning.statement(caller, said, next_position=writing.position + 2, after=after)
        decided = learning.decide(writing, caller, said, extraction.candidates, statement, again=True)
        writing.record([completed, *decided], said.origin)

    def _close(
        self, writing: Writing, caller: Caller, said: Said, extraction: Extraction, before: Sequence[Recorded]
    ) -> int:
        """Close what is in force and was said by nobody but the older extraction of this turn."""
        turn_id = said.turn.turn_id
        events = [one.event for one in self.memory.log.of_turn(writing.cursor, writing.context_id, turn_id)]
        said_again = {_fact(event) for event in events[len(before) :] if isinstance(event, StatementEvent)}
        older = [one.event for one in before]
        endings = [
            ending
            for event in older
            if isinstance(event, AttributeAsserted | RelationAsserted) and _fact(event) not in said_again
            if (ending := self._ending(writing, said, event)) is not None
        ]
        closing = list(self._closings(writing, said, extraction, older))
        if endings:
            after = _end_of(self.memory.log.of_turn(writing.cursor, writing.context_id, turn_id))
            statement = self.memory.learning.statement(caller, said, next_position=writing.position + 1, after=after)
            closing += self.memory.learning.decide(writing, caller, said, endings, statement, again=True)
        writing.record(closing, said.origin)
        lapsed = sum(len(one.actions) for one in closing if isinstance(one, ContextRowsExpired))
        withdrawn = sum(isinstance(one, InstructionClosed | UncertaintyResolved) for one in closing)
        return len(endings) + withdrawn + lapsed

    def _ending(self, writing: Writing, said: Said, event: AttributeAsserted | RelationAsserted) -> AnyCandidate | None:
        """The candidate that ends a version which only this turn supports; None for any other."""
        knowledge, seen = self.memory.knowledge, [said.scope_set_id]
        version_id = event.segment.id
        if knowledge.supporters(writing, version_id, said.scope_set_id) - {said.turn.turn_id}:
            return None
        if isinstance(event, AttributeAsserted):
            fact = knowledge.attribute(writing, version_id, seen)
            if fact is None or not fact.in_force or fact.owner is None:
                return None
            return AttributeCandidate(
                entity=_mention(fact.owner), key=fact.key, value=fact.value, polarity=Polarity.ENDED
            )
        fact = knowledge.relation(writing, version_id, seen)
        if fact is None or not fact.in_force or fact.owner is None or fact.object is None:
            return None
        return RelationCandidate(
            subject=_mention(fact.owner), label=fact.key, object=_mention(fact.object), polarity=Polarity.ENDED
        )

    def _closings(
        self, writing: Writing, said: Said, extraction: Extraction, older: Sequence[Event | None]
    ) -> Iterator[Event]:
        directives = {folded(one.description) for one in extraction.candidates if isinstance(one, InstructionCandidate)}
        deeds = {
            (attribute_key(one.verb), comparable(one.object or ""))
            for one in extraction.candidates
            if isinstance(one, ActionCandidate)
        }
        doubted = {
            doubt for event in older if isinstance(event, ExtractionCompleted) for doubt in _doubts(event.candidates)
        } - _doubts(extraction.candidates)
        lapsed = []
        for event in older:
            match event:
                case InstructionDetected(instruction_id=thing, description=words) if folded(words) not in directives:
                    if self._is_only_here(writing, said, thing):
                        yield InstructionClosed(instruction_id=thing, reason=LEARNT_AGAIN)
                case UncertaintyFlagged(uncertainty_id=thing, about=about, reason=reason) if (
                    folded(about),
                    reason,
                ) in doubted:
                    doubt = self.memory.knowledge.uncertainty(writing, thing, [said.scope_set_id])
                    if doubt is not None and doubt.in_force:
                        yield UncertaintyResolved(uncertainty_id=thing, how=LEARNT_AGAIN)
                case ActionRecorded(action_id=thing, verb=verb, object=what) if (
                    verb,
                    comparable(what or ""),
                ) not in deeds and self._is_only_here(writing, said, thing):
                    lapsed.append(thing)
                case _:
                    pass
        if lapsed:
            yield ContextRowsExpired(actions=tuple(lapsed))

    def _is_only_here(self, writing: Writing, said: Said, thing: UUID) -> bool:
        return self.memory.knowledge.supporters(writing, thing, said.scope_set_id) <= {said.turn.turn_id}


def _end_of(recorded: Sequence[Recorded]) -> int:
    """The first place after all words of the turn that were decided so far."""
    offsets = [one.event.offset for one in recorded if isinstance(one.event, StatementEvent)]
    return (max(offsets, default=-1) // CANDIDATES_PER_TURN_MAX + 1) * CANDIDATES_PER_TURN_MAX


def _fact(event: StatementEvent) -> tuple[UUID, str, str]:
    if isinstance(event, AttributeAsserted | AttributeReaffirmed):
        return event.entity_id, event.key, comparable(event.value)
    if isinstance(event, RelationAsserted | RelationReaffirmed):
        return event.subject_id, event.label, str(event.object_id)
    return event.segment.id, "", ""  # an ending asserts nothing


def _doubts(candidates: Sequence[AnyCandidate]) -> set[tuple[str, str]]:
    return {(folded(one.about), one.reason) for one in candidates if isinstance(one, UncertaintyCandidate)}


def _mention(name: tuple[str, str]) -> Mention:
    return Mention(type=name[0], name=name[1])
