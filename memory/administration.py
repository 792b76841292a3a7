"""Access and configuration as events: principals, grants, keys, scope nodes. Inside an append.

Whether the caller may ask for it is decided at the edge (`api`); here stands what may never happen.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.directory import Directory, Key, Principal
from memory.errors import Conflict, Forbidden, InvalidRequest, NotFound
from memory.events import (
    ContextConfigured,
    Event,
    GrantGiven,
    GrantRevoked,
    KeyMinted,
    KeyRevoked,
    KeyRotated,
    PrincipalCreated,
    ScopeRegistered,
    ScopeTombstoned,
    WriteScopesChosen,
)
from memory.log import Writing
from memory.principals import VERBS, Grants, default_scopes
from memory.recorded import Origin, Recorded
from memory.scopes import ROOT, ROOT_SET, ScopeSet, ancestors, canonical_path, canonical_pattern, includes, scope_set_id
from memory.values import derived_id

_NAMESPACE = UUID("2a6f3f3f-6f0c-5a1c-9d49-0a4c6f1f8e02")
ADMIN = derived_id(_NAMESPACE, "principal", "admin")
SYSTEM = derived_id(_NAMESPACE, "principal", "system")

DirectoryOf = Callable[[Writing], Directory]


class Administration:
    """One append's worth of changes to who may do what. by: the principal that does it, None for the operator."""

    def __init__(self, writing: Writing, directory_of: DirectoryOf, *, by: UUID | None) -> None:
        self._writing = writing
        self._directory_of = directory_of
        self._origin = Origin(principal_id=by, scope_set_id=scope_set_id(ROOT_SET))

    @property
    def directory(self) -> Directory:
        return self._directory_of(self._writing)

    # --- principals ---

    def create_principal(
        self, principal_id: UUID, display_name: str, *, kind: str, grants: Grants, external_id: str | None = None
    ) -> UUID:
        """The principal of `external_id` as it is, or a new one. Raises Conflict for a name that is taken."""
        if external_id is not None:
            known = self.directory.principal_of_external_id(external_id)
            if known is not None:
                return known.id
        if self.directory.principal_named(display_name) is not None:
            raise Conflict(f"there is a principal called {display_name!r} already")
        self._record(
            PrincipalCreated(
                principal_id=principal_id,
                display_name=display_name,
                kind=kind,
                write_scopes=default_scopes(grants),
                external_id=external_id,
            ),
            *_given(principal_id, grants),
        )
        return principal_id

    def give(self, principal_id: UUID, path: str, verbs: Sequence[str]) -> None:
        """Grant `verbs` on a pattern, as far as exactly they are not granted yet. A principal whose writes went
        nowhere gets its default write scope from its first `memory:write`. Raises NotFound, Forbidden."""
        principal = self._changeable(principal_id)
        path = canonical_pattern(path)
        held = {verb for grant in self.directory.grants(principal_id) if grant.path == path for verb in grant.verbs}
        fresh = tuple(verb for verb in VERBS if verb in verbs and verb not in held)
        if not fresh:
            return
        self._record(GrantGiven(principal_id=principal_id, path=path, verbs=fresh))
        if "memory:write" in fresh and not principal.write_scopes:
            scopes = default_scopes({"memory:write": (path,)})
            self._record(WriteScopesChosen(principal_id=principal_id, write_scopes=scopes))

    def revoke(self, principal_id: UUID, path: str, verbs: Sequence[str]) -> None:
        """Take `verbs` on all that the pattern includes. Raises InvalidRequest if there only is a wider grant,
        which would still give them, NotFound, Forbidden."""
        self._changeable(principal_id)
        path = canonical_pattern(path)
        events: list[Event] = []
        wider = ""
        for grant in self.directory.grants(principal_id):
            taken = tuple(verb for verb in grant.verbs if verb in verbs)
            if not taken:
                continue
            if includes(path, grant.path):
                events.append(GrantRevoked(principal_id=principal_id, grant_id=grant.id, path=grant.path, verbs=taken))
            elif includes(grant.path, path):
                wider = grant.path
        if wider and not events:
            raise InvalidRequest(f"path: these verbs come from the wider grant on {wider}; revoke that one")
        self._record(*events)

    def replace_grants(self, principal_id: UUID, grants: Grants) -> None:
        """Give and revoke until exactly `grants` are held. Raises NotFound, Forbidden."""
        self._changeable(principal_id)
        wanted = {path: {verb for verb in VERBS if path in grants.get(verb, ())} for path in _paths(grants)}
        for grant in self.directory.grants(principal_id):
            extra = tuple(verb for verb in grant.verbs if verb not in wanted.get(grant.path, ()))
            if extra:
                self._record(GrantRevoked(principal_id=principal_id, grant_id=grant.id, path=grant.path, verbs=extra))
        for path, verbs in wanted.items():
            self.give(principal_id, path, sorted(verbs))

    def choose_write_scopes(self, principal_id: UUID, scopes: ScopeSet) -> None:
        """Set where a principal's writes go unless they say otherwise. Raises NotFound, Forbidden."""
        principal = self._changeable(principal_id)
        if principal.write_scopes != scopes:
            self._record(WriteScopesChosen(principal_id=principal_id, write_scopes=scopes))

    def _changeable(self, principal_id: UUID) -> Principal:
        principal = self.directory.principal(principal_id)
        if principal is None:
            raise NotFound("there is no such principal")
        if principal_id == SYSTEM:
            raise Forbidden("the system principal can't be changed")
        return principal

    # --- keys ---

    def mint(
        self,
        key_id: UUID,
        name: str,
        principal_id: UUID,
        digest: str,
        *,
        grants: Grants | None,
        expires_at: datetime | None,
    ) -> None:
        """Raises Conflict for a name that is taken."""
        if self.directory.key_named(name) is not None:
            raise Conflict(f"there is a key called {name!r} already")
        self._record(
            KeyMinted(
                key_id=key_id,
                name=name,
                principal_id=principal_id,
                digest=digest,
                grants=None if grants is None else dict(grants),
                expires_at=expires_at,
            )
        )

    def rotate(self, key: Key, digest: str, expires_at: datetime | None) -> None:
        """Give the key another secret; the former one dies with this append."""
        self._record(KeyRotated(key_id=key.id, digest=digest, expires_at=expires_at))

    def revoke_key(self, key: Key) -> None:
        self._record(KeyRevoked(key_id=key.id))

    # --- scope nodes ---

    def register(self, path: str, *, display_name: str | None = None, description: str | None = None) -> str:
        """Register a path with the missing nodes above it; one that is there only takes new names. Returns it
        canonical. Raises InvalidScope."""
        path = canonical_path(path)
        if path != ROOT:
            known = {node.path: node for node in self.directory.nodes([*ancestors(path), path])}
            for one in (*ancestors(path), path):
                node = known.get(one)
                names = (display_name, description) if one == path else (None, None)
                is_news = any(names) and node is not None and (node.display_name, node.description) != names
                if node is None or node.tombstoned_at is not None or is_news:
                    self._record(registered(one, is_again=node is not None, names=names))
        return path

    def tombstone(self, path: str) -> None:
        """Raises Forbidden for the root, NotFound."""
        path = canonical_path(path)
        if path == ROOT:
            raise Forbidden("the root scope can't be deleted")
        node = next(iter(self.directory.nodes([path])), None)
        if node is None:
            raise NotFound("there is no such scope")
        if node.tombstoned_at is None:
            self._record(ScopeTombstoned(path=path))

    # --- configuration ---

    def configure(self, changes: Mapping[str, Any], **names: Any) -> None:
        """Merge `changes` into the context's own configuration: objects key by key, anything else replaces what
        was there, null takes it away. names: other fields of ContextConfigured that change."""
        held = self.directory.configuration()
        config = merged(held.config if held else {}, changes)
        fields = {
            name: names.get(name, getattr(held, name, None))
            for name in ("namespace", "database", "description", "enforcement_blocked")
        }
        self._record(
            ContextConfigured(
                config=json.dumps(config, ensure_ascii=False, sort_keys=True),
                is_first=held is None,
                namespace=fields["namespace"],
                database=fields["database"],
                description=fields["description"],
                enforcement_blocked=bool(fields["enforcement_blocked"]),
            )
        )

    def _record(self, *events: Event) -> list[Recorded]:
        return self._writing.record(events, self._origin)


def registered(path: str, *, is_again: bool, names: tuple[str | None, str | None] = (None, None)) -> ScopeRegistered:
    return ScopeRegistered(path=path, is_again=is_again, display_name=names[0], description=names[1])


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`changes` over `base`; see `Administration.configure`."""
    result = dict(base)
    for name, value in changes.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict):
            below = result.get(name)
            result[name] = merged(below if isinstance(below, dict) else {}, value)
        else:
            result[name] = value
    return result


def _given(principal_id: UUID, grants: Grants) -> list[GrantGiven]:
    """One grant a pattern, with all its verbs."""
    return [
        GrantGiven(
            principal_id=principal_id, path=path, verbs=tuple(verb for verb in VERBS if path in grants.get(verb, ()))
        )
        for path in _paths(grants)
    ]


def _paths(grants: Grants) -> list[str]:
    return sorted({path for patterns in grants.values() for path in patterns})
