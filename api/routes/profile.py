"""GET /profile: who somebody is, as current values by kind."""

from typing import Any

from api.http.calls import Call
from api.shapes import details, wire
from projections import attribute_versions, entities, instructions, speakers

# Which memory category each list of the wire holds.
CATEGORIES = {"static": "identity", "dynamic": "context", "preferences": "knowledge"}


def get_profile(call: Call) -> tuple[int, dict[str, Any]]:
    """Live values by memory category, newest first; selfFacts: those about the speakers of the sessions."""
    limit = call.limit(default=500)
    with call.reading(call.asked()) as reader:
        pages = {
            name: attribute_versions.live_by_category(reader, category, limit=limit)
            for name, category in CATEGORIES.items()
        }
        pages["selfFacts"] = attribute_versions.live_of_entities(reader, speakers.speaker_ids(reader), limit=limit)
        owners = entities.by_ids(reader, [row.entity_id for found in pages.values() for row in found.rows])
        active = instructions.active(reader, limit=limit)
    entries = {
        name: [details.profile_entry(row, owners[row.entity_id]) for row in found.rows] for name, found in pages.items()
    }
    truncated = {name: found.has_more for name, found in pages.items()}
    return 200, {
        **entries,
        "instructions": [wire.instruction(row) for row in active.rows],
        "truncated": {**truncated, "instructions": active.has_more},
    }
