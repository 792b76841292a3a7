"""The management API: principals, keys and access tokens of a context."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from api import ids
from api.http.calls import Call
from api.keys import digest, new_key
from api.routes.keys import ttl_of
from api.routes.managed_contexts import directory_in, existing_id, managed_id
from api.shapes import access_shapes
from api.shapes.access_schemas import AccessTokenBody, GrantsBody, PrincipalBody, PrincipalChangesBody
from memory.administration import ADMIN, SYSTEM, Administration
from memory.directory import Key, Principal
from memory.errors import Forbidden, InvalidRequest, NotFound
from memory.log import Writing
from memory.principals import Grants, within
from projections import key_uses
from projections.directory import ReadModelDirectory, directory_of

ROWS_MAX = 10_000


def create_principal(call: Call) -> tuple[int, dict[str, Any]]:
    """The principal of the external id as it is, or a new one."""
    call.require_operator()
    context_id = existing_id(call)
    body = call.parsed(PrincipalBody)
    with call.services.log.writing(context_id) as writing:
        principal_id = _by_operator(writing).create_principal(
            ids.new_id(), body.display_name, kind=body.kind, grants=body.grants, external_id=body.external_id
        )
        return 201, _principal(directory_of(writing), principal_id)


def list_principals(call: Call) -> tuple[int, list[dict[str, Any]]]:
    call.require_operator()
    with directory_in(call) as directory:
        found = directory.principals(limit=ROWS_MAX).rows
        held = directory.grants_of_all([one.id for one in found])
        return 200, [access_shapes.managed_principal(one, held[one.id]) for one in found]


def get_principal(call: Call) -> tuple[int, dict[str, Any]]:
    call.require_operator()
    with directory_in(call) as directory:
        return 200, _principal(directory, _known(directory, call).id)


def change_principal(call: Call) -> tuple[int, dict[str, Any]]:
    """Replaces the grants, or the default write scope, as far as given."""
    call.require_operator()
    context_id = existing_id(call)
    body = call.parsed(PrincipalChangesBody)
    with call.services.log.writing(context_id) as writing:
        known = _known(directory_of(writing), call)
        administration = _by_operator(writing)
        if body.grants is not None:
            administration.replace_grants(known.id, body.grants)
        if body.write_scopes is not None:
            administration.choose_write_scopes(known.id, body.write_scopes)
        return 200, _principal(directory_of(writing), known.id)


def delete_principal(call: Call) -> tuple[int, None]:
    """Takes every grant and kills every key; what the principal said stays."""
    call.require_operator()
    context_id = existing_id(call)
    with call.services.log.writing(context_id) as writing:
        directory = directory_of(writing)
        known = _known(directory, call)
        if known.id in (ADMIN, SYSTEM):
            raise Forbidden("the administrator and the system can't be deleted")
        administration = _by_operator(writing)
        administration.replace_grants(known.id, {})
        for key in directory.keys(limit=ROWS_MAX, principal_id=known.id).rows:
            administration.revoke_key(key)
    return 204, None


def create_key(call: Call) -> tuple[int, dict[str, Any]]:
    """A key of a principal, with its secret, this once."""
    call.require_operator()
    context_id = existing_id(call)
    body = call.parsed(GrantsBody)
    name = call.path["key_name"]
    if not name.strip() or not name.isprintable() or len(name) > 200:
        raise InvalidRequest("name: must be 1 to 200 printable characters")
    with call.services.log.writing(context_id) as writing:
        known = _known(directory_of(writing), call)
        return 201, _minted(writing, known, name, body.grants, ttl_of(call, "ttl_seconds", "ttlSeconds"))


def create_access_token(call: Call) -> tuple[int, dict[str, Any]]:
    """A key that expires, for a principal of the operator's own naming, made if it is not there."""
    call.require_operator()
    context_id = existing_id(call)
    body = call.parsed(AccessTokenBody)
    with call.services.log.writing(context_id) as writing:
        administration = _by_operator(writing)
        known = directory_of(writing).principal_of_external_id(body.external_id)
        principal_id = administration.create_principal(
            ids.new_id(),
            body.display_name or body.external_id,
            kind="human",
            grants=body.grants or {},
            external_id=body.external_id,
        )
        narrowing = body.grants if known else None
        known = directory_of(writing).principal(principal_id)
        assert known is not None, "it was made just now"
        name = f"token-{ids.ulid(ids.new_id())}"
        token = _minted(writing, known, name, narrowing, body.ttl_seconds)
    return 201, {**token, "principal_id": ids.principal(principal_id)}


