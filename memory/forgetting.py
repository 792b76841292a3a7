"""Soft forgetting: an entity leaves every read, the log keeps everything."""

from datetime import datetime

from msgspec.structs import replace

from memory.events import AttributeClosed, EntityForgotten, Event, RelationClosed
from memory.known import EntityName
from memory.log import EventLog
from memory.ports import Knowledge
from memory.principals import Caller
from memory.recorded import Origin
from memory.timeline import Segment


class Forgetting:
    """Use cases that take things out of sight."""

    def __init__(self, log: EventLog, knowledge: Knowledge) -> None:
        self.log = log
        self.knowledge = knowledge

    def forget_entity(self, caller: Caller, name: EntityName) -> int:
        """Close what holds about the entity and hide it, in every scope set where the caller may forget.

        Returns how many entities were hidden; 0 if there is none of that name. What is said of the
        name later makes a new entity.
        """
        with self.log.writing(caller.context_id) as writing:
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
