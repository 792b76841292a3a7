"""Relations as lists: what holds now, and what stands around an entity."""

from typing import Any
from uuid import UUID

from api.http.calls import Call
from api.routes.entities import named
from api.shapes import answers, details, refs
from api.shapes.paging import next_statement, page, statement_place_of
from memory.errors import InvalidRequest
from memory.known import EntityName
from memory.values import attribute_key
from projections import entities, matches, relations
from projections.reading import Reader


def list_relations(call: Call) -> tuple[int, dict[str, Any]]:
    """Live relations, newest first. An unknown entity or label has none."""
    after = statement_place_of(call.query.get("cursor"))
    subject, target, label = _name(call, "src"), _name(call, "dst"), call.query.get("label")
    label = attribute_key(label) if label else None
    with call.reading(call.asked()) as reader:
        subject_ids, object_ids = _ids(reader, subject), _ids(reader, target)
        found = relations.live(
            reader, limit=call.limit(), subject_ids=subject_ids, object_ids=object_ids, label=label, after=after
        )
        total = None
        if call.flag("count"):
            total = relations.count_live(reader, subject_ids=subject_ids, object_ids=object_ids, label=label)
        answer = answers.relation_list(reader, found.rows)
    return 200, {"relations": answer, "page": page(next_cursor=next_statement(found), total=total)}


def list_neighbours(call: Call) -> tuple[int, dict[str, Any]]:
    """What live relations lead to, newest first. Raises NotFound for an unknown entity.

    minFacts: only what so many facts are known of; InvalidRequest together with count.
    """
    after = statement_place_of(call.query.get("cursor"))
    facts_min = call.integer("minFacts", 0) if call.query.get("minFacts") else None
    if facts_min is not None and call.flag("count"):
        raise InvalidRequest("minFacts: not together with count")
    with call.reading(call.asked()) as reader:
        now = reader.now
        entity_ids = [row.id for row in named(call, reader)]
        found = relations.around(reader, entity_ids, limit=call.limit(), facts_min=facts_min, after=after)
        total = relations.count_around(reader, entity_ids) if call.flag("count") else None
        outbound = {row.id: row.subject_id in entity_ids for row in found.rows}
        far_ids = {row.id: row.object_id if outbound[row.id] else row.subject_id for row in found.rows}
        names = {key: (row.type, row.name_key) for key, row in entities.by_ids(reader, list(far_ids.values())).items()}
        far = matches.of_names(reader, list(names.values()))
    neighbours = [
        details.neighbour(row, far[names[far_ids[row.id]]], outbound=outbound[row.id], now=now) for row in found.rows
    ]
    return 200, {"neighbours": neighbours, "page": page(next_cursor=next_statement(found), total=total)}


def _name(call: Call, parameter: str) -> EntityName | None:
    ref = call.query.get(parameter)
    return refs.entity_name(ref, field=parameter) if ref else None


def _ids(reader: Reader, name: EntityName | None) -> list[UUID] | None:
    return None if name is None else [row.id for row in entities.named(reader, *name)]
