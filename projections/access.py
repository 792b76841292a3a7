"""Who is calling: from the digest of a key to a caller and what it may see.

These reads come before any scope is known, so they are the one place that reads without a scope
predicate; they show nothing but the caller's own grants.
"""

import json
from typing import Any
from uuid import UUID

import psycopg

from memory.principals import Caller, Grant, patterns_of
from memory.scopes import scope_set, visible
from projections.scope_sets import clauses_of

KEY_HOLDER = """
SELECT c.generation, p.id, p.display_name, p.kind, p.write_scopes
FROM contexts AS c
JOIN keys AS k ON k.context_id = c.context_id AND k.generation = c.generation
    AND k.digest = %(digest)s AND k.position_to IS NULL AND k.known_to IS NULL
JOIN principals AS p ON p.context_id = c.context_id AND p.generation = c.generation
    AND p.id = k.principal_id AND p.position_to IS NULL AND p.known_to IS NULL
WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL
"""

LIVE_GENERATION = "SELECT generation FROM contexts WHERE context_id = %(context_id)s"

GRANTS = """
SELECT g.path, g.verbs FROM grants AS g
WHERE g.context_id = %(context_id)s AND g.generation = %(generation)s AND g.principal_id = %(principal_id)s
    AND g.position_to IS NULL AND g.known_to IS NULL
"""

SCOPE_SETS = """
SELECT s.id, s.clauses FROM scope_sets AS s
WHERE s.context_id = %(context_id)s AND s.generation = %(generation)s
    AND s.position_to IS NULL AND s.known_to IS NULL
"""


PRINCIPAL = """
SELECT c.generation, p.id, p.display_name, p.kind, p.write_scopes
FROM contexts AS c
JOIN principals AS p ON p.context_id = c.context_id AND p.generation = c.generation
    AND p.id = %(principal_id)s AND p.position_to IS NULL AND p.known_to IS NULL
WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL
"""


def caller_of(connection: psycopg.Connection[Any], context_id: str, digest: str) -> tuple[Caller, int] | None:
    """The holder of the key with this digest, and the live generation; None if there is none in this context."""
    return _caller(connection, context_id, KEY_HOLDER, {"context_id": context_id, "digest": digest})


def caller_of_principal(connection: psycopg.Connection[Any], context_id: str, principal_id: UUID) -> Caller | None:
    """A principal as if it called now, for what the server finishes on its behalf."""
    found = _caller(connection, context_id, PRINCIPAL, {"context_id": context_id, "principal_id": principal_id})
    return found[0] if found else None


def _caller(
    connection: psycopg.Connection[Any], context_id: str, query: str, parameters: dict[str, Any]
) -> tuple[Caller, int] | None:
    with connection.cursor(binary=True) as cursor:
        holder = cursor.execute(query.encode(), parameters).fetchone()
        if holder is None:
            return None
        generation, principal_id, display_name, kind, write_scopes = holder
        parameters = {"context_id": context_id, "generation": generation, "principal_id": principal_id}
        grants = [Grant(path, frozenset(verbs)) for path, verbs in cursor.execute(GRANTS, parameters).fetchall()]
        scope_sets = cursor.execute(SCOPE_SETS, parameters).fetchall()
    caller = Caller(
        context_id=context_id,
        principal_id=principal_id,
        display_name=display_name,
        kind=kind,
        grants=grants,
        write_scopes=scope_set(json.loads(write_scopes)),
        visible=_covered(scope_sets, patterns_of(grants, "memory:read")),
        forgettable=_covered(scope_sets, patterns_of(grants, "memory:forget")),
    )
    return caller, generation


def every_scope_set(connection: psycopg.Connection[Any], context_id: str) -> tuple[int, list[UUID]]:
    """The live generation and all scope sets of a context, for the server's own work on behalf of nobody."""
    generation = connection.execute(LIVE_GENERATION, {"context_id": context_id}).fetchone()
    assert generation is not None
    parameters = {"context_id": context_id, "generation": generation[0]}
    return generation[0], [scope_set_id for scope_set_id, _ in connection.execute(SCOPE_SETS, parameters)]


def _covered(scope_sets: list[tuple[UUID, str]], patterns: list[str]) -> list[UUID]:
    return [scope_set_id for scope_set_id, clauses in scope_sets if visible(clauses_of(clauses), patterns)]
