"""Lists that older clients read as a bare array and the newest one as an envelope with a page block."""

from collections.abc import Callable
from typing import Any, TypeVar

from api.http.calls import Call
from api.shapes.paging import cursor_of, page, place_of
from projections.reading import Page

T = TypeVar("T")

NEWEST_CLIENT = "surrealdb-memory-js/"
PAGING = ("limit", "cursor", "count")
BARE_ROWS_MAX = 10_000


def wants_envelope(call: Call) -> bool:
    """Whether the client is of the newest generation: by its name, or since it pages."""
    return call.headers.get("user-agent", "").startswith(NEWEST_CLIENT) or any(name in call.query for name in PAGING)


def listing(
    call: Call,
    name: str,
    fetch: Callable[[int, str | None], Page[T]],
    place: Callable[[T], str],
    shape: Callable[[list[T]], list[dict[str, Any]]],
) -> Any:
    """The rows as an array under `name` with a page block, or bare.

    fetch: at most so many rows after that place, in the order of places; place: of a row. A cursor is the
    place of a page's last row.
    """
    if not wants_envelope(call):
        return shape(fetch(BARE_ROWS_MAX, None).rows)
    after = place_of(call.query.get("cursor"), str)
    found = fetch(call.limit(), after[0] if after else None)
    total = len(fetch(BARE_ROWS_MAX, None).rows) if call.flag("count") else None
    next_cursor = cursor_of(place(found.rows[-1])) if found.has_more else None
    return {name: shape(found.rows), "page": page(next_cursor=next_cursor, total=total)}


def filtered(
    fetch: Callable[[int, str | None], Page[T]], place: Callable[[T], str], is_shown: Callable[[T], bool]
) -> Callable[[int, str | None], Page[T]]:
    """`fetch` of those rows only that may be shown."""

    def shown(limit: int, after: str | None) -> Page[T]:
        rows: list[T] = []
        while True:
            found = fetch(limit + 1, after)
            rows += [row for row in found.rows if is_shown(row)]
            if len(rows) > limit or not found.has_more:
                return Page(rows[:limit], len(rows) > limit)
            after = place(found.rows[-1])

    return shown
