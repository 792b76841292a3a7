"""Every event type, in the order of a turn's life.

Stored format: these names and fields are in every log ever written. Add fields with defaults and
add types; never rename or remove. When a meaning must change, raise `class_version` and add
`upcast_v1_v2(state: dict)`. A stored example of each type and version lives in
`tests/data/stored_events.jsonl` and must decode for ever.

An event carries ids, not copies: who, when and under which scope set stand in the log's columns
(see `memory.recorded`). `known_at` is in the payload only where it may differ from the event's own
statement time.
"""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

import msgspec
from eventsourcing.domain import AbstractDecision
from eventsourcing.utils import register_topic

from memory.candidates import AnyCandidate, MemoryCategory
from memory.documents.blocks import Link
from memory.documents.chunks import Chunk
from memory.documents.keywords import Keyword
from memory.segments import Segment
from memory.usage import NO_USAGE, Usage
from memory.values import Infer, Role, SourceKind


class Event(msgspec.Struct, AbstractDecision, frozen=True, kw_only=True):
    """Base of all events. `TOPIC` is the stored name, independent of where the class lives."""

    TOPIC: ClassVar[str]
    class_version: ClassVar[int] = 1

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.TOPIC = cls.__name__


# --- access -----------------------------------------------------------------------------------


class ScopeSetDefined(Event, frozen=True, kw_only=True):
    """A scope set is used for the first time."""

    scope_set_id: UUID
    clauses: tuple[tuple[str, ...], ...]


class PrincipalCreated(Event, frozen=True, kw_only=True):
    """Somebody who can hold grants and keys. kind: human, agent, service or unknown.

    write_scopes: where their writes go unless they say otherwise; empty if nowhere yet. external_id: the
    operator's name for them.
    """

    class_version: ClassVar[int] = 2

    principal_id: UUID
    display_name: str
    kind: str
    write_scopes: tuple[tuple[str, ...], ...]
    external_id: str | None = None

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        state["external_id"] = None


class WriteScopesChosen(Event, frozen=True, kw_only=True):
    """From now on a principal's writes go here unless they say otherwise."""

    principal_id: UUID
    write_scopes: tuple[tuple[str, ...], ...]


class GrantGiven(Event, frozen=True, kw_only=True):
    """A principal may use `verbs` on what `path` (a pattern) covers."""

    principal_id: UUID
    path: str
    verbs: tuple[str, ...]


class GrantRevoked(Event, frozen=True, kw_only=True):
    """`verbs` of one grant hold no more; path is the pattern it was given on."""

    principal_id: UUID
    grant_id: UUID
    path: str
    verbs: tuple[str, ...]


class KeyMinted(Event, frozen=True, kw_only=True):
    """A key was made. Only the digest of the secret is known.

    grants: verb -> patterns that narrow the principal's grants, None for all of them.
    """

    class_version: ClassVar[int] = 2

    key_id: UUID
    name: str
    principal_id: UUID
    digest: str
    grants: dict[str, tuple[str, ...]] | None = None
    expires_at: datetime | None = None

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        state["grants"] = state["expires_at"] = None


class KeyRotated(Event, frozen=True, kw_only=True):
    """A key has another secret; the former one is dead."""

    key_id: UUID
    digest: str
    expires_at: datetime | None = None


class KeyRevoked(Event, frozen=True, kw_only=True):
    """A key is dead."""

    key_id: UUID


class ScopeRegistered(Event, frozen=True, kw_only=True):
    """A scope path is known. is_again: it was before, and may have been tombstoned since."""

    path: str
    is_again: bool = False
    display_name: str | None = None
    description: str | None = None


class ScopeTombstoned(Event, frozen=True, kw_only=True):
    """A scope path is no longer to be used; what is stored under it stays."""

    path: str


class ContextConfigured(Event, frozen=True, kw_only=True):
    """How the context is to behave from now on. config: all of its own configuration as JSON text, without
    any secret; the rest comes from the server's configuration file.

    namespace, database: the vendor's names for the context's place, as the operator gave them.
    enforcement_blocked: operations that cost money are refused. is_first: nothing was configured before.
    """

    config: str
    is_first: bool = False
    namespace: str | None = None
    database: str | None = None
    description: str | None = None
    enforcement_blocked: bool = False


# --- sessions and turns ---------------------------------------------------------------------------


class SessionOpened(Event, frozen=True, kw_only=True):
    """A conversation began. metadata: the caller's JSON value as text, so that any can be replayed."""

    session_id: UUID
    metadata: str | None = None


class SessionClosed(Event, frozen=True, kw_only=True):
    """No more turns; everything stays readable."""

    session_id: UUID


