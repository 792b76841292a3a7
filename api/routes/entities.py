"""Entities and the history of what is known of them."""

from typing import Any

from api import erasures, ids
from api.http.calls import Call
from api.routes.forgetting import listed
from api.shapes import answers, story, wire
from api.shapes.paging import cursor_of, page, place_of
from memory.erasing import ENTITY
from memory.errors import InvalidRequest, NotFound
from memory.values import attribute_key, entity_type, name_key
from projections import attribute_versions, entities, provenance
from projections.entities import EntityRow
from projections.erasing.plan import Plan
from projections.erasing.planner import Planner
from projections.reading import Reader


def list_entities(call: Call) -> tuple[int, dict[str, Any]]:
    kind = call.query.get("type")
    kind = entity_type(kind) if kind else None
    place = place_of(call.query.get("cursor"), str, str)
    offset = call.integer("offset", 0)
    if place and offset:
        raise InvalidRequest("offset: not together with cursor")
    with call.reading(call.asked()) as reader:
        found = entities.by_type_and_name(
            reader,
            entity_type=kind,
            limit=call.limit(),
            offset=offset,
            after=(place[0], place[1]) if place else None,
        )
        evidence = provenance.evidence(reader, [row.id for row in found.rows])
        total = entities.count(reader, entity_type=kind) if call.flag("count") else None
        now = reader.now
    last = found.rows[-1] if found.has_more else None
    return 200, {
        "entities": [wire.entity(row, evidence.get(row.id), now) for row in found.rows],
        "page": page(next_cursor=cursor_of(last.type, last.name_key) if last else None, total=total),
    }


def get_entity(call: Call) -> tuple[int, dict[str, Any]]:
    limit = call.limit(default=500)
    with call.reading(call.asked()) as reader:
        return 200, answers.entity_facts(reader, named(call, reader), limit=limit)


def get_history(call: Call) -> tuple[int, dict[str, Any]]:
    key = attribute_key(call.path["key"])
    with call.reading(call.asked()) as reader:
        entity_ids = [row.id for row in named(call, reader)]
        versions = attribute_versions.history(reader, entity_ids, key)
        return 200, {
            "history": answers.history_list(reader, versions),
            "erasures": answers.erasure_list(reader, entity_ids),
        }


def explain(call: Call) -> tuple[int, dict[str, Any]]:
    """The story of one fact, as data and as text. Raises NotFound if nothing is known of it."""
    with call.reading(call.asked()) as reader:
        chapters = story.chapters(reader, name_in(call), attribute_key(call.path["key"]))
    if not chapters:
        raise NotFound("nothing is known of that")
    return 200, {"chapters": chapters, "text": "\n".join(story.told(chapters))}


def forget_entity(call: Call) -> tuple[int, dict[str, Any] | None]:
    """Hide it; with `purge`, erase all that is known of it. dryRun lists what it would take."""
    caller, name = call.caller(), name_in(call)

    def plan(planner: Planner) -> Plan:
        return planner.by_entity(name)

    if call.flag("purge") or call.flag("dryRun"):
        erasures.require_forget(caller)
    if call.flag("dryRun"):
        return 200, listed(erasures.planned(call.services, caller, plan), purge=call.flag("purge"))
    if call.flag("purge"):
        erasures.erased(call.services, caller, plan, ENTITY)
    else:
        call.services.forgetting.forget_entity(caller, name, session_id=ids.new_id())
    return 204, None


def name_in(call: Call) -> tuple[str, str]:
    """The (type, normalised name) that the path gives."""
    return entity_type(call.path["entity_type"]), name_key(call.path["entity_name"])


def named(call: Call, reader: Reader) -> list[EntityRow]:
    """The entity that the path names, in each visible scope set. Raises NotFound if it is in none."""
    rows = entities.named(reader, *name_in(call))
    if not rows:
        raise NotFound("there is no such entity")
    return rows
