"""The management API: contexts, made, configured and deleted by operators with a management key.

Bodies and answers are snake_case here, as the vendor has them; camelCase is taken too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import migrations
from api import ids
from api.http.calls import Call, is_context_id
from api.keys import found_context
from api.settings.context_settings import checked, context_settings
from api.shapes.access_schemas import ContextChangesBody, NewContextBody
from api.shapes.model_states import model_states
from memory.administration import Administration, merged
from memory.erasing import CONTEXT, Asked
from memory.errors import Conflict, InvalidContextId, NotFound, Unprocessable
from memory.principals import VERBS
from projections import lifecycle, provider_keys
from projections.access import every_scope_set, generation_of
from projections.directory import ReadModelDirectory, directory_of
from projections.reading import Reader, snapshot
from projections.table import READ_MODELS_VERSION

RESERVED_NAMESPACES = ("spectron", "palimpsest")
WAITING_TOLD = 100_000
# First segments of paths that are no context's.
RESERVED_IDS = ("contexts", "health", "metrics", "migrations", "verbs", "mcp", "docs", "openapi.json")

ALL = """
SELECT c.context_id, c.generation, c.created_at FROM contexts AS c
WHERE c.deleted_at IS NULL AND c.position > 0 AND (%(id)s::text IS NULL OR c.context_id = %(id)s)
ORDER BY c.context_id
"""

VERSIONS = """
SELECT read_models_version, count(*), array_agg(context_id ORDER BY context_id) FROM contexts
WHERE deleted_at IS NULL GROUP BY 1 ORDER BY 1
"""


def list_contexts(call: Call) -> tuple[int, dict[str, Any]]:
    call.require_operator()
    with call.services.pool.connection() as connection, connection.transaction():
        found = connection.execute(ALL, {"id": None}).fetchall()
        return 200, {"contexts": [_record(call, connection.cursor(), *row) for row in found]}


def create_context(call: Call) -> tuple[int, dict[str, Any]]:
    """Raises Conflict for one that is, or was, there; Unprocessable for a reserved name."""
    call.require_operator()
    context_id = managed_id(call)
    body = call.parsed(NewContextBody)
    if context_id in RESERVED_IDS:
        raise InvalidContextId(f"{context_id!r} is reserved")
    if body.namespace in RESERVED_NAMESPACES:
        raise Unprocessable(f"namespace: {body.namespace!r} is reserved")
    own, secrets = _split(call, body.config)
    call.services.log.create_context(context_id)
    try:
        with call.services.log.writing(context_id) as writing:
            if writing.position:
                raise Conflict(f"there is a context {context_id!r} already")
            found_context(
                writing,
                admin_name=body.admin_display_name or "admin",
                admin_external_id=body.admin_external_id,
            )
            Administration(writing, directory_of, by=None).configure(
                own, namespace=body.namespace, database=body.database, description=body.description
            )
            provider_keys.change(writing.cursor, context_id, secrets)
    except NotFound as error:
        raise Conflict(f"there was a context {context_id!r}, and its id is not given again") from error
    return 201, _one(call, context_id)


def get_context(call: Call) -> tuple[int, dict[str, Any]]:
    """With how its models are, and how many passages still wait for a vector of its embedding model, at most
    WAITING_TOLD."""
    call.require_operator()
    context_id = managed_id(call)
    told = _one(call, context_id)
    with directory_in(call) as directory:
        generation, seen = every_scope_set(directory.cursor.connection, context_id)
        reader = Reader(directory.cursor, context_id, generation, seen)
        waiting = call.services.indexing.waiting(reader, limit=WAITING_TOLD)
    model = call.services.embedders.of(context_id).model
    return 200, told | {"embedding": {"model": model, "waiting": waiting}, **model_states(call.services, context_id)}


def configure_context(call: Call) -> tuple[int, dict[str, Any]]:
    """Merges `config` into the context's own configuration, objects key by key; null takes a setting away."""
    call.require_operator()
    context_id = existing_id(call)
    body = call.parsed(ContextChangesBody)
    own, secrets = _split(call, body.config)
    names = {
        name: getattr(body, name) for name in ("description", "enforcement_blocked") if name in body.model_fields_set
    }
    with call.services.log.writing(context_id) as writing:
        held = directory_of(writing).configuration()
        call.services.models.check(merged(held.config if held else {}, own))
        Administration(writing, directory_of, by=None).configure(own, **names)
        provider_keys.change(writing.cursor, context_id, secrets)
    call.services.overrides.forget(context_id)
    return 200, _one(call, context_id)


