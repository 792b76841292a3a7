"""What a caller wants to be told, and what memory answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import msgspec

from projections.entities import EntityRow
from projections.instructions import InstructionRow
from projections.passages import Kind
from projections.recall.search import Mode
from projections.retrieval.asked import Window
from projections.retrieval.facts import Fact
from projections.retrieval.places import Area
from projections.traces import Retrieval

K, K_MAX = 10, 50

DIRECT, HYBRID, ESCALATED = "direct", "hybrid", "escalated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A question and what narrows its answer.

    k: hits wanted, 1 to K_MAX. facts, passages: which kinds. labels: a hit has all of them. session_id: of the
    conversation in which it is asked. without_turns: not to be found. duplicates: whether near-duplicates are hits
    of their own. area: only what is about a place in it. source: the caller's label for the trace; traced: whether
    to leave one. background: whether to bring profile, instructions and related facts too.
    """

    text: str
    k: int = K
    mode: Mode = Mode.HYBRID
    facts: bool = True
    passages: bool = True
    labels: frozenset[str] = frozenset()
    session_id: UUID | None = None
    without_turns: frozenset[UUID] = frozenset()
    duplicates: bool = False
    area: Area | None = None
    source: str | None = None
    traced: bool = True
    background: bool = False


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that came back. id: of the turn, document chunk, version or action. number: of its passage, higher
    for what came later, 0 where it is not known. score: 0 to 1.

    role: of the turn's speaker, or the source kind. fact: of a property or relation; actor: of an action.
    supersedes, superseded_by: of a fact, the version before and after it. folded: ids of what says nearly the same
    and is left out. seq: the turn's place in its session, or the chunk's in its document. covered, cosine: see
    `projections.recall.ranking.Signals`.
    """

    kind: Kind
    id: UUID
    passage_id: UUID
    number: int = 0
    text: str
    score: float
    said_at: datetime
    role: str
    turn_id: UUID | None = None
    session_id: UUID | None = None
    document_id: UUID | None = None
    seq: int = 0
    ordinal: int = 0
    char_start: int = 0
    char_end: int = 0
    title: str = ""
    section: str = ""
    labels: Sequence[str] = ()
    entity_ids: Sequence[UUID] = ()
    covered: float = 0.0
    cosine: float | None = None
    fact: Fact | None = None
    actor: EntityRow | None = None
    supersedes: UUID | None = None
    superseded_by: UUID | None = None
    folded: Sequence[UUID] = ()

    @property
    def is_fact(self) -> bool:
        return self.kind not in (Kind.TURN, Kind.DOCUMENT)


@dataclass(frozen=True, slots=True)
class Background:
    """What belongs into a prompt whatever is asked. profile: who the user is; facts: what holds now of whom
    the question is about; claimed: what was also said of them, by somebody less sure. doubts: of these facts and of
    those found, what is doubtful, by the fact's id."""

    profile: Sequence[Fact] = ()
    instructions: Sequence[InstructionRow] = ()
    facts: Sequence[Fact] = ()
    claimed: Sequence[Fact] = ()
    doubts: Mapping[UUID, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """The answer. hits: at most k, best first. beside: what stands around the hits, outside k. tier: DIRECT,
    HYBRID or ESCALATED. reason: why that tier, and why nothing if nothing. degraded: a part did not take part.
    seeds: the entities that the question names, as (type, normalised name). candidates: the largest pool."""

    trace_id: UUID
    tier: str
    reason: str
    hits: Sequence[Recalled]
    beside: Sequence[Recalled] = ()
    seeds: Sequence[tuple[str, str]] = ()
    window: Window | None = None
    degraded: bool = False
    passes: tuple[Retrieval, ...] = ()
    candidates: int = 0
    latency_ms: int = 0
    background: Background = field(default_factory=Background)
