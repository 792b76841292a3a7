"""What the write side asks of the read side; `projections` implements it, `api.wiring` joins them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from memory.directory import ScopeNode
from memory.events import Settled
from memory.extraction.offered import Offered
from memory.known import EntityName, Known, Statement, Wanted
from memory.line_events import EventOf
from memory.log import Writing
from memory.recorded import Recorded
from memory.scopes import ScopeSet
from memory.segments import Said, Segment


@dataclass(frozen=True, slots=True)
class KnownSession:
    """A session as a write sees it. next_seq: of its next turn. speaker_id, speaker: who its user said
    they are."""

    session_id: UUID
    scope_set_id: UUID
    scopes: ScopeSet
    next_seq: int = 1
    closed: bool = False
    speaker_id: UUID | None = None
    speaker: EntityName | None = None


@dataclass(frozen=True, slots=True)
class PendingExtraction:
    """attempts: that failed so far. recorded_at: of the turn."""

    attempts: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class HeldEntity:
    """An entity with what holds or is claimed of it, and ends when it is forgotten. name_ids: of its other names."""

    entity_id: UUID
    scope_set_id: UUID
    name_ids: Sequence[UUID]
    attributes: Sequence[Segment]
    relations: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class HeldFact:
    """A fact, directive or doubt that an operation by hand is about. owner, object: (type, name)."""

    scope_set_id: UUID
    scopes: ScopeSet
    in_force: bool
    owner: tuple[str, str] | None = None
    key: str = ""
    value: str = ""
    object: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class NamesInScope:
    """Which of some names one scope set knows. names: each with the entity it means. own_ids: ids of the names."""

    scopes: ScopeSet
    names: Mapping[EntityName, UUID]
    own_ids: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Lapsed:
    """Ids of versions and actions that were last said before some time."""

    attributes: Sequence[UUID]
    relations: Sequence[UUID]
    actions: Sequence[UUID]

    @property
    def rows(self) -> int:
        return len(self.attributes) + len(self.relations) + len(self.actions)


@dataclass(frozen=True, slots=True)
class Line:
    """All words about a unit, and the events that tell of its changes."""

    scope_set_id: UUID
    event_of: EventOf
    words: Sequence[Said]


class ErasableReadModels(Protocol):
    """Takes erased events out of what was folded from them, inside the erasing append."""

    def lines_of(self, writing: Writing, recorded: Sequence[Recorded]) -> list[Line]: ...

    def remove(self, writing: Writing, recorded: Sequence[Recorded]) -> None: ...

    def drop_context(self, writing: Writing) -> None: ...


class Vocabulary(Protocol):
    """What is known and may be reused, read outside any append."""

    def offered(self, context_id: str, visible: Sequence[UUID], session_id: UUID, texts: Sequence[str]) -> Offered:
        """Names, keys and labels that fit `texts`, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Revision:
    """What a revision changed; see `memory.events.MemoryRevised`."""

    scope_set_id: UUID
    withdrawn: Sequence[UUID]
    restored: Sequence[UUID]
    closed: Sequence[Settled]
    reopened: Sequence[Settled]
    undone: Sequence[UUID]
    redone: Sequence[UUID]
    hidden: Sequence[UUID] = ()
    shown: Sequence[UUID] = ()
    is_undone: bool = False


@dataclass(frozen=True, slots=True)
class RevisableLine:
    """The words of a unit that count, those that do not, and what some amount to now."""

    event_of: EventOf
    words: Sequence[Said]
    apart: Sequence[Said]
    segments: Mapping[UUID, Segment]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Words that a model concluded. kind: attribute or relation."""

    kind: str
    id: UUID
    scope_set_id: UUID
    turn_id: UUID


@dataclass(frozen=True, slots=True)
class Revised:
    """What a revision came to, one part for each scope set that it reached; dry or not.

    beyond: what was concluded from what counts no more, in scope sets where the caller may read, not write: it stays.
    """

    parts: Sequence[Revision]
    beyond: Sequence[Conclusion] = ()


class RevisableReadModels(Protocol):
    """Tells what revisions need to know, inside an open append."""

    def revisions(
        self, writing: Writing, revision_ids: Sequence[UUID], scope_set_ids: Sequence[UUID]
    ) -> Mapping[UUID, Revision]: ...

    def correction(
        self, writing: Writing, correction_id: UUID, visible: Sequence[UUID]
    ) -> tuple[UUID, UUID, bool] | None:
        """The scope set and the newer version of a correction, and whether it still counts."""
        ...

    def scopes(self, writing: Writing, scope_set_id: UUID) -> ScopeSet: ...

    def words_of_version(self, writing: Writing, scope_set_id: UUID, version_id: UUID) -> list[UUID]: ...

    def corrections_by(self, writing: Writing, scope_set_id: UUID, version_ids: Sequence[UUID]) -> list[UUID]:
        """The corrections that these versions made."""
        ...

    def holding(self, writing: Writing, scope_set_id: UUID, ids: Sequence[UUID]) -> list[tuple[str, UUID]]:
        """Which actions, instructions, uncertainties and entities among these hold, each with its kind."""
        ...

    def supported_elsewhere(
        self, writing: Writing, scope_set_id: UUID, ids: Sequence[UUID], turn_ids: Sequence[UUID]
    ) -> set[UUID]:
        """Which of these entities, actions and instructions another turn than these supports."""
        ...

    def concluded_from(
        self, writing: Writing, scope_set_ids: Sequence[UUID], source_ids: Sequence[UUID]
    ) -> list[Conclusion]:
        """What models concluded from any of these rows, in these scope sets."""
        ...

    def passages_of(self, writing: Writing, scope_set_id: UUID, turn_id: UUID) -> list[tuple[UUID, bool]]:
        """The passages of a turn's words, each with whether recall may find it."""
        ...

    def names_taken(self, writing: Writing, scope_set_id: UUID, entity_ids: Sequence[UUID]) -> bool:
        """Whether something else goes by the name of one of these entities now."""
        ...

    def lines_of(self, writing: Writing, scope_set_id: UUID, statement_ids: Sequence[UUID]) -> list[RevisableLine]: ...


