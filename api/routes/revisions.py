"""Undo: turns retracted and corrections undone; each can be undone itself by the id of its revision."""

from uuid import UUID

from api import ids
from api.http.calls import Call
from api.shapes import answers, refs
from api.shapes.schemas import DryRunBody
from api.shapes.wire import Json
from memory.ports import Revision
from projections import attribute_versions, relations


def retract_turn(call: Call) -> tuple[int, Json]:
    """Raises NotFound, Forbidden, Conflict if nothing of the turn counts any more."""
    turn_id, revision_id = ids.parse_turn(call.path["turn_id"]), ids.new_id()
    dry_run = _is_dry(call)
    revision = call.services.revising.retract(call.caller(), turn_id, revision_id, dry_run=dry_run)
    return 200, _answer(call, revision, revision_id, dry_run=dry_run)


def undo_correction(call: Call) -> tuple[int, Json]:
    """Also undoes a retraction or an undo, by its `revisionId`. Raises NotFound, Forbidden, Conflict."""
    target = ids.parse(call.path["correction_id"], prefixes=(refs.CORRECTION_PREFIX, "rev_"))
    revision_id, dry_run = ids.new_id(), _is_dry(call)
    revision = call.services.revising.undo(call.caller(), target, revision_id, dry_run=dry_run)
    return 200, _answer(call, revision, revision_id, dry_run=dry_run)


def _is_dry(call: Call) -> bool:
    return call.flag("dryRun") or call.parsed(DryRunBody).dry_run


def _answer(call: Call, revision: Revision, revision_id: UUID, *, dry_run: bool) -> Json:
    """The revision with the statements that it withdraws and restores, as they are now."""
    return {
        "revisionId": None if dry_run else f"rev_{ids.ulid(revision_id)}",
        "dryRun": dry_run,
        "withdrawn": _statements(call, list(revision.withdrawn)),
        "restored": _statements(call, list(revision.restored)),
        "closed": [{"kind": end.kind, "id": ids.ulid(end.id)} for end in revision.closed],
        "reopened": [{"kind": end.kind, "id": ids.ulid(end.id)} for end in revision.reopened],
        "correctionsUndone": [ids.correction(one) for one in revision.undone],
    }


def _statements(call: Call, statement_ids: list[UUID]) -> list[Json]:
    with call.reading() as reader:
        versions = attribute_versions.by_ids(reader, statement_ids)
        edges = relations.by_ids(reader, statement_ids)
        return [
            *answers.attribute_list(reader, list(versions.values())),
            *answers.relation_list(reader, list(edges.values())),
        ]
