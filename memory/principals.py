"""Who is calling, and what they may do: grants, and a caller as one request sees it. Pure.

Grants map a verb to the patterns that it is granted on. Authority only ever shrinks: what a request may do
is the intersection of its key's narrowing, its principal's grants and, when it acts for another principal,
that one's grants.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.errors import Forbidden, InvalidRequest
from memory.scopes import EVERYTHING, ROOT, ScopeSet, canonical_pattern, common, covers, includes, top_of

VERBS = (
    "memory:read",
    "memory:write",
    "memory:forget",
    "scope:read",
    "scope:create",
    "scope:delete",
    "grant:manage",
)
KINDS = ("human", "agent", "service", "unknown")
PATTERNS_MAX = 256

Grants = Mapping[str, tuple[str, ...]]


def grants_of(given: Mapping[str, Iterable[str]]) -> Grants:
    """Canonical grants. Raises InvalidRequest for an unknown verb, InvalidScope for what is no pattern."""
    canonical: dict[str, tuple[str, ...]] = {}
    for verb, patterns in given.items():
        if verb not in VERBS:
            raise InvalidRequest(f"grants: {verb!r} is not a verb; there are {', '.join(VERBS)}")
        canonical[verb] = tuple(sorted({canonical_pattern(pattern) for pattern in patterns}))
        if len(canonical[verb]) > PATTERNS_MAX:
            raise InvalidRequest(f"grants: at most {PATTERNS_MAX} patterns a verb")
    return {verb: canonical[verb] for verb in VERBS if canonical.get(verb)}


def intersection(one: Grants, other: Grants) -> Grants:
    """What both grant."""
    found: dict[str, tuple[str, ...]] = {}
    for verb in VERBS:
        pairs = ((a, b) for a in one.get(verb, ()) for b in other.get(verb, ()))
        patterns = {pattern for pattern in (common(a, b) for a, b in pairs) if pattern}
        if patterns:
            found[verb] = tuple(sorted(_widest(patterns)))
    return found


def within(narrow: Grants, wide: Grants) -> bool:
    """Whether `narrow` grants nothing that `wide` does not."""
    return all(
        any(includes(outer, pattern) for outer in wide.get(verb, ()))
        for verb, patterns in narrow.items()
        for pattern in patterns
    )


def verbs_on(grants: Grants, path: str) -> list[str]:
    """The verbs granted on a canonical path."""
    return [verb for verb in VERBS if any(covers(pattern, path) for pattern in grants.get(verb, ()))]


def default_scopes(grants: Grants) -> ScopeSet:
    """Where writes go that say nothing: one clause of all that `memory:write` is granted on, nodes below
    another dropped. Whoever is to see such a row must be granted all of it. Empty without that verb."""
    tops = {top_of(pattern) for pattern in grants.get("memory:write", ())}
    if ROOT in tops:
        return ((ROOT,),)
    clause = sorted(top for top in tops if not any(top != other and top.startswith(other) for other in tops))
    return (tuple(clause),) if clause else ()


def _widest(patterns: set[str]) -> set[str]:
    return {
        pattern for pattern in patterns if not any(other != pattern and includes(other, pattern) for other in patterns)
    }


@dataclass(frozen=True, slots=True)
class KeyUse:
    """The key that a request came with. principal_id: its holder. grants: its narrowing, None = the holder's all."""

    key_id: UUID
    name: str
    principal_id: UUID
    grants: Grants | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a request is done, and what it may do.

    principal_id, display_name, kind: the principal itself, or the one that it acts for.
    grants: what is effective, after all intersections. own_grants: of the key's holder.
    write_scopes: where its writes go unless they say otherwise; empty if they may go nowhere.
    visible, writable, forgettable: ids of the scope sets that the grants let it read, write and forget in, at
    the time of the request. key: None for what the server finishes by itself.
    """

    context_id: str
    principal_id: UUID
    display_name: str
    kind: str
    grants: Grants
    write_scopes: ScopeSet
    visible: Sequence[UUID]
    writable: Sequence[UUID]
    forgettable: Sequence[UUID]
    own_grants: Grants
    key: KeyUse | None = None

    @property
    def is_delegated(self) -> bool:
        return self.key is not None and self.key.principal_id != self.principal_id

    def patterns(self, verb: str) -> Sequence[str]:
        """The patterns that `verb` is granted on."""
        return self.grants.get(verb, ())

    def may(self, verb: str, scopes: ScopeSet) -> bool:
        """Whether the grants cover every path of every clause."""
        return all(any(covers(one, path) for one in self.patterns(verb)) for clause in scopes for path in clause)

    def require(self, verb: str, scopes: ScopeSet) -> None:
        """Raises Forbidden unless `may`."""
        for path in {path for clause in scopes for path in clause}:
            if not any(covers(pattern, path) for pattern in self.patterns(verb)):
                raise Forbidden(f"the key's grants do not cover {verb} on {path}")

    def require_everywhere(self, verb: str) -> None:
        """Raises Forbidden unless the verb is granted on everything."""
        if EVERYTHING not in self.patterns(verb):
            raise Forbidden(f"the key's grants do not cover {verb} on everything")
