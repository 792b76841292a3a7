"""What `decide` needs to know, as plain values: a turn's worth of memory, loaded under the lock."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory.candidates import CANDIDATES_PER_TURN_MAX
from memory.cardinality import is_single_valued
from memory.values import Role, SourceKind, folded

EntityName = tuple[str, str]  # (type, normalised name)
Unit = tuple[UUID, str, str]  # (entity, key, unit_value)
Edge = tuple[UUID, str, UUID]  # (subject, label, object)
Place = tuple[datetime, int, int]  # when it was said, position of its turn, offset in the turn: a total order
Deed = tuple[UUID, str, str, datetime | None]  # (actor, verb, comparable object, when)


@dataclass(frozen=True, slots=True)
class Statement:
    """One turn as the source of statements.

    said_at: known time of all that it says. position: of its TurnRecorded in the log.
    user_name, speaker_id, principal_name: who "I" may be, as the scope names them, as they called
    themselves in this session, and as the calling principal is called if it is a human.
    next_position: the log position of the first event decided, from which ids are derived.
    """

    turn_id: UUID
    session_id: UUID
    role: Role
    source_kind: SourceKind
    said_at: datetime
    position: int
    next_position: int
    user_name: str | None = None
    speaker_id: UUID | None = None
    principal_name: str | None = None
    labels: tuple[str, ...] = ()

    def place(self, start: int, ordinal: int) -> Place:
        """The place of the candidate that begins at `start` and is the turn's ordinal-th: no two share one."""
        return self.said_at, self.position, start * CANDIDATES_PER_TURN_MAX + ordinal


@dataclass(frozen=True, slots=True)
class KnownEntity:
    entity_id: UUID
    type: str
    name: str
    name_key: str


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A version of an attribute, or of a relation (whose value is empty), in the line of its unit or edge."""

    version_id: UUID
    value: str
    said_at: datetime
    turn_position: int
    offset: int
    valid_from: datetime
    valid_until: datetime | None
    superseded_by: UUID | None

    @property
    def place(self) -> Place:
        return self.said_at, self.turn_position, self.offset

    @property
    def continues(self) -> bool:
        """Whether a later value follows on from this one: it has not ended by itself."""
        return self.valid_until is None or self.superseded_by is not None

    def says(self, value: str) -> bool:
        return folded(self.value) == folded(value)


@dataclass(slots=True)
class Known:
    """Memory around one turn's candidates. `decide` works on it and keeps it true to what it decides.

    entities: in the statement's own scope set. visible_names: names of entities that the caller
    sees in any scope set. neighbours, edges: for each unit and edge the versions next to the
    statement in its line. deeds, directives: id of the row. supported: what this turn already
    supports. keys: key -> single_valued.
    """

    entities: dict[EntityName, KnownEntity] = field(default_factory=dict)
    visible_names: set[EntityName] = field(default_factory=set)
    keys: dict[str, bool] = field(default_factory=dict)
    neighbours: dict[Unit, list[KnownVersion]] = field(default_factory=dict)
    edges: dict[Edge, list[KnownVersion]] = field(default_factory=dict)
    deeds: dict[Deed, UUID] = field(default_factory=dict)
    directives: dict[str, UUID] = field(default_factory=dict)
    flags: set[tuple[str, str]] = field(default_factory=set)
    supported: set[UUID] = field(default_factory=set)

    def single_valued(self, key: str) -> bool:
        """As defined at the key's first use, else as the registry says."""
        return self.keys.get(key, is_single_valued(key))

    def note_flags(self, flags: Iterable[tuple[str, str]]) -> None:
        self.flags.update((folded(about), reason) for about, reason in flags)

    def entity(self, entity_id: UUID) -> KnownEntity | None:
        return next((one for one in self.entities.values() if one.entity_id == entity_id), None)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must be loaded for a turn's candidates.

    attributes: (entity, key, value, stated as past). deeds: (actor, verb, comparable object).
    """

    names: frozenset[EntityName]
    attributes: frozenset[tuple[EntityName, str, str, bool]]
    edges: frozenset[tuple[EntityName, str, EntityName]]
    deeds: frozenset[tuple[EntityName, str, str]]
    directives: frozenset[str]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(key for _, key, _, _ in self.attributes)


def neighbours_of(line: Iterable[KnownVersion], place: Place) -> tuple[KnownVersion | None, KnownVersion | None]:
    """The last version said at or before `place` and the first one said after it."""
    before = after = None
    for version in line:
        if version.place <= place and (before is None or version.place > before.place):
            before = version
        if version.place > place and (after is None or version.place < after.place):
            after = version
    return before, after
