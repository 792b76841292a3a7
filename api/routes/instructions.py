"""GET /instructions: the directives that hold now."""

from datetime import datetime
from typing import Any
from uuid import UUID

from api.http.calls import Call
from api.shapes import details
from api.shapes.paging import cursor_of, page, place_of
from projections import instructions, scope_sets


def list_instructions(call: Call) -> tuple[int, dict[str, Any]]:
    """Directives that hold now, newest first."""
    place = place_of(call.query.get("cursor"), datetime, UUID)
    with call.reading(call.asked()) as reader:
        found = instructions.active(reader, limit=call.limit(), after=(place[0], place[1]) if place else None)
        total = instructions.count_active(reader) if call.flag("count") else None
        clauses = scope_sets.clauses(reader)
    last = found.rows[-1] if found.has_more else None
    return 200, {
        "instructions": [details.instruction(row, clauses) for row in found.rows],
        "page": page(next_cursor=cursor_of(last.said_at, last.id) if last else None, total=total),
    }
