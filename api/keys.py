"""API keys: making, keeping and recognising them."""

import secrets
from hashlib import blake2b
from itertools import count

from api.errors import StartupError
from memory.administration import ADMIN, SYSTEM, Administration
from memory.events import GrantGiven, PrincipalCreated, ScopeSetDefined
from memory.log import Connection, EventLog, Pool, Writing
from memory.principals import VERBS
from memory.recorded import Origin
from memory.scopes import EVERYTHING, ROOT_SET, scope_set_id
from memory.values import derived_id
from projections.access import caller_of
from projections.directory import directory_of

BOOTSTRAP_KEY_NAME = "bootstrap"

IS_MANAGEMENT_KEY = "SELECT 1 FROM management_keys WHERE digest = %(digest)s"
PIN_MANAGEMENT_KEY = "INSERT INTO management_keys (digest) VALUES (%(digest)s) ON CONFLICT DO NOTHING"


class DeadKey(StartupError):
    """A pinned key was killed before"""


def new_key() -> str:
    """`sp-{id}-{secret}` with 256 random bits."""
    return f"sp-{secrets.token_hex(6)}-{secrets.token_urlsafe(32)}"


def digest(key: str) -> str:
    """What is stored of a key: BLAKE2b-256 in hex.

    A fast hash is enough, since a key is random and long (256 bits made here, at least 16
    characters pinned), so that guessing is hopeless however fast; a slow one would cost every request.
    """
    return blake2b(key.encode(), digest_size=32, person=b"palimpsest-key").hexdigest()


def ensure_context(log: EventLog, context_id: str, key: str) -> bool:
    """Make the context with an administrator and this key, as far as any is missing. Returns whether it is new.

    Raises DeadKey for a key that was rotated or revoked: what was killed does not come back.
    """
    made = log.create_context(context_id)
    key_digest = digest(key)
    with log.pool.connection() as connection:
        if caller_of(connection, context_id, key_digest) is not None:
            return made
    with log.writing(context_id) as writing:
        if writing.position == 0:
            found_context(writing)
        directory = directory_of(writing)
        if directory.has_digest(key_digest):
            raise DeadKey(f"the key of context {context_id!r} was rotated, revoked or has expired; pin another")
        names = (BOOTSTRAP_KEY_NAME if number == 1 else f"{BOOTSTRAP_KEY_NAME}-{number}" for number in count(1))
        name = next(name for name in names if directory.key_named(name) is None)
        key_id = derived_id(ADMIN, f"key {context_id}", writing.position + 1)
        Administration(writing, directory_of, by=ADMIN).mint(
            key_id, name, ADMIN, key_digest, grants=None, expires_at=None
        )
    return made


def found_context(writing: Writing, *, admin_name: str = "admin", admin_external_id: str | None = None) -> None:
    """The first events of a context: the root scope set, its administrator, and the system's own principal."""
    writing.record(
        [
            ScopeSetDefined(scope_set_id=scope_set_id(ROOT_SET), clauses=ROOT_SET),
            PrincipalCreated(
                principal_id=ADMIN,
                display_name=admin_name,
                kind="service",
                write_scopes=ROOT_SET,
                external_id=admin_external_id,
            ),
            GrantGiven(principal_id=ADMIN, path=EVERYTHING, verbs=VERBS),
            PrincipalCreated(principal_id=SYSTEM, display_name="system", kind="service", write_scopes=()),
        ],
        Origin(principal_id=ADMIN, scope_set_id=scope_set_id(ROOT_SET)),
    )


def is_management_key(connection: Connection, key_digest: str) -> bool:
    return connection.execute(IS_MANAGEMENT_KEY, {"digest": key_digest}).fetchone() is not None


def ensure_management_key(pool: Pool, key: str) -> None:
    with pool.connection() as connection:
        connection.execute(PIN_MANAGEMENT_KEY, {"digest": digest(key)})
