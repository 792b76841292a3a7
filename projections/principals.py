"""Principals, their grants and their keys: who may do what."""

import json
from collections.abc import Iterator
from uuid import UUID

from memory.events import GrantGiven, KeyMinted, PrincipalCreated
from memory.recorded import Recorded
from memory.values import derived_id
from projections.table import Op, Put, Row, Table, start


class PrincipalRow(Row, frozen=True):
    display_name: str
    kind: str
    write_scopes: str


class GrantRow(Row, frozen=True):
    principal_id: UUID
    path: str
    verbs: list[str]


class KeyRow(Row, frozen=True):
    name: str
    principal_id: UUID
    digest: str


PRINCIPALS = Table(
    "principals",
    PrincipalRow,
    columns="display_name text NOT NULL, kind text NOT NULL, write_scopes text NOT NULL",
)
GRANTS = Table(
    "grants",
    GrantRow,
    columns="principal_id uuid NOT NULL, path text NOT NULL, verbs text[] NOT NULL",
    indexes={"by_principal": "(principal_id)"},
)
KEYS = Table(
    "keys",
    KeyRow,
    columns="name text NOT NULL, principal_id uuid NOT NULL, digest text NOT NULL",
    unique_indexes={"live_digest": "(digest) WHERE position_to IS NULL AND known_to IS NULL"},
)
HANDLES = (PrincipalCreated, GrantGiven, KeyMinted)


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case PrincipalCreated() as event:
            yield Put(
                PRINCIPALS,
                PrincipalRow(
                    *start(recorded, event.principal_id),
                    display_name=event.display_name,
                    kind=event.kind,
                    write_scopes=json.dumps(event.write_scopes),
                ),
            )
        case GrantGiven() as event:
            grant_id = derived_id(event.principal_id, "grant", recorded.position)
            yield Put(
                GRANTS,
                GrantRow(
                    *start(recorded, grant_id),
                    principal_id=event.principal_id,
                    path=event.path,
                    verbs=list(event.verbs),
                ),
            )
        case KeyMinted() as event:
            yield Put(
                KEYS,
                KeyRow(
                    *start(recorded, event.key_id),
                    name=event.name,
                    principal_id=event.principal_id,
                    digest=event.digest,
                ),
            )
