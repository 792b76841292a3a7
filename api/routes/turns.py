"""GET /turns/{id}: the words themselves, and how far they are understood."""

from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import details
from memory.errors import NotFound
from projections import turns


def get_turn(call: Call) -> tuple[int, dict[str, Any]]:
    turn_id = ids.parse_turn(call.path["turn_id"])
    with call.reading(call.asked()) as reader:
        row = turns.by_ids(reader, [turn_id]).get(turn_id)
        if row is None:
            raise NotFound("there is no such turn")
        return 200, details.turn(row, turns.extraction(reader, turn_id))
