"""API keys: making, keeping and recognising them."""

import json
import os
import secrets
from hashlib import blake2b
from pathlib import Path
from uuid import UUID

from api.errors import StartupError
from memory.events import Event, GrantGiven, KeyMinted, PrincipalCreated, ScopeSetDefined
from memory.log import Connection, EventLog, Pool
from memory.principals import VERBS
from memory.recorded import Origin
from memory.scopes import ROOT_SET, scope_set_id
from memory.values import derived_id
from projections.access import caller_of

_ADMIN_NAMESPACE = UUID("2a6f3f3f-6f0c-5a1c-9d49-0a4c6f1f8e02")
ADMIN_PRINCIPAL = derived_id(_ADMIN_NAMESPACE, "principal", "admin")
BOOTSTRAP_KEY_NAME = "bootstrap"

PIN_MANAGEMENT_KEY = "INSERT INTO management_keys (digest) VALUES (%(digest)s) ON CONFLICT DO NOTHING"


def new_key() -> str:
    """`sp-{id}-{secret}` with 256 random bits."""
    return f"sp-{secrets.token_hex(6)}-{secrets.token_urlsafe(32)}"


def digest(key: str) -> str:
    """What is stored of a key: BLAKE2b-256 in hex.

    A fast hash is enough, since a key is random and long (256 bits made here, at least 16
    characters pinned), so that guessing is hopeless however fast; a slow one would cost every request.
    """
    return blake2b(key.encode(), digest_size=32, person=b"palimpsest-key").hexdigest()


class KeyFile:
    """The keys made at the first start, kept for the operator in the home folder, mode 0600."""

    def __init__(self, home: Path) -> None:
        self.path = home / "keys.json"

    def get(self, name: str) -> str | None:
        return self._read().get(name)

    def put(self, name: str, key: str) -> None:
        """Durable before it returns: a key that was minted is never lost."""
        keys = {**self._read(), name: key}
        fresh = self.path.with_suffix(".tmp")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(keys, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
        except OSError as error:
            raise StartupError(f"can't keep the keys in {self.path}: {error}") from error

    def _read(self) -> dict[str, str]:
        try:
            keys = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise StartupError(f"can't read the keys in {self.path}: {error}") from error
        if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
            raise StartupError(f"can't read the keys in {self.path}: not a JSON object of strings")
        return keys


def ensure_context(log: EventLog, context_id: str, key: str) -> bool:
    """Make the context with an administrator and this key, as far as any is missing. Returns whether it is new."""
    made = log.create_context(context_id)
    with log.pool.connection() as connection:
        if _is_known(connection, context_id, key):
            return made
    with log.writing(context_id) as writing:
        if _is_known(writing.cursor.connection, context_id, key):
            return made
        scope_id = scope_set_id(ROOT_SET)
        events: list[Event] = []
        if writing.position == 0:
            events += [
                ScopeSetDefined(scope_set_id=scope_id, clauses=ROOT_SET),
                PrincipalCreated(
                    principal_id=ADMIN_PRINCIPAL, display_name="admin", kind="service", write_scopes=ROOT_SET
                ),
                GrantGiven(principal_id=ADMIN_PRINCIPAL, path="/*", verbs=VERBS),
            ]
        key_id = derived_id(ADMIN_PRINCIPAL, f"key {context_id}", writing.position + len(events) + 1)
        events.append(
            KeyMinted(key_id=key_id, name=BOOTSTRAP_KEY_NAME, principal_id=ADMIN_PRINCIPAL, digest=digest(key))
        )
        writing.record(events, Origin(principal_id=ADMIN_PRINCIPAL, scope_set_id=scope_id))
    return made


def ensure_management_key(pool: Pool, key: str) -> None:
    with pool.connection() as connection:
        connection.execute(PIN_MANAGEMENT_KEY, {"digest": digest(key)})


def _is_known(connection: Connection, context_id: str, key: str) -> bool:
    return caller_of(connection, context_id, digest(key)) is not None