class Citation(msgspec.Struct, frozen=True):
    """What a marker of a reply, or of a conclusion's evidence, stands for: a row of memory. kind: attribute,
    relation, action or chunk."""

    marker: str
    kind: str
    id: UUID


class Reply(msgspec.Struct, frozen=True):
    """How a reply came about. model: that wrote it. is_reused: it was the reply to the same question before,
    and no model was asked. trace_id: of what tells how it was made. scores: of its citations, in
    their order; 0 to 1."""

    model: str
    trace_id: UUID
    is_reused: bool = False
    scores: tuple[float, ...] = ()


class TurnRecorded(Event, frozen=True, kw_only=True):
    """Somebody said something. `seq` counts the turns of the session from 1.

    utc_offset_s: of the time at which it was said, for what "today" meant. citations: of an assistant's reply in a
    chat, or what the conclusions of a model rest on; reply: of such a reply. region: the patterns that its writer
    might read, where a key or a delegation narrowed what the principal may; whoever understands the turn later
    sees no more.
    """

    class_version: ClassVar[int] = 3

    turn_id: UUID
    seq: int
    role: Role
    infer: Infer
    text: str
    labels: tuple[str, ...] = ()
    memory_category: MemoryCategory | None = None
    utc_offset_s: int = 0
    citations: tuple[Citation, ...] = ()
    reply: Reply | None = None
    region: tuple[str, ...] | None = None

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        state["citations"] = []

    @staticmethod
    def upcast_v2_v3(state: dict[str, Any]) -> None:
        """Fields with defaults were added."""


class ExtractionCompleted(Event, frozen=True, kw_only=True):
    """What the extractor answered, before it was compared with memory.

    model: the language model that it asked, "" for none. dropped: candidates whose words are not in the turn.
    """

    class_version = 3

    extractor: str
    candidates: tuple[AnyCandidate, ...]
    model: str = ""
    usage: Usage = NO_USAGE
    dropped: int = 0

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """Fields with defaults were added."""

    @staticmethod
    def upcast_v2_v3(state: dict[str, Any]) -> None:
        """Fields with defaults were added to candidates."""


class ExtractionFailed(Event, frozen=True, kw_only=True):
    """The extractor could not answer; the turn stays pending. error: the kind of failure, no content.

    retryable: whether the same request may help, without anybody mending anything.
    attempt: counts from 1. retry_in_s: when the next one is due; None in events of former versions.
    """

    class_version = 2

    extractor: str
    error: str
    retryable: bool
    attempt: int = 1
    retry_in_s: float | None = None
    model: str = ""
    usage: Usage = NO_USAGE

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """Fields with defaults were added."""


class ExtractionAbandoned(Event, frozen=True, kw_only=True):
    """Too many attempts have failed for too long; the turn is kept and no more tried by itself."""

    extractor: str
    error: str
    attempts: int


class ModelUsed(Event, frozen=True, kw_only=True):
    """A language model was asked for something else than an extraction. purpose: such as "response"."""

    purpose: str
    model: str
    usage: Usage


# --- entities ---------------------------------------------------------------------------------


class EntityRecognised(Event, frozen=True, kw_only=True):
    """An entity is known from now on in this scope set.

    is_new: no entity of that name was visible to the writer in any other scope set either.
    """

    entity_id: UUID
    type: str
    name: str
    name_key: str
    category: MemoryCategory
    is_new: bool


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """What goes over from one entity to another: ids of words, deeds and doubts about it. Part of the stored format.

    corrections: those that hold no more once their two versions are apart.
    """

    attributes: tuple[UUID, ...] = ()
    relations: tuple[UUID, ...] = ()
    actions: tuple[UUID, ...] = ()
    uncertainties: tuple[UUID, ...] = ()
    corrections: tuple[UUID, ...] = ()


class EntityAliased(Event, frozen=True, kw_only=True):
    """A known entity has another name from now on, in this scope set. alias_id: of the name."""

    alias_id: UUID
    entity_id: UUID
    type: str
    name: str
    name_key: str
    category: MemoryCategory = "knowledge"


class EntitiesMerged(Event, frozen=True, kw_only=True):
    """Two entities turned out to be one; what changes in their lines follows as events of its own.

    entity_id: stands for into_id from now on. members: names and entities that stood for entity_id.
    """

    entity_id: UUID
    into_id: UUID
    members: tuple[UUID, ...] = ()
    moved: Moved = Moved()


