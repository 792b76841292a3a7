"""The order of statements, newest first, and the place in it after which a page begins.

None of the four keys of the order ever changes for a row, so a walk by pages meets each row at most
once, whatever is written meanwhile.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from projections.statements import StatementRow

Place = tuple[datetime, int, int, UUID]


def order(alias: str) -> str:
    """SQL: what to order rows by."""
    return f"{alias}.said_at DESC, {alias}.turn_position DESC, {alias}.said_offset DESC, {alias}.id"


def after(alias: str) -> str:
    """SQL: whether a row comes after the place that `bound` binds; every row does if that is none."""
    keys = f"({alias}.said_at, {alias}.turn_position, {alias}.said_offset)"
    place = "(%(after_said_at)s::timestamptz, %(after_turn)s::bigint, %(after_offset)s::bigint)"
    return f"""(%(after_said_at)s::timestamptz IS NULL
        OR {keys} < {place} OR ({keys} = {place} AND {alias}.id > %(after_id)s::uuid))"""


def bound(place: Place | None) -> dict[str, Any]:
    """The parameters of `after`."""
    said_at, turn, offset, row_id = place or (None, None, None, None)
    return {"after_said_at": said_at, "after_turn": turn, "after_offset": offset, "after_id": row_id}


def place_of(row: StatementRow) -> Place:
    return row.said_at, row.turn_position, row.said_offset, row.id
