"""Soft forgetting: an entity leaves every read, the log keeps everything."""

from memory.events import AttributeClosed, EntityForgotten, Event, RelationClosed
from memory.known import EntityName
from memory.log import EventLog
from memory.ports import Knowledge
from memory.principals import Caller
from memory.recorded import Origin


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
                    AttributeClosed(version_id=version_id, valid_until=max(writing.now, valid_from), reason="forgotten")
                    for version_id, valid_from in entity.versions
                ]
                events += [
                    RelationClosed(
                        relation_id=relation_id, valid_until=max(writing.now, valid_from), reason="forgotten"
                    )
                    for relation_id, valid_from in entity.relations
                ]
                writing.record([*events, EntityForgotten(entity_id=entity.entity_id)], origin)
            return len(held)
