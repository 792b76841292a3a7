"""Entities and the history of what is known of them."""

from datetime import UTC, datetime
from typing import Any

from api import wire
from api.calls import Call
from api.paging import cursor_of, page, place_of
from memory.errors import InvalidRequest, NotFound
from memory.values import attribute_key, entity_type, name_key
from projections import attribute_versions, entities, provenance, relations, scope_sets
from projections.entities import EntityRow
from projections.reading import Reader


def list_entities(call: Call) -> tuple[int, dict[str, Any]]:
    kind = call.query.get("type")
    kind = entity_type(kind) if kind else None
    place = place_of(call.query.get("cursor"), str, str)
    offset = call.integer("offset", 0)
    if place and offset:
        raise InvalidRequest("offset: not together with cursor")
    with call.reading() as reader:
        found = entities.by_type_and_name(
            reader,
            entity_type=kind,
            limit=call.limit(),
            offset=offset,
            after=(place[0], place[1]) if place else None,
        )
        evidence = provenance.evidence(reader, [row.id for row in found.rows])
        total = entities.count(reader, entity_type=kind) if call.flag("count") else None
    now = datetime.now(UTC)
    last = found.rows[-1] if found.has_more else None
    return 200, {
        "entities": [wire.entity(row, evidence.get(row.id), now) for row in found.rows],
        "page": page(next_cursor=cursor_of(last.type, last.name_key) if last else None, total=total),
    }


def get_entity(call: Call) -> tuple[int, dict[str, Any]]:
    limit = call.limit(default=500)
    with call.reading() as reader:
        rows = _named(call, reader)
        ids_of_name = [row.id for row in rows]
        versions = attribute_versions.live_of_entities(reader, ids_of_name, limit=limit)
        edges = relations.live_of_entities(reader, ids_of_name, limit=limit)
        ends = {end for edge in edges.rows for end in (edge.subject_id, edge.object_id)}
        known = entities.by_ids(reader, [*ids_of_name, *ends])
        evidence = provenance.evidence(reader, [*ids_of_name, *(row.id for row in versions.rows)])
        clauses = scope_sets.clauses(reader)
    now = datetime.now(UTC)
    return 200, {
        "entity": wire.entity(rows[0], evidence.get(rows[0].id), now),
        "attributes": [
            wire.attribute(row, known[row.entity_id], clauses, evidence.get(row.id), now) for row in versions.rows
        ],
        "relations": [wire.relation(row, known[row.subject_id], known[row.object_id], clauses) for row in edges.rows],
        "truncated": {"attributes": versions.has_more, "relations": edges.has_more},
    }


def get_history(call: Call) -> tuple[int, dict[str, Any]]:
    with call.reading() as reader:
        rows = _named(call, reader)
        known = {row.id: row for row in rows}
        versions = attribute_versions.history(reader, list(known), attribute_key(call.path["key"]))
        evidence = provenance.evidence(reader, [row.id for row in versions])
        clauses = scope_sets.clauses(reader)
    now = datetime.now(UTC)
    return 200, {
        "history": [wire.attribute(row, known[row.entity_id], clauses, evidence.get(row.id), now) for row in versions]
    }


def forget_entity(call: Call) -> tuple[int, None]:
    call.services.forgetting.forget_entity(call.caller(), _name(call))
    return 204, None


def _name(call: Call) -> tuple[str, str]:
    return entity_type(call.path["entity_type"]), name_key(call.path["entity_name"])


def _named(call: Call, reader: Reader) -> list[EntityRow]:
    rows = entities.named(reader, *_name(call))
    if not rows:
        raise NotFound("there is no such entity")
    return rows
