"""Undo: a turn's words count no more, or a correction is taken back; and either again the other way.

Nothing is deleted: new events say what holds from now on, and what was known before stays known as it was.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from msgspec import structs

from memory.errors import Conflict, NotFound
from memory.events import (
    ActionRecorded,
    EntityRecognised,
    Event,
    InstructionClosed,
    InstructionDetected,
    MemoryRevised,
    Settled,
    StatementEvent,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.line_changes import difference
from memory.log import EventLog, Writing
from memory.ports import RevisableLine, RevisableReadModels, Revision
from memory.principals import Caller
from memory.recorded import Origin, Recorded
from memory.segments import Standing, lapse_id

RETRACTED = "retracted"
TURN, CORRECTION, REVISION = "turn_retracted", "correction_undone", "revision_undone"


class Revising:
    """Use cases that change what counts. dry_run: work it out and change nothing."""

    def __init__(self, log: EventLog, models: RevisableReadModels) -> None:
        self.log = log
        self.models = models

    def retract(self, caller: Caller, turn_id: UUID, revision_id: UUID, *, dry_run: bool = False) -> Revision:
        """Close what this turn alone supports and reopen what it had replaced; what others support stays.

        What models concluded from it goes too, and recall finds its words no more; the log keeps them.
        Raises NotFound, Forbidden, Conflict if none of it counts any more.
        """
        with self.log.writing(caller.context_id) as writing:
            told = self.log.of_turn(writing.cursor, writing.context_id, turn_id)
            scope_set_id = told[0].origin.scope_set_id if told else None
            if scope_set_id is None or scope_set_id not in caller.visible or told[0].event is None:
                raise NotFound("there is no such turn")
            revision = self._of_turn(writing, scope_set_id, turn_id, told)
            self._revise(writing, caller, revision_id, TURN, turn_id, revision, dry_run=dry_run)
        return revision

    def undo(self, caller: Caller, target: UUID, revision_id: UUID, *, dry_run: bool = False) -> Revision:
        """Undo a correction: its older version holds again. Or a revision: all is as before it.

        Raises NotFound, Forbidden, Conflict if that is undone already or what it closed has a successor.
        """
        with self.log.writing(caller.context_id) as writing:
            correction = self.models.correction(writing, target, caller.visible)
            if correction is not None:
                scope_set_id, version_id = correction
                words = self.models.words_of_version(writing, scope_set_id, version_id)
                undone = self.models.corrections_by(writing, scope_set_id, words)
                what, revision = CORRECTION, Revision(scope_set_id, words, (), (), (), undone, ())
            else:
                earlier = self.models.revision(writing, target, caller.visible)
                if earlier is None:
                    raise NotFound("there is no such correction or revision")
                what, revision = REVISION, self._inverse(writing, earlier)
            self._revise(writing, caller, revision_id, what, target, revision, dry_run=dry_run)
        return revision

    def _of_turn(self, writing: Writing, scope_set_id: UUID, turn_id: UUID, told: Sequence[Recorded]) -> Revision:
        events = [one.event for one in told if one.origin.scope_set_id == scope_set_id]
        said = [event.segment.id for event in events if isinstance(event, StatementEvent)]
        said += self.models.concluded_from(writing, scope_set_id, turn_id, said)
        counting = {word.id for line in self.models.lines_of(writing, scope_set_id, said) for word in line.words}
        words = [one for one in said if one in counting]
        things = [thing for event in events for thing in _things(event)]
        elsewhere = self.models.supported_elsewhere(writing, scope_set_id, things, turn_id)
        own = [thing for thing in things if thing not in elsewhere]
        closed = [
            Settled(kind=kind, id=thing, at=writing.now, reason=RETRACTED)
            for kind, thing in self.models.holding(writing, scope_set_id, own)
        ]
        ended = [end for one in told if (end := _end(one)) is not None]
        open_again = {thing for _, thing in self.models.holding(writing, scope_set_id, [end.id for end in ended])}
        reopened = [end for end in ended if end.id not in open_again and end.id not in own]
        undone = self.models.corrections_by(writing, scope_set_id, words)
        hidden = self.models.passages_of(writing, scope_set_id, turn_id)
        if not (words or closed or reopened or hidden):
            raise Conflict("nothing of this turn counts any more")
        return Revision(scope_set_id, words, (), closed, reopened, undone, (), hidden)

    def _inverse(self, writing: Writing, earlier: Revision) -> Revision:
        if earlier.is_undone:
            raise Conflict("this is undone already")
        names = [end.id for end in earlier.closed if end.kind == "entity"]
        if names and self.models.names_taken(writing, earlier.scope_set_id, names):
            raise Conflict("something else has become known by that name since")
        return replace(
            earlier,
            withdrawn=earlier.restored,
            restored=earlier.withdrawn,
            closed=earlier.reopened,
            reopened=earlier.closed,
            undone=earlier.redone,
            redone=earlier.undone,
            hidden=earlier.shown,
            shown=earlier.hidden,
        )

    def _revise(
        self,
        writing: Writing,
        caller: Caller,
        revision_id: UUID,
        what: str,
        target: UUID,
        revision: Revision,
        *,
        dry_run: bool,
    ) -> None:
        caller.require("memory:write", self.models.scopes(writing, revision.scope_set_id))
        event = MemoryRevised(
            revision_id=revision_id,
            what=what,
            target=target,
            withdrawn=tuple(revision.withdrawn),
            restored=tuple(revision.restored),
            closed=tuple(revision.closed),
            reopened=tuple(revision.reopened),
            undone=tuple(revision.undone),
            redone=tuple(revision.redone),
            hidden=tuple(revision.hidden),
            shown=tuple(revision.shown),
        )
        words = [*revision.withdrawn, *revision.restored]
        events: list[Event] = [event]
        for line in self.models.lines_of(writing, revision.scope_set_id, words):
            events += line_changes(
                line, set(revision.withdrawn), set(revision.restored), writing.now, reason="withdrawn"
            )
        if dry_run:
            writing.roll_back()
        writing.record(events, Origin(principal_id=caller.principal_id, scope_set_id=revision.scope_set_id))


def line_changes(
    line: RevisableLine, withdrawn: AbstractSet[UUID], restored: AbstractSet[UUID], now: datetime, *, reason: str
) -> list[Event]:
    """What changes in a line when some of its words count no more, or again. reason: of those that do not."""
    gone = withdrawn | {lapse_id(one) for one in withdrawn}
    again = [said for said in line.apart if said.id in restored or said.lapses]
    after = [said for said in line.words if said.id not in gone] + again
    events: list[Event] = [
        line.event_of.relinked(
            segment=structs.replace(
                line.segments[said.id],
                standing=Standing.WITHDRAWN,
                valid_until=line.segments[said.id].valid_until or max(now, line.segments[said.id].valid_from),
                reason=reason,
            ),
            known_at=now,
        )
        for said in line.words
        if said.id in withdrawn
    ]
    for change in difference(line.words, after, now):
        if change.before is None:
            events.append(line.event_of.relinked(segment=change.segment, known_at=now))
        else:
            events.append(line.event_of.change(change, None))
    return events


def _things(event: Event | None) -> tuple[UUID, ...]:
    """What a turn brought beside statements."""
    match event:
        case ActionRecorded():
            return (event.action_id,)
        case InstructionDetected():
            return (event.instruction_id,)
        case UncertaintyFlagged():
            return (event.uncertainty_id,)
        case EntityRecognised():
            return (event.entity_id,)
        case _:
            return ()


def _end(one: Recorded) -> Settled | None:
    """What a turn ended beside statements."""
    match one.event:
        case InstructionClosed(instruction_id=thing, reason=reason):
            return Settled(kind="instruction", id=thing, at=one.known_at, reason=reason)
        case UncertaintyResolved(uncertainty_id=thing, how=how):
            return Settled(kind="uncertainty", id=thing, at=one.known_at, reason=how)
        case _:
            return None
