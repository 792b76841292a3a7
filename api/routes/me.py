"""GET /me: who the key's holder is, and what it may do; GET /providers: which models it reaches."""

from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import access_shapes


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


def list_providers(call: Call) -> tuple[int, dict[str, Any]]:
    """The models that the context is configured to ask, by their providers."""
    context_id = call.caller().context_id
    settings = call.services.models.settings(context_id)
    chosen = [choice for choice in (settings.extraction, settings.response, settings.embedding_choice) if choice]
    providers = sorted({choice.provider for choice in chosen})
    return 200, {
        "providers": [
            {
                "name": provider,
                "models": sorted({choice.model for choice in chosen if choice.provider == provider}),
                "reachable": all(choice.usable for choice in chosen if choice.provider == provider),
            }
            for provider in providers
        ]
    }
