"""GET /events: the log as far as the caller may see it, as pages or as a stream that goes on."""

from collections.abc import AsyncGenerator
from functools import partial

import anyio
import msgspec
from starlette.responses import Response

from api import ids
from api.http.calls import Call
from api.http.exchanges import Exchange, Frame, answer, frame_stream
from api.shapes import refs
from api.shapes.instants import moment_of
from api.shapes.paging import cursor_of, page, place_of
from api.shapes.wire import Json
from memory.errors import InvalidRequest, PalimpsestError
from memory.recorded import Recorded
from projections import diffs, feed
from projections.feed import Stretch, Wanted

EVENT_STREAM = "text/event-stream"
POLL_S = 0.25
BATCH = 500


async def list_events(exchange: Exchange) -> Response:
    """Events after a cursor, oldest first; as server-sent events, each with its position as id, all that come.

    Raises InvalidRequest for what is no filter, no cursor, or no position to go on from.
    """
    call = exchange.call
    wanted = _wanted(call)
    if EVENT_STREAM in call.headers.get("accept", ""):
        position = _last_event_id(call)
        await exchange.read(call.caller)
        return frame_stream(_stream(exchange, wanted, position))
    place = place_of(call.query.get("cursor"), int)
    begin = place[0] if place else call.integer("after", 0)
    stretch = await exchange.read(lambda: _read(call, wanted, begin, call.limit()))
    more = stretch.read_to < stretch.head
    return answer(
        200,
        {
            "events": [shown(one) for one in stretch.events],
            "position": stretch.read_to,
            "page": page(next_cursor=cursor_of(stretch.read_to) if more else None),
        },
    )


def shown(one: Recorded) -> Json:
    """An event. payload: null once its content was erased."""
    origin = one.origin
    event = diffs.for_anybody(one).event
    return {
        "position": one.position,
        "topic": one.topic,
        "recordedAt": ids.moment(one.recorded_at),
        "observedAt": ids.moment(origin.observed_at),
        "turnId": origin.turn_id and ids.ulid(origin.turn_id),
        "sessionId": origin.session_id and ids.ulid(origin.session_id),
        "principalId": origin.principal_id and ids.ulid(origin.principal_id),
        "payload": None if event is None else msgspec.to_builtins(event),
    }


def _read(call: Call, wanted: Wanted, position: int, limit: int) -> Stretch:
    with call.reading() as reader:
        return feed.after(call.services.log, reader, wanted, position, limit=limit)


async def _stream(exchange: Exchange, wanted: Wanted, position: int | None) -> AsyncGenerator[Frame, None]:
    """Whatever comes, until the client goes or its key ends. From the head on unless it says where it was."""
    if position is None:
        position = (await exchange.read(lambda: _read(exchange.call, wanted, 0, 1))).head
    while True:
        try:
            stretch = await exchange.read(partial(_read, exchange.call, wanted, position, BATCH))
        except PalimpsestError:
            return  # the key, or the context, is no more
        for one in stretch.events:
            yield Frame(one.topic, shown(one), str(one.position))
        position = stretch.read_to
        if position == stretch.head:
            await anyio.sleep(POLL_S)


def _last_event_id(call: Call) -> int | None:
    text = call.headers.get("last-event-id") or call.query.get("after")
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 15:
        raise InvalidRequest("Last-Event-ID: must be the position of an event")
    return int(text)


def _wanted(call: Call) -> Wanted:
    topics = [topic for text in call.query.getlist("topic") for topic in text.split(",") if topic]
    for topic in topics:
        if topic not in feed.TOPICS:
            raise InvalidRequest(f"topic: {topic!r} is no event of this feed")
    session, turn, entity = (call.query.get(name) for name in ("session", "turn", "entity"))
    return Wanted(
        topics=topics,
        session_id=ids.parse_session(session) if session else None,
        turn_id=ids.parse_turn(turn) if turn else None,
        entity=refs.entity_name(entity, field="entity") if entity else None,
        since=moment_of(call.query.get("since"), field="since"),
        before=moment_of(call.query.get("until"), field="until"),
    )