class Knowledge(Protocol):
    """Reads what is known, inside an open append. `visible`: scope sets that the caller may see."""

    def session(self, writing: Writing, session_id: UUID, visible: Sequence[UUID]) -> KnownSession | None: ...

    def earlier_words(
        self, writing: Writing, session_id: UUID, visible: Sequence[UUID], *, before_seq: int, limit: int
    ) -> list[str]:
        """Texts of the session's last turns before one, oldest first."""
        ...

    def concluded_from(
        self, writing: Writing, source_ids: Sequence[UUID], visible: Sequence[UUID]
    ) -> list[tuple[str, UUID]]:
        """What models concluded from any of these rows, each an attribute or a relation."""
        ...

    def is_scope_set_defined(self, writing: Writing, scope_set_id: UUID) -> bool: ...

    def scope_nodes(self, writing: Writing, paths: Sequence[str]) -> Sequence[ScopeNode]:
        """The registered ones of some canonical paths."""
        ...

    def has_strict_scopes(self, writing: Writing) -> bool:
        """Whether the context refuses writes into unregistered paths."""
        ...

    def pending(
        self, writing: Writing, turn_id: UUID, session_id: UUID, visible: Sequence[UUID]
    ) -> tuple[PendingExtraction, KnownSession] | None:
        """How far a turn is that still waits to be understood, and its session; None for any other."""
        ...

    def supporters(self, writing: Writing, thing_id: UUID, scope_set_id: UUID) -> set[UUID]:
        """Ids of the turns that say a version, an action or an instruction."""
        ...

    def held_of(self, writing: Writing, name: EntityName, scope_set_ids: Sequence[UUID]) -> list[HeldEntity]:
        """The entity of that name in each of the scope sets, with what holds about it."""
        ...

    def scopes_of_names(
        self, writing: Writing, names: Sequence[EntityName], visible: Sequence[UUID]
    ) -> list[NamesInScope]:
        """Each visible scope set that knows one of the names, in a fixed order."""
        ...

    def lapsed(self, writing: Writing, scope_set_ids: Sequence[UUID], *, before: datetime) -> Lapsed:
        """What of the moment is in force in the scope sets and was last said before a time."""
        ...

    def entity_name(self, writing: Writing, entity_id: UUID, visible: Sequence[UUID]) -> EntityName | None: ...

    def passages_of(self, writing: Writing, thing: UUID, visible: Sequence[UUID]) -> dict[UUID, list[UUID]]:
        """The passages of a turn or an action, or the chunk of that id, by scope set."""
        ...

    def attribute(self, writing: Writing, version_id: UUID, visible: Sequence[UUID]) -> HeldFact | None: ...

    def relation(self, writing: Writing, relation_id: UUID, visible: Sequence[UUID]) -> HeldFact | None: ...

    def instruction(self, writing: Writing, instruction_id: UUID, visible: Sequence[UUID]) -> HeldFact | None: ...

    def uncertainty(self, writing: Writing, uncertainty_id: UUID, visible: Sequence[UUID]) -> HeldFact | None: ...

    def load(
        self,
        writing: Writing,
        wanted: Wanted,
        statement: Statement,
        *,
        scope_set_id: UUID,
        visible: Sequence[UUID],
        again: bool,
    ) -> Known:
        """What `wanted` asks for. again: the turn was decided before, so load what it already supports too."""
        ...
