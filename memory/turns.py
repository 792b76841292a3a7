"""A turn on its way: what a caller asks to remember, what was recorded of it, and what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar
from uuid import UUID

from memory.candidates import AnyCandidate, MemoryCategory
from memory.events import Citation, ExtractionCompleted, ExtractionFailed, Reply
from memory.log import Writing
from memory.ports import KnownSession
from memory.recorded import Origin, Recorded
from memory.usage import Usage, total
from memory.values import Infer, Role, SourceKind

T = TypeVar("T")


class ExtractionStatus(StrEnum):
    """How a turn was understood. PENDING: it will be tried again. FAILED: given up. NONE: nothing was asked for."""

    COMPLETE = "complete"
    NOTHING_FOUND = "nothing_found"
    PENDING = "pending"
    FAILED = "failed"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a caller asks to remember.

    candidates: the given triples, for `infer: triples`. observed_at: aware; when it was said, if
    not now. session_id: None opens one, in `scopes` or the caller's write scopes. citations, reply: of a reply.
    """

    turn_id: UUID
    text: str
    role: Role = Role.USER
    infer: Infer = Infer.FULL
    labels: tuple[str, ...] = ()
    memory_category: MemoryCategory | None = None
    observed_at: datetime | None = None
    candidates: tuple[AnyCandidate, ...] = ()
    citations: tuple[Citation, ...] = ()
    reply: Reply | None = None
    source_kind: SourceKind | None = None


@dataclass(frozen=True, slots=True)
class PendingTurn:
    """A recorded turn that waits to be understood. said_at: in the offset in which it was said. position,
    seq: of its record in the log, and in its session."""

    turn: Turn
    session_id: UUID
    said_at: datetime
    position: int
    seq: int


@dataclass(frozen=True, slots=True)
class Learnt:
    """The outcome of one turn: the events recorded for it after the turn itself.

    source_kind: what its statements count as.
    """

    turn_id: UUID
    session_id: UUID
    source_kind: SourceKind
    status: ExtractionStatus
    recorded: Sequence[Recorded]
    position: int
    failure: ExtractionFailed | None = None

    @property
    def error(self) -> str | None:
        """Why the last attempt failed, while the turn is not understood."""
        return self.failure.error if self.failure else None

    @property
    def asked(self) -> list[ExtractionCompleted | ExtractionFailed]:
        """The extractions among the events, failed ones too."""
        return [one.event for one in self.recorded if isinstance(one.event, ExtractionCompleted | ExtractionFailed)]

    @property
    def usage(self) -> Usage:
        """What asking a model took."""
        return total(one.usage for one in self.asked)


Answer = Callable[[Writing, Learnt], T]


@dataclass(frozen=True, slots=True)
class Remembered(Generic[T]):
    """session_id: where the turns went. turn_ids: theirs, those of the first time if the request was done
    before. answers: what `answer` made of each turn, in order."""

    session_id: UUID
    turn_ids: Sequence[UUID]
    answers: list[T]
    position: int


@dataclass(frozen=True, slots=True)
class Said:
    """A recorded turn and all that deciding over it later needs."""

    turn: Turn
    session: KnownSession
    origin: Origin
    said_at: datetime
    position: int
    earlier: tuple[str, ...] = ()

    @property
    def source_kind(self) -> SourceKind:
        return self.turn.source_kind or source_kind_of(self.turn.infer, self.turn.role)

    @property
    def text(self) -> str:
        return self.turn.text

    @property
    def role(self) -> Role:
        return self.turn.role

    @property
    def session_id(self) -> UUID:
        return self.session.session_id

    @property
    def scope_set_id(self) -> UUID:
        return self.session.scope_set_id

    def learnt(
        self,
        status: ExtractionStatus,
        recorded: Sequence[Recorded],
        position: int,
        failure: ExtractionFailed | None = None,
    ) -> Learnt:
        return Learnt(self.turn.turn_id, self.session_id, self.source_kind, status, recorded, position, failure)


def source_kind_of(infer: Infer, role: Role) -> SourceKind:
    return SourceKind.UPSERT if infer is Infer.TRIPLES else SourceKind(role)
