"""What an operator settles by hand: closing a fact, withdrawing a directive, resolving a doubt.

Each is a turn of its own in the scope of what it settles, so that it has an author, words and a place
in the log, and goes through the same decisions as everything else, at the operator's rank.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.candidates import AnyCandidate, AttributeCandidate, Mention, Polarity, RelationCandidate
from memory.errors import Conflict, NotFound, Unprocessable
from memory.events import InstructionClosed, UncertaintyResolved
from memory.log import Writing
from memory.ports import Knowledge
from memory.principals import Caller
from memory.recorded import Origin
from memory.remember import Memory, Turn
from memory.scopes import ScopeSet
from memory.values import Infer, Role

BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class Words:
    """The turn of an operation by hand: its fresh ids, and the reason or note given."""

    turn_id: UUID
    session_id: UUID
    text: str


class Curation:
    """Use cases by hand."""

    def __init__(self, memory: Memory, knowledge: Knowledge) -> None:
        self.memory = memory
        self.knowledge = knowledge

    def close_attribute(self, caller: Caller, version_id: UUID, valid_until: datetime | None, words: Words) -> None:
        """End a version that is in force. Raises NotFound, Conflict if it is not in force, Forbidden."""
        with self.memory.log.writing(caller.context_id) as writing:
            fact = self.knowledge.attribute(writing, version_id, caller.visible)
            if fact is None:
                raise NotFound("there is no such attribute version")
            if not fact.in_force:
                raise Conflict("this version is not in force")
            ending = AttributeCandidate(
                entity=_mention(fact.owner),
                key=fact.key,
                value=fact.value,
                polarity=Polarity.ENDED,
                valid_until=valid_until,
            )
            self._say(writing, caller, fact.scopes, ending, words)

    def close_relation(self, caller: Caller, relation_id: UUID, valid_until: datetime | None, words: Words) -> None:
        """End a relation that holds. Raises NotFound, Conflict if it does not hold, Forbidden."""
        with self.memory.log.writing(caller.context_id) as writing:
            fact = self.knowledge.relation(writing, relation_id, caller.visible)
            if fact is None or fact.object is None:
                raise NotFound("there is no such relation")
            if not fact.in_force:
                raise Conflict("this relation does not hold")
            ending = RelationCandidate(
                subject=_mention(fact.owner),
                label=fact.key,
                object=_mention(fact.object),
                polarity=Polarity.ENDED,
                valid_until=valid_until,
            )
            self._say(writing, caller, fact.scopes, ending, words)

    def close_instruction(self, caller: Caller, instruction_id: UUID) -> None:
        """Withdraw a directive; one already withdrawn stays so. Raises NotFound, Forbidden."""
        with self.memory.log.writing(caller.context_id) as writing:
            held = self.knowledge.instruction(writing, instruction_id, caller.visible)
            if held is None:
                raise NotFound("there is no such instruction")
            caller.require("memory:write", held.scopes)
            if held.in_force:
                origin = Origin(principal_id=caller.principal_id, scope_set_id=held.scope_set_id)
                writing.record([InstructionClosed(instruction_id=instruction_id, reason=BY_HAND)], origin)

    def resolve(self, caller: Caller, uncertainty_id: UUID, accepted_value: str, words: Words) -> None:
        """Settle a doubt: the accepted value is said at the operator's rank, in the doubt's own scope.

        Resolving again does nothing. Raises NotFound, Unprocessable for a doubt about no fact, Forbidden.
        """
        with self.memory.log.writing(caller.context_id) as writing:
            doubt = self.knowledge.uncertainty(writing, uncertainty_id, caller.visible)
            if doubt is None:
                raise NotFound("there is no such uncertainty")
            if not doubt.in_force:
                return
            if doubt.owner is None or not doubt.key:
                raise Unprocessable("this uncertainty is about no single fact, so no value settles it")
            accepted = AttributeCandidate(entity=_mention(doubt.owner), key=doubt.key, value=accepted_value)
            self._say(writing, caller, doubt.scopes, accepted, words)
            writing.flush()
            settled = self.knowledge.uncertainty(writing, uncertainty_id, caller.visible)
            if settled and settled.in_force:
                origin = Origin(
                    turn_id=words.turn_id, principal_id=caller.principal_id, scope_set_id=doubt.scope_set_id
                )
                event = UncertaintyResolved(uncertainty_id=uncertainty_id, how="accepted", note=words.text or None)
                writing.record([event], origin)

    def _say(self, writing: Writing, caller: Caller, scopes: ScopeSet, candidate: AnyCandidate, words: Words) -> None:
        session, _ = self.memory.sessions.open(writing, caller, words.session_id, scopes=scopes)
        turn = Turn(
            turn_id=words.turn_id,
            text=words.text,
            role=Role.SYSTEM,
            infer=Infer.TRIPLES,
            candidates=(candidate,),
        )
        self.memory.remember_given(writing, caller, session, turn)


def _mention(name: tuple[str, str] | None) -> Mention:
    assert name is not None
    return Mention(type=name[0], name=name[1])
