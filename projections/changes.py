"""What became known between two positions of the log, by entity: learnt, corrected, ended, erased."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.events import (
    ActionRecorded,
    AttributeAsserted,
    AttributeClosed,
    AttributeRelinked,
    AttributeReopened,
    AttributeStatement,
    AttributeSuperseded,
    ContentErased,
    ContextRowsExpired,
    EntityForgotten,
    EntityRecognised,
    Event,
    InstructionClosed,
    InstructionDetected,
    LineChange,
    MemoryRevised,
    RelationAsserted,
    RelationClosed,
    RelationRelinked,
    RelationReopened,
    RelationSuperseded,
    ThingsForgotten,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.log import EVENT_COLUMNS, EventLog
from memory.recorded import Recorded, from_columns
from memory.segments import Standing
from projections import actions, attribute_versions, entities, instructions, relations, uncertainties
from projections.attribute_versions import AttributeVersionRow
from projections.entities import EntityRow
from projections.reading import Instant, Reader
from projections.relations import RelationRow

EVENTS_MAX = 20_000

BETWEEN = f"""
SELECT {EVENT_COLUMNS} FROM events
WHERE context_id = %(context_id)s AND (scope_set_id = ANY(%(scope_set_ids)s) OR scope_set_id IS NULL)
    AND position > %(after)s AND position <= %(until)s AND topic = ANY(%(topics)s)
ORDER BY position
LIMIT %(limit)s
"""

LEARNT, REOPENED, CORRECTED, ENDED, ERASED = "learnt", "reopened", "corrected", "ended", "erased"
KINDS: dict[type[Event], str] = {
    EntityRecognised: LEARNT,
    AttributeAsserted: LEARNT,
    RelationAsserted: LEARNT,
    ActionRecorded: LEARNT,
    InstructionDetected: LEARNT,
    UncertaintyFlagged: LEARNT,
    AttributeReopened: REOPENED,
    RelationReopened: REOPENED,
    AttributeSuperseded: CORRECTED,
    RelationSuperseded: CORRECTED,
    AttributeClosed: ENDED,
    RelationClosed: ENDED,
    AttributeRelinked: ENDED,  # where it is withdrawn
    RelationRelinked: ENDED,
    InstructionClosed: ENDED,
    UncertaintyResolved: ENDED,
    ContextRowsExpired: ENDED,
    ThingsForgotten: ENDED,
    EntityForgotten: ENDED,
    MemoryRevised: ENDED,  # what it closes; what it reopens holds again
    ContentErased: ERASED,
}
TOPICS = sorted(event_type.TOPIC for event_type in KINDS)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed. what: attribute, relation, action, instruction, uncertainty, entity or content.
    key, value: of an attribute, the label and object's name of a relation, the verb and summary of an action, the
    label and words of an instruction, the key and words of an uncertainty. former: of a correction."""

    kind: str
    what: str
    id: UUID
    key: str
    value: str
    position: int
    at: datetime
    former: str | None = None


@dataclass(frozen=True, slots=True)
class EntityChanges:
    """entity: None for instructions, uncertainties about no entity, and contents erased about nothing still known."""

    entity: EntityRow | None
    changes: list[Change] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Changes:
    """By type and name, what is about no entity last. truncated: there were more events than are looked at."""

    of_entities: list[EntityChanges]
    truncated: bool


def between(log: EventLog, reader: Reader, after: int, until: int) -> Changes:
    """What changed by the events with after < position <= until, as far as it is still to be read."""
    parameters = {"after": after, "until": until, "topics": TOPICS, "limit": EVENTS_MAX + 1}
    told = log.decoded([from_columns(row) for row in reader.tuples(BETWEEN, parameters)])
    found: dict[UUID | None, list[Change]] = {}
    known = _Known(reader, told[:EVENTS_MAX], after)
    for one in told[:EVENTS_MAX]:
        for entity_id, change in known.changes_of(one):
            found.setdefault(entity_id, []).append(change)
    of_entities = [
        EntityChanges(known.entities.get(entity_id) if entity_id else None, _told_once(changes))
        for entity_id, changes in found.items()
        if entity_id is None or entity_id in known.entities
    ]
    of_entities.sort(key=_order)
    return Changes(of_entities, len(told) > EVENTS_MAX)


def _told_once(changes: Sequence[Change]) -> list[Change]:
    """Without what is told as the newer value of a correction as well."""
    newer = {change.id for change in changes if change.kind == CORRECTED}
    return [change for change in changes if change.kind != LEARNT or change.id not in newer]


def _order(one: EntityChanges) -> tuple[bool, str, str]:
    row = one.entity
    return row is None, row.type if row else "", row.name_key if row else ""


@dataclass(frozen=True, slots=True)
class _Thing:
    """What has no versions. owner: the entity that it is about; what, key, value: as of `Change`."""

    owner: UUID | None
    what: str
    key: str
    value: str


def _things(reader: Reader, ids: Collection[UUID]) -> dict[UUID, _Thing]:
    deeds = actions.by_ids(reader, ids)
    directives = instructions.by_ids(reader, ids)
    doubts = uncertainties.by_ids(reader, ids)
    return {
        **{row.id: _Thing(row.actor_id, "action", row.verb, row.summary) for row in deeds},
        **{row.id: _Thing(None, "instruction", row.label, row.description) for row in directives},
        **{row.id: _Thing(row.entity_id, "uncertainty", row.key or "", row.about) for row in doubts},
    }


