"""GET /corrections: why facts were replaced."""

from typing import Any

from api import ids, wire
from api.calls import Call
from api.paging import cursor_of, page, place_of
from memory.errors import InvalidRequest
from memory.values import attribute_key, entity_type, name_key
from projections import attribute_versions, corrections, entities


def list_corrections(call: Call) -> tuple[int, dict[str, Any]]:
    place = place_of(call.query.get("cursor"), int)
    key = call.query.get("key")
    session = call.query.get("session")
    with call.reading() as reader:
        entity_ids = None
        if ref := call.query.get("entity"):
            kind, separator, name = ref.removeprefix("entity:").partition("/")
            if not separator:
                raise InvalidRequest("entity: must be <type>/<name>")
            entity_ids = [row.id for row in entities.named(reader, entity_type(kind), name_key(name))]
        found = corrections.newest_first(
            reader,
            limit=call.limit(),
            entity_ids=entity_ids,
            key=attribute_key(key) if key else None,
            session_id=ids.parse_session(session) if session else None,
            before=place[0] if place else None,
        )
        versions = attribute_versions.by_ids(
            reader, [version for row in found.rows for version in (row.old_version_id, row.new_version_id)]
        )
        owners = entities.by_ids(reader, [version.entity_id for version in versions.values()])
    answers = []
    for row in found.rows:
        old, new = versions[row.old_version_id], versions[row.new_version_id]
        answers.append(wire.correction(row, old, new, owners[new.entity_id], new.source_kind))
    next_cursor = cursor_of(found.rows[-1].position_from) if found.has_more else None
    return 200, {"corrections": answers, "page": page(next_cursor=next_cursor)}
