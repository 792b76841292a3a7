"""GET /actions: what somebody did or plans to do."""

from datetime import datetime
from typing import Any

from api.http.calls import Call
from api.shapes import refs, wire
from api.shapes.instants import moment_of
from api.shapes.paging import cursor_of, page, place_of
from memory.values import attribute_key
from projections import actions, entities


def list_actions(call: Call) -> tuple[int, dict[str, Any]]:
    """Actions, newest first: since <= when it occurred, or was said if that is not known, < until."""
    place = place_of(call.query.get("cursor"), datetime, int)
    ref, verb = call.query.get("actor"), call.query.get("verb")
    name = refs.entity_name(ref, field="actor") if ref else None
    since, until = (moment_of(call.query.get(name), field=name) for name in ("since", "until"))
    with call.reading(call.asked()) as reader:
        wanted = actions.Wanted(
            actor_ids=None if name is None else [row.id for row in entities.named(reader, *name)],
            verb=attribute_key(verb) if verb else None,
            since=since,
            until=until,
        )
        after = (place[0], place[1]) if place else None
        found = actions.newest_first(reader, wanted, limit=call.limit(), after=after)
        total = actions.count(reader, wanted) if call.flag("count") else None
        actors = entities.by_ids(reader, [row.actor_id for row in found.rows])
    last = found.rows[-1] if found.has_more else None
    return 200, {
        "actions": [wire.action(row, actors[row.actor_id]) for row in found.rows],
        "page": page(next_cursor=cursor_of(last.said_at, last.position) if last else None, total=total),
    }
