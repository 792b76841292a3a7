"""Forgetting: what leaves every read, and what is erased for good."""

from typing import Any

from api import erasures, ids
from api.erasures import Erased
from api.http.calls import Call
from api.shapes.schemas import ForgetBody, ForgetScopeBody
from api.shapes.wire import Json
from memory.erasing import QUERY, SCOPE, TURN
from memory.errors import InvalidRequest, NotFound
from memory.scopes import canonical_path
from projections import erasures as erasure_rows
from projections import scope_sets
from projections.erasing.plan import Match, Plan
from projections.erasing.planner import MATCHES_MAX, Planner
from projections.recall.question import parsed


def forget(call: Call) -> tuple[int, Json]:
    """By what was said: out of sight, or with `purge` erased. dryRun lists what it would take.

    Raises InvalidRequest for a blank query, Forbidden without memory:forget.
    """
    caller, body = call.caller(), call.parsed(ForgetBody)
    erasures.require_forget(caller)
    if not body.query.strip():
        raise InvalidRequest("query: must not be blank")
    limit = body.limit or MATCHES_MAX
    vector, model = call.services.embedder.question(body.query, call.context_id)
    question = parsed(body.query, vector=vector, model=model)

    def plan(planner: Planner) -> Plan:
        return planner.by_query(body.query, question, limit=limit)

    if body.dry_run:
        return 200, listed(erasures.planned(call.services, caller, plan), purge=body.purge)
    if body.purge:
        return 200, _answer(erasures.erased(call.services, caller, plan, QUERY, query=body.query))
    matches = erasures.planned(call.services, caller, plan).matches
    things = [(one.kind, one.id) for one in matches]
    return 200, {"deleted": call.services.forgetting.forget(caller, things, session_id=ids.new_id())}


def forget_scope(call: Call) -> tuple[int, Json]:
    """Erase all that touches the scope or one below it. Raises InvalidRequest for no path, Forbidden."""
    caller, body = call.caller(), call.parsed(ForgetScopeBody)
    if body.path is None or not body.path.strip():
        raise InvalidRequest("path: must not be blank")
    path = canonical_path(body.path)
    caller.require("memory:forget", ((path,),))
    with call.reading() as reader:
        touched = [
            scope_set_id
            for scope_set_id, clauses in scope_sets.all_of(reader).items()
            if any(one.startswith(path) or path == "/" for clause in clauses for one in clause)
        ]
    scopes = [one for one in touched if one in caller.forgettable]

    def plan(planner: Planner) -> Plan:
        return planner.by_scopes(scopes)

    if body.dry_run:
        return 200, {"forgotten": len(erasures.planned(call.services, caller, plan).positions), "dryRun": True}
    done = erasures.erased(call.services, caller, plan, SCOPE)
    return 200, {"forgotten": done.events, "erasureId": done.erasure_id and ids.ulid(done.erasure_id)}


def erase_turn(call: Call) -> tuple[int, Json]:
    """Erase a turn and what only it supports. Raises NotFound for one that the caller may not forget."""
    caller, turn_id = call.caller(), ids.parse_turn(call.path["turn_id"])
    erasures.require_forget(caller)

    def plan(planner: Planner) -> Plan:
        return planner.by_turn(turn_id)

    if call.flag("dryRun"):
        return 200, listed(erasures.planned(call.services, caller, plan), purge=True)
    done = erasures.erased(call.services, caller, plan, TURN)
    if done.erasure_id is None:
        raise NotFound("there is no such turn")
    return 200, _answer(done)


def get_erasure(call: Call) -> tuple[int, Json]:
    """That something was erased, when, by whom and why, and whether anything of it is left on the disk."""
    erasure_id = ids.parse(call.path["erasure_id"])
    with call.reading() as reader:
        found = erasure_rows.one(reader, erasure_id)
    if found is None:
        raise NotFound("there is no such erasure")
    return 200, {
        "id": ids.ulid(found.erasure_id),
        "reason": found.reason,
        "principal": found.principal_id and ids.ulid(found.principal_id),
        "erasedAt": ids.moment(found.erased_at),
        "events": found.events,
        "status": "scrubbed" if found.scrubbed_at else "erased",
        "scrubbedAt": ids.moment(found.scrubbed_at),
    }


def _answer(done: Erased) -> Json:
    return {
        "deleted": len(done.plan.matches),
        "erasureId": done.erasure_id and ids.ulid(done.erasure_id),
        "events": done.events,
        "residual": _shown(done.plan.residual),
        "truncated": done.plan.truncated,
    }


def listed(plan: Plan, *, purge: bool) -> Json:
    answer: Json = {
        "deleted": len(plan.matches),
        "dryRun": True,
        "matches": _shown(plan.matches),
        "truncated": plan.truncated,
    }
    if purge:
        answer |= {"also": _shown(plan.along), "events": len(plan.positions), "residual": _shown(plan.residual)}
    return answer


def _shown(matches: list[Match]) -> list[dict[str, Any]]:
    return [{"kind": one.kind, "id": ids.ulid(one.id), "text": one.text} for one in matches]
