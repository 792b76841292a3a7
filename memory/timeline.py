"""The line of one unit: which value held when, as a pure function of what was said about it.

A unit is what has one value at a time: (scope set, entity, key), or the same with one value of a
many-valued key. `line` takes all its statements and gives each its place. Since it sorts them
itself, every order of arrival gives the same line; since it looks at nothing else, the line as it
was known at any time is the line of what had been said by then.

Rules, applied statement by statement in the order in which they were said:
- The value in force said again: the statement supports that version.
- Another value, same rank: it supersedes the version in force, which ends where the new one begins
  (`moved_on`, `restated`), or was never true if the words take it back (`explicit_correction`).
- Another value of lower rank than any that it would cut short: `claimed`, nothing else changes. Of higher rank: it
  is in force, and the lower one becomes `claimed`.
- Another value from another document: `claimed` too, so that the older one stays in force.
- Words that were said of different entities before those were merged supersede each other as `merged`.
- A value with a stated start before the stated start of a version goes before that one (`relinked`).
- An ending closes the version in force if the value is its own and the rank suffices; else it is
  `unmatched`. No successor is invented. A version may also lapse (`expired`).
- A time that was over when it was told ("from 2019 to 2021") closes the version of that value if that one was in
  force then. Else it takes its place in the past, between what was known to hold before and after it. What holds
  now gives way to no past: a time within it is `claimed`.
- A time without length ("until 2021", and no word of its beginning) cuts nothing short.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.segments import Said, Segment, Standing


@dataclass(slots=True, eq=False)
class _Version:
    """A version while its line is being worked out."""

    said: Said
    rank: int
    valid_until: datetime | None
    standing: Standing = Standing.CURRENT
    supersedes: UUID | None = None
    superseded_by: UUID | None = None
    reason: str = ""
    document: UUID | None = None

    @property
    def continues(self) -> bool:
        """Whether another value follows on from this one: it has not ended by itself."""
        return self.valid_until is None or self.superseded_by is not None

    @property
    def is_empty(self) -> bool:
        """Whether no time is left to it: it was called off, or what came later goes further back."""
        return self.valid_until == self.said.begins

    def holds_at(self, moment: datetime) -> bool:
        """Whether it ends later than then, if it ends."""
        return not self.is_empty and (self.valid_until is None or self.valid_until > moment)

    def begins_after(self, said: Said) -> bool:
        """Whether it is stated to begin later than what was said; one that had ended by itself does not count."""
        stated_later = self.said.start is not None and self.said.begins > said.begins
        return stated_later and (self.continues or self.holds_at(said.place[0]))

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


class Line:
    """A line while it is being worked out.

    versions: those of current standing. Where time is left to them, in the order of valid time; the empty ones lie
    among these anywhere, and neither stand before nor after another. placed: everything said, by id; words that
    are no version have their segment. touched: what changed since it was last cleared.
    """

    def __init__(self) -> None:
        self.versions: list[_Version] = []
        self.placed: dict[UUID, _Version | Segment] = {}
        self.touched: set[UUID] = set()

    def add(self, said: Said) -> None:
        if said.ends:
            self._end(said)
        elif said.is_over:
            self._recall(said)
        else:
            self._say(said)

    def segment(self, statement_id: UUID) -> Segment | None:
        placed = self.placed.get(statement_id)
        return placed.segment() if isinstance(placed, _Version) else placed

    def _touch(self, version: _Version) -> None:
        self.placed[version.said.id] = version
        self.touched.add(version.said.id)

    def _say(self, said: Said) -> None:
        index = self._index_before(lambda one: one.begins_after(said))
        before, after = self._before(index), self._next(index)
        same = next((one for one in (before, after) if one and self._is_said_again(one, said)), None)
        if same:
            self._support(same, said)
            return
        version = self._version(said)
        cut = self._holding_at(index, said.begins)
        if any(self._only_claims(version, one) for one in cut):
            return
        if cut and not version.is_empty:
            index -= self._make_a_claim(cut[0]) if said.rank > cut[0].rank else self._supersede(cut[0], version)
            self._trim(cut[1:], said.begins)
        self.versions.insert(index, version)
        if after and version.holds_at(after.said.begins):
            self._lead_to(version, after)

    def _recall(self, said: Said) -> None:
        """Place what was over when it was told."""
        assert said.until is not None
        index = self._index_before(lambda one: one.said.begins > said.begins)
        stays = [one for one in self.versions if one.said.value == said.value and _meet(one, said)]
        same = _latest(stays) if stays else None
        if same and (said.rank >= same.rank or same.valid_until is not None):
            self._support(same, said)
            return
        version = self._version(said)
        before = self._before(index)
        one_beginning = before is not None and before.said.begins == said.begins
        if before and before.holds_at(said.begins) and not (version.is_empty and one_beginning):
            holds_now = before.valid_until is None
            if self._only_claims(version, before, or_is_past=holds_now):
                return
            if not version.is_empty:
                if said.rank > before.rank and (holds_now or one_beginning):
                    index -= self._make_a_claim(before)
                elif one_beginning:
                    index -= self._supersede(before, version)
                else:
                    self._trim([before], said.begins)
        self.versions.insert(index, version)
        if after := self._next(index + 1):
            version.end_at(min(said.until, after.said.begins))

    def _index_before(self, is_later: Callable[[_Version], bool]) -> int:
        """The place before all versions at the end that are later: behind one to which time is left, or the first."""
        index = len(self.versions)
        while index and (self.versions[index - 1].is_empty or is_later(self.versions[index - 1])):
            index -= 1
        return index

    def _before(self, index: int) -> _Version | None:
        return self.versions[index - 1] if index else None

    def _end_within_line(self, version: _Version, moment: datetime) -> None:
        """End a version of the line at `moment`, or where the next one begins if that is earlier."""
        after = self._next(self.versions.index(version) + 1)
        version.end_at(min(moment, after.said.begins) if after else moment)
        self._touch(version)

    def _next(self, index: int) -> _Version | None:
        """The first version from there on to which time is left."""
        return next((one for one in self.versions[index:] if not one.is_empty), None)

    def _version(self, said: Said) -> _Version:
        version = _Version(said, said.rank, said.until, supersedes=said.follows, document=said.document)
        self._touch(version)
        return version

    def _only_claims(self, version: _Version, other: _Version, *, or_is_past: bool = False) -> bool:
        """Whether a new version is but a claim beside another: of lower rank, or the word of another document.
        or_is_past: it tells of the past, and the other one holds now."""
        documents = {version.document, other.document} - {None}
        below = version.rank < other.rank
        claimed = below or (version.rank == other.rank and (len(documents) == 2 or or_is_past))
        if claimed:
            version.standing = Standing.CLAIMED
        return claimed

    def _make_a_claim(self, version: _Version) -> int:
        """Returns how many versions left the line."""
        version.standing = Standing.CLAIMED
        self.versions.remove(version)
        self._touch(version)
        return 1

    def _lead_to(self, version: _Version, after: _Version) -> None:
        """End a version where another begins, and link it in before that one."""
        former = next((one for one in self.versions if one.superseded_by == after.said.id), None)
        version.end_at(after.said.begins)
        version.superseded_by, version.reason = after.said.id, "relinked"
        after.supersedes = version.said.id
        self._touch(after)
        if former:
            first = self._first_of(version)
            former.superseded_by, first.supersedes = first.said.id, former.said.id
            self._touch(former)
            self._touch(first)

    def _first_of(self, version: _Version) -> _Version:
        """The first version of the chain that leads to one."""
        while earlier := next((one for one in self.versions if one.superseded_by == version.said.id), None):
            version = earlier
        return version

    def _support(self, version: _Version, said: Said) -> None:
        """Note words that say again what a version says, and perhaps when it ended."""
        if said.rank > version.rank:
            version.rank, version.document = said.rank, said.document
            self._touch(version)
        if said.until is not None and said.rank >= version.rank:
            if version.valid_until is None:
                version.reason = "ended"
            self._end_within_line(version, said.until)
        self._note(said, Standing.SUPPORTING, version)

    def _is_said_again(self, version: _Version, said: Said) -> bool:
        reached = said.until is None or version.said.begins <= said.until
        return version.said.value == said.value and version.holds_at(said.begins) and reached

    def _supersede(self, old: _Version, new: _Version) -> int:
        """Link old -> new. Returns how many versions left the line: 1 if the old one was never true."""
        said = new.said
        old.superseded_by, new.supersedes = said.id, old.said.id
        self._touch(old)
        joined = said.is_joined_with(old.said)
        if said.repair and not said.change and said.start is None and not joined:
            old.standing, old.reason = Standing.RETRACTED, "explicit_correction"
            old.end_at(old.said.begins)
            self.versions.remove(old)
            return 1
        old.reason = "merged" if joined else "moved_on" if said.change or said.start else "restated"
        old.end_at(said.begins)
        return 0

    def _holding_at(self, index: int, moment: datetime) -> list[_Version]:
        """Of the versions before that place, those that hold at the moment or later, last first."""
        found = []
        for version in reversed(self.versions[:index]):
            if version.is_empty:
                continue
            if not version.holds_at(moment):
                break
            found.append(version)
        return found

    def _trim(self, versions: Sequence[_Version], begins: datetime) -> None:
        """What was said before ends where a version begins that is dated further back."""
        for version in versions:
            version.end_at(begins)
            self._touch(version)

    def _end(self, said: Said) -> None:
        named = [version for version in self.versions if version.said.value == said.value]
        live = next((version for version in reversed(named) if _is_open(version, said)), None)
        if live and said.rank >= live.rank and said.withdraws:
            live.standing, live.reason = Standing.RETRACTED, "explicit_correction"
            live.end_at(live.said.begins)
            self.versions.remove(live)
            self._touch(live)
            self._note(said, Standing.ENDING, live)
        elif live and said.rank >= live.rank:
            live.reason = "expired" if said.lapses else "ended"
            self._end_within_line(live, said.until or said.begins)
            self._note(said, Standing.ENDING, live)
        elif named and not live:
            self._note(said, Standing.SUPPORTING, _latest(named))
        else:
            self._note(said, Standing.UNMATCHED, None)

    def _note(self, said: Said, standing: Standing, version: _Version | None) -> None:
        version_id = version.said.id if version else said.id
        self.touched.add(said.id)
        self.placed[said.id] = Segment(
            id=said.id,
            standing=standing,
            version=version_id,
            rank=said.rank,
            valid_from=said.begins,
        )


def _is_open(version: _Version, said: Said) -> bool:
    """Whether a version that nothing superseded was still in force when something was said."""
    return version.superseded_by is None and version.holds_at(said.place[0])


def _latest(versions: Sequence[_Version]) -> _Version:
    """The one that begins last, of those to which time is left if there are any."""
    return max(versions, key=lambda one: (not one.is_empty, one.said.begins))


def _meet(version: _Version, said: Said) -> bool:
    """Whether a time that is over is that of a version, or shares some with it."""
    assert said.until is not None
    if (version.said.begins, version.valid_until) == (said.begins, said.until):
        return True
    return version.said.begins <= said.until and version.holds_at(said.begins)


def line(statements: Iterable[Said], *, tacit: bool = False) -> dict[UUID, Segment]:
    """Every statement's segment, by id. Total: any statements make a line. tacit: of the tacit ones too."""
    working = Line()
    hidden: set[UUID] = set()
    for said in in_order(statements):
        working.add(said)
        if said.is_tacit and not tacit:
            hidden.add(said.id)
    return {one: segment for one in working.placed if one not in hidden and (segment := working.segment(one))}


def in_order(statements: Iterable[Said]) -> list[Said]:
    """In the order said."""
    return sorted(statements, key=lambda one: (one.place, one.id))