class EntitiesSeparated(Event, frozen=True, kw_only=True):
    """The undoing of a merge or an alias: entity_id, with its members, is an entity of its own again.

    moved: all that was said of it under its own names; what was said since the merge stays with from_id.
    """

    entity_id: UUID
    from_id: UUID
    members: tuple[UUID, ...] = ()
    moved: Moved = Moved()


class EntityMentioned(Event, frozen=True, kw_only=True):
    """A later turn names or implies a known entity."""

    entity_id: UUID


class SpeakerNamed(Event, frozen=True, kw_only=True):
    """The user of this session told who they are.

    former_id: whom the session's "I" meant before. moved: what it said until then, which follows the name.
    relatives: (before, now) of whom it called by what they are to it: "user's sister", "alice's sister".
    """

    class_version: ClassVar[int] = 3

    session_id: UUID
    entity_id: UUID
    former_id: UUID | None = None
    moved: Moved = Moved()
    relatives: tuple[tuple[UUID, UUID], ...] = ()

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """Fields with defaults were added."""

    @staticmethod
    def upcast_v2_v3(state: dict[str, Any]) -> None:
        """A field with a default was added."""


class EntityForgotten(Event, frozen=True, kw_only=True):
    """Hidden from reads; the log keeps everything."""

    entity_id: UUID


# --- attributes -------------------------------------------------------------------------------


class AttributeKeyDefined(Event, frozen=True, kw_only=True):
    """First use of a key. single_valued: a new value replaces the former one."""

    key: str
    single_valued: bool


class StatementEvent(Event, frozen=True, kw_only=True):
    """What all words about a unit have in common. Who said it when stands in the log's columns.

    start, until: stated times, None if the words gave none; precision of them. change, repair: see
    `memory.candidates.StatementCandidate`. turn_position, offset: with the time, the place in the total
    order of statements. segment: what it amounted to in the line of its unit when it was decided.
    document_id: the document that says it, whatever its version.
    """

    class_version: ClassVar[int] = 2

    segment: Segment
    category: MemoryCategory
    confidence: float
    source_kind: SourceKind
    turn_position: int
    offset: int
    start: datetime | None = None
    until: datetime | None = None
    precision: str = ""
    change: bool = False
    repair: bool = False
    labels: tuple[str, ...] = ()
    document_id: UUID | None = None

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """Fields with defaults were added."""


class AttributeStatement(StatementEvent, frozen=True, kw_only=True):
    """Words about a property of an entity."""

    entity_id: UUID
    key: str
    value: str
    single_valued: bool


class AttributeAsserted(AttributeStatement, frozen=True, kw_only=True):
    """A version of an attribute begins: an entity was said to have a value."""


class AttributeReaffirmed(AttributeStatement, frozen=True, kw_only=True):
    """The value of a version was said again."""


class AttributeEnded(AttributeStatement, frozen=True, kw_only=True):
    """A value was said to have ended."""


class LineChange(Event, frozen=True, kw_only=True):
    """From `known_at` on, a statement's segment is this one."""

    segment: Segment
    known_at: datetime


class Superseded(LineChange, frozen=True, kw_only=True):
    """A version gave way to another. correction_id: the record shown to callers; None when a late arrival
    only moves it between its neighbours."""

    correction_id: UUID | None = None


class AttributeSuperseded(Superseded, frozen=True, kw_only=True):
    """A value gave way to another."""


class AttributeClosed(LineChange, frozen=True, kw_only=True):
    """A version ended without a successor."""


class AttributeReopened(LineChange, frozen=True, kw_only=True):
    """A version that had ended is in force again."""


class AttributeRelinked(LineChange, frozen=True, kw_only=True):
    """A statement took another place in its line: other neighbours, another standing or rank."""


class ContextRowsExpired(Event, frozen=True, kw_only=True):
    """Memories of the moment that nobody has said again lapse together: ids of versions and actions."""

    attributes: tuple[UUID, ...] = ()
    relations: tuple[UUID, ...] = ()
    actions: tuple[UUID, ...] = ()


# --- relations, actions, instructions, uncertainties ------------------------------------------------


class RelationStatement(StatementEvent, frozen=True, kw_only=True):
    """Words about a directed relation between two entities. functional: a subject has one object at a time."""

    subject_id: UUID
    label: str
    object_id: UUID
    functional: bool


class RelationAsserted(RelationStatement, frozen=True, kw_only=True):
    """A version of a relation begins."""


class RelationReaffirmed(RelationStatement, frozen=True, kw_only=True):
    """The relation was said again."""


class RelationEnded(RelationStatement, frozen=True, kw_only=True):
    """The relation was said to have ended."""


class RelationSuperseded(Superseded, frozen=True, kw_only=True):
    """A relation gave way to one with another object."""


