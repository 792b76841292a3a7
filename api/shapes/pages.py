"""Both ways of asking for a page of documents, chunks or keywords, and the block that answers both."""

from dataclasses import dataclass
from typing import Any

from api.http.calls import Call
from api.shapes.paging import page
from memory.errors import InvalidRequest

PAGE_SIZE, PAGE_SIZE_MAX = 20, 100
LIMIT, LIMIT_MAX = 100, 500


@dataclass(frozen=True, slots=True)
class Paged:
    """size: rows at most. offset: rows before the first one, if the page was asked for by its number."""

    size: int
    offset: int
    counted: bool

    def block(self, next_cursor: str | None, total: int) -> dict[str, Any]:
        """What goes beside the rows: the vendor's older clients read pageSize and total, the newer ones `page`."""
        counted = total if self.counted else None
        return {"page": page(next_cursor=next_cursor, total=counted), "pageSize": self.size, "total": total}


def pages_of(call: Call) -> Paged:
    """By `limit` and `cursor`, or by `page` (from 0) and `pageSize`. Raises InvalidRequest for a cursor with a page."""
    by_number = any(call.query.get(name) not in (None, "") for name in ("page", "pageSize", "page_size"))
    if not by_number:
        return Paged(call.limit(default=LIMIT, most=LIMIT_MAX), 0, call.flag("count"))
    if call.query.get("cursor"):
        raise InvalidRequest("cursor: can't be used together with page or pageSize")
    size = call.integer("pageSize", 0) or call.integer("page_size", 0) or PAGE_SIZE
    number = min(call.integer("page", 0), 1_000_000)
    size = min(size, PAGE_SIZE_MAX)
    return Paged(size, number * size, counted=True)
