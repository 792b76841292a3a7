"""Who is calling: from the digest of a key to a caller, and to what it may see.

This is the one place that turns grants into ids of scope sets. These reads come before any scope is known, so
they read without a scope predicate; they show nothing but the caller's own grants. Never ask inside an append
that may be rolled back: what was seen of scope sets is kept.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import psycopg

from memory.principals import Caller, Grants, KeyUse, default_scopes, intersection, within
from memory.regions import Region
from memory.scopes import EVERYTHING, Lens, ScopeSet, in_lens, visible_clauses
from projections.scope_sets import clauses_of

CONTEXTS_KEPT = 1_000
VIEWS_KEPT = 200

LIVE = "t.position_to IS NULL AND t.known_to IS NULL"

# A principal with its grants as JSON; after the columns of a key or NULLs.
PRINCIPAL_COLUMNS = f"""
    p.id, p.display_name, p.kind, p.write_scopes, (
        SELECT coalesce(json_agg(json_build_array(t.path, t.verbs)), '[]')::text FROM grants AS t
        WHERE t.context_id = c.context_id AND t.generation = c.generation AND t.principal_id = p.id AND {LIVE}
    )
"""

# Whether there are scope sets that this process has not read yet.
HAS_MORE_SCOPE_SETS = """
    EXISTS (
        SELECT 1 FROM scope_sets AS s
        WHERE s.context_id = c.context_id AND s.generation = c.generation AND s.position_from > %(after)s
    )
"""

KEY_HOLDER = f"""
SELECT c.generation, {HAS_MORE_SCOPE_SETS}, k.id, k.name, k.grants, k.expires_at, {PRINCIPAL_COLUMNS}
FROM contexts AS c
JOIN keys AS k ON k.context_id = c.context_id AND k.generation = c.generation
    AND k.digest = %(digest)s AND k.position_to IS NULL AND k.known_to IS NULL AND k.revoked_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
JOIN principals AS p ON p.context_id = c.context_id AND p.generation = c.generation
    AND p.id = k.principal_id AND p.position_to IS NULL AND p.known_to IS NULL
WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL
"""

PRINCIPAL = f"""
SELECT c.generation, {PRINCIPAL_COLUMNS}
FROM contexts AS c
JOIN principals AS p ON p.context_id = c.context_id AND p.generation = c.generation
    AND (p.id = %(principal_id)s::uuid OR p.external_id = %(external_id)s::text)
    AND p.position_to IS NULL AND p.known_to IS NULL
WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL
ORDER BY p.id = %(principal_id)s::uuid DESC NULLS LAST
LIMIT 1
"""

LIVE_GENERATION = "SELECT generation FROM contexts WHERE context_id = %(context_id)s AND deleted_at IS NULL"

SCOPE_SETS = """
SELECT s.id, s.clauses, s.position_from FROM scope_sets AS s
WHERE s.context_id = %(context_id)s AND s.generation = %(generation)s AND s.position_from > %(after)s
    AND s.position_to IS NULL AND s.known_to IS NULL
ORDER BY s.position_from
"""


@dataclass(frozen=True, slots=True)
class _Holder:
    """A principal as it was found."""

    principal_id: UUID
    display_name: str
    kind: str
    write_scopes: ScopeSet
    grants: Grants


def caller_of(
    connection: psycopg.Connection[Any],
    context_id: str,
    digest: str,
    *,
    on_behalf_of: tuple[UUID | None, str] | None = None,
) -> tuple[Caller, int] | None:
    """The holder of the key with this digest, and the live generation; None if there is none in this context.

    on_behalf_of: another principal, by id or external id, that the holder acts for: the caller is that one
    then, with what both may do. A principal that does not exist leaves nothing to be done: the caller may
    nothing, just as on behalf of one without grants.
    """
    seen = _kept(connection, context_id)
    parameters = {"context_id": context_id, "digest": digest, "after": seen.position}
    row = _row(connection, KEY_HOLDER, parameters)
    if row is None:
        return None
    generation, has_more, key_id, name, narrowing, expires_at, *columns = row
    if has_more:
        _read_on(seen, connection, context_id, generation)
    holder = _holder(columns)
    grants = None if narrowing is None else {verb: tuple(held) for verb, held in json.loads(narrowing).items()}
    key = KeyUse(key_id, name, holder.principal_id, grants, expires_at)
    effective = holder.grants if grants is None else intersection(holder.grants, grants)
    subject = holder
    if on_behalf_of is not None:
        principal_id, external_id = on_behalf_of
        of_subject = {"context_id": context_id, "principal_id": principal_id, "external_id": external_id}
        row = _row(connection, PRINCIPAL, of_subject)
        subject = _holder(row[1:]) if row else _Holder(NOBODY, "", "unknown", (), {})
        effective = intersection(effective, subject.grants)
    return _caller(context_id, subject, effective, seen, own_grants=holder.grants, key=key), generation


NOBODY = UUID(int=0)


def caller_of_principal(
    connection: psycopg.Connection[Any], context_id: str, principal_id: UUID, *, region: Region | None = None
) -> Caller | None:
    """A principal as if it called now, for what the server finishes on its behalf. region: that it may read of
    what it is granted, None for all."""
    parameters = {"context_id": context_id, "principal_id": principal_id, "external_id": None}
    row = _row(connection, PRINCIPAL, parameters)
    if row is None:
        return None
    generation, *columns = row
    holder = _holder(columns)
    grants = holder.grants
    if region is not None:
        grants = intersection(grants, {**grants, "memory:read": region})
    seen = _kept(connection, context_id)
    _read_on(seen, connection, context_id, generation)
    return _caller(context_id, holder, grants, seen, own_grants=holder.grants)


def every_scope_set(connection: psycopg.Connection[Any], context_id: str) -> tuple[int, list[UUID]]:
    """The live generation and all scope sets of a context, for the server's own work on behalf of nobody."""
    generation = generation_of(connection, context_id)
    assert generation is not None
    parameters = {"context_id": context_id, "generation": generation, "after": 0}
    return generation, [row[0] for row in connection.execute(SCOPE_SETS, parameters)]


