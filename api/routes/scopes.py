"""The tree of registered scopes."""

from typing import Any

from api.http.calls import Call
from api.shapes import access_shapes
from api.shapes.access_schemas import ScopeBody
from api.shapes.listings import filtered, listing
from memory.administration import Administration
from memory.directory import ScopeNode
from memory.errors import InvalidRequest, Unsupported
from memory.principals import verbs_on
from memory.scopes import canonical_path
from projections.directory import directory_of
from projections.reading import Page


def list_scopes(call: Call) -> tuple[int, Any]:
    """Nodes that the caller has any grant over, live and tombstoned, by path."""
    with call.directory() as (caller, directory):

        def fetch(limit: int, after: str | None) -> Page[ScopeNode]:
            return directory.nodes_by_path(limit=limit, after=after)

        shown = filtered(fetch, _path, lambda node: bool(verbs_on(caller.grants, node.path)))
        return 200, listing(call, "scopes", shown, _path, lambda nodes: [access_shapes.scope_node(n) for n in nodes])


def register_scope(call: Call) -> tuple[int, dict[str, Any]]:
    """The node; one that is there already only takes new names. Missing nodes above it are made."""
    caller = call.caller()
    body = call.parsed(ScopeBody)
    caller.require("scope:create", ((body.path,),))
    with call.services.log.writing(caller.context_id) as writing:
        administration = Administration(writing, directory_of, by=caller.principal_id)
        path = administration.register(body.path, display_name=body.display_name, description=body.description)
        nodes = directory_of(writing).nodes([path])
    if not nodes:
        raise InvalidRequest("path: the root needs no registration")
    return 201, access_shapes.scope_node(nodes[0])


def delete_scope(call: Call) -> tuple[int, None]:
    """Tombstones the node alone. What is stored under it stays, and so do the nodes below."""
    caller = call.caller()
    text = call.query.get("path")
    if text is None:
        raise InvalidRequest("path: is required")
    path = canonical_path(text)
    caller.require("scope:delete", ((path,),))
    with call.services.log.writing(caller.context_id) as writing:
        Administration(writing, directory_of, by=caller.principal_id).tombstone(path)
    return 204, None


def grant_scopes(call: Call) -> tuple[int, None]:
    """The vendor answers this operation with 501, always."""
    call.caller()
    raise Unsupported("grants on scopes are given to principals: POST /principals/{id}/grants")


def _path(node: ScopeNode) -> str:
    return node.path
