"""What rests on words that count no more: a conclusion goes with its premise, in whatever scope set it was kept.

A premise that somebody else says too still holds; that a model has concluded the same does not make it hold.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from uuid import UUID

from memory.log import Writing
from memory.ports import Conclusion, RevisableLine, RevisableReadModels
from memory.principals import Caller
from memory.values import SourceKind


@dataclass(frozen=True, slots=True)
class Resting:
    """within: by scope set, where the caller may write. beyond: where it may only read."""

    within: dict[UUID, list[Conclusion]]
    beyond: Sequence[Conclusion]

    def turns_in(self, scope_set_id: UUID) -> list[UUID]:
        """The turns that say what is there."""
        return list(dict.fromkeys(one.turn_id for one in self.within.get(scope_set_id, ())))


def resting_on(
    models: RevisableReadModels,
    writing: Writing,
    caller: Caller,
    scope_set_id: UUID,
    words: Collection[UUID],
    passages: Sequence[UUID] = (),
) -> Resting:
    """What models concluded from these words of a scope set, or from these passages, and from what they concluded.

    What rests on something beyond the caller's reach is left: that stays, so this does.
    """
    gone: dict[UUID, set[UUID]] = defaultdict(set)
    gone[scope_set_id] |= set(words)
    sources = [*passages, *_unsupported(models.lines_of(writing, scope_set_id, list(words)), gone[scope_set_id])]
    writable = set(caller.writable)
    readable = sorted(writable | set(caller.visible))
    within: dict[UUID, list[Conclusion]] = defaultdict(list)
    beyond: dict[UUID, Conclusion] = {}
    while sources:
        fresh: dict[UUID, list[Conclusion]] = defaultdict(list)
        for one in models.concluded_from(writing, readable, sources):
            if one.scope_set_id not in writable:
                beyond[one.id] = one
            elif one.id not in gone[one.scope_set_id]:
                fresh[one.scope_set_id].append(one)
        sources = []
        for place, found in fresh.items():
            within[place] += found
            gone[place] |= {one.id for one in found}
        for place, found in fresh.items():
            lines = models.lines_of(writing, place, [one.id for one in found])
            sources += _unsupported(lines, gone[place])
    return Resting(within, list(beyond.values()))


def _unsupported(lines: Sequence[RevisableLine], gone: AbstractSet[UUID]) -> Iterator[UUID]:
    """All words, those that count no more among them, for what nobody says any more once `gone` is."""
    for line in lines:
        kept = {
            said.value
            for said in line.words
            if said.id not in gone and not said.ends and said.rank > SourceKind.REFLECT.rank
        }
        told = (*line.words, *line.apart)
        dropped = {said.value for said in told if said.id in gone} - kept
        yield from (said.id for said in told if said.value in dropped)