def generation_of(connection: psycopg.Connection[Any], context_id: str) -> int | None:
    """The live generation of a context's read models, None if there is no such context."""
    row = connection.execute(LIVE_GENERATION, {"context_id": context_id}).fetchone()
    return row[0] if row else None


def narrowed(connection: psycopg.Connection[Any], caller: Caller, lens: Lens) -> Caller:
    """The caller, seeing only what involves every pattern of some clause of the lens."""
    seen = _kept(connection, caller.context_id)
    return replace(caller, visible=seen.view(tuple(caller.patterns("memory:read")), lens))


def _caller(
    context_id: str,
    subject: _Holder,
    grants: Grants,
    seen: "_ScopeSets",
    *,
    own_grants: Grants,
    key: KeyUse | None = None,
) -> Caller:
    # The stored default is kept while it may be written to, so that a new grant does not move where facts go.
    stored = {"memory:write": tuple(path for clause in subject.write_scopes for path in clause)}
    is_open = bool(subject.write_scopes) and within(stored, grants)
    return Caller(
        context_id=context_id,
        principal_id=subject.principal_id,
        display_name=subject.display_name,
        kind=subject.kind,
        grants=grants,
        write_scopes=subject.write_scopes if is_open else default_scopes(grants),
        visible=seen.view(tuple(grants.get("memory:read", ()))),
        writable=seen.view(tuple(grants.get("memory:write", ()))),
        forgettable=seen.view(tuple(grants.get("memory:forget", ()))),
        own_grants=own_grants,
        key=key,
    )


def _row(connection: psycopg.Connection[Any], query: str, parameters: dict[str, Any]) -> Any:
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(query.encode(), parameters).fetchone()


def _holder(columns: Sequence[Any]) -> _Holder:
    principal_id, display_name, kind, write_scopes, grants = columns
    held: dict[str, set[str]] = {}
    for path, verbs in json.loads(grants):
        for verb in verbs:
            held.setdefault(verb, set()).add(path)
    return _Holder(
        principal_id,
        display_name,
        kind,
        clauses_of(write_scopes),
        {verb: tuple(sorted(paths)) for verb, paths in held.items()},
    )


# --- which scope sets there are, and which of them some patterns cover ---


@dataclass
class _View:
    """The scope sets that some patterns cover, as far as they were looked at."""

    looked_at: int = 0
    ids: list[UUID] = field(default_factory=list)


class _ScopeSets:
    """The scope sets of one context, as far as this process has read them. They are only ever added.

    A request may see more ids here than its snapshot has rows of: those rows are just not there yet.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.position = 0
        self._all: list[tuple[UUID, ScopeSet]] = []
        self._views: OrderedDict[tuple[tuple[str, ...], Lens | None], _View] = OrderedDict()

    def add(self, rows: Sequence[tuple[UUID, str, int]]) -> None:
        with self._lock:
            for scope_set_id, clauses, position in rows:
                if position > self.position:
                    self._all.append((scope_set_id, clauses_of(clauses)))
                    self.position = position

    def view(self, patterns: tuple[str, ...], lens: Lens | None = None) -> Sequence[UUID]:
        """The ids of those that the patterns cover, and that the lens shows."""
        with self._lock:
            view = self._views.setdefault((patterns, lens), _View())
            self._views.move_to_end((patterns, lens))
            if len(self._views) > VIEWS_KEPT:
                self._views.popitem(last=False)
            if view.looked_at < len(self._all):
                fresh = self._all[view.looked_at :]
                view.ids = view.ids + [one for one, clauses in fresh if _is_shown(clauses, patterns, lens)]
                view.looked_at = len(self._all)
            return view.ids


def _is_shown(clauses: ScopeSet, patterns: tuple[str, ...], lens: Lens | None) -> bool:
    if EVERYTHING in patterns and lens is None:
        return True
    shown = visible_clauses(clauses, patterns)
    return bool(shown) and (lens is None or in_lens(shown, lens))


_contexts: OrderedDict[tuple[str, int, str, str], _ScopeSets] = OrderedDict()
_contexts_lock = threading.Lock()


def _kept(connection: psycopg.Connection[Any], context_id: str) -> _ScopeSets:
    info = connection.info
    place = (info.host, info.port, info.dbname, context_id)
    with _contexts_lock:
        kept = _contexts.setdefault(place, _ScopeSets())
        _contexts.move_to_end(place)
        if len(_contexts) > CONTEXTS_KEPT:
            _contexts.popitem(last=False)
        return kept


def _read_on(kept: _ScopeSets, connection: psycopg.Connection[Any], context_id: str, generation: int) -> None:
    parameters = {"context_id": context_id, "generation": generation, "after": kept.position}
    with connection.cursor(binary=True) as cursor:
        kept.add(cursor.execute(SCOPE_SETS.encode(), parameters).fetchall())