class _Known:
    """The rows that events name."""

    def __init__(self, reader: Reader, told: Sequence[Recorded], after: int) -> None:
        words: set[UUID] = set()
        ids: set[UUID] = set()
        things: set[UUID] = set()
        for event in (one.event for one in told):
            match event:
                case AttributeAsserted() | RelationAsserted():
                    words.add(event.segment.id)
                case LineChange(segment=segment):
                    words |= {segment.id} | ({segment.superseded_by} if segment.superseded_by else set())
                case EntityRecognised() | EntityForgotten():
                    ids.add(event.entity_id)
                case ContentErased():
                    ids |= set(event.subjects)
                case ContextRowsExpired():
                    words |= {*event.attributes, *event.relations}
                    things |= set(event.actions)
                case MemoryRevised():
                    named = [*event.closed, *event.reopened]
                    ids |= {one.id for one in named if one.kind == "entity"}
                    things |= {one.id for one in named}
                case _:
                    things |= set(_named(event))
        self.versions = attribute_versions.by_ids(reader, list(words))
        self.edges = relations.by_ids(reader, list(words))
        ids |= {row.entity_id for row in self.versions.values()}
        ids |= {end for row in self.edges.values() for end in (row.subject_id, row.object_id)}
        # A deed that was forgotten is no row any more, but was told, or was one before.
        deeds = [one.event for one in told if isinstance(one.event, ActionRecorded)]
        self.things = {
            **_things(replace(reader, instant=Instant(position=after)), things),
            **{one.action_id: _Thing(one.actor_id, "action", one.verb, one.summary) for one in deeds},
            **_things(reader, things),
        }
        ids |= {one.owner for one in self.things.values() if one.owner}
        self.entities = entities.by_ids(reader, list(ids))

    def changes_of(self, one: Recorded) -> list[tuple[UUID | None, Change]]:
        event = one.event
        if event is None:
            return []
        kind = KINDS[type(event)]
        match event:
            case EntityRecognised() | EntityForgotten():
                return self._of_entity(kind, event.entity_id, one)
            case ContentErased():
                change = self._change(kind, "content", event.erasure_id, one, "", event.reason)
                return [(subject, change) for subject in event.subjects] or [(None, change)]
            case ContextRowsExpired():
                lapsed = [*event.attributes, *event.relations]
                found = [change for words in lapsed for change in self._of_words(kind, words, None, one)]
                return found + [change for thing in event.actions for change in self._of_thing(kind, thing, one)]
            case MemoryRevised():
                return [
                    change
                    for told_as, settled in ((kind, event.closed), (REOPENED, event.reopened))
                    for end in settled
                    for change in (self._of_entity if end.kind == "entity" else self._of_thing)(told_as, end.id, one)
                ]
            case AttributeStatement() if event.segment.standing is not Standing.CURRENT:
                return []
            case AttributeRelinked() | RelationRelinked() if event.segment.standing is not Standing.WITHDRAWN:
                return []
            case AttributeAsserted() | RelationAsserted() | LineChange():
                return self._of_words(kind, event.segment.id, event.segment.superseded_by, one)
            case _:
                return [change for thing in _named(event) for change in self._of_thing(kind, thing, one)]

    def _of_entity(self, kind: str, entity_id: UUID, one: Recorded) -> list[tuple[UUID | None, Change]]:
        return [(entity_id, self._change(kind, "entity", entity_id, one, "", self._name(entity_id)))]

    def _of_thing(self, kind: str, thing_id: UUID, one: Recorded) -> list[tuple[UUID | None, Change]]:
        thing = self.things.get(thing_id)
        if thing is None:
            return []
        return [(thing.owner, self._change(kind, thing.what, thing_id, one, thing.key, thing.value))]

    def _of_words(
        self, kind: str, words: UUID, successor: UUID | None, one: Recorded
    ) -> list[tuple[UUID | None, Change]]:
        row = self.versions.get(words) or self.edges.get(words)
        if row is None:
            return []
        what, key, value = self._told(row)
        owner = row.entity_id if isinstance(row, AttributeVersionRow) else row.subject_id
        if kind != CORRECTED:
            return [(owner, self._change(kind, what, words, one, key, value))]
        later = self.versions.get(successor) or self.edges.get(successor) if successor else None
        if later is None:
            return [(owner, self._change(ENDED, what, words, one, key, value))]
        return [(owner, self._change(kind, what, later.id, one, key, self._told(later)[2], former=value))]

    def _told(self, row: AttributeVersionRow | RelationRow) -> tuple[str, str, str]:
        if isinstance(row, AttributeVersionRow):
            return "attribute", row.key, row.value
        return "relation", row.label, self._name(row.object_id)

    def _name(self, entity_id: UUID) -> str:
        return self.entities[entity_id].name if entity_id in self.entities else ""

    def _change(self, kind: str, what: str, row_id: UUID, one: Recorded, key: str, value: str, **more: Any) -> Change:
        return Change(kind, what, row_id, key, value, one.position, one.known_at, **more)


def _named(event: Event | None) -> tuple[UUID, ...]:
    """The action, instruction or uncertainty that an event is about."""
    match event:
        case ActionRecorded(action_id=thing):
            return (thing,)
        case InstructionDetected(instruction_id=thing) | InstructionClosed(instruction_id=thing):
            return (thing,)
        case UncertaintyFlagged(uncertainty_id=thing) | UncertaintyResolved(uncertainty_id=thing):
            return (thing,)
        case ThingsForgotten(actions=forgotten):
            return forgotten
        case _:
            return ()
