"""Sessions and the turns in them."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from api import ids
from api.http.calls import Call
from api.http.repeats import request_key
from api.shapes import wire
from api.shapes.paging import cursor_of, page, place_of
from api.shapes.schemas import SessionBody
from memory import idempotency
from memory.errors import Conflict, InvalidRequest, NotFound
from memory.idempotency import Done
from memory.texts import readable
from projections import scope_sets, sessions, turns

METADATA_DEPTH_MAX = 200


def create_session(call: Call) -> tuple[int, dict[str, Any]]:
    caller = call.caller()
    body = call.parsed(SessionBody)
    metadata = None if body.metadata is None else _metadata(body.metadata)
    request = request_key(call, caller, "sessions")
    memory = call.services.memory
    with memory.log.writing(caller.context_id) as writing:
        done = idempotency.find(writing, request) if request else None
        if done is None:
            session_id = ids.new_id()
            session, opened = memory.sessions.open(writing, caller, session_id, scopes=body.scopes, metadata=metadata)
            if request:
                idempotency.keep(writing, request, session_id, [])
    if done is not None:
        return _created_before(call, done)
    return 201, {
        "id": ids.ulid(session_id),
        "createdAt": ids.moment(opened.recorded_at),
        "scopes": [list(clause) for clause in session.scopes],
        "position": opened.position,
    }


def _created_before(call: Call, done: Done) -> tuple[int, dict[str, Any]]:
    """The session as it was answered the first time. Raises Conflict if it can't be seen any more."""
    assert done.session_id is not None
    with call.reading() as reader:
        row = sessions.one(reader, done.session_id)
        if row is None:
            raise Conflict("the session of this Idempotency-Key is out of reach")
        clauses = scope_sets.clauses(reader)[row.scope_set_id]
    return 201, {
        "id": ids.ulid(row.id),
        "createdAt": ids.moment(row.opened_at),
        "scopes": clauses,
        "position": row.position_from,
    }


def close_session(call: Call) -> tuple[int, None]:
    call.services.memory.sessions.close(call.caller(), ids.parse_session(call.path["session_id"]))
    return 204, None


def list_sessions(call: Call) -> tuple[int, dict[str, Any]]:
    place = place_of(call.query.get("cursor"), datetime, UUID)
    with call.reading(call.asked()) as reader:
        found = sessions.newest_first(reader, limit=call.limit(), before=(place[0], place[1]) if place else None)
        clauses = scope_sets.clauses(reader)
    last = found.rows[-1] if found.has_more else None
    return 200, {
        "sessions": [wire.session(row, clauses) for row in found.rows],
        "page": page(next_cursor=cursor_of(last.opened_at, last.id) if last else None),
    }


def get_session(call: Call) -> tuple[int, dict[str, Any]]:
    session_id = ids.parse_session(call.path["session_id"])
    with call.reading(call.asked()) as reader:
        row = sessions.one(reader, session_id)
        if row is None:
            raise NotFound("there is no such session")
        answer = wire.session(row, scope_sets.clauses(reader))
        count = turns.count_of_session(reader, session_id)
    metadata = None if row.metadata is None else json.loads(row.metadata)
    return 200, {**answer, "metadata": metadata, "turnCount": count}


def list_turns(call: Call) -> tuple[int, dict[str, Any]]:
    session_id = ids.parse_session(call.path["session_id"])
    place = place_of(call.query.get("cursor"), int)
    offset = call.integer("offset", 0)
    if place and offset:
        raise InvalidRequest("offset: not together with cursor")
    with call.reading(call.asked()) as reader:
        if sessions.one(reader, session_id) is None:
            raise NotFound("there is no such session")
        found = turns.of_session(reader, session_id, limit=call.limit(), after=place[0] if place else 0, offset=offset)
        total = turns.count_of_session(reader, session_id) if call.flag("count") else None
    next_cursor = cursor_of(found.rows[-1].seq) if found.has_more else None
    return 200, {"turns": [wire.turn(row) for row in found.rows], "page": page(next_cursor=next_cursor, total=total)}


def _metadata(value: Any) -> str:
    """The value as JSON text, once all of it can be stored and read back."""
    for text in _texts(value, depth=1):
        readable(text, field="metadata")
    return json.dumps(value, ensure_ascii=False)


def _texts(value: Any, *, depth: int) -> Iterator[str]:
    if depth > METADATA_DEPTH_MAX:
        raise InvalidRequest(f"metadata: nested more than {METADATA_DEPTH_MAX} deep")
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from _texts(one, depth=depth + 1)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, depth=depth + 1)
