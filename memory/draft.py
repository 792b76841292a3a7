"""A decision while it is being made: the events so far, and what they share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from memory.doubts import Doubt
from memory.events import Event, UncertaintyFlagged, UncertaintyResolved
from memory.known import Known, Statement
from memory.values import derived_id

CONFIDENCE_FLOOR = 0.7


@dataclass(slots=True)
class Draft:
    """One run of `decide`: what is known, the turn, and the events so far."""

    known: Known
    statement: Statement
    events: list[Event] = field(default_factory=list)

    def flag(self, about: str, reason: str, entity_id: UUID | None, key: str | None) -> None:
        """Leave an uncertainty, unless the same one is there already."""
        if not self.known.note_flag(entity_id, about, reason):
            return
        self.events.append(
            UncertaintyFlagged(
                uncertainty_id=self.id("uncertainty"),
                about=about,
                reason=reason,
                entity_id=entity_id,
                key=key,
                labels=self.statement.labels,
            )
        )

    def settle(
        self, entity_id: UUID, key: str, settles: Callable[[Doubt], bool] = lambda _: True, *, how: str = "stated"
    ) -> None:
        """Resolve the doubts about a fact that are open since before this turn, as far as they are settled."""
        doubts = self.known.doubts.get((entity_id, key), [])
        for doubt in [one for one in doubts if settles(one)]:
            doubts.remove(doubt)
            self.events.append(UncertaintyResolved(uncertainty_id=doubt.id, how=how))

    def supports_newly(self, subject_id: UUID) -> bool:
        """Whether this turn did not support it before; it does from now on."""
        newly = subject_id not in self.known.supported
        self.known.supported.add(subject_id)
        return newly

    def id(self, kind: str, offset: int | None = None) -> UUID:
        """Unique: no two events have one position, and no two words of a turn one offset."""
        position = self.statement.next_position
        ordinal = str(position + len(self.events)) if offset is None else f"{position}.{offset}"
        return derived_id(self.statement.turn_id, kind, ordinal)
