"""What became known between two positions of the log, by entity: learnt, corrected, ended, erased."""

from collections.abc import Sequence
from dataclasses import dataclass, field
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
    EntityForgotten,
    EntityRecognised,
    Event,
    LineChange,
    RelationAsserted,
    RelationClosed,
    RelationRelinked,
    RelationReopened,
    RelationSuperseded,
)
from memory.log import EVENT_COLUMNS, EventLog
from memory.recorded import Recorded, from_columns
from memory.segments import Standing
from projections import attribute_versions, entities, relations
from projections.attribute_versions import AttributeVersionRow
from projections.entities import EntityRow
from projections.reading import Reader
from projections.relations import RelationRow

EVENTS_MAX = 20_000

BETWEEN = f"""
SELECT {EVENT_COLUMNS} FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s)
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
    AttributeReopened: REOPENED,
    RelationReopened: REOPENED,
    AttributeSuperseded: CORRECTED,
    RelationSuperseded: CORRECTED,
    AttributeClosed: ENDED,
    RelationClosed: ENDED,
    AttributeRelinked: ENDED,  # where it is withdrawn
    RelationRelinked: ENDED,
    EntityForgotten: ENDED,
    ContentErased: ERASED,
}
TOPICS = sorted(event_type.TOPIC for event_type in KINDS)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed. what: attribute, relation, action, entity or content. key, value: of an attribute,
    the label and object's name of a relation, the verb and summary of an action. former: of a correction."""

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
    """entity: None for contents erased about nothing that is still known."""

    entity: EntityRow | None
    changes: list[Change] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Changes:
    """By type and name, contents about nothing known last. truncated: there were more events than are looked at."""

    of_entities: list[EntityChanges]
    truncated: bool


def between(log: EventLog, reader: Reader, after: int, until: int) -> Changes:
    """What changed by the events with after < position <= until, as far as it is still to be read."""
    parameters = {"after": after, "until": until, "topics": TOPICS, "limit": EVENTS_MAX + 1}
    told = log.decoded([from_columns(row) for row in reader.tuples(BETWEEN, parameters)])
    found: dict[UUID | None, list[Change]] = {}
    known = _Known(reader, told[:EVENTS_MAX])
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


class _Known:
    """The rows that events name."""

    def __init__(self, reader: Reader, told: Sequence[Recorded]) -> None:
        words: set[UUID] = set()
        ids: set[UUID] = set()
        for event in (one.event for one in told):
            match event:
                case AttributeAsserted() | RelationAsserted():
                    words.add(event.segment.id)
                case LineChange(segment=segment):
                    words |= {segment.id} | ({segment.superseded_by} if segment.superseded_by else set())
                case EntityRecognised() | EntityForgotten():
                    ids.add(event.entity_id)
                case ActionRecorded():
                    ids.add(event.actor_id)
                case ContentErased():
                    ids |= set(event.subjects)
        self.versions = attribute_versions.by_ids(reader, list(words))
        self.edges = relations.by_ids(reader, list(words))
        ids |= {row.entity_id for row in self.versions.values()}
        ids |= {end for row in self.edges.values() for end in (row.subject_id, row.object_id)}
        self.entities = entities.by_ids(reader, list(ids))

    def changes_of(self, one: Recorded) -> list[tuple[UUID | None, Change]]:
        event = one.event
        if event is None:
            return []
        kind = KINDS[type(event)]
        match event:
            case EntityRecognised() | EntityForgotten():
                name = self._name(event.entity_id)
                return [(event.entity_id, self._change(kind, "entity", event.entity_id, one, "", name))]
            case ActionRecorded():
                change = self._change(kind, "action", event.action_id, one, event.verb, event.summary)
                return [(event.actor_id, change)]
            case ContentErased():
                change = self._change(kind, "content", event.erasure_id, one, "", event.reason)
                return [(subject, change) for subject in event.subjects] or [(None, change)]
            case AttributeStatement() if event.segment.standing is not Standing.CURRENT:
                return []
            case AttributeRelinked() | RelationRelinked() if event.segment.standing is not Standing.WITHDRAWN:
                return []
            case AttributeAsserted() | RelationAsserted() | LineChange():
                return self._of_words(kind, event.segment.id, event.segment.superseded_by, one)
            case _:
                return []

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
