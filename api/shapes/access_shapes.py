"""Principals, keys and scope nodes in the wire's shapes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from api import ids
from api.shapes.wire import Json
from memory.directory import HeldGrant, Key, Principal, ScopeNode
from memory.principals import VERBS, Grants, intersection


def grants_of(held: Iterable[HeldGrant]) -> Grants:
    """verb -> patterns of a principal's grants."""
    found: dict[str, set[str]] = {}
    for grant in held:
        for verb in grant.verbs:
            found.setdefault(verb, set()).add(grant.path)
    return {verb: tuple(sorted(found[verb])) for verb in VERBS if verb in found}


def grants(given: Grants) -> Json:
    return {verb: list(patterns) for verb, patterns in given.items()}


def principal(known: Principal, held: Sequence[HeldGrant], *, region: Sequence[str] | None = None) -> Json:
    """region: patterns; only what is granted within them is shown."""
    shown = grants_of(held)
    if region is not None:
        shown = intersection(shown, dict.fromkeys(VERBS, tuple(region)))
    return {
        "id": ids.principal(known.id),
        "displayName": known.display_name,
        "kind": known.kind,
        "externalId": known.external_id,
        "grants": grants(shown),
        "writeScopes": [list(clause) for clause in known.write_scopes],
    }


def key(known: Key, used_at: Mapping[UUID, datetime]) -> Json:
    return {
        "id": ids.key(known.id),
        "name": known.name,
        "principalId": ids.principal(known.principal_id),
        "grants": None if known.grants is None else grants(known.grants),
        "createdAt": ids.moment(known.minted_at),
        "validUntil": ids.moment(known.expires_at),
        "lastUsedAt": ids.moment(used_at.get(known.id)),
    }


def managed_principal(known: Principal, held: Sequence[HeldGrant]) -> Json:
    """As the management API spells it."""
    return _snake(principal(known, held))


def managed_key(known: Key, used_at: Mapping[UUID, datetime]) -> Json:
    return _snake(key(known, used_at))


def _snake(shape: Json) -> Json:
    return {re.sub("([A-Z])", lambda found: "_" + found[1].lower(), name): value for name, value in shape.items()}


def minted(key_id: UUID, name: str, secret: str, expires_at: datetime | None) -> Json:
    """The one answer that ever holds a secret."""
    return {"id": ids.key(key_id), "name": name, "key": secret, "validUntil": ids.moment(expires_at)}


def scope_node(node: ScopeNode) -> dict[str, Any]:
    return {
        "path": node.path,
        "displayName": node.display_name,
        "description": node.description,
        "createdAt": ids.moment(node.registered_at),
        "tombstonedAt": ids.moment(node.tombstoned_at),
    }
