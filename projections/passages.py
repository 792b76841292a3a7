"""Passages: the pieces of turns that recall searches, as ranges of the turn's text."""

from collections.abc import Iterator
from uuid import UUID

from memory.events import TurnRecorded
from memory.recorded import Recorded
from memory.values import derived_id
from projections.table import Op, Put, Row, Table, start

PASSAGE_LENGTH_MAX = 1_000  # characters


class PassageRow(Row, frozen=True):
    turn_id: UUID
    session_id: UUID
    ordinal: int
    char_start: int
    char_end: int


TABLE = Table(
    "passages",
    PassageRow,
    columns="""
    turn_id uuid NOT NULL,
    session_id uuid NOT NULL,
    ordinal integer NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL
    """,
    indexes={"of_turn": "(turn_id, ordinal)"},
)
HANDLES = (TurnRecorded,)


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case TurnRecorded() as event:
            session_id = recorded.origin.session_id
            assert session_id is not None
            for ordinal, (char_start, char_end) in enumerate(pieces(event.text)):
                yield Put(
                    TABLE,
                    PassageRow(
                        *start(recorded, passage_id(event.turn_id, ordinal)),
                        turn_id=event.turn_id,
                        session_id=session_id,
                        ordinal=ordinal,
                        char_start=char_start,
                        char_end=char_end,
                    ),
                )


def passage_id(turn_id: UUID, ordinal: int) -> UUID:
    return derived_id(turn_id, "passage", ordinal)


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
