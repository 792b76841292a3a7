"""Keys that their holders make and kill themselves.

A narrowed key never reaches beyond itself: it mints only within its narrowing, and can't touch a key of its
holder that may do more. What an expiring key mints or rotates does not outlive it.
"""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from api import ids
from api.http.calls import Call
from api.keys import digest, new_key
from api.settings.context_settings import context_settings
from api.shapes import access_shapes
from api.shapes.access_schemas import KeyBody
from api.shapes.listings import listing
from memory.administration import Administration
from memory.directory import Key
from memory.errors import Forbidden, InvalidRequest, NotFound
from memory.log import Writing
from memory.principals import Caller, Grants, KeyUse, within
from memory.scopes import EVERYTHING
from projections import key_uses
from projections.directory import ReadModelDirectory, directory_of
from projections.reading import Page

TTL_MAX_S = 10 * 365 * 24 * 3600


def list_keys(call: Call) -> tuple[int, Any]:
    """The key that asks; all keys for a holder of `grant:manage` on everything."""
    call.services.audit.flush()
    with call.directory() as (caller, directory):
        assert caller.key is not None
        _require_self_service(call, directory)
        only = None if EVERYTHING in caller.patterns("grant:manage") else caller.key.key_id

        def fetch(limit: int, after: str | None) -> Page[Key]:
            return directory.keys(limit=limit, after=after, key_id=only)

        def shape(rows: list[Key]) -> list[dict[str, Any]]:
            used = key_uses.of(directory.cursor, caller.context_id, [row.id for row in rows])
            return [access_shapes.key(row, used) for row in rows]

        return 200, listing(call, "keys", fetch, lambda row: row.name, shape)


def create_key(call: Call) -> tuple[int, dict[str, Any]]:
    """A key of the caller's own principal, with the secret, this once. Raises InvalidRequest for grants that
    the asking key has not."""
    caller, key = _self(call)
    body = call.parsed(KeyBody)
    grants = key.grants if body.grants is None else body.grants
    if not within(grants or {}, caller.grants):
        raise InvalidRequest("grants: a key can't be granted more than the key that makes it")
    key_id, secret = ids.new_id(), new_key()
    name = body.name or f"key-{ids.ulid(key_id)}"
    with call.services.log.writing(caller.context_id) as writing:
        expires_at = _expiry(call, writing, key, inherited=None)
        Administration(writing, directory_of, by=caller.principal_id).mint(
            key_id, name, caller.principal_id, digest(secret), grants=grants, expires_at=expires_at
        )
    return 201, access_shapes.minted(key_id, name, secret, expires_at)


def rotate_key(call: Call) -> tuple[int, dict[str, Any]]:
    """The same key with another secret; the former one is dead when this answers."""
    caller, key = _self(call)
    secret = new_key()
    with call.services.log.writing(caller.context_id) as writing:
        known = _own(directory_of(writing), caller, key, call.path["key_name"])
        expires_at = _expiry(call, writing, key, inherited=known.expires_at)
        Administration(writing, directory_of, by=caller.principal_id).rotate(known, digest(secret), expires_at)
    return 200, access_shapes.minted(known.id, known.name, secret, expires_at)


def delete_key(call: Call) -> tuple[int, None]:
    caller, key = _self(call)
    with call.services.log.writing(caller.context_id) as writing:
        known = _own(directory_of(writing), caller, key, call.path["key_name"])
        Administration(writing, directory_of, by=caller.principal_id).revoke_key(known)
    return 204, None


def ttl_of(call: Call, *names: str) -> int | None:
    """A lifetime in seconds from the query. Raises InvalidRequest for 0 or more than ten years."""
    name = next((name for name in names if call.query.get(name)), None)
    if name is None:
        return None
    seconds = call.integer(name, 0)
    if not 0 < seconds <= TTL_MAX_S:
        raise InvalidRequest(f"{name}: must be 1 to {TTL_MAX_S} seconds")
    return seconds


def _self(call: Call) -> tuple[Caller, KeyUse]:
    caller = call.caller()
    assert caller.key is not None
    if caller.is_delegated:
        raise Forbidden("who acts for another principal can't make or kill keys")
    with call.directory() as (_, directory):
        _require_self_service(call, directory)
    return caller, caller.key


def _require_self_service(call: Call, directory: ReadModelDirectory) -> None:
    settings = context_settings(call.services.settings.config, directory.configuration())
    if not settings.allows_self_service_keys:
        raise Forbidden("this context does not let holders manage their keys")


def _own(directory: ReadModelDirectory, caller: Caller, key: KeyUse, name: str) -> Key:
    """The caller's own key of that name, by name or id. One that may do more than the asking key is not there."""
    known = directory.key_named(name) or directory.key_of(_key_id(name))
    if known is None or known.principal_id != caller.principal_id:
        raise NotFound("there is no such key")
    reach: Grants = caller.own_grants if known.grants is None else known.grants
    if key.grants is not None and not within(reach, key.grants):
        raise NotFound("there is no such key")
    return known


def _key_id(name: str) -> UUID | None:
    try:
        return ids.parse(name, prefixes=("key:",))
    except NotFound:
        return None


def _expiry(call: Call, writing: Writing, key: KeyUse, *, inherited: datetime | None) -> datetime | None:
    """When a key made now ends: the asked lifetime, within what the context and the asking key allow."""
    seconds = ttl_of(call, "ttlSeconds", "ttl_seconds")
    settings = context_settings(call.services.settings.config, directory_of(writing).configuration())
    now = writing.now.astimezone(UTC)
    wanted = now + timedelta(seconds=seconds) if seconds else inherited
    longest = now + timedelta(seconds=settings.max_ttl_s) if settings.max_ttl_s else None
    bounds = [moment for moment in (wanted, longest, key.expires_at) if moment is not None]
    return min(bounds) if bounds else None
