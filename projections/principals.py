"""Principals, their grants and their keys: who may do what, and who might when."""

import json
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import (
    GrantGiven,
    GrantRevoked,
    KeyMinted,
    KeyRevoked,
    KeyRotated,
    PrincipalCreated,
    WriteScopesChosen,
)
from memory.recorded import Recorded
from memory.values import derived_id
from projections.table import Op, Put, Revise, Row, Table, start


class PrincipalRow(Row, frozen=True):
    """write_scopes: a scope set as JSON."""

    display_name: str
    kind: str
    write_scopes: str
    external_id: str | None


class GrantRow(Row, frozen=True):
    """verbs: empty once all were revoked."""

    principal_id: UUID
    path: str
    verbs: list[str]


class KeyRow(Row, frozen=True):
    """grants: verb -> patterns as JSON, None if the key narrows nothing."""

    name: str
    principal_id: UUID
    digest: str
    grants: str | None
    minted_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


PRINCIPALS = Table(
    "principals",
    PrincipalRow,
    columns="display_name text NOT NULL, kind text NOT NULL, write_scopes text NOT NULL, external_id text",
    unique_indexes={"live_external_id": "(external_id) WHERE position_to IS NULL AND known_to IS NULL"},
    revised=True,
)
GRANTS = Table(
    "grants",
    GrantRow,
    columns="principal_id uuid NOT NULL, path text NOT NULL, verbs text[] NOT NULL",
    indexes={"by_principal": "(principal_id)"},
    revised=True,
)
KEYS = Table(
    "keys",
    KeyRow,
    columns="""
    name text NOT NULL,
    principal_id uuid NOT NULL,
    digest text NOT NULL,
    grants text,
    minted_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz
    """,
    unique_indexes={
        "live_digest": "(digest) WHERE position_to IS NULL AND known_to IS NULL AND revoked_at IS NULL",
        "live_name": "(name) WHERE position_to IS NULL AND known_to IS NULL AND revoked_at IS NULL",
    },
    revised=True,
)
HANDLES = (
    PrincipalCreated,
    WriteScopesChosen,
    GrantGiven,
    GrantRevoked,
    KeyMinted,
    KeyRotated,
    KeyRevoked,
)


def fold(recorded: Recorded) -> Iterator[Op]:
    at = recorded.known_at
    match recorded.event:
        case PrincipalCreated() as event:
            yield Put(
                PRINCIPALS,
                PrincipalRow(
                    *start(recorded, event.principal_id),
                    display_name=event.display_name,
                    kind=event.kind,
                    write_scopes=json.dumps(event.write_scopes),
                    external_id=event.external_id,
                ),
            )
        case WriteScopesChosen(principal_id=principal_id, write_scopes=scopes):
            text = json.dumps(scopes)
            yield Revise(PRINCIPALS, principal_id, at, lambda row: replace(row, write_scopes=text))
        case GrantGiven() as event:
            yield Put(
                GRANTS,
                GrantRow(
                    *start(recorded, derived_id(event.principal_id, "grant", recorded.position)),
                    principal_id=event.principal_id,
                    path=event.path,
                    verbs=list(event.verbs),
                ),
            )
        case GrantRevoked(grant_id=grant_id, verbs=verbs):
            yield Revise(
                GRANTS, grant_id, at, lambda row: replace(row, verbs=[verb for verb in row.verbs if verb not in verbs])
            )
        case KeyMinted() as event:
            yield Put(
                KEYS,
                KeyRow(
                    *start(recorded, event.key_id),
                    name=event.name,
                    principal_id=event.principal_id,
                    digest=event.digest,
                    grants=None if event.grants is None else json.dumps(event.grants),
                    minted_at=at,
                    expires_at=event.expires_at,
                    revoked_at=None,
                ),
            )
        case KeyRotated(key_id=key_id, digest=digest, expires_at=expires_at):
            yield Revise(KEYS, key_id, at, lambda row: replace(row, digest=digest, expires_at=expires_at))
        case KeyRevoked(key_id=key_id):
            yield Revise(KEYS, key_id, at, lambda row: replace(row, revoked_at=at))
