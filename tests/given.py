"""given / when / then for decisions, over a plain in-memory knowledge that folds events itself.

It is a second, simple reading of what events mean, so that the decision core is tested without a
database and the read models' fold is tested against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID, uuid5

from memory.candidates import AnyCandidate
from memory.cardinality import line_key, line_value
from memory.decide import CONTRADICTION, decide
from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeEnded,
    AttributeKeyDefined,
    AttributeStatement,
    EntityMentioned,
    EntityRecognised,
    Event,
    InstructionClosed,
    InstructionDetected,
    InstructionReaffirmed,
    LineChange,
    RelationEnded,
    RelationStatement,
    SpeakerNamed,
    StatementEvent,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.known import Known, KnownEntity, Statement
from memory.timeline import Said, Segment, Standing
from memory.values import Role, SourceKind, comparable, folded, unit_value
from memory.wanted import relation_unit

NAMESPACE = UUID("5b1c4a4e-3a6b-5d62-8a39-0d7f0c8f1a00")
SESSION = uuid5(NAMESPACE, "session")
VERSIONS = (Standing.CURRENT, Standing.CLAIMED, Standing.RETRACTED)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Story:
    """Turns decided one after the other, and what is known after them."""

    known: Known = field(default_factory=Known)
    supports: dict[UUID, set[UUID]] = field(default_factory=dict)
    turns: int = 0
    position: int = 0
    speaker_id: UUID | None = None
    said_ids: dict[int, Statement] = field(default_factory=dict)
    segments: dict[UUID, Segment] = field(default_factory=dict)
    spelt: dict[UUID, str] = field(default_factory=dict)
    directives: dict[str, UUID] = field(default_factory=dict)

    def when(
        self,
        *candidates: AnyCandidate,
        at: datetime = NOON,
        role: Role = Role.USER,
        source: SourceKind | None = None,
        user_name: str | None = None,
        principal_name: str | None = None,
    ) -> list[Event]:
        """Decide a new turn and let its events become known."""
        self.turns += 1
        self.position += 1
        statement = Statement(
            turn_id=uuid5(NAMESPACE, f"turn {self.turns}"),
            session_id=SESSION,
            role=role,
            source_kind=source or SourceKind(role),
            said_at=at,
            position=self.position,
            next_position=self.position + 1,
            user_name=user_name,
            principal_name=principal_name,
        )
        self.said_ids[self.turns] = statement
        return self.decide_again(self.turns, candidates)

    def decide_again(self, turn: int, candidates: Sequence[AnyCandidate]) -> list[Event]:
        """Decide the same turn once more."""
        statement = replace(self.said_ids[turn], next_position=self.position + 1, speaker_id=self.speaker_id)
        before = self._copy(statement)
        events = decide(candidates, before, statement)
        for event in events:
            self.position += 1
            self._evolve(event, statement)
        return events

    def line(self, name: str, key: str, *, kind: str = "person") -> list[tuple[str, datetime, datetime | None]]:
        """(value, valid from, valid until) of all versions of a key, in the order of the statements."""
        entity = self.known.entities[kind, name]
        words = [
            said
            for (entity_id, one_key, _), line in self.known.attributes.items()
            if entity_id == entity.entity_id and one_key == line_key(key)
            for said in line
        ]
        return [
            (self.spelt[said.id], segment.valid_from, segment.valid_until)
            for said in sorted(words, key=lambda said: said.place)
            if (segment := self.segments[said.id]).standing in VERSIONS
        ]

    def standings(self) -> list[str]:
        """The standing of all words, in the order said."""
        words = [said for line in self.known.attributes.values() for said in line]
        return [self.segments[said.id].standing.value for said in sorted(words, key=lambda said: said.place)]

    def _copy(self, statement: Statement) -> Known:
        """What a loader would hand to `decide` for this turn."""
        return Known(
            entities=dict(self.known.entities),
            visible_names=set(self.known.visible_names),
            keys=dict(self.known.keys),
            attributes={unit: list(line) for unit, line in self.known.attributes.items()},
            relations={unit: list(line) for unit, line in self.known.relations.items()},
            deeds=dict(self.known.deeds),
            directives=dict(self.known.directives),
            directives_given={
                words for words, one in self.directives.items() if one in self.supports.get(statement.turn_id, ())
            },
            flags=set(self.known.flags),
            doubts={fact: list(doubts) for fact, doubts in self.known.doubts.items()},
            supported=set(self.supports.get(statement.turn_id, ())),
        )

    def _evolve(self, event: Event, statement: Statement) -> None:
        known = self.known
        supports = self.supports.setdefault(statement.turn_id, set())
        match event:
            case EntityRecognised():
                entity = KnownEntity(event.entity_id, event.type, event.name, event.name_key)
                known.entities[event.type, event.name_key] = entity
                known.visible_names.add((event.type, event.name_key))
                supports.add(event.entity_id)
            case EntityMentioned():
                supports.add(event.entity_id)
            case SpeakerNamed():
                self.speaker_id = event.entity_id
            case AttributeKeyDefined():
                known.keys[event.key] = event.single_valued
            case AttributeStatement():
                past = event.until is not None and not isinstance(event, AttributeEnded)
                value = unit_value(event.value, single_valued=event.single_valued, past=past)
                line = known.attributes.setdefault((event.entity_id, line_key(event.key), value), [])
                line.append(self._said(event, line_value(event.key, comparable(event.value)), statement))
            case RelationStatement():
                past = event.until is not None and not isinstance(event, RelationEnded)
                unit = relation_unit(event.subject_id, event.label, event.object_id, past=past)
                line = known.relations.setdefault(unit, [])
                line.append(self._said(event, str(event.object_id), statement))
            case LineChange():
                self.segments[event.segment.id] = event.segment
            case ActionRecorded():
                deed = (event.actor_id, event.verb, comparable(event.object or ""), event.occurred_at)
                known.deeds[deed] = event.action_id
                supports.add(event.action_id)
            case InstructionDetected():
                known.directives[folded(event.description)] = event.instruction_id
                self.directives[folded(event.description)] = event.instruction_id
                supports.add(event.instruction_id)
            case InstructionClosed():
                known.directives = {
                    words: one for words, one in known.directives.items() if one != event.instruction_id
                }
            case ActionReaffirmed(action_id=subject_id) | InstructionReaffirmed(instruction_id=subject_id):
                supports.add(subject_id)
            case UncertaintyFlagged():
                known.note_flag(event.entity_id, event.about, event.reason)
                if event.entity_id and event.key and event.reason != CONTRADICTION:
                    known.doubts.setdefault((event.entity_id, event.key), []).append(event.uncertainty_id)
            case UncertaintyResolved():
                for doubts in known.doubts.values():
                    if event.uncertainty_id in doubts:
                        doubts.remove(event.uncertainty_id)
            case _:
                pass

    def _said(self, event: StatementEvent, value: str, statement: Statement) -> Said:
        """The words of an event, as a loader would give them back."""
        self.segments[event.segment.id] = event.segment
        self.spelt[event.segment.id] = getattr(event, "value", value)
        return Said(
            id=event.segment.id,
            place=(statement.said_at, event.turn_position, event.offset),
            value=value,
            rank=event.source_kind.rank,
            start=event.start,
            until=event.until,
            ends=isinstance(event, AttributeEnded | RelationEnded),
            change=event.change,
            repair=event.repair,
        )
