"""GET /audit: who asked for what, on whose behalf, and how it ended; a context's, and the operator's own."""

from typing import Any
from uuid import UUID

from api import ids
from api.http.calls import Call
from api.http.observation import MANAGED
from api.shapes.instants import moment_of
from api.shapes.paging import cursor_of, page, place_of
from memory.errors import InvalidRequest, NotFound
from memory.scopes import EVERYTHING
from projections import audit
from projections.audit import AuditRow

KINDS = ("decision", "retrieval", "response")


def list_audit(call: Call) -> tuple[int, dict[str, Any]]:
    """What was done by or for the caller, newest first; everybody's for a holder of `grant:manage` on everything."""
    place = place_of(call.query.get("cursor"), UUID)
    kind = call.query.get("kind") or None
    if kind is not None and kind not in KINDS:
        raise InvalidRequest(f"kind: must be one of {', '.join(KINDS)}")
    since, until = moment_of(call.query.get("since"), field="since"), moment_of(call.query.get("until"), field="until")
    limit = call.limit(default=50)
    call.services.audit.flush()
    with call.reading_as() as (caller, reader):
        principal = call.query.get("principal")
        try:
            principal_id = ids.parse_principal(principal) if principal else None
            key, key_id = _key(call.query.get("key"))
        except NotFound:
            return 200, {"rows": [], "page": page(next_cursor=None)}
        found = audit.newest_first(
            reader.cursor,
            reader.context_id,
            limit=limit,
            own=None if EVERYTHING in caller.patterns("grant:manage") else caller.principal_id,
            holder=caller.key.principal_id if caller.key and caller.is_delegated else None,
            before=place[0] if place else None,
            kind=kind,
            principal_id=principal_id,
            key=key,
            key_id=key_id,
            since=since,
            until=until,
        )
    next_cursor = cursor_of(found.rows[-1].id) if found.has_more else None
    return 200, {"rows": [_row(row) for row in found.rows], "page": page(next_cursor=next_cursor)}


def list_operator_audit(call: Call) -> tuple[int, dict[str, Any]]:
    """Every call of the management API and attempt at one, newest first; also about contexts that are no more."""
    call.require_operator()
    place = place_of(call.query.get("cursor"), UUID)
    since, until = moment_of(call.query.get("since"), field="since"), moment_of(call.query.get("until"), field="until")
    limit = call.limit(default=50)
    call.services.audit.flush()
    with call.services.pool.connection() as connection, connection.cursor() as cursor:
        found = audit.newest_first(
            cursor,
            audit.OPERATOR,
            limit=limit,
            own=None,
            before=place[0] if place else None,
            since=since,
            until=until,
            about=call.query.get("context") or None,
        )
    next_cursor = cursor_of(found.rows[-1].id) if found.has_more else None
    return 200, {"calls": [_operator_call(row) for row in found.rows], "next_cursor": next_cursor}


def _operator_call(row: AuditRow) -> dict[str, Any]:
    return {
        "trace_id": ids.ulid(row.id),
        "operation": row.operation,
        "status": row.status,
        "context": row.about,
        "latency_ms": row.latency_ms,
        "created_at": ids.moment(row.at),
    }


def _key(text: str | None) -> tuple[str | None, UUID | None]:
    """A key by its id (`key:…`) or by its name."""
    if text and text.startswith("key:"):
        return None, ids.parse(text, prefixes=("key:",))
    return text or None, None


def _row(row: AuditRow) -> dict[str, Any]:
    is_delegated = row.holder_id is not None and row.holder_id != row.principal_id
    return {
        "traceId": ids.ulid(row.id),
        "kind": row.kind,
        "operation": row.operation,
        "status": row.status,
        "principal": row.holder_id and ids.principal(row.holder_id),
        "onBehalfOf": ids.principal(row.principal_id) if is_delegated and row.principal_id else None,
        "key": row.key_name,
        "byOperator": MANAGED in row.operation and row.status != 401,
        "cost": row.cost,
        "model": row.model,
        "rowsTouched": row.rows_touched,
        "latencyMs": row.latency_ms,
        "createdAt": ids.moment(row.at),
    }
