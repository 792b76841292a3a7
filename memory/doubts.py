"""Which open doubts about a fact a clear statement settles. Pure.

A doubt is settled by words that were said later, clearly, and hold: by those that make or repeat a version, or end
one. It does not matter which of the values was doubted, so who may move to Lyon and then says that they live in
Porto, as was known, is in no doubt any more.

- Of what has one value at a time, words that tell what is in force settle every doubt. Elsewhere, and where the words
  tell of a past or of an end, they settle the doubts whose words name their value.
- Words that only repeat a version settle nothing if they are of lower rank than it, unless a user says them: an
  assistant's echo is no answer.
- A contradiction between sources is settled by words in force that would supersede all that is merely claimed: the
  higher-ranked source says its value again, or takes over the other one, or who claimed it takes it back. Who claims
  the same again settles nothing, nor does one of two documents that disagree, nor a document that tells a third value:
  a newer edition was not written to answer the claim.
- That something ended which was not known is no doubt any more as soon as the ending meets its version.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.segments import Said, Segment, Standing
from memory.values import SourceKind, folded

CONTRADICTION = "contradicts what is in force"
ENDED_UNKNOWN = "ended, but not known"


@dataclass(frozen=True, slots=True)
class Doubt:
    """An open uncertainty about one fact. about: in its own words."""

    id: UUID
    about: str
    reason: str
    said_at: datetime

    def names(self, value: str) -> bool:
        """Whether its words name the value."""
        return bool(re.search(rf"(?<!\w){re.escape(folded(value))}(?!\w)", folded(self.about)))


@dataclass(frozen=True, slots=True)
class Settling:
    """New words as what may settle doubts about their fact.

    said: these words. only_value: the fact has one value at a time. line: all words about it, placed: their segments.
    """

    said: Said
    only_value: bool
    line: Sequence[Said]
    placed: Mapping[UUID, Segment]

    def settles(self, doubt: Doubt) -> bool:
        """Whether the words settle an open doubt about their fact."""
        if not self._is_clear() or self.said.place[0] < doubt.said_at:
            return False
        if doubt.reason == CONTRADICTION:
            answers = self.said.rank != SourceKind.DOCUMENT.rank or doubt.names(self.said.spelt)
            return answers and self._is_in_force() and all(self.said.overtakes(one) for one in self._claims())
        return (self.only_value and self._is_in_force()) or doubt.names(self.said.spelt)

    def _is_clear(self) -> bool:
        segment = self.placed[self.said.id]
        version = self.placed[segment.version]
        if segment.standing is Standing.SUPPORTING:
            return self.said.rank >= min(version.rank, SourceKind.USER.rank)
        return segment.standing in (Standing.CURRENT, Standing.ENDING)

    def _is_in_force(self) -> bool:
        """Whether they tell what holds."""
        version = self.placed[self.placed[self.said.id].version]
        return not self.said.ends and version.standing is Standing.CURRENT and version.valid_until is None

    def _claims(self) -> list[Said]:
        claimed = {one.id for one in self.placed.values() if one.standing is Standing.CLAIMED}
        return [one for one in self.line if one.id in claimed]