def delete_context(call: Call) -> tuple[int, None]:
    """Erases every content of the context, its read models and its keys. Its id is not given again."""
    call.require_operator()
    context_id = existing_id(call)
    call.services.erasing.erase_context(context_id, Asked(erasure_id=ids.new_id(), principal_id=None, reason=CONTEXT))
    call.services.overrides.forget(context_id)
    return 204, None


def decay(call: Call) -> tuple[int, dict[str, Any]]:
    """How many values of the context matter less by now than at first; nothing changes."""
    call.require_operator()
    with directory_in(call) as directory:
        generation, seen = every_scope_set(directory.cursor.connection, managed_id(call))
        reader = Reader(directory.cursor, managed_id(call), generation, seen)
        return 200, {"affected": lifecycle.faded(reader, datetime.now(UTC) - timedelta(days=1))}


def reindex(call: Call) -> tuple[int, dict[str, Any]]:
    """Asks for what is not yet indexed of the context to be so, in the background."""
    call.require_operator()
    context_id = existing_id(call)
    call.services.indexing.poke(context_id)
    return 202, {"job_id": ids.ulid(ids.new_id())}


def list_migrations(call: Call) -> tuple[int, dict[str, Any]]:
    """How many contexts have read models of which version, and which wait to be rebuilt."""
    call.require_operator()
    with call.services.pool.connection() as connection:
        found = connection.execute(VERSIONS).fetchall()
    return 200, {
        "schema": migrations.HEAD,
        "read_models_version": READ_MODELS_VERSION,
        "versions": {str(version): count for version, count, _ in found},
        "lagging": [one for version, _, names in found if version != READ_MODELS_VERSION for one in names],
        "dead_letters": [],
    }


def list_verbs(call: Call) -> tuple[int, list[str]]:
    call.require_operator()
    return 200, list(VERBS)


def managed_id(call: Call) -> str:
    """The context that the path names. Raises InvalidContextId."""
    call.refuse_unreadable()
    context_id = call.path["id"]
    if not is_context_id(context_id):
        raise InvalidContextId()
    return context_id


@contextmanager
def directory_in(call: Call) -> Iterator[ReadModelDirectory]:
    """Who may do what in the context that the path names, in one snapshot. Raises NotFound."""
    context_id = managed_id(call)
    with call.services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
        generation = generation_of(connection, context_id)
        if generation is None:
            raise NotFound("there is no such context")
        yield ReadModelDirectory(cursor, context_id, generation)


def existing_id(call: Call) -> str:
    """As `managed_id`. Raises NotFound for one that is not there."""
    context_id = managed_id(call)
    with call.services.pool.connection() as connection:
        if connection.execute(ALL, {"id": context_id}).fetchone() is None:
            raise NotFound("there is no such context")
    return context_id


def _one(call: Call, context_id: str) -> dict[str, Any]:
    with call.services.pool.connection() as connection, connection.transaction():
        row = connection.execute(ALL, {"id": context_id}).fetchone()
        if row is None:
            raise NotFound("there is no such context")
        return _record(call, connection.cursor(), *row)


def _record(call: Call, cursor: Any, context_id: str, generation: int, created_at: datetime) -> dict[str, Any]:
    """The context with its effective configuration, and the names of the providers that it has keys for."""
    own = ReadModelDirectory(cursor, context_id, generation).configuration()
    settings = context_settings(call.services.settings.config, own)
    effective = {name: value for name, value in settings.effective.items() if name != "providers"}
    effective["providers_configured"] = sorted(
        {*(call.services.settings.config.get("providers") or {}), *provider_keys.names(cursor, context_id)}
    )
    return {
        "id": context_id,
        "namespace": settings.own.namespace,
        "database": settings.own.database,
        "description": settings.own.description,
        "enforcement_blocked": settings.own.enforcement_blocked,
        "config": effective,
        "created_at": ids.moment(created_at),
    }


def _split(call: Call, config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configuration without its secrets, and what providers are given. Raises InvalidRequest."""
    own = dict(checked(config))
    secrets = own.pop("providers", None) or {}
    own.pop("providers_configured", None)
    call.services.models.check(own)
    return own, {name: _provider(name, value) for name, value in secrets.items()}


def _provider(name: str, value: Any) -> dict[str, Any] | None:
    """A provider's settings; a bare string is its key. Raises InvalidRequest."""
    if isinstance(value, str):
        return {"api_key": value}
    return provider_keys.checked(name, value)