def list_keys(call: Call) -> tuple[int, list[dict[str, Any]]]:
    """All keys of the context."""
    return _listed(call, of_principal=False)


def list_keys_of_principal(call: Call) -> tuple[int, list[dict[str, Any]]]:
    return _listed(call, of_principal=True)


def rotate_key(call: Call) -> tuple[int, dict[str, Any]]:
    """Another secret for the key; without a lifetime it ends when it would have."""
    call.require_operator()
    secret = new_key()
    seconds = ttl_of(call, "ttl_seconds", "ttlSeconds")
    with call.services.log.writing(existing_id(call)) as writing:
        key = _key(directory_of(writing), call)
        expires_at = _after(writing, seconds) or key.expires_at
        _by_operator(writing).rotate(key, digest(secret), expires_at)
    return 200, _secret(key.id, key.name, secret, expires_at)


def delete_key(call: Call) -> tuple[int, None]:
    call.require_operator()
    with call.services.log.writing(existing_id(call)) as writing:
        _by_operator(writing).revoke_key(_key(directory_of(writing), call))
    return 204, None


def _listed(call: Call, *, of_principal: bool) -> tuple[int, list[dict[str, Any]]]:
    call.require_operator()
    call.services.audit.flush()
    with directory_in(call) as directory:
        principal_id = _known(directory, call).id if of_principal else None
        found = directory.keys(limit=ROWS_MAX, principal_id=principal_id).rows
        used = key_uses.of(directory.cursor, managed_id(call), [one.id for one in found])
    return 200, [access_shapes.managed_key(one, used) for one in found]


def _by_operator(writing: Writing) -> Administration:
    return Administration(writing, directory_of, by=None)


def _known(directory: ReadModelDirectory, call: Call) -> Principal:
    """The principal that the path names, by its id or its external id. Raises NotFound."""
    text = call.path["principal_id"]
    try:
        known = directory.principal(ids.parse_principal(text))
    except NotFound:
        known = None
    known = known or directory.principal_of_external_id(text)
    if known is None:
        raise NotFound("there is no such principal")
    return known


def _key(directory: ReadModelDirectory, call: Call) -> Key:
    """The key that the path names; of the principal, if it names one too. Raises NotFound."""
    key = directory.key_named(call.path["key_name"])
    if key is None or ("principal_id" in call.path and key.principal_id != _known(directory, call).id):
        raise NotFound("there is no such key")
    return key


def _principal(directory: ReadModelDirectory, principal_id: UUID) -> dict[str, Any]:
    known = directory.principal(principal_id)
    assert known is not None, "it was looked up or made just now"
    return access_shapes.managed_principal(known, directory.grants(principal_id))


def _minted(
    writing: Writing, known: Principal, name: str, grants: Grants | None, seconds: int | None
) -> dict[str, Any]:
    directory = directory_of(writing)
    if grants is not None and not within(grants, access_shapes.grants_of(directory.grants(known.id))):
        raise InvalidRequest("grants: a key can't be granted more than its principal")
    key_id, secret, expires_at = ids.new_id(), new_key(), _after(writing, seconds)
    _by_operator(writing).mint(key_id, name, known.id, digest(secret), grants=grants, expires_at=expires_at)
    return _secret(key_id, name, secret, expires_at)


def _after(writing: Writing, seconds: int | None) -> datetime | None:
    return writing.now.astimezone(UTC) + timedelta(seconds=seconds) if seconds else None


def _secret(key_id: UUID, name: str, secret: str, expires_at: datetime | None) -> dict[str, Any]:
    return {"id": ids.key(key_id), "name": name, "key": secret, "valid_until": ids.moment(expires_at)}
