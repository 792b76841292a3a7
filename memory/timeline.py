"""The line of one unit: which value held when, as a pure function of what was said about it.

A unit is what has one value at a time: (scope set, entity, key), or the same with one value of a
many-valued key. `line` takes all its statements and gives each its place. Since it sorts them
itself, every order of arrival gives the same line; since it looks at nothing else, the line as it
was known at any time is the line of what had been said by then.

Rules, applied statement by statement in the order in which they were said:
- The value in force said again: the statement supports that version.
- Another value, same rank: it supersedes the version in force, which ends where the new one begins
  (`moved_on`, `restated`), or was never true if the words take it back (`explicit_correction`).
- Another value of lower rank, or from another document: `claimed`, nothing else changes. Of higher
  rank: it is in force, and the lower one becomes `claimed`.
- A value with a stated start before the stated start of a version goes before that one (`relinked`).
- An ending closes the version in force if the value is its own and the rank suffices; else it is
  `unmatched`. No successor is invented.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

Place = tuple[datetime, int, int]  # when it was said, position of its turn, offset in the turn: a total order


class Standing(StrEnum):
    """What a statement amounts to in its line."""

    CURRENT = "current"  # a version of the line, in force now or in its time
    CLAIMED = "claimed"  # a contrary word of lower rank
    RETRACTED = "retracted"  # taken back: never true
    SUPPORTING = "supporting"  # says again what a version says
    ENDING = "ending"  # closed a version
    UNMATCHED = "unmatched"  # an ending of what was not in force


@dataclass(frozen=True, slots=True)
class Said:
    """One statement about a unit.

    value: folded, for comparison. start: the stated begin, None if the words gave none. ends: the
    words end the value instead of asserting it, at `until` or when they were said. change, repair:
    see `memory.candidates.StatementCandidate`. document: of a statement from a document. follows: the
    version before it, where the line is given without its beginning.
    """

    id: UUID
    place: Place
    value: str
    rank: int
    start: datetime | None = None
    until: datetime | None = None
    ends: bool = False
    change: bool = False
    repair: bool = False
    document: UUID | None = None
    follows: UUID | None = None

    @property
    def begins(self) -> datetime:
        return self.start or self.place[0]


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """A statement's place in the line. Part of the stored format of events.

    version: the version it belongs to, its own id if it is one. rank: the highest that supports it.
    reason: why it ended: moved_on, restated, explicit_correction, relinked, ended or forgotten.
    """

    id: UUID
    standing: Standing
    version: UUID
    rank: int
    valid_from: datetime
    valid_until: datetime | None = None
    supersedes: UUID | None = None
    superseded_by: UUID | None = None
    reason: str = ""


@dataclass(slots=True)
class _Version:
    """A version while its line is being worked out."""

    said: Said
    rank: int
    valid_until: datetime | None
    standing: Standing = Standing.CURRENT
    supersedes: UUID | None = None
    superseded_by: UUID | None = None
    reason: str = ""

    @property
    def continues(self) -> bool:
        """Whether another value follows on from this one: it has not ended by itself."""
        return self.valid_until is None or self.superseded_by is not None

    def end_at(self, moment: datetime) -> None:
        """End no later than `moment`, and never before the beginning."""
        self.valid_until = max(self.said.begins, moment)

    def segment(self) -> Segment:
        return Segment(
            id=self.said.id,
            standing=self.standing,
            version=self.said.id,
            rank=self.rank,
            valid_from=self.said.begins,
            valid_until=self.valid_until,
            supersedes=self.supersedes,
            superseded_by=self.superseded_by,
            reason=self.reason,
        )


@dataclass(slots=True)
class _Line:
    """versions: those of current standing, in the order of valid time. others: everything else."""

    versions: list[_Version] = field(default_factory=list)
    aside: list[_Version] = field(default_factory=list)
    words: dict[UUID, Segment] = field(default_factory=dict)

    def add(self, said: Said) -> None:
        if said.ends:
            self._end(said)
        else:
            self._say(said)

    def _say(self, said: Said) -> None:
        index = len(self.versions)
        while index and self.versions[index - 1].said.start and self.versions[index - 1].said.begins > said.begins:
            index -= 1
        before = self.versions[index - 1] if index else None
        after = self.versions[index] if index < len(self.versions) else None
        same = next((one for one in (before, after) if one and self._is_said_again(one, said)), None)
        if same:
            same.rank = max(same.rank, said.rank)
            self._note(said, Standing.SUPPORTING, same)
            return
        version = _Version(said, said.rank, said.until, supersedes=said.follows)
        if before and before.continues:
            if said.rank < before.rank or (said.document and before.said.document not in (None, said.document)):
                version.standing = Standing.CLAIMED
                self.aside.append(version)
                return
            if said.rank > before.rank:
                before.standing = Standing.CLAIMED
                self._set_aside(before)
                index -= 1
            else:
                index -= self._supersede(before, version, after)
        self._trim(index, said.begins)
        self.versions.insert(index, version)
        if after:
            version.end_at(after.said.begins)
            version.superseded_by, version.reason = after.said.id, "relinked"
            after.supersedes = said.id

    def _is_said_again(self, version: _Version, said: Said) -> bool:
        return version.said.value == said.value and (version.continues or version.said.until == said.until is not None)

    def _supersede(self, old: _Version, new: _Version, after: _Version | None) -> int:
        """Link old -> new. Returns how many versions left the line: 1 if the old one was never true."""
        said = new.said
        old.superseded_by, new.supersedes = said.id, old.said.id
        if said.repair and not said.change and said.start is None:
            old.standing, old.reason = Standing.RETRACTED, "explicit_correction"
            old.end_at(old.said.begins)
            self._set_aside(old)
            return 1
        old.reason = "moved_on" if said.change or said.start else "restated"
        old.end_at(min(said.begins, after.said.begins) if after else said.begins)
        return 0

    def _trim(self, index: int, begins: datetime) -> None:
        """What was said before ends where a version begins that is dated further back."""
        for version in reversed(self.versions[:index]):
            if version.valid_until is None or version.valid_until <= begins:
                return
            version.end_at(begins)

    def _end(self, said: Said) -> None:
        named = [version for version in self.versions if version.said.value == said.value]
        live = next((version for version in reversed(named) if version.valid_until is None), None)
        if live and said.rank >= live.rank:
            live.end_at(said.until or said.begins)
            live.reason = "ended"
            self._note(said, Standing.ENDING, live)
        elif named and not live:
            self._note(said, Standing.SUPPORTING, named[-1])
        else:
            self._note(said, Standing.UNMATCHED, None)

    def _set_aside(self, version: _Version) -> None:
        self.versions.remove(version)
        self.aside.append(version)

    def _note(self, said: Said, standing: Standing, version: _Version | None) -> None:
        version_id = version.said.id if version else said.id
        self.words[said.id] = Segment(
            id=said.id,
            standing=standing,
            version=version_id,
            rank=said.rank,
            valid_from=said.begins,
        )


def line(statements: Iterable[Said]) -> dict[UUID, Segment]:
    """Every statement's segment, by id. Total: any statements make a line."""
    working = _Line()
    for said in sorted(statements, key=lambda one: (one.place, one.id)):
        working.add(said)
    return working.words | {version.said.id: version.segment() for version in working.versions + working.aside}


