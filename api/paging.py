"""Opaque cursors and the page block of list answers."""

import base64
import binascii
import json
from typing import Any

from memory.errors import InvalidRequest


def cursor_of(*place: Any) -> str:
    """An opaque cursor for the place after the last row of a page."""
    return base64.urlsafe_b64encode(json.dumps(place, separators=(",", ":")).encode()).decode().rstrip("=")


def place_of(cursor: str | None, *types: type) -> list[Any] | None:
    """The place that a cursor holds, None for no cursor. Raises InvalidRequest for one we did not make."""
    if not cursor:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        place = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise InvalidRequest("cursor: not a cursor of this list") from error
    if not isinstance(place, list) or len(place) != len(types) or not all(map(_fits, place, types)):
        raise InvalidRequest("cursor: not a cursor of this list")
    return place


def _fits(part: Any, kind: type) -> bool:
    """Whether it is of the kind and the database can compare with it."""
    if kind is int:
        return type(part) is int and 0 <= part < 2**62
    return isinstance(part, str) and part.isprintable()


def page(*, next_cursor: str | None, total: int | None = None) -> dict[str, Any]:
    """The wire's PageMeta."""
    block: dict[str, Any] = {"hasMore": next_cursor is not None}
    if next_cursor is not None:
        block["nextCursor"] = next_cursor
    if total is not None:
        block["totalSize"] = total
    return block
