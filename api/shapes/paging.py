"""Opaque cursors and the page block of list answers."""

import base64
import binascii
import json
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.errors import InvalidRequest
from projections import newest_first
from projections.newest_first import Place
from projections.reading import Page
from projections.statements import S


def cursor_of(*place: str | int | datetime | UUID) -> str:
    """An opaque cursor for the place after the last row of a page."""
    parts = [part.isoformat() if isinstance(part, datetime) else part for part in place]
    return base64.urlsafe_b64encode(json.dumps(parts, separators=(",", ":"), default=str).encode()).decode().rstrip("=")


def place_of(cursor: str | None, *types: type) -> list[Any] | None:
    """The place that a cursor holds, None for no cursor. Raises InvalidRequest for one we did not make.

    types: of its parts, each of str, int, datetime and UUID.
    """
    if not cursor:
        return None
    padded = cursor + "=" * (-len(cursor) % 4)
    try:
        place = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(place, list) or len(place) != len(types):
            raise InvalidRequest("cursor: not a cursor of this list")
        return [_part(part, kind) for part, kind in zip(place, types, strict=True)]
    except (binascii.Error, ValueError, RecursionError) as error:
        raise InvalidRequest("cursor: not a cursor of this list") from error


def _part(part: Any, kind: type) -> Any:
    """The part as `kind`. Raises ValueError for what is none, or what the database can't compare with."""
    if kind is int:
        if type(part) is int and 0 <= part < 2**62:
            return part
    elif isinstance(part, str) and part.isprintable():
        if kind is UUID:
            return UUID(part)
        if kind is not datetime:
            return part
        moment = datetime.fromisoformat(part)
        if moment.tzinfo is not None:
            return moment
    raise ValueError("not of this kind")


def statement_place_of(cursor: str | None) -> Place | None:
    """The place in a list of statements, newest first. Raises InvalidRequest as `place_of` does."""
    place = place_of(cursor, datetime, int, int, UUID)
    return (place[0], place[1], place[2], place[3]) if place else None


def next_statement(found: Page[S]) -> str | None:
    """The cursor after a page of statements, None after the last one."""
    return cursor_of(*newest_first.place_of(found.rows[-1])) if found.has_more else None


def page(*, next_cursor: str | None, total: int | None = None) -> dict[str, Any]:
    """The wire's PageMeta."""
    block: dict[str, Any] = {"hasMore": next_cursor is not None}
    if next_cursor is not None:
        block["nextCursor"] = next_cursor
    if total is not None:
        block["totalSize"] = total
    return block
