"""Passages: the texts that recall searches. Pieces of turns, chunks of documents, and facts as short sentences.

A fact's passage holds what its event says (a property and its value, a label, a deed); the names of the
entities that it is about are read when it is indexed or shown, as they may change (see `sentence`).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from uuid import UUID

from msgspec.structs import replace

from memory.events import (
    ActionRecorded,
    AttributeAsserted,
    MemoryRevised,
    RelationAsserted,
    ThingsForgotten,
    TurnRecorded,
)
from memory.recorded import Recorded
from memory.values import derived_id
from projections.reading import Reader
from projections.recall.signs import Signs, signs
from projections.recall.words import counted
from projections.table import Close, Op, Put, Revise, Row, Table, start

PASSAGE_LENGTH_MAX = 1_000  # characters
ORDINAL_BITS = 20
_EIGHT_BYTES = 2**64 - 1


class Kind(StrEnum):
    """What a passage is part of."""

    TURN = "turn"
    DOCUMENT = "document"
    ATTRIBUTE = "attribute"
    RELATION = "relation"
    ACTION = "action"


FACTS = (Kind.ATTRIBUTE, Kind.RELATION, Kind.ACTION)


class PassageRow(Row, frozen=True):
    """number: its place in the order of all passages of the context, for ever the same.

    turn_id: the turn that it is of or that brought the fact, document_id: the document. sequence_id, seq: the
    session and the turn's place in it, or the document and the chunk's place; a fact has none.
    char_start, char_end: in the turn or document. fact_id: the version or action.
    entity_ids: what a fact is about, subject first. role: of the turn's speaker, or the source kind.
    title, section: of a document. words, counts, length: see `projections.recall.words`; length counts
    repetitions. retracted_at: since when its turn is taken back; nobody is shown it then. The rest: see
    `projections.recall.signs`.
    """

    kind: str
    number: int
    turn_id: UUID | None
    session_id: UUID | None
    document_id: UUID | None
    fact_id: UUID | None
    entity_ids: list[UUID]
    sequence_id: UUID | None
    seq: int
    ordinal: int
    char_start: int
    char_end: int
    role: str
    said_at: datetime
    labels: list[str]
    title: str
    section: str
    text: str
    words: list[str]
    counts: list[int]
    length: int
    speaker: str
    tells_time: bool
    asks: bool
    ends_asking: bool
    proper: int
    word_count: int
    retracted_at: datetime | None


TABLE = Table(
    "passages",
    PassageRow,
    revised=True,
    columns="""
    kind text NOT NULL,
    number bigint NOT NULL,
    turn_id uuid,
    session_id uuid,
    document_id uuid,
    fact_id uuid,
    entity_ids uuid[] NOT NULL,
    sequence_id uuid,
    seq integer NOT NULL,
    ordinal integer NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL,
    role text NOT NULL,
    said_at timestamptz NOT NULL,
    labels text[] NOT NULL,
    title text NOT NULL,
    section text NOT NULL,
    text text NOT NULL,
    words text[] NOT NULL,
    counts smallint[] NOT NULL,
    length integer NOT NULL,
    speaker text NOT NULL,
    tells_time boolean NOT NULL,
    asks boolean NOT NULL,
    ends_asking boolean NOT NULL,
    proper smallint NOT NULL,
    word_count integer NOT NULL,
    retracted_at timestamptz
    """,
    indexes={
        "by_number": "(number)",
        "of_turn": "(turn_id, ordinal) WHERE turn_id IS NOT NULL",
        "of_document": "(document_id, ordinal) WHERE document_id IS NOT NULL",
        "in_sequence": "(sequence_id, number) WHERE sequence_id IS NOT NULL",
        "by_time": "(said_at, number)",
        "of_fact": "(fact_id) WHERE fact_id IS NOT NULL",
    },
)
ONE = "SELECT p.* FROM {passages} AS p WHERE p.id = %(id)s"

HANDLES = (TurnRecorded, AttributeAsserted, RelationAsserted, ActionRecorded, ThingsForgotten, MemoryRevised)


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case TurnRecorded() as event:
            form = signs(event.text)
            for ordinal, (char_start, char_end) in enumerate(pieces(event.text)):
                text = event.text[char_start:char_end]
                piece = form if char_end - char_start == len(event.text) else signs(text)
                yield Put(
                    TABLE,
                    passage(
                        recorded,
                        passage_id(event.turn_id, ordinal),
                        Kind.TURN,
                        # A later piece is still the words of whoever the turn names as its speaker.
                        text=text if ordinal == 0 or not form.speaker else f"{form.speaker}: {text}",
                        form=piece,
                        speaker=form.speaker,
                        role=event.role,
                        labels=event.labels,
                        seq=event.seq,
                        ordinal=ordinal,
                        chars=(char_start, char_end),
                    ),
                )
        case ThingsForgotten(passages=forgotten):
            yield from (Close(TABLE, passage) for passage in forgotten)
        case MemoryRevised(hidden=hidden, shown=shown):
            at = recorded.known_at
            yield from (Revise(TABLE, one, at, partial(_retracted, at)) for one in hidden)
            yield from (Revise(TABLE, one, at, partial(_retracted, None)) for one in shown)
        case AttributeAsserted() as event:
            text = f"{_spoken(event.key)}: {event.value}"
            yield _fact(recorded, event.segment.id, Kind.ATTRIBUTE, text, [event.entity_id], event.source_kind)
        case RelationAsserted() as event:
            about = [event.subject_id, event.object_id]
            text = _spoken(event.label)
            yield _fact(recorded, event.segment.id, Kind.RELATION, text, about, event.source_kind)
        case ActionRecorded() as event:
            yield _fact(recorded, event.action_id, Kind.ACTION, event.summary, [event.actor_id], event.source_kind)


def _retracted(at: datetime | None, row: PassageRow) -> PassageRow:
    return replace(row, retracted_at=at)


def passage(
    recorded: Recorded,
    row_id: UUID,
    kind: Kind,
    *,
    text: str,
    role: str,
    form: Signs | None = None,
    speaker: str = "",
    labels: Sequence[str] = (),
    seq: int = 0,
    ordinal: int = 0,
    chars: tuple[int, int] = (0, 0),
    document_id: UUID | None = None,
    fact_id: UUID | None = None,
    entity_ids: Sequence[UUID] = (),
    title: str = "",
    section: str = "",
) -> PassageRow:
    """A new passage that `recorded` brings. ordinal: among the passages of that event. A document's title and
    section count as words of each of its chunks. seq: of a turn in its session."""
    form = form or signs(text)
    words, counts = counted(" ".join([part for part in (title, section, text) if part]))
    return PassageRow(
        *start(recorded, row_id),
        kind=kind,
        number=number_of(recorded.position, ordinal),
        turn_id=recorded.origin.turn_id,
        session_id=recorded.origin.session_id,
        document_id=document_id,
        fact_id=fact_id,
        entity_ids=list(entity_ids),
        sequence_id=document_id if kind == Kind.DOCUMENT else recorded.origin.session_id if kind == Kind.TURN else None,
        seq=ordinal if kind == Kind.DOCUMENT else seq,
        ordinal=ordinal,
        char_start=chars[0],
        char_end=chars[1],
        role=role,
        said_at=recorded.known_at,
        labels=list(labels),
        title=title,
        section=section,
        text=text,
        words=words,
        counts=counts,
        length=sum(counts),
        speaker=speaker or form.speaker,
        tells_time=form.tells_time,
        asks=form.asks,
        ends_asking=form.ends_asking,
        proper=form.proper,
        word_count=form.words,
        retracted_at=None,
    )


def passage_id(source_id: UUID, ordinal: int) -> UUID:
    """The id of a piece of this turn or document, or, with ordinal 0, of the passage of this fact."""
    return derived_id(source_id, "passage", ordinal)


def number_of(position: int, ordinal: int) -> int:
    """The number of the passage with this ordinal among those of the event at `position`."""
    return position << ORDINAL_BITS | ordinal


def sequence_key(sequence_id: UUID | None) -> int:
    """A session or document in eight bytes, 0 for none: enough to tell those of one context apart."""
    if sequence_id is None:
        return 0
    key = (sequence_id.int >> 64) ^ (sequence_id.int & _EIGHT_BYTES)
    return key - _EIGHT_BYTES - 1 if key >> 63 else key


def sentence(kind: str, text: str, entity_ids: Sequence[UUID], names: Mapping[UUID, str]) -> str:
    """The text of a passage as it is indexed and shown: a fact with the names of what it is about."""
    if kind not in FACTS:
        return text
    subject, *others = [names.get(entity_id, "") for entity_id in entity_ids]
    if kind == Kind.RELATION:
        return " ".join([subject, text, *others])
    return text if subject and text.startswith(subject) else f"{subject}: {text}"


def one(reader: Reader, passage_id: UUID) -> PassageRow | None:
    rows = reader.rows(TABLE, ONE, {"id": passage_id})
    return rows[0] if rows else None


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of at most PASSAGE_LENGTH_MAX characters that cover `text`, cut at white space where there is any."""
    begin = 0
    while len(text) - begin > PASSAGE_LENGTH_MAX:
        limit = begin + PASSAGE_LENGTH_MAX
        cut = max(text.rfind(separator, begin + 1, limit) for separator in (" ", "\n"))
        end = cut + 1 if cut > begin else limit
        yield begin, end
        begin = end
    if begin < len(text):
        yield begin, len(text)


def _fact(
    recorded: Recorded, fact_id: UUID, kind: Kind, text: str, about: Sequence[UUID], source_kind: str
) -> Put[PassageRow]:
    row_id = passage_id(fact_id, 0)
    row = passage(recorded, row_id, kind, text=text, role=source_kind, fact_id=fact_id, entity_ids=about)
    return Put(TABLE, row)


def _spoken(key: str) -> str:
    return key.replace("_", " ")