class RelationClosed(LineChange, frozen=True, kw_only=True):
    """A relation ended without a successor."""


class RelationReopened(LineChange, frozen=True, kw_only=True):
    """A relation that had ended holds again."""


class RelationRelinked(LineChange, frozen=True, kw_only=True):
    """A statement about a relation took another place in its line."""


class ActionRecorded(Event, frozen=True, kw_only=True):
    """Somebody did, or plans to do, something."""

    action_id: UUID
    actor_id: UUID
    verb: str
    object: str | None
    summary: str
    category: MemoryCategory
    confidence: float
    source_kind: SourceKind
    occurred_at: datetime | None
    precision: str = ""
    labels: tuple[str, ...] = ()


class ActionReaffirmed(Event, frozen=True, kw_only=True):
    """The same action was told again."""

    action_id: UUID


class InstructionDetected(Event, frozen=True, kw_only=True):
    """A standing directive to the assistant."""

    instruction_id: UUID
    label: str
    description: str
    source_kind: SourceKind
    labels: tuple[str, ...] = ()


class InstructionReaffirmed(Event, frozen=True, kw_only=True):
    """The same directive was given again."""

    instruction_id: UUID


class InstructionClosed(Event, frozen=True, kw_only=True):
    """A directive holds no more. reason: withdrawn (by later words) or by_hand."""

    instruction_id: UUID
    reason: str


class UncertaintyFlagged(Event, frozen=True, kw_only=True):
    """Something was said that can't be asserted."""

    uncertainty_id: UUID
    about: str
    reason: str
    entity_id: UUID | None = None
    key: str | None = None
    labels: tuple[str, ...] = ()


class UncertaintyResolved(Event, frozen=True, kw_only=True):
    """What was uncertain is settled. how: stated (by later words), accepted (by hand) or
    separated (by an undone merge)."""

    uncertainty_id: UUID
    how: str
    note: str | None = None


# --- documents --------------------------------------------------------------------------------

# Versions whose chunks are found no more from here on, and how many each has.
Retired = tuple[tuple[int, int], ...]


class DocumentUploaded(Event, frozen=True, kw_only=True):
    """A document was added; it waits to be read. Its bytes are kept elsewhere, under their hash.

    content_hash: "blake3:…" of the bytes, "sha256:…" in older events. source: where it comes from, as its
    uploader says. observed_at: when what it says was so; None = when it was uploaded, or the document's own date
    if `own_date` (the name of a header of its own, such as creationdate) is given and found. region: see
    `TurnRecorded`.
    """

    class_version: ClassVar[int] = 2

    document_id: UUID
    title: str
    source: str
    mime_type: str
    content_hash: str
    size_bytes: int
    labels: tuple[str, ...] = ()
    observed_at: datetime | None = None
    own_date: str | None = None
    version: int = 1
    region: tuple[str, ...] | None = None

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """A field with a default was added."""


class DocumentReplaced(Event, frozen=True, kw_only=True):
    """A document has new bytes, or is to be read again; what was read of it holds until that is done.

    region: see `TurnRecorded`.
    """

    class_version: ClassVar[int] = 2

    document_id: UUID
    version: int
    title: str
    source: str
    mime_type: str
    content_hash: str
    size_bytes: int
    observed_at: datetime | None = None
    own_date: str | None = None
    retired: Retired = ()
    region: tuple[str, ...] | None = None

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """A field with a default was added."""


class DocumentTextExtracted(Event, frozen=True, kw_only=True):
    """A part of a document's text, with the chunks that it is cut into; no chunk is cut between parts.

    part: from 0. char_start: of the part in the whole text. The chunks' offsets are of the whole text too.
    """

    document_id: UUID
    version: int
    part: int
    char_start: int
    text: str
    chunks: tuple[Chunk, ...]
    title: str
    labels: tuple[str, ...] = ()


class DocumentProcessed(Event, frozen=True, kw_only=True):
    """A version of a document is read and in force; its facts are still to be found. observed_at: when what it
    says was so. language: as ISO 639-1, None if it is not told apart."""

    class_version: ClassVar[int] = 2

    document_id: UUID
    version: int
    chunk_count: int
    text_length: int
    keywords: tuple[Keyword, ...]
    links: tuple[Link, ...]
    observed_at: datetime
    retired: Retired = ()
    language: str | None = None

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        state["language"] = None


class DocumentLearnt(Event, frozen=True, kw_only=True):
    """The facts of a version were looked for: nothing more is to be done with it. unread: chunks in which they
    were not."""

    class_version: ClassVar[int] = 2

    document_id: UUID
    version: int
    unread: int = 0

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        state["unread"] = 0


