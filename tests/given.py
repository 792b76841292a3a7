"""given / when / then for decisions, over a plain in-memory knowledge that folds events itself.

It is a second, simple reading of what events mean, so that the decision core is tested without a
database and the read models' fold is tested against it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID, uuid5

from memory.candidates import AnyCandidate, AttributeCandidate
from memory.cardinality import line_key, line_value
from memory.decide import decide
from memory.doubts import Doubt
from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeEnded,
    AttributeKeyDefined,
    AttributeStatement,
    EntitiesMerged,
    EntitiesSeparated,
    EntityAliased,
    EntityMentioned,
    EntityRecognised,
    Event,
    InstructionClosed,
    InstructionDetected,
    InstructionReaffirmed,
    LineChange,
    Moved,
    RelationEnded,
    RelationStatement,
    SpeakerNamed,
    StatementEvent,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.kinds import endings_for, with_borrowed
from memory.known import Belonging, Belongings, Flag, Known, KnownEntity, Statement, Unit
from memory.line_changes import Change
from memory.segments import Said, Segment, Standing
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
    said_at: datetime = NOON
    position: int = 0
    speaker_id: UUID | None = None
    said_ids: dict[int, Statement] = field(default_factory=dict)
    segments: dict[UUID, Segment] = field(default_factory=dict)
    spelt: dict[UUID, str] = field(default_factory=dict)
    directives: dict[str, UUID] = field(default_factory=dict)
    names: dict[UUID, KnownEntity] = field(default_factory=dict)
    corrections: dict[UUID, tuple[UUID, UUID]] = field(default_factory=dict)
    flags: dict[UUID, Flag] = field(default_factory=dict)
    flagged: dict[UUID, set[Flag]] = field(default_factory=dict)  # by turn
    beliefs: "Beliefs" = field(default_factory=dict)

    def when(
        self,
        *candidates: AnyCandidate,
        at: datetime = NOON,
        role: Role = Role.USER,
        source: SourceKind | None = None,
        user_name: str | None = None,
        principal_name: str | None = None,
        document_id: UUID | None = None,
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
            document_id=document_id,
        )
        self.said_ids[self.turns] = statement
        return self.decide_again(self.turns, candidates)

    def decide_again(self, turn: int, candidates: Sequence[AnyCandidate]) -> list[Event]:
        """Decide the same turn once more."""
        statement = replace(self.said_ids[turn], next_position=self.position + 1, speaker_id=self._speaker())
        before = self._copy(statement, candidates)
        events = decide(candidates, before, statement)
        for event in events:
            self.position += 1
            self.said_at = statement.said_at
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

    def _copy(self, statement: Statement, candidates: Sequence[AnyCandidate]) -> Known:
        """What a loader would hand to `decide` for this turn."""
        values = {comparable(one.value) for one in candidates if isinstance(one, AttributeCandidate)}
        own = self.known.attributes
        new = {(owner, key, value) for owner, key, _ in own for value in values} - own.keys()
        return Known(
            entities=dict(self.known.entities),
            name_ids=dict(self.known.name_ids),
            belongings=self._belongings(),
            visible_names=set(self.known.visible_names),
            keys=dict(self.known.keys),
            attributes=with_borrowed(own) | {unit: borrowed for unit in new if (borrowed := endings_for(unit, own))},
            relations={unit: list(line) for unit, line in self.known.relations.items()},
            deeds=dict(self.known.deeds),
            directives=dict(self.known.directives),
            directives_given={
                words for words, one in self.directives.items() if one in self.supports.get(statement.turn_id, ())
            },
            flags=self.known.flags | self.flagged.get(statement.turn_id, set()),
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
                self.names[event.entity_id] = entity
            case EntityAliased():
                self.names[event.alias_id] = KnownEntity(event.alias_id, event.type, event.name, event.name_key)
                known.visible_names.add((event.type, event.name_key))
                self._name(event.alias_id, event.entity_id)
                known.belongings.stands_for[event.alias_id] = event.entity_id
            case EntitiesMerged():
                for one in (event.entity_id, *event.members):
                    self._name(one, event.into_id)
                known.belongings.stands_for[event.entity_id] = event.into_id
                self._merge(event)
            case EntitiesSeparated():
                for one in (event.entity_id, *event.members):
                    self._name(one, event.entity_id)
                del known.belongings.stands_for[event.entity_id]
                self._separate(event)
            case EntityMentioned():
                supports.add(event.entity_id)
            case SpeakerNamed():
                self.speaker_id = event.entity_id
                if event.former_id or event.relatives:
                    self._follow(event)
            case AttributeKeyDefined():
                known.keys[event.key] = event.single_valued
            case AttributeStatement():
                value = unit_value(event.value, single_valued=event.single_valued)
                line = known.attributes.setdefault((event.entity_id, line_key(event.key), value), [])
                line.append(self._said(event, line_value(event.key, comparable(event.value)), statement))
                known.belongings.said_of[event.segment.id] = (event.entity_id, None)
            case RelationStatement():
                unit = relation_unit(event.subject_id, event.label, event.object_id)
                line = known.relations.setdefault(unit, [])
                line.append(self._said(event, str(event.object_id), statement))
                known.belongings.said_of[event.segment.id] = (event.subject_id, event.object_id)
            case LineChange():
                self.segments[event.segment.id] = event.segment
                believed([Change(event.known_at, None, event.segment)], self.beliefs)
                correction_id = getattr(event, "correction_id", None)
                if correction_id and event.segment.superseded_by:
                    self.corrections[correction_id] = (event.segment.id, event.segment.superseded_by)
            case ActionRecorded():
                deed = (event.actor_id, event.verb, comparable(event.object or ""), event.occurred_at)
                known.deeds[deed] = event.action_id
                known.belongings.actions.append(Belonging(event.action_id, event.actor_id, event.actor_id))
                known.belongings.in_session.add(event.action_id)
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
                flag = event.entity_id, folded(event.about), event.reason
                self.flags[event.uncertainty_id] = flag
                self.flagged.setdefault(statement.turn_id, set()).add(flag)
                if event.entity_id:
                    doubt = Belonging(event.uncertainty_id, event.entity_id, event.entity_id)
                    known.belongings.uncertainties.append(doubt)
                    known.belongings.in_session.add(event.uncertainty_id)
                if event.entity_id and event.key:
                    known.doubts.setdefault((event.entity_id, event.key), []).append(
                        Doubt(event.uncertainty_id, event.about, event.reason, statement.said_at)
                    )
            case UncertaintyResolved():
                known.flags.discard(self.flags[event.uncertainty_id])
                for fact, doubts in known.doubts.items():
                    known.doubts[fact] = [one for one in doubts if one.id != event.uncertainty_id]
            case _:
                pass

    def _said(self, event: StatementEvent, value: str, statement: Statement) -> Said:
        """The words of an event, as a loader would give them back."""
        self.segments[event.segment.id] = event.segment
        believed([Change(statement.said_at, None, event.segment)], self.beliefs)
        self.spelt[event.segment.id] = getattr(event, "value", value)
        self.known.belongings.in_session.add(event.segment.id)
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
            of=getattr(event, "entity_id", None) or getattr(event, "subject_id", None),
            document=event.document_id,
            spelt=event.value if isinstance(event, AttributeStatement) else self.names[UUID(value)].name,
        )

    # --- names and what hangs on them ---

    def _speaker(self) -> UUID | None:
        """The entity that the session's user is, whatever name was told."""
        speaker_id, stands_for = self.speaker_id, self.known.belongings.stands_for
        while speaker_id in stands_for:
            speaker_id = stands_for[speaker_id]
        return speaker_id

    def _belongings(self) -> Belongings:
        held = self.known.belongings
        return Belongings(
            stands_for=dict(held.stands_for),
            said_of=dict(held.said_of),
            in_session=set(held.in_session),
            actions=list(held.actions),
            uncertainties=list(held.uncertainties),
            corrections={pair: correction_id for correction_id, pair in self.corrections.items()},
        )

    def _name(self, name_id: UUID, entity_id: UUID) -> None:
        name, entity = self.names[name_id], self.names[entity_id]
        self.known.entities[name.type, name.name_key] = entity
        if name_id == entity_id:
            self.known.name_ids.pop((name.type, name.name_key), None)
        else:
            self.known.name_ids[name.type, name.name_key] = name_id

    def _merge(self, event: EntitiesMerged) -> None:
        def goes(held: UUID, _: UUID) -> UUID:
            return event.into_id if held == event.entity_id else held

        self._move(event.moved, goes)
        for words in [*self.known.attributes.values(), *self.known.relations.values()]:
            for place, said in enumerate(words):
                if said.id in (*event.moved.attributes, *event.moved.relations):
                    words[place] = replace(said, joined=said.joined or self.said_at)

    def _separate(self, event: EntitiesSeparated) -> None:
        own = (event.entity_id, *event.members)

        def goes(held: UUID, told: UUID) -> UUID:
            return event.entity_id if held == event.from_id and told in own else held

        self._move(event.moved, goes)
        for words in [*self.known.attributes.values(), *self.known.relations.values()]:
            for place, said in enumerate(words):
                moved = said.id in (*event.moved.attributes, *event.moved.relations)
                if moved and self.known.belongings.said_of[said.id][0] == event.entity_id:
                    words[place] = replace(said, joined=None)

    def _follow(self, event: SpeakerNamed) -> None:
        followed = dict(event.relatives)
        if event.former_id:
            followed[event.former_id] = event.entity_id

        def goes(held: UUID, _: UUID) -> UUID:
            return followed.get(held, held)

        self._move(event.moved, goes, retold=True)

    def _move(self, moved: Moved, goes: Callable[[UUID, UUID], UUID], *, retold: bool = False) -> None:
        """Every moved thing goes where `goes` says, of (who holds it, of whom it was told)."""
        held = self.known.belongings
        lines: dict[Unit, list[Said]] = {}
        for (owner, key, value), words in self.known.attributes.items():
            for said in words:
                told, _ = held.said_of[said.id]
                to = goes(owner, told) if said.id in moved.attributes else owner
                if retold and to != owner:
                    held.said_of[said.id] = (to, None)
                    said = replace(said, of=to)
                lines.setdefault((to, key, value), []).append(said)
        self.known.attributes = lines
        lines = {}
        for (subject, label, value), words in self.known.relations.items():
            for said in words:
                told, told_object = held.said_of[said.id]
                object_id = UUID(said.value)
                assert told_object
                to, to_object = subject, object_id
                if said.id in moved.relations:
                    to, to_object = goes(subject, told), goes(object_id, told_object)
                if retold:
                    told = to if to != subject else told
                    held.said_of[said.id] = (told, to_object if to_object != object_id else told_object)
                said = replace(said, value=str(to_object), of=told)
                unit = to, label, value.replace(str(object_id), str(to_object))
                lines.setdefault(unit, []).append(said)
        self.known.relations = lines
        for belongings, ids in ((held.actions, moved.actions), (held.uncertainties, moved.uncertainties)):
            for place, thing in enumerate(belongings):
                if thing.id in ids:
                    to = goes(thing.entity_id, thing.said_of)
                    belongings[place] = Belonging(thing.id, to, to if retold else thing.said_of)
        to_of = {one.id: one.entity_id for one in held.uncertainties}
        every = [(to_of[one.id], key, one) for (_, key), those in self.known.doubts.items() for one in those]
        self.known.doubts = {}
        for entity_id, key, one in every:
            self.known.doubts.setdefault((entity_id, key), []).append(one)
        holder = {one.id: one.entity_id for one in held.actions}
        self.known.deeds = {(holder[one], *rest): one for (_, *rest), one in self.known.deeds.items()}  # type: ignore[misc]
        for undone in moved.corrections:
            del self.corrections[undone]


# Of each statement, what it was believed to be from which known time on.
Beliefs = dict[UUID, list[tuple[datetime, Segment]]]


def believed(found: list[Change], beliefs: Beliefs) -> None:
    """Apply changes as the read model does: from known_at on, whatever was believed for later is replaced."""
    for change in found:
        kept = [(since, segment) for since, segment in beliefs.get(change.segment.id, []) if since < change.known_at]
        later = [(since, change.segment) for since, _ in beliefs.get(change.segment.id, []) if since > change.known_at]
        beliefs[change.segment.id] = [*kept, (change.known_at, change.segment), *later]


def as_of(beliefs: Beliefs, moment: datetime) -> dict[UUID, Segment]:
    known = {}
    for one, history in beliefs.items():
        held = [segment for since, segment in history if since <= moment]
        if held:
            known[one] = held[-1]
    return known
