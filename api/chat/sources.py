"""Sources: the rows of memory that a reply may cite."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import IntEnum
from uuid import UUID

from api import ids
from api.shapes.document_shapes import percent
from memory.importance import importance
from projections.passages import Kind
from projections.retrieval.context_block import date_notes, doubt_note
from projections.retrieval.facts import Fact
from projections.retrieval.wanted import Recalled, Retrieved

SNIPPET_LENGTH_MAX = 240
UNTITLED = "document"


class Reason(IntEnum):
    """Why a source is there, the best reason first. PROFILE: it says who the user is."""

    HIT = 1
    PROFILE = 2
    RELATED = 3
    BESIDE = 4


@dataclass(frozen=True, slots=True)
class Source:
    """One retrieved row. id: as `/inspect` takes it. kind: attribute, relation, action or chunk. text: one fact
    as a sentence, or a passage. score: 0 to 1. note: when, and by whom if not by the user. role: "assistant"
    for an earlier reply. row_id: of the row itself. superseded_by: of a fact that was found, the row that replaced it.
    """

    id: str
    kind: str
    text: str
    score: float
    row_id: UUID
    reason: Reason = Reason.HIT
    note: str = ""
    occurred_at: datetime | None = None
    role: str | None = None
    document_title: str | None = None
    position_percent: int | None = None
    superseded_by: UUID | None = None

    @property
    def is_passage(self) -> bool:
        return self.kind == "chunk"


def sources_of(retrieved: Retrieved, *, now: datetime, lengths: Mapping[UUID, int]) -> tuple[Source, ...]:
    """All that came back, the most relevant first, each once. lengths: of the documents, in characters."""
    told = retrieved.background
    found: dict[str, Source] = {}
    for source in (
        *(recalled(one, Reason.HIT, lengths) for one in retrieved.hits),
        *(_fact(one, Reason.PROFILE, now) for one in told.profile),
        *(_fact(one, Reason.RELATED, now) for one in (*told.facts, *told.claimed)),
        *(recalled(one, Reason.BESIDE, lengths) for one in retrieved.beside),
    ):
        if doubt := told.doubts.get(source.row_id):
            source = replace(source, note=f"{source.note}, {doubt_note(doubt)}")
        found.setdefault(source.id, source)
    return tuple(found.values())


def snippet(text: str, length_max: int = SNIPPET_LENGTH_MAX) -> str:
    """The beginning of `text` on one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= length_max:
        return line
    head = line[: length_max - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > length_max // 2 else head) + "…"


def recalled(one: Recalled, reason: Reason, lengths: Mapping[UUID, int]) -> Source:
    """What was found as a source. lengths: of the documents, in characters."""
    row_id = one.id if one.is_fact else one.passage_id
    kind = one.kind.value if one.is_fact else "chunk"
    occurred_at = (one.fact.row.valid_from or one.said_at) if one.fact else one.said_at
    return Source(
        id=ids.row(kind, row_id),
        kind=kind,
        text=one.text,
        score=one.score,
        row_id=row_id,
        reason=reason,
        note=", ".join(_notes(one)),
        occurred_at=occurred_at,
        role="assistant" if one.kind is Kind.TURN and one.role == "assistant" else None,
        document_title=(one.title or UNTITLED) if one.document_id else one.fact.document if one.fact else None,
        position_percent=_percent(one, lengths),
        superseded_by=one.superseded_by,
    )


def _percent(one: Recalled, lengths: Mapping[UUID, int]) -> int | None:
    """How far into its document a passage begins."""
    length = lengths.get(one.document_id, 0) if one.document_id else 0
    return percent(one.char_start, length) if length else None


def _notes(one: Recalled) -> Iterator[str]:
    if one.document_id is not None:
        yield f"document “{one.title or UNTITLED}”" + (f", {one.section}" if one.section else "")
        return
    yield date_notes(one.fact) if one.fact else f"{one.said_at.astimezone(UTC):%Y-%m-%d}"
    if one.fact is not None and one.fact.row.standing == "claimed":
        yield "not confirmed"
    if one.fact is not None and one.fact.document:
        yield f"said by the document “{one.fact.document}”"
    elif one.role not in ("user", "upsert"):
        yield f"said by the {one.role}"


def _fact(fact: Fact, reason: Reason, now: datetime) -> Source:
    """A fact that comes along: how much it matters stands for how well it fits."""
    kind = "relation" if fact.target else "attribute"
    notes = [date_notes(fact), *(["not confirmed"] if fact.row.standing == "claimed" else [])]
    notes += [f"said by the document “{fact.document}”"] if fact.document else []
    return Source(
        id=ids.row(kind, fact.id),
        kind=kind,
        text=fact.text,
        score=importance(fact.row.category, said_at=fact.row.said_at, now=now),
        row_id=fact.id,
        reason=reason,
        note=", ".join(notes),
        occurred_at=fact.row.valid_from or fact.row.said_at,
        document_title=fact.document,
    )
