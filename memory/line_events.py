"""Which event tells what happened in the line of a unit."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memory.events import (
    AttributeAsserted,
    AttributeClosed,
    AttributeEnded,
    AttributeReaffirmed,
    AttributeRelinked,
    AttributeReopened,
    AttributeSuperseded,
    Event,
    LineChange,
    RelationAsserted,
    RelationClosed,
    RelationEnded,
    RelationReaffirmed,
    RelationRelinked,
    RelationReopened,
    RelationSuperseded,
    StatementEvent,
)
from memory.line_changes import Change
from memory.segments import Said, Segment, Standing


@dataclass(frozen=True, slots=True)
class EventOf:
    """The event classes of one kind of unit. superseded takes (segment, known_at, correction_id)."""

    asserted: type[StatementEvent]
    reaffirmed: type[StatementEvent]
    ended: type[StatementEvent]
    superseded: Callable[..., LineChange]
    closed: type[LineChange]
    reopened: type[LineChange]
    relinked: type[LineChange]

    def statement(self, said: Said, segment: Segment) -> Callable[..., Event]:
        """The class of the event that brings new words."""
        if said.ends:
            return self.ended
        return self.reaffirmed if segment.standing is Standing.SUPPORTING else self.asserted

    def change(self, change: Change, correction_id: UUID | None) -> Event:
        """The event of a changed segment, named after what callers notice of it."""
        before, after, known_at = change.before, change.segment, change.known_at
        assert before is not None
        if after.superseded_by and after.superseded_by != before.superseded_by:
            return self.superseded(segment=after, known_at=known_at, correction_id=correction_id)
        if after.valid_until and before.valid_until is None:
            return self.closed(segment=after, known_at=known_at)
        if after.valid_until is None and before.valid_until:
            return self.reopened(segment=after, known_at=known_at)
        return self.relinked(segment=after, known_at=known_at)


ATTRIBUTE_EVENTS = EventOf(
    AttributeAsserted,
    AttributeReaffirmed,
    AttributeEnded,
    AttributeSuperseded,
    AttributeClosed,
    AttributeReopened,
    AttributeRelinked,
)
RELATION_EVENTS = EventOf(
    RelationAsserted,
    RelationReaffirmed,
    RelationEnded,
    RelationSuperseded,
    RelationClosed,
    RelationReopened,
    RelationRelinked,
)
