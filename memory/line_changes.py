"""What changes in a unit's line when words come, go or move to another line, as of every known time."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from memory.segments import Said, Segment
from memory.timeline import Line, in_order, line


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of a line: the version in force, with its effective rank, and the words said last.

    said: the one or two of them. in_force: the id of that version, None if nothing is. last_version: the
    version that the words said last belong to.
    """

    said: Sequence[Said] = ()
    in_force: UUID | None = None
    last_version: UUID | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """From `known_at` on, a statement is believed to be `segment`; before is None when it is new."""

    known_at: datetime
    before: Segment | None
    segment: Segment


def changes(known: Sequence[Said], new: Sequence[Said]) -> list[Change]:
    """What must change so that the line of `known` becomes that of both, as of every known time.

    Each change holds from its known_at on, until a later one of the same statement.
    """
    return _moves([*known, *new], added={said.id for said in new}, removed=frozenset())


def without(known: Sequence[Said], removed: AbstractSet[UUID]) -> list[Change]:
    """What must change so that the line of `known` becomes that of it without some words, as if they had
    never been said, as of every known time. Of the removed words themselves it tells nothing."""
    return _moves(known, added=frozenset(), removed=removed)


def difference(before: Sequence[Said], after: Sequence[Said], now: datetime) -> list[Change]:
    """What changes `now` if the line is of other words; what was known before stays as it was."""
    old, new = line(before), line(after)
    return [Change(now, old.get(one), new[one]) for one in sorted(new) if old.get(one) != new[one]]


def _moves(words: Sequence[Said], *, added: AbstractSet[UUID], removed: AbstractSet[UUID]) -> list[Change]:
    """The difference between the line of all words but the added ones, and that of all but the removed ones.

    Both lines are worked out once, moment by moment, and only what either moved at a moment is compared. Not so where
    a merge was to bring some of the words later: until then they were in another line.
    """
    first = min((said.place[0] for said in words if said.id in added or said.id in removed), default=None)
    if first is None:
        return []
    if any(said.joined is not None and said.joined > first for said in words):
        return _moves_around_merges(words, first, added=added, removed=removed)
    old, both = Line(), Line()
    for said in in_order(said for said in words if said.place[0] < first):
        old.add(said)
        both.add(said)
    believed: dict[UUID, Segment] = {}
    found: list[Change] = []
    tacit = {said.id for said in words if said.is_tacit}
    later = in_order(said for said in words if said.place[0] >= first)
    for moment, said_then in groupby(later, key=lambda said: said.place[0]):
        old.touched.clear()
        both.touched.clear()
        for said in said_then:
            if said.id not in removed:
                both.add(said)
            if said.id not in added:
                old.add(said)
        changed = []
        for one in sorted((old.touched | both.touched) - tacit):
            before, segment = believed.get(one, old.segment(one)), both.segment(one)
            if segment is not None and before != segment:
                changed.append(Change(moment, before, segment))
        # New words first, then what they change.
        found += sorted(changed, key=lambda change: change.before is not None)
        believed |= {change.segment.id: change.segment for change in changed}
    return found


def _moves_around_merges(
    words: Sequence[Said], first: datetime, *, added: AbstractSet[UUID], removed: AbstractSet[UUID]
) -> list[Change]:
    """As `_moves`, with both lines worked out anew at every moment from which on they are of other words."""
    joined = {said.joined for said in words if said.joined is not None}
    moments = sorted(moment for moment in joined | {said.place[0] for said in words} if moment >= first)
    believed: dict[UUID, Segment] = {}
    found: list[Change] = []
    for moment in moments:
        known = [said for said in words if max(said.place[0], said.joined or said.place[0]) <= moment]
        old = line(said for said in known if said.id not in added)
        both = line(said for said in known if said.id not in removed)
        changed = [
            Change(moment, before, both[one])
            for one in sorted(both)
            if (before := believed.get(one, old.get(one))) != both[one]
        ]
        found += sorted(changed, key=lambda change: change.before is not None)
        believed |= {change.segment.id: change.segment for change in changed}
    return found


def regrouped(before: Iterable[Sequence[Said]], after: Iterable[Sequence[Said]], since: datetime) -> list[Change]:
    """What must change so that the lines `before` become the lines `after`, which hold the same words, from the
    known time `since` on."""
    before, after = list(before), list(after)
    moments = {since} | {said.place[0] for words in before for said in words if said.place[0] > since}
    believed: dict[UUID, Segment] = {}
    found: list[Change] = []
    for moment in sorted(moments):
        was, now = _as_known(before, moment), _as_known(after, moment)
        changed = [
            Change(moment, earlier, now[one])
            for one in sorted(now)
            if (earlier := believed.get(one, was[one])) != now[one]
        ]
        found += changed
        believed |= {change.segment.id: change.segment for change in changed}
    return found


def _as_known(lines: Iterable[Sequence[Said]], moment: datetime) -> dict[UUID, Segment]:
    placed: dict[UUID, Segment] = {}
    for words in lines:
        placed |= line(said for said in words if said.place[0] <= moment)
    return placed


def tail_suffices(tail: Tail, new: Sequence[Said]) -> bool:
    """Whether `changes` over a line's tail gives what it would over all of the line.

    True where a single word follows in order upon the version in force; anything else, a line with
    nothing in force included, needs the whole.
    """
    if not tail.said:
        return True
    if tail.in_force is None or tail.last_version != tail.in_force or len(new) != 1:
        return False
    (said,) = new
    in_force = next(one for one in tail.said if one.id == tail.in_force)
    return (
        said.place > max(one.place for one in tail.said)
        and said.begins >= in_force.begins
        and all(one.joined is None or one.joined <= said.place[0] for one in tail.said)
        and (said.ends or said.until is None)
        and (not said.ends or said.value == in_force.value)
        and (said.document is None or said.document == in_force.document)
    )
