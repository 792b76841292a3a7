"""`memory.directory.Directory` over the read models.

Access is no content of memory: these reads have no scope predicate. They are answered to holders of
`grant:manage`, to operators, and to a caller about itself; `api` decides that.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from psycopg.rows import args_row

from memory.directory import Configuration, HeldGrant, Key, Principal, ScopeNode
from memory.log import Cursor, Writing
from projections import configurations, principals, scope_nodes
from projections.configurations import ConfigurationRow
from projections.principals import GrantRow, KeyRow, PrincipalRow
from projections.reading import Page
from projections.scope_nodes import ScopeNodeRow
from projections.scope_sets import clauses_of
from projections.table import R, Table

T = TypeVar("T")

LIVE = """
SELECT t.* FROM {table} AS t
WHERE t.context_id = %(context_id)s AND t.generation = %(generation)s AND t.position_to IS NULL
    AND t.known_to IS NULL AND ({condition})
{rest}
"""

GRANTS_AS_OF = """
SELECT t.* FROM grants AS t
WHERE t.context_id = %(context_id)s AND t.generation = %(generation)s AND t.position_to IS NULL
    AND t.principal_id = %(principal_id)s
    AND t.known_from <= %(as_of)s AND (t.known_to IS NULL OR t.known_to > %(as_of)s)
