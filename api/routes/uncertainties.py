"""GET /uncertainty: what was said but can't be asserted."""

from datetime import datetime
from typing import Any
from uuid import UUID

from api.http.calls import Call
from api.shapes import details, refs
from api.shapes.paging import cursor_of, page, place_of
from projections import entities, scope_sets, uncertainties


def list_uncertainties(call: Call) -> tuple[int, dict[str, Any]]:
    """Uncertainties, newest first; both resolved and open ones unless `resolved` says which."""
    place = place_of(call.query.get("cursor"), datetime, UUID)
    ref = call.query.get("entity")
    name = refs.entity_name(ref, field="entity") if ref else None
    resolved = call.flag("resolved") if call.query.get("resolved") else None
    with call.reading(call.asked()) as reader:
        entity_ids = None if name is None else [row.id for row in entities.named(reader, *name)]
        found = uncertainties.newest_first(
            reader,
            limit=call.limit(),
            entity_ids=entity_ids,
            resolved=resolved,
            after=(place[0], place[1]) if place else None,
        )
        total = None
        if call.flag("count"):
            total = uncertainties.count(reader, entity_ids=entity_ids, resolved=resolved)
        known = entities.by_ids(reader, [row.entity_id for row in found.rows if row.entity_id])
        clauses = scope_sets.clauses(reader)
    last = found.rows[-1] if found.has_more else None
    return 200, {
        "unknowns": [
            details.uncertainty(row, known[row.entity_id] if row.entity_id else None, clauses) for row in found.rows
        ],
        "page": page(next_cursor=cursor_of(last.said_at, last.id) if last else None, total=total),
    }
