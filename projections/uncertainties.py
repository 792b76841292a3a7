"""Uncertainties: what was said but can't be asserted."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import UncertaintyFlagged, UncertaintyResolved
from memory.recorded import Recorded
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class UncertaintyRow(Row, frozen=True):
    about: str
    reason: str
    entity_id: UUID | None
    key: str | None
    turn_id: UUID | None
    session_id: UUID | None
    said_at: datetime
    resolution: str | None
    note: str | None
    labels: list[str]


TABLE = Table(
    "uncertainties",
    UncertaintyRow,
    columns="""
    about text NOT NULL,
    reason text NOT NULL,
    entity_id uuid,
    key text,
    turn_id uuid,
    session_id uuid,
    said_at timestamptz NOT NULL,
    resolution text,
    note text,
    labels text[] NOT NULL
    """,
    indexes={
        "of_turn": "(turn_id)",
        "of_fact": "(entity_id, key) WHERE position_to IS NULL AND known_to IS NULL AND valid_to IS NULL",
    },
)
HANDLES = (UncertaintyFlagged, UncertaintyResolved)

OPEN = """
SELECT u.* FROM {uncertainties} AS u
WHERE u.valid_to IS NULL
ORDER BY u.said_at DESC, u.id
LIMIT %(limit)s
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case UncertaintyFlagged() as event:
            yield Put(
                TABLE,
                UncertaintyRow(
                    *start(recorded, event.uncertainty_id, valid_from=recorded.known_at),
                    about=event.about,
                    reason=event.reason,
                    entity_id=event.entity_id,
                    key=event.key,
                    turn_id=recorded.origin.turn_id,
                    session_id=recorded.origin.session_id,
                    said_at=recorded.known_at,
                    resolution=None,
                    note=None,
                    labels=list(event.labels),
                ),
            )
        case UncertaintyResolved(uncertainty_id=uncertainty_id, how=how, note=note):
            resolved_at = recorded.known_at
            yield Revise(
                TABLE,
                uncertainty_id,
                resolved_at,
                lambda row: replace(
                    row, valid_to=max(resolved_at, row.valid_from or resolved_at), resolution=how, note=note
                ),
            )


def unresolved(reader: Reader, *, limit: int) -> Page[UncertaintyRow]:
    """Open uncertainties, newest first."""
    return reader.page(TABLE, OPEN, {}, limit=limit)
