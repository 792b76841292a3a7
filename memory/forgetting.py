"""Soft forgetting: things leave every read, the log keeps everything.

A fact ends as if somebody had said so, at the highest rank: what it had replaced stays replaced, and who
says it again makes it known again.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.candidates import AnyCandidate
from memory.curation import ending
from memory.events import (
    AttributeClosed,
    EntityForgotten,
    Event,
    InstructionClosed,
    RelationClosed,
    ThingsForgotten,
    UncertaintyResolved,
)
from memory.known import EntityName
from memory.log import Writing
from memory.ports import HeldFact, Knowledge
from memory.principals import Caller
from memory.recorded import Origin
from memory.remember import Memory, Turn
from memory.segments import Segment
from memory.values import Infer, Role, derived_id

FORGOTTEN = "forgotten"


class Forgetting:
    """Use cases that take things out of sight."""

    def __init__(self, memory: Memory, knowledge: Knowledge) -> None:
        self.memory = memory
        self.log = memory.log
        self.knowledge = knowledge

    def forget(self, caller: Caller, things: Sequence[tuple[str, UUID]], *, session_id: UUID) -> int:
        """Take things of these kinds and ids out of sight, as far as the caller may forget them.

        kinds: entity, attribute, relation, instruction, uncertainty, action, turn and document (a chunk).
        What models concluded from any of them goes too. session_id: fresh; of the session to which endings of
        facts are recorded. Returns how many left.
        """
        with self.log.writing(caller.context_id) as writing:
            sources = [row for kind, thing in things for row in self._rows_of(writing, caller, kind, thing)]
            left = sum(self._forget(writing, caller, kind, thing, session_id) for kind, thing in things)
            return left + self._forget_conclusions(writing, caller, sources, session_id)

    def _rows_of(self, writing: Writing, caller: Caller, kind: str, thing: UUID) -> list[UUID]:
        """The rows of a thing that a conclusion may rest on."""
        seen = caller.forgettable
        if kind == "turn":
            return [row for rows in self.knowledge.passages_of(writing, thing, seen).values() for row in rows]
        name = self.knowledge.entity_name(writing, thing, seen) if kind == "entity" else None
        return self._held_rows(writing, caller, name) if name else [thing]

    def _held_rows(self, writing: Writing, caller: Caller, name: EntityName) -> list[UUID]:
        held = self.knowledge.held_of(writing, name, caller.forgettable)
        return [one.id for entity in held for one in (*entity.attributes, *entity.relations)]

    def _forget_conclusions(self, writing: Writing, caller: Caller, sources: Sequence[UUID], session_id: UUID) -> int:
        concluded = self.knowledge.concluded_from(writing, sources, caller.forgettable)
        return sum(self._forget(writing, caller, kind, thing, session_id) for kind, thing in concluded)

    def _forget(self, writing: Writing, caller: Caller, kind: str, thing: UUID, session_id: UUID) -> bool:
        seen = caller.forgettable
        match kind:
            case "entity":
                name = self.knowledge.entity_name(writing, thing, seen)
                return name is not None and self._hide(writing, caller, name) > 0
            case "attribute":
                held = self.knowledge.attribute(writing, thing, seen)
                return self._end(writing, caller, thing, held, session_id)
            case "relation":
                held = self.knowledge.relation(writing, thing, seen)
                return self._end(writing, caller, thing, held, session_id)
            case "instruction":
                held = self.knowledge.instruction(writing, thing, seen)
                return self._record(writing, caller, held, InstructionClosed(instruction_id=thing, reason=FORGOTTEN))
            case "uncertainty":
                held = self.knowledge.uncertainty(writing, thing, seen)
                return self._record(writing, caller, held, UncertaintyResolved(uncertainty_id=thing, how=FORGOTTEN))
            case _:
                return self._close(writing, caller, thing, is_action=kind == "action")

    def _end(self, writing: Writing, caller: Caller, thing: UUID, held: HeldFact | None, session_id: UUID) -> bool:
        if held is None or not held.in_force:
            return False
        own = derived_id(session_id, "of", str(held.scope_set_id))
        session = self.knowledge.session(writing, own, [*caller.visible, held.scope_set_id])
        if session is None:
            session, _ = self.memory.sessions.open(writing, caller, own, scopes=held.scopes, verb="memory:forget")
        candidates: tuple[AnyCandidate, ...] = (ending(held, None),)
        turn = Turn(
            turn_id=derived_id(session_id, "ends", str(thing)),
            text="",
            role=Role.SYSTEM,
            infer=Infer.TRIPLES,
            candidates=candidates,
        )
        self.memory.remember_given(writing, caller, session, turn)
        writing.flush()
        return True

    def _record(self, writing: Writing, caller: Caller, held: HeldFact | None, event: Event) -> bool:
        if held is None or not held.in_force:
            return False
        writing.record([event], Origin(principal_id=caller.principal_id, scope_set_id=held.scope_set_id))
        return True

    def _close(self, writing: Writing, caller: Caller, thing: UUID, *, is_action: bool) -> bool:
        found = self.knowledge.passages_of(writing, thing, caller.forgettable)
        for scope_set_id, passages in found.items():
            event = ThingsForgotten(passages=tuple(passages), actions=(thing,) if is_action else ())
            writing.record([event], Origin(principal_id=caller.principal_id, scope_set_id=scope_set_id))
        return bool(found)

    def forget_entity(self, caller: Caller, name: EntityName, *, session_id: UUID) -> int:
        """Close what holds about the entity and hide it, in every scope set where the caller may forget.

        session_id: as of `forget`. Returns how many entities were hidden; 0 if there is none of that name. What is
        said of the name later makes a new entity.
        """
        with self.log.writing(caller.context_id) as writing:
            sources = self._held_rows(writing, caller, name)
            hidden = self._hide(writing, caller, name)
            self._forget_conclusions(writing, caller, sources, session_id)
            return hidden

    def _hide(self, writing: Writing, caller: Caller, name: EntityName) -> int:
        held = self.knowledge.held_of(writing, name, caller.forgettable)
        for entity in held:
            origin = Origin(principal_id=caller.principal_id, scope_set_id=entity.scope_set_id)
            events: list[Event] = [
                AttributeClosed(segment=_forgotten(segment, writing.now), known_at=writing.now)
                for segment in entity.attributes
            ]
            events += [
                RelationClosed(segment=_forgotten(segment, writing.now), known_at=writing.now)
                for segment in entity.relations
            ]
            forgotten = [EntityForgotten(entity_id=one) for one in (entity.entity_id, *entity.name_ids)]
            writing.record([*events, *forgotten], origin)
        return len(held)


def _forgotten(segment: Segment, now: datetime) -> Segment:
    return replace(segment, valid_until=max(now, segment.valid_from), reason="forgotten")
