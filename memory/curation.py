"""What an operator settles by hand: closing a fact, withdrawing a directive, resolving a doubt, joining two
names of one entity and taking them apart.

Each is a turn of its own in the scope of what it settles, so that it has an author, words and a place
in the log, and goes through the same decisions as everything else, at the operator's rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.candidates import (
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    Mention,
    Polarity,
    RelationCandidate,
    SeparationCandidate,
)
from memory.errors import Conflict, Forbidden, NotFound, Unprocessable
from memory.events import InstructionClosed, UncertaintyResolved
from memory.identities import SAME_AS
from memory.known import EntityName
from memory.log import Writing
from memory.ports import HeldFact, Knowledge, NamesInScope
from memory.principals import Caller
from memory.recorded import Origin
from memory.remember import Memory, Turn
from memory.scopes import ScopeSet
from memory.values import Infer, Role, derived_id

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
            self._say(writing, caller, fact.scopes, ending(fact, valid_until), words)

    def close_relation(self, caller: Caller, relation_id: UUID, valid_until: datetime | None, words: Words) -> None:
        """End a relation that holds. Raises NotFound, Conflict if it does not hold, Forbidden."""
        with self.memory.log.writing(caller.context_id) as writing:
            fact = self.knowledge.relation(writing, relation_id, caller.visible)
            if fact is None or fact.object is None:
                raise NotFound("there is no such relation")
            if not fact.in_force:
                raise Conflict("this relation does not hold")
            self._say(writing, caller, fact.scopes, ending(fact, valid_until), words)

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

        Where the doubt is whether two names are one, the accepted value is the name of whom the entity is; its own
        name says that it is somebody else.

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
            self._say(writing, caller, doubt.scopes, _accepted(doubt.owner, doubt.key, accepted_value), words)
            writing.flush()
            settled = self.knowledge.uncertainty(writing, uncertainty_id, caller.visible)
            if settled and settled.in_force:
                origin = Origin(
                    turn_id=words.turn_id, principal_id=caller.principal_id, scope_set_id=doubt.scope_set_id
                )
                event = UncertaintyResolved(uncertainty_id=uncertainty_id, how="accepted", note=words.text or None)
                writing.record([event], origin)

    def merge(self, caller: Caller, name: EntityName, into: EntityName, words: Words) -> None:
        """Make `name` another name of the entity `into`, in every scope set that knows it and lets the caller write.

        Raises NotFound if none of the visible ones knows either, Conflict if they are one already, Forbidden if the
        caller may write in none of them.
        """
        if name == into:
            raise Unprocessable("an entity can't be merged into itself")
        alias = AliasCandidate(entity=_mention(into), name=_mention(name))
        with self.memory.log.writing(caller.context_id) as writing:
            known = self.knowledge.scopes_of_names(writing, (name, into), caller.visible)
            if any(not any(asked in one.names for one in known) for asked in (name, into)):
                raise NotFound("there is no such entity")
            apart = [one for one in known if name in one.names and one.names[name] != one.names.get(into)]
            if not apart:
                raise Conflict("the two are one already")
            self._say_in_each(writing, caller, apart, alias, words)

    def separate(self, caller: Caller, name: EntityName, words: Words) -> None:
        """Undo what made `name` another name of an entity, in every scope set where it is one and the caller may write.

        Raises NotFound, Conflict if it is none, Forbidden.
        """
        separation = SeparationCandidate(name=_mention(name))
        with self.memory.log.writing(caller.context_id) as writing:
            known = self.knowledge.scopes_of_names(writing, (name,), caller.visible)
            if not known:
                raise NotFound("there is no such entity")
            joined = [one for one in known if one.names[name] not in one.own_ids]
            if not joined:
                raise Conflict("this is not another name of anything")
            self._say_in_each(writing, caller, joined, separation, words)

    def _say_in_each(
        self, writing: Writing, caller: Caller, places: Sequence[NamesInScope], candidate: AnyCandidate, words: Words
    ) -> None:
        """Say it in each scope set where the caller may write. Raises Forbidden if there is none."""
        writable = [place for place in places if _may_write(caller, place.scopes)]
        if not writable:
            caller.require("memory:write", places[0].scopes)
        for number, place in enumerate(writable):
            own = Words(
                turn_id=derived_id(words.turn_id, "in scope", number),
                session_id=derived_id(words.session_id, "in scope", number),
                text=words.text,
            )
            self._say(writing, caller, place.scopes, candidate, own)

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


def _accepted(owner: tuple[str, str], key: str, value: str) -> AnyCandidate:
    if key != SAME_AS:
        return AttributeCandidate(entity=_mention(owner), key=key, value=value)
    kind, separator, name = value.removeprefix("entity:").partition("/")
    meant = Mention(type=kind, name=name) if separator else Mention(type=owner[0], name=value)
    return AliasCandidate(entity=meant, name=_mention(owner))


def _may_write(caller: Caller, scopes: ScopeSet) -> bool:
    try:
        caller.require("memory:write", scopes)
    except Forbidden:
        return False
    return True


def ending(fact: HeldFact, valid_until: datetime | None) -> AttributeCandidate | RelationCandidate:
    """The words that end a fact."""
    if fact.object is not None:
        return RelationCandidate(
            subject=_mention(fact.owner),
            label=fact.key,
            object=_mention(fact.object),
            polarity=Polarity.ENDED,
            valid_until=valid_until,
        )
    return AttributeCandidate(
        entity=_mention(fact.owner),
        key=fact.key,
        value=fact.value,
        polarity=Polarity.ENDED,
        valid_until=valid_until,
    )


def _mention(name: tuple[str, str] | None) -> Mention:
    assert name is not None
    return Mention(type=name[0], name=name[1])
