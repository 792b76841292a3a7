"""Who is known in a context: principals, grants, keys, scope nodes, configuration. What the write side asks of
the read side about access; `projections.directory` implements it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from memory.principals import Grants
from memory.scopes import ScopeSet


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who can hold grants and keys. write_scopes: where their writes go by default; empty = nowhere."""

    id: UUID
    display_name: str
    kind: str
    write_scopes: ScopeSet
    external_id: str | None


@dataclass(frozen=True, slots=True)
class HeldGrant:
    """One grant of a principal: verbs on a pattern."""

    id: UUID
    path: str
    verbs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A key that was not revoked; it may have expired. grants: its narrowing, None = all of its holder's."""

    id: UUID
    name: str
    principal_id: UUID
    grants: Grants | None
    minted_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class ScopeNode:
    """A registered scope path."""

    path: str
    display_name: str | None
    description: str | None
    registered_at: datetime
    tombstoned_at: datetime | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A context's own configuration, and what the operator named it."""

    config: Mapping[str, Any]
    namespace: str | None = None
    database: str | None = None
    description: str | None = None
    enforcement_blocked: bool = False


class Directory(Protocol):
    """One consistent view of a context's access."""

    def principal(self, principal_id: UUID) -> Principal | None: ...

    def principal_of_external_id(self, external_id: str) -> Principal | None: ...

    def principal_named(self, display_name: str) -> Principal | None: ...

    def grants(self, principal_id: UUID, *, as_of: datetime | None = None) -> Sequence[HeldGrant]:
        """The grants of a principal, now or as they were known at a time."""
        ...

    def key_named(self, name: str) -> Key | None: ...

    def has_digest(self, digest: str) -> bool:
        """Whether a key with this secret was ever known, dead or alive."""
        ...

    def nodes(self, paths: Sequence[str]) -> Sequence[ScopeNode]:
        """The registered ones of some canonical paths, tombstoned ones too."""
        ...

    def configuration(self) -> Configuration | None: ...
