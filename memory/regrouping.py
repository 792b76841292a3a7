"""What becomes of words, deeds and doubts when names turn out to mean one entity, or two. Pure.

Where a word goes is told by the event alone, so that deciding and folding agree. Nothing is copied: words
keep their ids, turns and times, and know of whom they were told at first, so that a merge can be undone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.events import EntitiesMerged, EntitiesSeparated, Moved, SpeakerNamed
from memory.kinds import with_borrowed
from memory.known import Belonging, Known, Unit
from memory.line_changes import Change, regrouped
from memory.segments import Said

Regrouping = EntitiesMerged | EntitiesSeparated | SpeakerNamed
IsConcerned = Callable[[UUID], bool]


def destination(event: Regrouping, holder: UUID, told_of: UUID) -> UUID:
    """Whose a word is after the event that was `holder`'s before and was told of `told_of` at first."""
    match event:
        case EntitiesMerged(entity_id=entity_id, into_id=into_id):
            return into_id if holder == entity_id else holder
        case EntitiesSeparated(entity_id=entity_id, from_id=from_id, members=members):
            return entity_id if holder == from_id and told_of in (entity_id, *members) else holder
        case SpeakerNamed(entity_id=entity_id, former_id=former_id, relatives=relatives):
            return entity_id if holder == former_id else dict(relatives).get(holder, holder)


def told_of_after(event: Regrouping, holder: UUID, told_of: UUID) -> UUID:
    """Of whom a word counts as told: what a speaker said before telling their name was about the same person."""
    return destination(event, holder, told_of) if isinstance(event, SpeakerNamed) else told_of


def joined_after(event: Regrouping, told_of: UUID, joined: datetime | None, known_at: datetime) -> datetime | None:
    """When a word that the event moves was first brought to another entity than it was told of."""
    match event:
        case EntitiesMerged():
            return joined or known_at
        case EntitiesSeparated(entity_id=entity_id):
            return None if told_of == entity_id else joined
        case SpeakerNamed():
            return joined


@dataclass(frozen=True, slots=True)
class Regrouped:
    """What a regrouping moves and what that changes in the lines of units."""

    moved: Moved
    attribute_changes: list[Change]
    relation_changes: list[Change]


def regroup(known: Known, event: Regrouping, since: datetime, is_concerned: IsConcerned) -> Regrouped:
    """Work out what `event`, whose `moved` is still empty, moves, and bring `known` up to date.

    since: the known time from which it holds. is_concerned: of an id, whether the event is about it at all.
    """
    attributes = _Lines(known, event, since, is_concerned, _attribute_goes)
    relations = _Lines(known, event, since, is_concerned, _relation_goes)
    known.attributes = attributes.regroup(known.attributes)
    known.relations = relations.regroup(known.relations)
    held = known.belongings
    held.withdrawn_attributes = attributes.carry(held.withdrawn_attributes)
    held.withdrawn_relations = relations.carry(held.withdrawn_relations)
    segments = {change.segment.id: change.segment for change in attributes.changes}
    undone = [
        correction_id
        for (old, new), correction_id in known.belongings.corrections.items()
        if old in segments and segments[old].superseded_by != new
    ]
    moved = Moved(
        attributes=tuple(sorted(attributes.moved)),
        relations=tuple(sorted(relations.moved)),
        actions=_belongings(known.belongings.actions, event, is_concerned),
        uncertainties=_belongings(known.belongings.uncertainties, event, is_concerned),
        corrections=tuple(sorted(undone)),
    )
    return Regrouped(moved, attributes.changes, relations.changes)


def _belongings(those: list[Belonging], event: Regrouping, is_concerned: IsConcerned) -> tuple[UUID, ...]:
    """Move the deeds or doubts that go over. Returns their ids."""
    moved = []
    for place, one in enumerate(those):
        holder = destination(event, one.entity_id, one.said_of)
        if holder != one.entity_id and is_concerned(one.id):
            moved.append(one.id)
            those[place] = Belonging(one.id, holder, told_of_after(event, one.entity_id, one.said_of))
    return tuple(sorted(moved))


Goes = Callable[[Known, Regrouping, Unit, Said], tuple[Unit, Said]]


def _attribute_goes(known: Known, event: Regrouping, unit: Unit, said: Said) -> tuple[Unit, Said]:
    entity_id, key, value = unit
    told_of, _ = known.belongings.said_of[said.id]
    known.belongings.said_of[said.id] = (told_of_after(event, entity_id, told_of), None)
    return (destination(event, entity_id, told_of), key, value), said


def _relation_goes(known: Known, event: Regrouping, unit: Unit, said: Said) -> tuple[Unit, Said]:
    subject_id, label, unit_object = unit
    told_of, told_object = known.belongings.said_of[said.id]
    object_id = UUID(said.value)
    assert told_object is not None
    to_subject, to_object = destination(event, subject_id, told_of), destination(event, object_id, told_object)
    known.belongings.said_of[said.id] = (
        told_of_after(event, subject_id, told_of),
        told_of_after(event, object_id, told_object),
    )
    unit_object = unit_object.replace(str(object_id), str(to_object))
    return (to_subject, label, unit_object), replace(said, value=str(to_object))


class _Lines:
    """The lines of one kind of unit while they are regrouped."""

    def __init__(self, known: Known, event: Regrouping, since: datetime, is_concerned: IsConcerned, goes: Goes) -> None:
        self.known, self.event, self.since = known, event, since
        self.is_concerned, self.goes = is_concerned, goes
        self.moved: list[UUID] = []
        self.changes: list[Change] = []

    def regroup(self, lines: dict[Unit, list[Said]]) -> dict[Unit, list[Said]]:
        """The lines after the event; `moved` and `changes` tell the difference."""
        stay: dict[Unit, list[Said]] = {unit: [] for unit in lines}
        touched: set[UUID] = set()
        for unit, words in lines.items():
            for said in words:
                to, after = self._placed(unit, said)
                stay.setdefault(to, []).append(after)
                if (to, after) != (unit, said):
                    touched |= {unit[0], to[0]}
        # All lines of an owner that words come to or leave: a line may borrow from another one of them.
        stay |= with_borrowed({unit: words for unit, words in stay.items() if unit[0] in touched})
        moved = [unit for unit, words in stay.items() if words != lines.get(unit, [])]
        before = [lines[unit] for unit in moved if unit in lines]
        self.changes = regrouped(before, [stay[unit] for unit in moved], self.since)
        return {unit: words for unit, words in stay.items() if words or unit in lines}

    def carry(self, withdrawn: dict[Unit, list[Said]]) -> dict[Unit, list[Said]]:
        """Words that count no more, where they are after the event."""
        carried: dict[Unit, list[Said]] = {}
        for unit, words in withdrawn.items():
            for said in words:
                to, after = self._placed(unit, said)
                carried.setdefault(to, []).append(after)
        return carried

    def _placed(self, unit: Unit, said: Said) -> tuple[Unit, Said]:
        if said.id not in self.known.belongings.said_of or not self.is_concerned(said.id):
            return unit, said
        told_of, _ = self.known.belongings.said_of[said.id]
        to, after = self.goes(self.known, self.event, unit, said)
        if (to, after) == (unit, said):
            return unit, said
        if not said.is_tacit:
            self.moved.append(said.id)
        told_after, _ = self.known.belongings.said_of[said.id]
        joined = joined_after(self.event, told_of, said.joined, self.since)
        return to, replace(after, of=told_after, joined=joined)
