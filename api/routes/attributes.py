"""Attribute versions as lists: what holds now, and all that was ever known of an entity."""

from typing import Any

from api.http.calls import Call
from api.routes.entities import named
from api.shapes import answers, refs
from api.shapes.paging import next_statement, page, statement_place_of
from memory.values import attribute_key
from projections import attribute_versions, entities


def list_attributes(call: Call) -> tuple[int, dict[str, Any]]:
    """Live attributes, newest first. An unknown entity or key has none."""
    after = statement_place_of(call.query.get("cursor"))
    ref, key = call.query.get("entity"), call.query.get("key")
    name = refs.entity_name(ref, field="entity") if ref else None
    key = attribute_key(key) if key else None
    with call.reading(call.asked()) as reader:
        entity_ids = None if name is None else [row.id for row in entities.named(reader, *name)]
        found = attribute_versions.live(reader, limit=call.limit(), entity_ids=entity_ids, key=key, after=after)
        total = attribute_versions.count_live(reader, entity_ids=entity_ids, key=key) if call.flag("count") else None
        answer = answers.attribute_list(reader, found.rows)
    return 200, {"attributes": answer, "page": page(next_cursor=next_statement(found), total=total)}


def list_history(call: Call) -> tuple[int, dict[str, Any]]:
    """Every version of every key of an entity, newest first. Raises NotFound for an unknown entity."""
    after = statement_place_of(call.query.get("cursor"))
    with call.reading(call.asked()) as reader:
        entity_ids = [row.id for row in named(call, reader)]
        found = attribute_versions.all_history(reader, entity_ids, limit=call.limit(), after=after)
        total = attribute_versions.count_all_history(reader, entity_ids) if call.flag("count") else None
        answer = answers.history_list(reader, found.rows)
        erased = answers.erasure_list(reader, entity_ids)
    return 200, {"history": answer, "erasures": erased, "page": page(next_cursor=next_statement(found), total=total)}
