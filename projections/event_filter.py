"""Which events of a log somebody wants to see."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from memory.events import EntitiesMerged, EntityAliased, EntityRecognised
from memory.known import EntityName
from memory.log import Connection, EventLog
from memory.recorded import StoredRow

# Fields that name what an event brings, for the events about it that follow.
SUBJECTS = ("action_id", "uncertainty_id")


@dataclass(frozen=True, slots=True)
class EventFilter:
    """All conditions must hold; None is no condition."""

    session_id: UUID | None = None
    topic: str | None = None
    entity: EntityName | None = None

    def matching(
        self, log: EventLog, connection: Connection, context_id: str, *, after: int = 0, limit: int | None = None
    ) -> Iterator[StoredRow]:
        """Stored events after a position, oldest first.

        An event is about an entity if its payload names the id of the entity or of words about it,
        which only the log before it can tell: so the log is read from its start.
        """
        about: set[str] = set()
        shown = 0
        for rows in log.read(connection, context_id, after=0 if self.entity else after):
            for row in rows:
                if self.entity and not self._is_about(log, row, about):
                    continue
                if row.originator_version <= after or not self._fits(row):
                    continue
                yield row
                shown += 1
                if shown == limit:
                    return

    def _fits(self, row: StoredRow) -> bool:
        return (self.session_id is None or row.session_id == self.session_id) and (
            self.topic is None or row.topic == self.topic
        )

    def _is_about(self, log: EventLog, row: StoredRow, about: set[str]) -> bool:
        event = log.mapper.to_domain_event(row).event
        if event is None:
            return False
        if isinstance(event, EntityRecognised) and (event.type, event.name_key) == self.entity:
            about.add(str(event.entity_id))
        if isinstance(event, EntityAliased) and (event.type, event.name_key) == self.entity:
            about |= {str(event.alias_id), str(event.entity_id)}
        if isinstance(event, EntitiesMerged) and str(event.entity_id) in about:
            about.add(str(event.into_id))
        named = {str(value) for name in event.__struct_fields__ if isinstance(value := getattr(event, name), UUID)}
        segment = getattr(event, "segment", None)
        if segment is not None:
            named.add(str(segment.id))
        if named.isdisjoint(about):
            return False
        about |= {str(value) for name in SUBJECTS if (value := getattr(event, name, None))}
        if segment is not None:
            about.add(str(segment.id))
        return True
