"""Principals and their grants, for holders of `grant:manage`.

Whoever holds it on everything sees all; else only what is granted within the patterns that it is held on,
and the principals that have such grants.
"""

from datetime import UTC
from typing import Any
from uuid import UUID

from api import ids
from api.http.calls import Call
from api.shapes import access_shapes
from api.shapes.access_schemas import GrantBody, PrincipalBody, WriteScopesBody
from api.shapes.instants import moment_of
from api.shapes.listings import filtered, listing
from memory.administration import Administration
from memory.directory import HeldGrant, Principal
from memory.errors import Forbidden, InvalidRequest, NotFound
from memory.principals import Caller, Grants, verbs_on, within
from memory.scopes import EVERYTHING, canonical_path, common
from projections.directory import ReadModelDirectory, directory_of
from projections.reading import Page

MANAGE = "grant:manage"


def list_principals(call: Call) -> tuple[int, Any]:
    with call.directory() as (caller, directory):
        region = _region(caller)

        def fetch(limit: int, after: str | None) -> Page[Principal]:
            return directory.principals(limit=limit, after=after)

        def is_shown(known: Principal) -> bool:
            return region is None or _is_shown(directory.grants(known.id), region)

        def shape(rows: list[Principal]) -> list[dict[str, Any]]:
            held = directory.grants_of_all([row.id for row in rows])
            return [access_shapes.principal(row, held[row.id], region=region) for row in rows]

        return 200, listing(call, "principals", filtered(fetch, _name, is_shown), _name, shape)


def get_principal(call: Call) -> tuple[int, dict[str, Any]]:
    principal_id = ids.parse_principal(call.path["principal_id"])
    with call.directory() as (caller, directory):
        return 200, _shown(directory, principal_id, _region(caller))


def create_principal(call: Call) -> tuple[int, dict[str, Any]]:
    """The principal of the external id as it is, or a new one."""
    caller = call.caller()
    body = call.parsed(PrincipalBody)
    caller.require_everywhere(MANAGE)
    with call.services.log.writing(caller.context_id) as writing:
        principal_id = Administration(writing, directory_of, by=caller.principal_id).create_principal(
            ids.new_id(), body.display_name, kind=body.kind, grants=body.grants, external_id=body.external_id
        )
        return 201, _shown(directory_of(writing), principal_id, _region(caller))


def get_effective(call: Call) -> tuple[int, dict[str, Any]]:
    """The verbs that a principal has on a path, now or as it was granted at `asOf`."""
    principal_id = ids.parse_principal(call.path["principal_id"])
    if not call.query.get("path"):
        raise InvalidRequest("path: is required")
    path = canonical_path(call.query["path"])
    as_of = moment_of(call.query.get("asOf") or call.query.get("as_of"), field="asOf")
    with call.directory() as (caller, directory):
        region = _region(caller)
        if MANAGE not in verbs_on(caller.grants, path):
            raise Forbidden(f"the key's grants do not cover {MANAGE} on {path}")
        known = directory.principal(principal_id)
        if known is None or not _is_shown(directory.grants(principal_id), region):
            raise NotFound("there is no such principal")
        held = access_shapes.grants_of(directory.grants(principal_id, as_of=as_of))
    answer: dict[str, Any] = {"path": path, "verbs": verbs_on(held, path)}
    if as_of is not None:
        answer["asOf"] = ids.moment(as_of.astimezone(UTC))
    return 200, answer


def grant(call: Call) -> tuple[int, dict[str, Any]]:
    return _changed(call, is_given=True)


def revoke(call: Call) -> tuple[int, dict[str, Any]]:
    return _changed(call, is_given=False)


def choose_write_scopes(call: Call) -> tuple[int, dict[str, Any]]:
    """Set where a principal's writes go unless they say otherwise."""
    caller = call.caller()
    principal_id = ids.parse_principal(call.path["principal_id"])
    body = call.parsed(WriteScopesBody)
    caller.require_everywhere(MANAGE)
    with call.services.log.writing(caller.context_id) as writing:
        Administration(writing, directory_of, by=caller.principal_id).choose_write_scopes(
            principal_id, body.scopes or ()
        )
        return 200, _shown(directory_of(writing), principal_id, None)


def _changed(call: Call, *, is_given: bool) -> tuple[int, dict[str, Any]]:
    caller = call.caller()
    principal_id = ids.parse_principal(call.path["principal_id"])
    region = _region(caller)
    body = call.parsed(GrantBody)
    wanted: Grants = {MANAGE: (body.path,)}
    if not within(wanted, {MANAGE: caller.grants[MANAGE]}):
        raise Forbidden(f"the key's grants do not cover {MANAGE} on {body.path}")
    with call.services.log.writing(caller.context_id) as writing:
        administration = Administration(writing, directory_of, by=caller.principal_id)
        change = administration.give if is_given else administration.revoke
        change(principal_id, body.path, body.verbs)
        known = directory_of(writing).principal(principal_id)
        assert known is not None, "it was changed just now"
        return 200, access_shapes.principal(known, directory_of(writing).grants(principal_id), region=region)


def _region(caller: Caller) -> tuple[str, ...] | None:
    """The patterns that the caller may manage grants in, None for everything. Raises Forbidden for none."""
    patterns = tuple(caller.patterns(MANAGE))
    if not patterns:
        raise Forbidden(f"the key's grants do not cover {MANAGE} anywhere")
    return None if EVERYTHING in patterns else patterns


def _is_shown(held: list[HeldGrant], region: tuple[str, ...] | None) -> bool:
    return region is None or any(common(grant.path, pattern) for grant in held for pattern in region)


def _shown(directory: ReadModelDirectory, principal_id: UUID, region: tuple[str, ...] | None) -> dict[str, Any]:
    known = directory.principal(principal_id)
    held = directory.grants(principal_id)
    if known is None or not _is_shown(held, region):
        raise NotFound("there is no such principal")
    return access_shapes.principal(known, held, region=region)


def _name(known: Principal) -> str:
    return known.display_name
