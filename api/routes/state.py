"""GET /state: all that is known now, by memory category."""

from typing import Any

from api.http.calls import Call
from api.shapes import wire
from memory.values import MEMORY_CATEGORIES
from projections import (
    actions,
    attribute_versions,
    entities,
    instructions,
    provenance,
    relations,
    scope_sets,
    uncertainties,
)
from projections.entities import EntityRow
from projections.reading import Page, Reader


def get_state(call: Call) -> tuple[int, dict[str, Any]]:
    limit = call.limit()
    with call.reading(call.asked()) as reader:
        clauses = scope_sets.clauses(reader)
        truncated = dict.fromkeys(("entities", "attributes", "relations", "actions", "instructions", "unknowns"), False)
        state: dict[str, Any] = {}
        for category in MEMORY_CATEGORIES:
            state[category] = _category(reader, category, limit, clauses, truncated)
        active = instructions.active(reader, limit=limit)
        unknowns = uncertainties.unresolved(reader, limit=limit)
    truncated["instructions"] = active.has_more
    truncated["unknowns"] = unknowns.has_more
    return 200, {
        **state,
        "instructions": [wire.instruction(row) for row in active.rows],
        "unknowns": [wire.uncertainty(row) for row in unknowns.rows],
        "truncated": truncated,
    }


def _category(
    reader: Reader,
    category: str,
    limit: int,
    clauses: wire.Scopes,
    truncated: dict[str, bool],
) -> dict[str, Any]:
    now = reader.now
    found: Page[EntityRow] = entities.by_category(reader, category, limit=limit)
    versions = attribute_versions.live_by_category(reader, category, limit=limit)
    edges = relations.live_by_category(reader, category, limit=limit)
    deeds = actions.live_by_category(reader, category, limit=limit)
    for name, page in (("entities", found), ("attributes", versions), ("relations", edges), ("actions", deeds)):
        truncated[name] = truncated[name] or page.has_more
    owners = {row.entity_id for row in versions.rows} | {row.actor_id for row in deeds.rows}
    owners |= {end for edge in edges.rows for end in (edge.subject_id, edge.object_id)}
    known = entities.by_ids(reader, list(owners))
    evidence = provenance.evidence(reader, [row.id for row in found.rows] + [row.id for row in versions.rows])
    return {
        "entities": [wire.entity(row, evidence.get(row.id), now) for row in found.rows],
        "attributes": [
            wire.attribute(row, known[row.entity_id], clauses, evidence.get(row.id), now) for row in versions.rows
        ],
        "relations": [wire.relation(row, known[row.subject_id], known[row.object_id], clauses) for row in edges.rows],
        "actions": [wire.action(row, known[row.actor_id]) for row in deeds.rows],
    }
