"""Corrections: why facts were replaced."""

from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import answers, refs
from api.shapes.paging import cursor_of, page, place_of
from memory.errors import NotFound
from memory.values import attribute_key
from projections import corrections, entities


def list_corrections(call: Call) -> tuple[int, dict[str, Any]]:
    place = place_of(call.query.get("cursor"), int)
    key = call.query.get("key")
    session = call.query.get("session")
    with call.reading(call.asked()) as reader:
        entity_ids = None
        if ref := call.query.get("entity"):
            entity_ids = [row.id for row in entities.named(reader, *refs.entity_name(ref, field="entity"))]
        found = corrections.newest_first(
            reader,
            limit=call.limit(),
            entity_ids=entity_ids,
            key=attribute_key(key) if key else None,
            session_id=ids.parse_session(session) if session else None,
            before=place[0] if place else None,
        )
        answer = answers.correction_list(reader, found.rows)
    next_cursor = cursor_of(found.rows[-1].position_from) if found.has_more else None
    return 200, {"corrections": answer, "page": page(next_cursor=next_cursor)}


def get_correction(call: Call) -> tuple[int, dict[str, Any]]:
    correction_id = ids.parse(call.path["correction_id"], prefixes=(refs.CORRECTION_PREFIX,))
    with call.reading(call.asked()) as reader:
        row = corrections.one(reader, correction_id)
        if row is None:
            raise NotFound("there is no such correction")
        return 200, answers.correction(reader, row)
