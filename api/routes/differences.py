"""GET /diff and /turns/{id}/diff: what changed between two places of the log, and by one turn."""

from api import ids
from api.http.calls import Call
from api.shapes import differences, wire
from api.shapes.wire import Json
from memory.errors import InvalidRequest, NotFound
from projections import changes, diffs, turns


def get_diff(call: Call) -> tuple[int, Json]:
    """After `from`, up to `to` (default: now); positions or times. Raises InvalidRequest."""
    begin = call.query.get("from")
    if not begin:
        raise InvalidRequest("from: must be a position or an RFC 3339 time")
    with call.reading() as reader:
        log, connection = call.services.log, reader.cursor.connection
        after = differences.position_of(log, connection, reader.context_id, begin, field="from")
        end = call.query.get("to")
        until = log.head(connection, reader.context_id)
        if end:
            until = min(until, differences.position_of(log, connection, reader.context_id, end, field="to"))
        return 200, differences.shown(changes.between(log, reader, after, until), after, until)


def get_turn_diff(call: Call) -> tuple[int, Json]:
    """What the write of this turn answered, from the log. Raises NotFound."""
    turn_id = ids.parse_turn(call.path["turn_id"])
    with call.reading_as() as (caller, reader):
        turn = turns.by_ids(reader, [turn_id]).get(turn_id)
        if turn is None:
            raise NotFound("there is no such turn")
        learnt = call.services.memory.learning.before(reader.cursor, reader.context_id, turn_id)
        recorded = learnt.recorded
        if turn.principal_id != caller.principal_id:
            recorded = [diffs.for_anybody(one) for one in recorded]
        return 200, {
            "turnId": ids.ulid(turn_id),
            "extraction": wire.extraction(learnt, diffs.turn_diff(reader, recorded)),
        }
