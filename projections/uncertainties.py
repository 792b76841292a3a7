"""Uncertainties: what was said but can't be asserted."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.doubts import CONTRADICTION, ENDED_UNKNOWN
from memory.events import (
    EntitiesMerged,
    EntitiesSeparated,
    MemoryRevised,
    Settled,
    SpeakerNamed,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.recorded import Recorded
from memory.regrouping import destination, told_of_after
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
    said_of: UUID | None


TABLE = Table(
    "uncertainties",
    UncertaintyRow,
    revised=True,
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
    labels text[] NOT NULL,
    said_of uuid
    """,
    indexes={
        "of_turn": "(turn_id)",
        "of_fact": "(entity_id, key) WHERE position_to IS NULL AND known_to IS NULL AND valid_to IS NULL",
    },
)
HANDLES = (UncertaintyFlagged, UncertaintyResolved, EntitiesMerged, EntitiesSeparated, SpeakerNamed, MemoryRevised)

LISTED = """
FROM {uncertainties} AS u LEFT JOIN {entities} AS e ON e.id = u.entity_id
WHERE e.forgotten_at IS NULL
    AND (%(entity_ids)s::uuid[] IS NULL OR u.entity_id = ANY(%(entity_ids)s))
    AND (%(resolved)s::boolean IS NULL OR (u.valid_to IS NOT NULL) = %(resolved)s)
"""

NEWEST_FIRST = """
    AND (%(after_said_at)s::timestamptz IS NULL OR u.said_at < %(after_said_at)s
        OR (u.said_at = %(after_said_at)s AND u.id > %(after_id)s::uuid))
ORDER BY u.said_at DESC, u.id
LIMIT %(limit)s
"""


ABOUT = """
SELECT u.entity_id, u.key, u.about
FROM {uncertainties} AS u JOIN unnest(%(entity_ids)s::uuid[], %(keys)s::text[]) AS w (entity_id, key)
    ON u.entity_id = w.entity_id AND u.key = w.key
WHERE u.valid_to IS NULL AND u.reason <> ALL(%(apart)s)
ORDER BY u.position_from DESC, u.id
"""
# These leave what is in force as certain as it was: words of less rank, which are told beside it, and the end of
# something else.
APART = [CONTRADICTION, ENDED_UNKNOWN]

ONE = "SELECT u.* FROM {uncertainties} AS u WHERE u.id = %(id)s"

BY_IDS = "SELECT u.* FROM {uncertainties} AS u WHERE u.id = ANY(%(ids)s)"


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
                    said_of=event.entity_id,
                ),
            )
        case EntitiesMerged() | EntitiesSeparated() | SpeakerNamed() as regrouping:

            def moved(row: UncertaintyRow) -> UncertaintyRow:
                if row.entity_id is None or row.said_of is None:
                    return row
                return replace(
                    row,
                    entity_id=destination(regrouping, row.entity_id, row.said_of),
                    said_of=told_of_after(regrouping, row.entity_id, row.said_of),
                )

            for uncertainty_id in regrouping.moved.uncertainties:
                yield Revise(TABLE, uncertainty_id, recorded.known_at, moved)
        case MemoryRevised() as revised:
            for thing, end in revised.ends("uncertainty"):
                yield Revise(TABLE, thing, recorded.known_at, partial(_ended, end))
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


def _ended(end: Settled | None, row: UncertaintyRow) -> UncertaintyRow:
    if end is None:
        return replace(row, valid_to=None, resolution=None)
    return replace(row, valid_to=max(end.at, row.said_at), resolution=end.reason)


def newest_first(
    reader: Reader,
    *,
    limit: int,
    entity_ids: Sequence[UUID] | None = None,
    resolved: bool | None = None,
    after: tuple[datetime, UUID] | None = None,
) -> Page[UncertaintyRow]:
    """Uncertainties, about these entities and resolved or not only if given, newest first, after `after`."""
    after_said_at, after_id = after or (None, None)
    parameters = {**_filters(entity_ids, resolved), "after_said_at": after_said_at, "after_id": after_id}
    return reader.page(TABLE, f"SELECT u.* {LISTED}{NEWEST_FIRST}", parameters, limit=limit)


def count(reader: Reader, *, entity_ids: Sequence[UUID] | None = None, resolved: bool | None = None) -> int:
    return int(reader.tuples(f"SELECT count(*) {LISTED}", _filters(entity_ids, resolved))[0][0])


def one(reader: Reader, uncertainty_id: UUID) -> UncertaintyRow | None:
    rows = reader.rows(TABLE, ONE, {"id": uncertainty_id})
    return rows[0] if rows else None


def about(reader: Reader, facts: Collection[tuple[UUID, str]]) -> dict[tuple[UUID, str], list[str]]:
    """What makes facts uncertain, each an entity and a key or label: the texts of open doubts, newest first."""
    texts: dict[tuple[UUID, str], list[str]] = {}
    if facts:
        entity_ids, keys = zip(*facts, strict=True)
        bound = {"entity_ids": list(entity_ids), "keys": list(keys), "apart": APART}
        for entity_id, key, text in reader.tuples(ABOUT, bound):
            texts.setdefault((entity_id, key), []).append(text)
    return texts


def unresolved(reader: Reader, *, limit: int) -> Page[UncertaintyRow]:
    """Open uncertainties, newest first."""
    return newest_first(reader, limit=limit, resolved=False)


def _filters(entity_ids: Sequence[UUID] | None, resolved: bool | None) -> dict[str, Any]:
    return {"entity_ids": None if entity_ids is None else list(entity_ids), "resolved": resolved}


def by_ids(reader: Reader, ids: Collection[UUID]) -> list[UncertaintyRow]:
    return reader.rows(TABLE, BY_IDS, {"ids": list(ids)})
