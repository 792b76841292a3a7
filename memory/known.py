"""What `decide` needs to know, as plain values: a turn's worth of memory, loaded under the lock."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory.candidates import CANDIDATES_PER_TURN_MAX, AttributeCandidate, Polarity, RelationCandidate
from memory.cardinality import is_single_valued
from memory.doubts import Doubt
from memory.segments import Place, Said
from memory.values import Role, SourceKind, folded

EntityName = tuple[str, str]  # (type, normalised name)
Unit = tuple[UUID, str, str]  # (entity or subject, line key or label, unit_value)
Flag = tuple[UUID | None, str, str]  # (entity, folded about, reason) of an uncertainty
Deed = tuple[UUID, str, str, datetime | None]  # (actor, verb, comparable object, when)


@dataclass(frozen=True, slots=True)
class Statement:
    """One turn as the source of statements.

    said_at: known time of all that it says. position: of its TurnRecorded in the log.
    user_name, speaker_id, principal_name: who "I" may be, as the scope names them, as they called
    themselves in this session, and as the calling principal is called if it is a human.
    next_position: the log position of the first event decided, from which ids are derived.
    document_id: the document that says it, if one does. after: the places of what was read in the turn before,
    which this comes after.
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
    document_id: UUID | None = None
    after: int = 0

    def place(self, start: int, ordinal: int) -> Place:
        """The place of the candidate that begins at `start` and is the turn's ordinal-th: no two share one."""
        return self.said_at, self.position, self.after + start * CANDIDATES_PER_TURN_MAX + ordinal

    def said(
        self,
        statement_id: UUID,
        candidate: AttributeCandidate | RelationCandidate,
        place: Place,
        value: str,
        of: UUID | None = None,
        spelt: str = "",
    ) -> Said:
        """The candidate as words about its unit. value: in comparable form, spelt: for people. of: the entity.

        "I worked there from 2019 to 2021" asserts a time with both its ends, "I worked there until 2021" ends it.
        "Not mussels, I said that wrongly" ends it too, and as what never was.
        """
        start, until = candidate.valid_from, candidate.valid_until
        if candidate.polarity is Polarity.NEGATED:
            start = until = None
        ends = is_withdrawal(candidate) or (candidate.polarity is Polarity.ENDED and not (start and until))
        if ends:
            start, until = None, until or start
        elif until and (start or until <= self.said_at):
            start = min(start or until, until)
        return Said(
            id=statement_id,
            place=place,
            value=value,
            rank=self.source_kind.rank,
            start=start,
            until=until,
            ends=ends,
            change=candidate.change,
            repair=candidate.repair,
            of=of,
            document=self.document_id,
            spelt=spelt,
        )


def is_withdrawal(candidate: AttributeCandidate | RelationCandidate) -> bool:
    """Whether the words take a value back without giving another: "I misspoke, it's not Bergen"."""
    return candidate.polarity is Polarity.NEGATED and candidate.repair and not candidate.change


@dataclass(frozen=True, slots=True)
class KnownEntity:
    entity_id: UUID
    type: str
    name: str
    name_key: str


@dataclass(frozen=True, slots=True)
class Belonging:
    """A deed or doubt of an entity. said_of: of whom it was told at first."""

    id: UUID
    entity_id: UUID
    said_of: UUID


@dataclass(slots=True)
class Belongings:
    """All that hangs on the entities that a turn may merge, separate or name. Loaded for such turns only.

    stands_for: by id of a name, what it was said to stand for: another name, or the entity. said_of: by id of
    a statement: of whom it was told at first (owner, object of a relation). in_session: ids of what was said
    in the statement's own session. corrections: by (old version, new version). withdrawn_attributes,
    withdrawn_relations: words that count no more, and move all the same.
    """

    stands_for: dict[UUID, UUID] = field(default_factory=dict)
    said_of: dict[UUID, tuple[UUID, UUID | None]] = field(default_factory=dict)
    in_session: set[UUID] = field(default_factory=set)
    actions: list[Belonging] = field(default_factory=list)
    uncertainties: list[Belonging] = field(default_factory=list)
    corrections: dict[tuple[UUID, UUID], UUID] = field(default_factory=dict)
    withdrawn_attributes: dict[Unit, list[Said]] = field(default_factory=dict)
    withdrawn_relations: dict[Unit, list[Said]] = field(default_factory=dict)