@dataclass(frozen=True, slots=True)
class Change:
    """From `known_at` on, a statement is believed to be `segment`; before is None when it is new."""

    known_at: datetime
    before: Segment | None
    segment: Segment


def changes(known: Sequence[Said], new: Sequence[Said]) -> list[Change]:
    """What must change so that the line of `known` becomes that of both, as of every known time.

    Each change holds from its known_at on, until a later one of the same statement. In the common
    case the new statements are the last ones said, and there is one known time to look at.
    """
    if not new:
        return []
    first = min(said.place[0] for said in new)
    moments = sorted({said.place[0] for said in (*known, *new) if said.place[0] >= first})
    believed: dict[UUID, Segment] = {}
    found: list[Change] = []
    for moment in moments:
        old = line(said for said in known if said.place[0] <= moment)
        placed = line(said for said in (*known, *new) if said.place[0] <= moment)
        changed = [
            Change(moment, before, segment)
            for segment in placed.values()
            if (before := believed.get(segment.id, old.get(segment.id))) != segment
        ]
        # New words first, then what they change.
        found += sorted(changed, key=lambda change: change.before is not None)
        believed |= {change.segment.id: change.segment for change in changed}
    return found


def tail_suffices(tail: Sequence[Said], new: Sequence[Said]) -> bool:
    """Whether `changes` over the last statements alone gives what it would over all of the unit.

    tail: the version in force, with its effective rank, and the statement said last. True where new
    words follow in order upon the version in force; anything else needs the whole line.
    """
    if not tail:
        return True
    in_force, last = min(tail, key=_place), max(tail, key=_place)
    return (
        not last.ends
        and last.value == in_force.value
        and all(
            said.place > last.place
            and said.begins >= in_force.begins
            and (not said.ends or said.value == in_force.value)
            for said in new
        )
    )


def _place(said: Said) -> Place:
    return said.place
