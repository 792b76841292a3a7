"""GET /me: who the key's holder is, and what it may do."""

from typing import Any

from api import access_shapes, ids
from api.calls import Call


def get_me(call: Call) -> tuple[int, dict[str, Any]]:
    with call.directory() as (caller, directory):
        assert caller.key is not None
        holder = directory.principal(caller.key.principal_id)
    assert holder is not None
    return 200, {
        "principalId": ids.principal(holder.id),
        "displayName": holder.display_name,
        "kind": holder.kind,
        "grants": access_shapes.grants(caller.own_grants),
        "tokenGrants": None if caller.key.grants is None else access_shapes.grants(caller.key.grants),
        "effectiveGrants": access_shapes.grants(caller.grants),
        "delegatedPrincipalId": ids.principal(caller.principal_id) if caller.is_delegated else None,
        "writeScopes": [list(clause) for clause in caller.write_scopes],
        "enforce": True,
    }