ORDER BY t.known_from, t.id
"""

HAS_DIGEST = """
SELECT EXISTS (
    SELECT 1 FROM keys AS t
    WHERE t.context_id = %(context_id)s AND t.generation = %(generation)s AND t.digest = %(digest)s
)
"""


class ReadModelDirectory:
    """The access of one context, in the transaction of a cursor."""

    def __init__(self, cursor: Cursor, context_id: str, generation: int) -> None:
        self.cursor = cursor
        self._bound = {"context_id": context_id, "generation": generation}

    # --- principals and grants ---

    def principal(self, principal_id: UUID) -> Principal | None:
        return _only(self._principals("t.id = %(id)s", id=principal_id))

    def principal_of_external_id(self, external_id: str) -> Principal | None:
        return _only(self._principals("t.external_id = %(external_id)s", external_id=external_id))

    def principal_named(self, display_name: str) -> Principal | None:
        return _only(self._principals("t.display_name = %(display_name)s", display_name=display_name))

    def principals(self, *, limit: int, after: str | None = None) -> Page[Principal]:
        """Principals by display name, which no two share, after the cursor's."""
        found = self._principals(
            "%(after)s::text IS NULL OR t.display_name > %(after)s",
            "ORDER BY t.display_name LIMIT %(limit)s",
            after=after,
            limit=limit + 1,
        )
        return Page(found[:limit], len(found) > limit)

    def grants(self, principal_id: UUID, *, as_of: datetime | None = None) -> list[HeldGrant]:
        parameters = {"principal_id": principal_id, "as_of": as_of}
        if as_of is None:
            rows = self._live(principals.GRANTS, "t.principal_id = %(principal_id)s", "ORDER BY t.id", **parameters)
        else:
            rows = self._rows(principals.GRANTS, GRANTS_AS_OF, parameters)
        return [_grant(row) for row in rows if row.verbs]

    def grants_of_all(self, principal_ids: Sequence[UUID]) -> dict[UUID, list[HeldGrant]]:
        """The present grants of some principals."""
        found: dict[UUID, list[HeldGrant]] = {principal_id: [] for principal_id in principal_ids}
        rows = self._live(principals.GRANTS, "t.principal_id = ANY(%(ids)s)", "ORDER BY t.id", ids=list(principal_ids))
        for row in rows:
            if row.verbs:
                found[row.principal_id].append(_grant(row))
        return found

    # --- keys ---

    def key_named(self, name: str) -> Key | None:
        return _only(self._keys("t.name = %(name)s", name=name))

    def key_of(self, key_id: UUID | None) -> Key | None:
        return _only(self._keys("t.id = %(id)s", id=key_id))

    def keys(
        self, *, limit: int, after: str | None = None, principal_id: UUID | None = None, key_id: UUID | None = None
    ) -> Page[Key]:
        """Keys that were not revoked by name, after the cursor's; of one principal, or only one, if given."""
        found = self._keys(
            "(%(after)s::text IS NULL OR t.name > %(after)s)"
            " AND (%(principal_id)s::uuid IS NULL OR t.principal_id = %(principal_id)s)"
            " AND (%(key_id)s::uuid IS NULL OR t.id = %(key_id)s)",
            "ORDER BY t.name LIMIT %(limit)s",
            after=after,
            principal_id=principal_id,
            key_id=key_id,
            limit=limit + 1,
        )
        return Page(found[:limit], len(found) > limit)

    def has_digest(self, digest: str) -> bool:
        row = self.cursor.connection.execute(HAS_DIGEST, {**self._bound, "digest": digest}).fetchone()
        assert row is not None
        return bool(row[0])

    # --- scope nodes, configuration ---

    def nodes(self, paths: Sequence[str]) -> list[ScopeNode]:
        ids = [scope_nodes.node_id(path) for path in paths]
        return [_node(row) for row in self._live(scope_nodes.TABLE, "t.id = ANY(%(ids)s)", ids=ids)]

    def nodes_by_path(self, *, limit: int, after: str | None = None) -> Page[ScopeNode]:
        """All nodes by path, tombstoned ones too, after the cursor's."""
        rows = self._live(
            scope_nodes.TABLE,
            "%(after)s::text IS NULL OR t.path > %(after)s",
            "ORDER BY t.path LIMIT %(limit)s",
            after=after,
            limit=limit + 1,
        )
        return Page([_node(row) for row in rows[:limit]], len(rows) > limit)

    def configuration(self) -> Configuration | None:
        row = _only(self._live(configurations.TABLE, "true"))
        return None if row is None else _configuration(row)

    # --- rows ---

    def _principals(self, condition: str, rest: str = "", **parameters: Any) -> list[Principal]:
        return [_principal(row) for row in self._live(principals.PRINCIPALS, condition, rest, **parameters)]

    def _keys(self, condition: str, rest: str = "", **parameters: Any) -> list[Key]:
        alive = f"({condition}) AND t.revoked_at IS NULL"
        return [_key(row) for row in self._live(principals.KEYS, alive, rest, **parameters)]

    def _live(self, table: Table[R], condition: str, rest: str = "", **parameters: Any) -> list[R]:
        return self._rows(table, LIVE.format(table=table.name, condition=condition, rest=rest), parameters)

    def _rows(self, table: Table[R], sql: str, parameters: dict[str, Any]) -> list[R]:
        with self.cursor.connection.cursor(row_factory=args_row(table.row), binary=True) as cursor:
            return cursor.execute(sql.encode(), {**parameters, **self._bound}).fetchall()


def directory_of(writing: Writing) -> ReadModelDirectory:
    """The access of a context inside an append, with all that was recorded in it."""
    return ReadModelDirectory(writing.cursor, writing.context_id, writing.generation)


def _only(rows: list[T]) -> T | None:
    return rows[0] if rows else None


def _principal(row: PrincipalRow) -> Principal:
    return Principal(row.id, row.display_name, row.kind, clauses_of(row.write_scopes), row.external_id)


def _grant(row: GrantRow) -> HeldGrant:
    return HeldGrant(row.id, row.path, tuple(row.verbs))


def _key(row: KeyRow) -> Key:
    grants = None if row.grants is None else {verb: tuple(held) for verb, held in json.loads(row.grants).items()}
    return Key(row.id, row.name, row.principal_id, grants, row.minted_at, row.expires_at)


def _node(row: ScopeNodeRow) -> ScopeNode:
    return ScopeNode(row.path, row.display_name, row.description, row.registered_at, row.tombstoned_at)


def _configuration(row: ConfigurationRow) -> Configuration:
    return Configuration(json.loads(row.config), row.namespace, row.database, row.description, row.enforcement_blocked)