@dataclass(slots=True)
class Known:
    """Memory around one turn's candidates. `decide` works on it and keeps it true to what it decides.

    entities: by each of their names, in the statement's own scope set. name_ids: the ids of names that stand
    for an entity of another name. alike: persons whose names may mean the same as a wanted one.
    visible_names: names of entities that the caller sees in any scope set. proposed: key -> single_valued, as
    the extractor proposes. attributes, relations: of each unit the whole line, or its tail where that
    suffices. deeds, directives: id of the row. supported: what this turn already supports.
    keys: key -> single_valued. flags: uncertainties that this turn raised or that are
    open about its facts. multi_valued: keys that the configuration adds to the registry's. doubts:
    those open since before about (entity, key).
    """

    entities: dict[EntityName, KnownEntity] = field(default_factory=dict)
    name_ids: dict[EntityName, UUID] = field(default_factory=dict)
    alike: dict[UUID, KnownEntity] = field(default_factory=dict)
    belongings: Belongings = field(default_factory=Belongings)
    visible_names: set[EntityName] = field(default_factory=set)
    keys: dict[str, bool] = field(default_factory=dict)
    attributes: dict[Unit, list[Said]] = field(default_factory=dict)
    relations: dict[Unit, list[Said]] = field(default_factory=dict)
    deeds: dict[Deed, UUID] = field(default_factory=dict)
    directives: dict[str, UUID] = field(default_factory=dict)  # folded description -> id, of the active ones
    directives_given: set[str] = field(default_factory=set)  # by this turn, active or not
    flags: set[Flag] = field(default_factory=set)
    doubts: dict[tuple[UUID, str], list[Doubt]] = field(default_factory=dict)
    supported: set[UUID] = field(default_factory=set)
    multi_valued: frozenset[str] = frozenset()
    proposed: dict[str, bool] = field(default_factory=dict)

    def single_valued(self, key: str) -> bool:
        """As defined at the key's first use, else as the configuration, the registry or the extractor says."""
        if key in self.keys:
            return self.keys[key]
        return is_single_valued(key) and key not in self.multi_valued and self.proposed.get(key, True)

    def note_flag(self, entity_id: UUID | None, about: str, reason: str) -> bool:
        """Note an uncertainty. Returns whether it is a new one."""
        flag = entity_id, folded(about), reason
        is_new = flag not in self.flags
        self.flags.add(flag)
        return is_new

    def entity_of_name(self, key: str) -> KnownEntity | None:
        """The entity of that normalised name, of whatever type; the first by type if there are several."""
        return min((one for (_, name), one in self.entities.items() if name == key), key=_type, default=None)

    def entity(self, entity_id: UUID) -> KnownEntity | None:
        return next((one for one in self.entities.values() if one.entity_id == entity_id), None)


def _type(entity: KnownEntity) -> str:
    return entity.type


@dataclass(frozen=True, slots=True)
class WantedAttribute:
    """Words about (entity, key). said: with the turn's id for its own."""

    entity: EntityName
    key: str
    value: str
    said: Said


@dataclass(frozen=True, slots=True)
class WantedRelation:
    """Words about subject -label-> object. said: its value is the object's id, so still empty."""

    subject: EntityName
    label: str
    object: EntityName
    said: Said


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must be loaded for a turn's candidates.

    loose_names: normalised, of any type. deeds: (actor, verb, comparable object). directives: whether
    the active ones are needed. regrouped: names of entities that the turn may merge, separate or name: all that
    hangs on them. relatives_of: persons whose relatives ("user's sister") it may call otherwise: they hang on them
    too. ended: values that are said to have ended, and with them what is of that kind. proposed: see `Known`.
    """

    names: frozenset[EntityName]
    loose_names: frozenset[str]
    attributes: tuple[WantedAttribute, ...]
    relations: tuple[WantedRelation, ...]
    deeds: frozenset[tuple[EntityName, str, str]]
    directives: bool
    regrouped: frozenset[EntityName] = frozenset()
    relatives_of: frozenset[str] = frozenset()
    ended: tuple[WantedAttribute, ...] = ()
    proposed: dict[str, bool] = field(default_factory=dict)
