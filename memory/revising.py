"""Undo: a turn's words count no more, or a correction is taken back; and either again the other way.

Nothing is deleted: new events say what holds from now on, and what was known before stays known as it was.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from msgspec import structs

from memory.conclusions import Resting, resting_on
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
from memory.ports import RevisableLine, RevisableReadModels, Revised, Revision
from memory.principals import Caller
from memory.recorded import Origin, Recorded
from memory.segments import Standing, with_tacit
from memory.values import derived_id

RETRACTED = "retracted"
TURN, CORRECTION, REVISION = "turn_retracted", "correction_undone", "revision_undone"

_NamedPart = tuple[UUID, UUID, Revision]  # a part with the id of its own revision and of what that is about


class Revising:
    """Use cases that change what counts. dry_run: work it out and change nothing."""

    def __init__(self, log: EventLog, models: RevisableReadModels) -> None:
        self.log = log
        self.models = models

    def retract(self, caller: Caller, turn_id: UUID, revision_id: UUID, *, dry_run: bool = False) -> Revised:
        """Close what this turn alone supports and reopen what it had replaced; what others support stays.

        What models concluded from it goes too, wherever the caller may write, and recall finds its words no more;
        the log keeps them. Raises NotFound, Forbidden, Conflict if none of it counts any more.
        """
        with self.log.writing(caller.context_id) as writing:
            told = self.log.of_turn(writing.cursor, writing.context_id, turn_id)
            scope_set_id = told[0].origin.scope_set_id if told else None
            if scope_set_id is None or scope_set_id not in caller.visible or told[0].event is None:
                raise NotFound("there is no such turn")
            passages = [one for one, _ in self.models.passages_of(writing, scope_set_id, turn_id)]
            said = _statements(one for one in told if one.origin.scope_set_id == scope_set_id)
            resting = resting_on(self.models, writing, caller, scope_set_id, said, passages)
            parts = [self._part(writing, scope_set_id, (), [turn_id, *resting.turns_in(scope_set_id)])]
            parts += self._elsewhere(writing, scope_set_id, resting)
            if not any(one.withdrawn or one.closed or one.reopened or one.hidden for one in parts):
                raise Conflict("nothing of this turn counts any more")
            self._revise(writing, caller, TURN, _named(revision_id, turn_id, parts), dry_run=dry_run)
        return Revised(parts, resting.beyond)

    def undo(self, caller: Caller, target: UUID, revision_id: UUID, *, dry_run: bool = False) -> Revised:
        """Undo a correction: its older version holds again, and what models concluded from the newer one goes. Or a
        revision: all is as before it.

        Raises NotFound, Forbidden, Conflict if that is undone already or what it closed has a successor.
        """
        with self.log.writing(caller.context_id) as writing:
            correction = self.models.correction(writing, target, caller.visible)
            if correction is None:
                named = self._inverse(writing, caller, target, revision_id)
                revised = Revised([part for _, _, part in named])
                self._revise(writing, caller, REVISION, named, dry_run=dry_run)
            else:
                scope_set_id, version_id, counts = correction
                if not counts:
                    raise Conflict("this correction counts no more")
                words = self.models.words_of_version(writing, scope_set_id, version_id)
                resting = resting_on(self.models, writing, caller, scope_set_id, words)
                parts = [self._part(writing, scope_set_id, words, resting.turns_in(scope_set_id))]
                revised = Revised([*parts, *self._elsewhere(writing, scope_set_id, resting)], resting.beyond)
                named = _named(revision_id, target, revised.parts)
                self._revise(writing, caller, CORRECTION, named, dry_run=dry_run)
        return revised

    def _elsewhere(self, writing: Writing, scope_set_id: UUID, resting: Resting) -> list[Revision]:
        """The parts in other scope sets than that one."""
        places = [place for place in resting.within if place != scope_set_id]
        return [self._part(writing, place, (), resting.turns_in(place)) for place in places]

    def _part(
        self, writing: Writing, scope_set_id: UUID, statement_ids: Sequence[UUID], turn_ids: Sequence[UUID]
    ) -> Revision:
        """What it changes in a scope set that these statements count no more, nor what these turns brought."""
        told = [
            one
            for turn_id in turn_ids
            for one in self.log.of_turn(writing.cursor, writing.context_id, turn_id)
            if one.origin.scope_set_id == scope_set_id
        ]
        said = [*statement_ids, *_statements(told)]
        counting = {word.id for line in self.models.lines_of(writing, scope_set_id, said) for word in line.words}
        words = [one for one in said if one in counting]
        things = [thing for one in told for thing in _things(one.event)]
        elsewhere = self.models.supported_elsewhere(writing, scope_set_id, things, turn_ids)
        own = [thing for thing in things if thing not in elsewhere]
        closed = [
            Settled(kind=kind, id=thing, at=writing.now, reason=RETRACTED)
            for kind, thing in self.models.holding(writing, scope_set_id, own)
        ]
        ended = [end for one in told if (end := _end(one)) is not None]
        open_again = {thing for _, thing in self.models.holding(writing, scope_set_id, [end.id for end in ended])}
        reopened = [end for end in ended if end.id not in open_again and end.id not in own]
        undone = self.models.corrections_by(writing, scope_set_id, words)
        passages = [one for turn_id in turn_ids for one in self.models.passages_of(writing, scope_set_id, turn_id)]
        hidden = [passage_id for passage_id, is_found in passages if is_found]
        return Revision(scope_set_id, words, (), closed, reopened, undone, (), hidden)

    def _inverse(self, writing: Writing, caller: Caller, target: UUID, revision_id: UUID) -> list[_NamedPart]:
        readable = sorted({*caller.visible, *caller.writable})
        part_ids = [_part_id(target, place) for place in readable]
        found = dict(self.models.revisions(writing, [target, *part_ids], readable))
        first = found.pop(target, None)
        if first is None or first.scope_set_id not in caller.visible:
            raise NotFound("there is no such correction or revision")
        if first.is_undone:
            raise Conflict("this is undone already")
        inverse = [(revision_id, target, self._inverted(writing, first))]
        return inverse + [
            (_part_id(revision_id, one.scope_set_id), part_id, self._inverted(writing, one))
            for part_id, one in found.items()
            if not one.is_undone
        ]

    def _inverted(self, writing: Writing, earlier: Revision) -> Revision:
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
        self, writing: Writing, caller: Caller, what: str, named: Sequence[_NamedPart], *, dry_run: bool
    ) -> None:
        for _, _, part in named:
            caller.require("memory:write", self.models.scopes(writing, part.scope_set_id))
        if dry_run:
            writing.roll_back()
        for revision_id, target, part in named:
            events = self._events(writing, what, revision_id, target, part)
            writing.record(events, Origin(principal_id=caller.principal_id, scope_set_id=part.scope_set_id))

    def _events(self, writing: Writing, what: str, revision_id: UUID, target: UUID, part: Revision) -> list[Event]:
        event = MemoryRevised(
            revision_id=revision_id,
            what=what,
            target=target,
            withdrawn=tuple(part.withdrawn),
            restored=tuple(part.restored),
            closed=tuple(part.closed),
            reopened=tuple(part.reopened),
            undone=tuple(part.undone),
            redone=tuple(part.redone),
            hidden=tuple(part.hidden),
            shown=tuple(part.shown),
        )
        events: list[Event] = [event]
        for line in self.models.lines_of(writing, part.scope_set_id, [*part.withdrawn, *part.restored]):
            events += line_changes(line, set(part.withdrawn), set(part.restored), writing.now, reason="withdrawn")
        return events


def _part_id(revision_id: UUID, scope_set_id: UUID) -> UUID:
    """The id of what a revision changes in another scope set than that of its target."""
    return derived_id(revision_id, "in scope", str(scope_set_id))


def _named(revision_id: UUID, target: UUID, parts: Sequence[Revision]) -> list[_NamedPart]:
    first, *others = parts
    named = [(revision_id, target, first)]
    return named + [(_part_id(revision_id, one.scope_set_id), target, one) for one in others]


def line_changes(
    line: RevisableLine, withdrawn: AbstractSet[UUID], restored: AbstractSet[UUID], now: datetime, *, reason: str
) -> list[Event]:
    """What changes in a line when some of its words count no more, or again. reason: of those that do not."""
    gone, back = with_tacit(withdrawn), with_tacit(restored)
    again = [said for said in line.apart if said.id in back]
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


def _statements(told: Iterable[Recorded]) -> list[UUID]:
    return [one.event.segment.id for one in told if isinstance(one.event, StatementEvent)]


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
