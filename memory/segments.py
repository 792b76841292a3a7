"""What is said about a unit, and the place of each word in the unit's line."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from memory.values import derived_id

Place = tuple[datetime, int, int]  # when it was said, position of its turn, offset in the turn: a total order


class Standing(StrEnum):
    """What a statement amounts to in its line."""

    CURRENT = "current"  # a version of the line, in force now or in its time
    CLAIMED = "claimed"  # a contrary word of lower rank
    RETRACTED = "retracted"  # taken back: never true
    SUPPORTING = "supporting"  # says again what a version says
    ENDING = "ending"  # closed a version
    UNMATCHED = "unmatched"  # an ending of what was not in force
    WITHDRAWN = "withdrawn"  # counts no more, and may count again


@dataclass(frozen=True, slots=True)
class Said:
    """One statement about a unit.

    value: folded, for comparison. start, until: the stated begin and end, None if the words gave none. ends: the
    words end the value instead of asserting it, at `until` or when they were said. change, repair:
    see `memory.candidates.StatementCandidate`. follows: the version before it, where the line is given
    without its beginning. of: the entity it was said of. joined: when a merge brought it into this line, if
    one did. document: which one says it. lapses: these are no words; the version lapsed by itself. borrowed: they
    were said of what the value is a kind of (`memory.kinds`). spelt: the value for people; of a relation, the
    object's name.
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
    follows: UUID | None = None
    of: UUID | None = None
    joined: datetime | None = None
    document: UUID | None = None
    lapses: bool = False
    borrowed: bool = False
    spelt: str = ""

    def is_joined_with(self, older: "Said") -> bool:
        """Whether only a merge brought the two into one line."""
        if self.of == older.of:
            return False
        return any(one.joined is not None and self.place[0] < one.joined for one in (self, older))

    def overtakes(self, older: "Said") -> bool:
        """Whether it counts instead of what was said before: no lower rank, and no word against another document's."""
        documents = {self.document, older.document} - {None}
        rivals = self.rank == older.rank and len(documents) == 2
        return self.place > older.place and self.rank >= older.rank and not rivals

    @property
    def is_tacit(self) -> bool:
        """Whether no words of this line tell it: it works there, and has no place of its own."""
        return self.lapses or self.borrowed

    @property
    def begins(self) -> datetime:
        return self.start or self.place[0]

    @property
    def withdraws(self) -> bool:
        """Whether the words take the value back as one that never was, and give no other."""
        return self.ends and self.repair and not self.change and self.until is None

    @property
    def is_over(self) -> bool:
        """Whether the words assert a time that was over when they were said."""
        return not self.ends and self.until is not None and self.until <= self.place[0]


def lapse_id(statement_id: UUID) -> UUID:
    """The id of what stands in a line for the lapse of a version."""
    return derived_id(statement_id, "lapse", 0)


def borrowed_id(statement_id: UUID) -> UUID:
    """The id of what stands for an ending in the line of a kind of what ended."""
    return derived_id(statement_id, "borrowed", 0)


def with_tacit(statement_ids: Iterable[UUID]) -> set[UUID]:
    """Ids of statements and of all that comes and goes with them."""
    return {one for each in statement_ids for one in (each, lapse_id(each), borrowed_id(each))}


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """A statement's place in the line. Part of the stored format of events.

    version: the version it belongs to, its own id if it is one. rank: the highest that supports it.
    reason: why it ended: moved_on, restated, explicit_correction, merged, relinked, ended, expired, forgotten or, of
    words that count no more, withdrawn, document_replaced or document_deleted.
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
