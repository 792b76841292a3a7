"""What changed between two places of the log, as JSON and as text to read."""

from collections.abc import Iterator

from api import ids
from api.shapes import wire
from api.shapes.instants import POSITION_DIGITS_MAX, POSITION_PREFIX, moment_of
from api.shapes.wire import Json
from memory.errors import InvalidRequest
from memory.log import Connection, EventLog
from projections.changes import CORRECTED, ENDED, ERASED, LEARNT, REOPENED, Change, Changes

SIGNS = {LEARNT: "+", REOPENED: "+", CORRECTED: "~", ENDED: "-", ERASED: "x"}
PREFIXES = {"attribute": "attr_", "relation": "rel_", "action": "act_", "uncertainty": "unc_", "instruction": "instr_"}
OF_ENTITIES = {LEARNT: "became known", REOPENED: "is known again", ENDED: "is known no more"}
OF_DOUBTS = {LEARNT: "not certain", REOPENED: "not certain again", ENDED: "doubt settled"}


def position_of(log: EventLog, connection: Connection, context_id: str, text: str, *, field: str) -> int:
    """The position that `text` names: a number, position:N, or the last one before an RFC 3339 time.

    Raises InvalidRequest for anything else.
    """
    digits = text.removeprefix(POSITION_PREFIX)
    if digits.isascii() and digits.isdigit() and len(digits) <= POSITION_DIGITS_MAX:
        return int(digits)
    moment = moment_of(text, field=field)
    if moment is None:
        raise InvalidRequest(f"{field}: must be a position or an RFC 3339 time")
    return log.last_until(connection, context_id, moment)


def shown(found: Changes, after: int, until: int) -> Json:
    return {
        "from": after,
        "to": until,
        "entities": [
            {
                "entity": one.entity and {"id": wire.entity_ref(one.entity), "name": one.entity.name},
                **{kind: [_shown(change) for change in one.changes if change.kind == kind] for kind in SIGNS},
            }
            for one in found.of_entities
        ],
        "truncated": found.truncated,
    }


def told(found: Changes) -> Iterator[str]:
    """Lines to read: + learnt, ~ corrected, - ended, x erased."""
    if not found.of_entities:
        yield "nothing changed"
    for one in found.of_entities:
        yield f"{one.entity.name} ({wire.entity_ref(one.entity)})" if one.entity else "(about no entity)"
        for change in one.changes:
            yield f"  {SIGNS[change.kind]} {_line(change)}  [{change.position}]"
    if found.truncated:
        yield "… and more: ask for a shorter stretch of the log"


def _line(change: Change) -> str:
    if change.kind == ERASED:
        return f"something was erased ({change.value})"
    if change.what == "entity":
        return OF_ENTITIES[change.kind]
    if change.what == "uncertainty":
        return f"{OF_DOUBTS[change.kind]}: {change.value}"
    told_as = change.value if change.former is None else f"{change.former} -> {change.value}"
    return f"{change.key}: {told_as}" + (" (again)" if change.kind == REOPENED else "")


def _shown(change: Change) -> Json:
    return {
        "kind": change.what,
        "id": f"{PREFIXES.get(change.what, '')}{ids.ulid(change.id)}",
        "key": change.key or None,
        "value": change.value,
        "former": change.former,
        "position": change.position,
        "at": ids.moment(change.at),
    }
