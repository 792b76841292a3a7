"""Who is calling: a principal with its grants, as one request sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.errors import Forbidden
from memory.scopes import ScopeSet, covers

VERBS = (
    "memory:read",
    "memory:write",
    "memory:forget",
    "scope:read",
    "scope:create",
    "scope:delete",
    "grant:manage",
)


@dataclass(frozen=True, slots=True)
class Grant:
    """`verbs` on what the pattern `path` covers."""

    path: str
    verbs: frozenset[str]


def patterns_of(grants: Sequence[Grant], verb: str) -> list[str]:
    """The patterns that `verb` is granted on."""
    return [grant.path for grant in grants if verb in grant.verbs]


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal behind a request's key.

    visible, forgettable: ids of the scope sets that its grants let it read, and forget in, at the
    time of the request.
    write_scopes: where its writes go unless they say otherwise.
    """

    context_id: str
    principal_id: UUID
    display_name: str
    kind: str
    grants: Sequence[Grant]
    write_scopes: ScopeSet
    visible: Sequence[UUID]
    forgettable: Sequence[UUID]

    def require(self, verb: str, scopes: ScopeSet) -> None:
        """Raises Forbidden unless the grants cover every path of every clause."""
        patterns = patterns_of(self.grants, verb)
        for path in {path for clause in scopes for path in clause}:
            if not any(covers(pattern, path) for pattern in patterns):
                raise Forbidden(f"the key's grants do not cover {verb} on {path}")