class DocumentFailed(Event, frozen=True, kw_only=True):
    """A version of a document can't be read. reason: in words for whoever uploaded it."""

    document_id: UUID
    version: int
    reason: str
    retired: Retired = ()


class DocumentLinked(Event, frozen=True, kw_only=True):
    """A link in a document leads to another document. kind: of the link."""

    document_id: UUID
    target_id: UUID
    kind: str


class DocumentDeleted(Event, frozen=True, kw_only=True):
    """A document is no more to be found."""

    document_id: UUID
    retired: Retired = ()


# --- revising ---------------------------------------------------------------------------------


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """The end of an action, instruction, uncertainty or entity (`kind`). reason: in a word."""

    kind: str
    id: UUID
    at: datetime
    reason: str


class MemoryRevised(Event, frozen=True, kw_only=True):
    """Words count no more, or again; what that changes in their lines follows as events of its own.

    what: turn_retracted, correction_undone, revision_undone, document_replaced or document_deleted; target: the
    turn, correction, revision or document.
    withdrawn, restored: statements. closed, reopened: other things, with the end that they get or had.
    undone, redone: corrections. hidden, shown: passages that recall finds no more, or again.
    """

    class_version: ClassVar[int] = 2

    revision_id: UUID
    what: str
    target: UUID
    withdrawn: tuple[UUID, ...] = ()
    restored: tuple[UUID, ...] = ()
    closed: tuple[Settled, ...] = ()
    reopened: tuple[Settled, ...] = ()
    undone: tuple[UUID, ...] = ()
    redone: tuple[UUID, ...] = ()
    hidden: tuple[UUID, ...] = ()
    shown: tuple[UUID, ...] = ()

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """Fields with defaults were added."""

    def ends(self, kind: str) -> list[tuple[UUID, Settled | None]]:
        """Things of a kind with the end that they have from now on, None for those that hold again."""
        closed: list[tuple[UUID, Settled | None]] = [(one.id, one) for one in self.closed if one.kind == kind]
        return closed + [(one.id, None) for one in self.reopened if one.kind == kind]


# --- forgetting and erasing ----------------------------------------------------------------------------------


class ThingsForgotten(Event, frozen=True, kw_only=True):
    """Words and deeds leave every read; the log keeps everything."""

    passages: tuple[UUID, ...] = ()
    actions: tuple[UUID, ...] = ()


class ContentErased(Event, frozen=True, kw_only=True):
    """The contents of earlier events of this event's scope set are gone for good.

    ranges: their positions, as (first, last). reason: what asked for it (query, entity, turn, scope or
    context). subjects: entities that something was erased about and that are still known. query_digest: of
    what was searched for, which itself is kept nowhere.
    """

    erasure_id: UUID
    reason: str
    ranges: tuple[tuple[int, int], ...]
    subjects: tuple[UUID, ...] = ()
    query_digest: str | None = None


EVENT_TYPES: tuple[type[Event], ...] = (
    MemoryRevised,
    ThingsForgotten,
    ContentErased,
    ScopeSetDefined,
    PrincipalCreated,
    WriteScopesChosen,
    GrantGiven,
    GrantRevoked,
    KeyMinted,
    KeyRotated,
    KeyRevoked,
    ScopeRegistered,
    ScopeTombstoned,
    ContextConfigured,
    SessionOpened,
    SessionClosed,
    TurnRecorded,
    ExtractionCompleted,
    ExtractionFailed,
    ExtractionAbandoned,
    ModelUsed,
    EntityRecognised,
    EntityMentioned,
    EntityAliased,
    EntitiesMerged,
    EntitiesSeparated,
    SpeakerNamed,
    EntityForgotten,
    AttributeKeyDefined,
    AttributeAsserted,
    AttributeReaffirmed,
    AttributeEnded,
    AttributeSuperseded,
    AttributeClosed,
    AttributeReopened,
    AttributeRelinked,
    ContextRowsExpired,
    RelationAsserted,
    RelationReaffirmed,
    RelationEnded,
    RelationSuperseded,
    RelationClosed,
    RelationReopened,
    RelationRelinked,
    ActionRecorded,
    ActionReaffirmed,
    InstructionDetected,
    InstructionReaffirmed,
    InstructionClosed,
    UncertaintyFlagged,
    UncertaintyResolved,
    DocumentUploaded,
    DocumentReplaced,
    DocumentTextExtracted,
    DocumentProcessed,
    DocumentLearnt,
    DocumentFailed,
    DocumentLinked,
    DocumentDeleted,
)

for _event_type in EVENT_TYPES:
    register_topic(_event_type.TOPIC, _event_type)
