"""Undo: turns retracted and corrections undone; each can be undone itself by the id of its revision."""

from uuid import UUID

from api import ids
from api.http.calls import Call
from api.shapes import answers, refs
from api.shapes.schemas import DryRunBody
from api.shapes.wire import Json
from memory.events import Settled
from memory.ports import Revised
from memory.principals import Caller
from projections import attribute_versions, relations


def retract_turn(call: Call) -> tuple[int, Json]:
    """Raises NotFound, Forbidden, Conflict if nothing of the turn counts any more."""
    turn_id, revision_id = ids.parse_turn(call.path["turn_id"]), ids.new_id()
    caller, dry_run = call.caller(), _is_dry(call)
    revised = call.services.revising.retract(caller, turn_id, revision_id, dry_run=dry_run)
    return 200, _answer(call, caller, revised, revision_id, dry_run=dry_run)


def undo_correction(call: Call) -> tuple[int, Json]:
    """Also undoes a retraction or an undo, by its `revisionId`. Raises NotFound, Forbidden, Conflict."""
    target = ids.parse(call.path["correction_id"], prefixes=(refs.CORRECTION_PREFIX, "rev_"))
    revision_id, caller, dry_run = ids.new_id(), call.caller(), _is_dry(call)
    revised = call.services.revising.undo(caller, target, revision_id, dry_run=dry_run)
    return 200, _answer(call, caller, revised, revision_id, dry_run=dry_run)


def _is_dry(call: Call) -> bool:
    return call.flag("dryRun") or call.parsed(DryRunBody).dry_run


def _answer(call: Call, caller: Caller, revised: Revised, revision_id: UUID, *, dry_run: bool) -> Json:
    """The revision with the statements that it withdraws and restores, as they are now; of what it does where the
    caller may write but not read, nothing."""
    parts = [part for part in revised.parts if part.scope_set_id in caller.visible]
    return {
        "revisionId": None if dry_run else f"rev_{ids.ulid(revision_id)}",
        "dryRun": dry_run,
        "withdrawn": _statements(call, [one for part in parts for one in part.withdrawn]),
        "restored": _statements(call, [one for part in parts for one in part.restored]),
        "closed": [_thing(end) for part in parts for end in part.closed],
        "reopened": [_thing(end) for part in parts for end in part.reopened],
        "correctionsUndone": [ids.correction(one) for part in parts for one in part.undone],
        "unreached": _statements(call, [one.id for one in revised.beyond]),
    }


def _thing(end: Settled) -> Json:
    return {"kind": end.kind, "id": ids.ulid(end.id)}


def _statements(call: Call, statement_ids: list[UUID]) -> list[Json]:
    with call.reading() as reader:
        versions = attribute_versions.by_ids(reader, statement_ids)
        edges = relations.by_ids(reader, statement_ids)
        return [
            *answers.attribute_list(reader, list(versions.values())),
            *answers.relation_list(reader, list(edges.values())),
        ]
