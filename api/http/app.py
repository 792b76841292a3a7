"""The HTTP application: routes, error answers, body limits."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import anyio
import anyio.to_thread
import psycopg
import psycopg_pool
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from api.http import openapi
from api.http.bodies import pieces
from api.http.calls import BODY_BYTES_MAX, Call, key_in
from api.http.encoded_slashes import EncodedSlashes, with_slashes
from api.http.exchanges import ClientGone, Exchange, answer
from api.http.observation import Observation
from api.http.problems import problem, problem_of_status, trace_header
from api.http.rate_limit import RateLimit
from api.mcp.endpoint import McpEndpoint
from api.routes import (
    actions,
    attributes,
    audit,
    chat,
    checks,
    contexts,
    corrections,
    curation,
    differences,
    document_queries,
    documents,
    entities,
    events,
    facts,
    forgetting,
    health,
    inspections,
    instructions,
    keys,
    keywords,
    lifecycle,
    lookups,
    managed_access,
    managed_contexts,
    matches,
    me,
    metrics,
    principals,
    profile,
    queries,
    reference,
    relations,
    revisions,
    scopes,
    sessions,
    state,
    synthesis,
    traces,
    turns,
    uncertainties,
    usage,
)
from api.wiring import Services
from memory.errors import (
    InvalidRequest,
    NotFound,
    PalimpsestError,
    PayloadTooLarge,
    Unavailable,
    Unprocessable,
)

logger = logging.getLogger(__name__)

Handler = Callable[[Call], tuple[int, Any]]
AsyncHandler = Callable[[Exchange], Awaitable[Response]]

PREFIX = "/api/v1"
READERS_MAX = 8  # threads, of the connections that the log's writers leave
WRITERS_MAX = 64  # threads, most of which wait for a model

COSTLY = ("/chat", "/reflect", "/consolidate", "/elaborate")

ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/health", health.get_health),
    # The management API. It comes first: "contexts" is no context.
    ("GET", "/contexts", managed_contexts.list_contexts),
    ("POST", "/contexts/{id}", managed_contexts.create_context),
    ("GET", "/contexts/{id}", managed_contexts.get_context),
    ("PATCH", "/contexts/{id}", managed_contexts.configure_context),
    ("DELETE", "/contexts/{id}", managed_contexts.delete_context),
    ("POST", "/contexts/{id}/lifecycle/decay", managed_contexts.decay),
    ("POST", "/contexts/{id}/lifecycle/reindex", managed_contexts.reindex),
    ("GET", "/contexts/{id}/principals", managed_access.list_principals),
    ("POST", "/contexts/{id}/principals", managed_access.create_principal),
    ("GET", "/contexts/{id}/principals/{principal_id}", managed_access.get_principal),
    ("PATCH", "/contexts/{id}/principals/{principal_id}", managed_access.change_principal),
    ("DELETE", "/contexts/{id}/principals/{principal_id}", managed_access.delete_principal),
    ("GET", "/contexts/{id}/principals/{principal_id}/keys", managed_access.list_keys_of_principal),
    ("POST", "/contexts/{id}/principals/{principal_id}/keys/{key_name}", managed_access.create_key),
    ("DELETE", "/contexts/{id}/principals/{principal_id}/keys/{key_name}", managed_access.delete_key),
    ("POST", "/contexts/{id}/principals/{principal_id}/keys/{key_name}/rotate", managed_access.rotate_key),
    ("GET", "/contexts/{id}/keys", managed_access.list_keys),
    ("DELETE", "/contexts/{id}/keys/{key_name}", managed_access.delete_key),
    ("POST", "/contexts/{id}/keys/{key_name}/rotate", managed_access.rotate_key),
    ("POST", "/contexts/{id}/access-tokens", managed_access.create_access_token),
    ("GET", "/audit", audit.list_operator_audit),
    ("GET", "/migrations", managed_contexts.list_migrations),
    ("GET", "/verbs", managed_contexts.list_verbs),
    ("GET", "/{context_id}/me", me.get_me),
    ("GET", "/{context_id}/providers", me.list_providers),
    ("GET", "/{context_id}/keys", keys.list_keys),
    ("POST", "/{context_id}/keys", keys.create_key),
    ("DELETE", "/{context_id}/keys/{key_name}", keys.delete_key),
    ("POST", "/{context_id}/keys/{key_name}/rotate", keys.rotate_key),
    ("GET", "/{context_id}/scopes", scopes.list_scopes),
    ("POST", "/{context_id}/scopes", scopes.register_scope),
    ("DELETE", "/{context_id}/scopes", scopes.delete_scope),
    ("POST", "/{context_id}/scope-grants", scopes.grant_scopes),
    ("GET", "/{context_id}/principals", principals.list_principals),
    ("POST", "/{context_id}/principals", principals.create_principal),
    ("GET", "/{context_id}/principals/{principal_id}", principals.get_principal),
    ("GET", "/{context_id}/principals/{principal_id}/effective", principals.get_effective),
    ("POST", "/{context_id}/principals/{principal_id}/grants", principals.grant),
    ("DELETE", "/{context_id}/principals/{principal_id}/grants", principals.revoke),
    ("PUT", "/{context_id}/principals/{principal_id}/write-scopes", principals.choose_write_scopes),
    ("GET", "/{context_id}/audit", audit.list_audit),
    ("POST", "/{context_id}/facts", facts.create_fact),
    ("POST", "/{context_id}/facts/batch", facts.create_facts),
    ("POST", "/{context_id}/sessions", sessions.create_session),
    ("GET", "/{context_id}/sessions", sessions.list_sessions),
    ("GET", "/{context_id}/sessions/{session_id}", sessions.get_session),
    ("DELETE", "/{context_id}/sessions/{session_id}", sessions.close_session),
    ("GET", "/{context_id}/sessions/{session_id}/turns", sessions.list_turns),
    ("POST", "/{context_id}/sessions/{session_id}/turns", facts.create_turn),
    ("GET", "/{context_id}/turns/{turn_id}", turns.get_turn),
    ("DELETE", "/{context_id}/turns/{turn_id}", forgetting.erase_turn),
    ("GET", "/{context_id}/turns/{turn_id}/diff", differences.get_turn_diff),
    ("GET", "/{context_id}/diff", differences.get_diff),
    ("POST", "/{context_id}/turns/{turn_id}/retract", revisions.retract_turn),
    ("POST", "/{context_id}/corrections/{correction_id}/undo", revisions.undo_correction),
    ("POST", "/{context_id}/forget", forgetting.forget),
    ("POST", "/{context_id}/scopes/forget", forgetting.forget_scope),
    ("GET", "/{context_id}/erasures/{erasure_id}", forgetting.get_erasure),
    ("GET", "/{context_id}/usage", usage.get_usage),
    ("GET", "/{context_id}/state", state.get_state),
    ("POST", "/{context_id}/state", state.get_state),
    ("GET", "/{context_id}/entities", entities.list_entities),
    # A name may hold slashes, so whatever may follow it comes before the name alone.
    ("GET", "/{context_id}/entities/search", matches.search_entities),
    ("GET", "/{context_id}/entities/top", matches.top_entities),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/history/{key}", entities.get_history),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/explain/{key}", entities.explain),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/history", attributes.list_history),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}/neighbourhood", relations.list_neighbours),
    ("GET", "/{context_id}/entities/{entity_type}/{entity_name:path}", entities.get_entity),
    ("DELETE", "/{context_id}/entities/{entity_type}/{entity_name:path}", entities.forget_entity),
    ("POST", "/{context_id}/entities/{entity_type}/{entity_name:path}/merge", curation.merge_entity),
    ("POST", "/{context_id}/entities/{entity_type}/{entity_name:path}/separate", curation.separate_entity),
    ("GET", "/{context_id}/attributes", attributes.list_attributes),
    ("GET", "/{context_id}/relations", relations.list_relations),
    ("GET", "/{context_id}/actions", actions.list_actions),
    ("GET", "/{context_id}/instructions", instructions.list_instructions),
    ("GET", "/{context_id}/uncertainty", uncertainties.list_uncertainties),
    ("POST", "/{context_id}/attributes/{attribute_id}/close", curation.close_attribute),
    ("POST", "/{context_id}/relations/{relation_id}/close", curation.close_relation),
    ("POST", "/{context_id}/instructions/{instruction_id}/close", curation.close_instruction),
    ("POST", "/{context_id}/uncertainty/{uncertainty_id}/resolve", curation.resolve_uncertainty),
    ("POST", "/{context_id}/fsck", checks.check),
    ("POST", "/{context_id}/lifecycle/decay", lifecycle.decay),
    ("POST", "/{context_id}/lifecycle/expire", lifecycle.expire),
    ("GET", "/{context_id}/corrections", corrections.list_corrections),
    ("GET", "/{context_id}/corrections/{correction_id}", corrections.get_correction),
    ("GET", "/{context_id}/profile", profile.get_profile),
    ("GET", "/{context_id}/inspect", inspections.inspect),
    ("POST", "/{context_id}/query", queries.query),
    ("POST", "/{context_id}/lookup", lookups.lookup),
    ("POST", "/{context_id}/context", contexts.query_context),
    ("POST", "/{context_id}/sessions/{session_id}/context", contexts.get_session_context),
    ("GET", "/{context_id}/sessions/{session_id}/context", contexts.get_session_context),
    ("GET", "/{context_id}/documents", documents.list_documents),
    ("GET", "/{context_id}/documents/keywords", keywords.list_keywords),
    ("POST", "/{context_id}/documents/keywords/search", keywords.search_keywords),
    ("GET", "/{context_id}/documents/keywords/{normalised:path}", keywords.get_keyword),
    ("POST", "/{context_id}/documents/recompute-links", document_queries.recompute_links),
    ("GET", "/{context_id}/documents/{document_id}", documents.get_document),
    ("DELETE", "/{context_id}/documents/{document_id}", documents.delete_document),
    ("GET", "/{context_id}/documents/{document_id}/chunks", documents.list_chunks),
    ("GET", "/{context_id}/documents/{document_id}/keywords", keywords.list_document_keywords),
    ("GET", "/{context_id}/traces", traces.list_traces),
    ("GET", "/{context_id}/traces/stats", traces.get_stats),
    ("GET", "/{context_id}/traces/{trace_id}", traces.get_trace),
)

# Answered in the event loop: those that wait for models, or stream.
ASYNC_ROUTES: tuple[tuple[str, str, AsyncHandler], ...] = (
    ("GET", "/{context_id}/events", events.list_events),
    ("POST", "/{context_id}/chat", chat.chat),
    ("POST", "/{context_id}/reflect", synthesis.reflect),
    ("POST", "/{context_id}/consolidate", synthesis.consolidate),
    ("POST", "/{context_id}/elaborate", synthesis.elaborate),
    ("POST", "/{context_id}/sessions/{session_id}/chat", chat.chat_in_session),
    ("POST", "/{context_id}/documents/query", document_queries.query_documents),
    ("GET", "/{context_id}/documents/{document_id}/raw", documents.get_raw),
    ("GET", "/{context_id}/documents/{document_id}/text", documents.get_text),
)

# These take in the body themselves, under a limit of their own.
UPLOAD_ROUTES: tuple[tuple[str, str, AsyncHandler], ...] = (
    ("POST", "/{context_id}/documents", documents.upload_document),
    ("PUT", "/{context_id}/documents/{document_id}", documents.replace_document),
)


def create_app(services: Services) -> Starlette:
    """The application over ready services."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        # No more threads than connections: a request waits for a thread, not inside one for a connection.
        anyio.to_thread.current_default_thread_limiter().total_tokens = READERS_MAX
        # Writes may wait for models; reads and /health must not wait behind them.
        app.state.writers = anyio.CapacityLimiter(WRITERS_MAX)
        services.load_models()
        yield
        await tools.stop()
        await services.chat.responders.close()

    tools = McpEndpoint(default_context=services.settings.context, prefix=PREFIX)
    handlers = [(method, path, _in_thread(one)) for method, path, one in ROUTES]
    app = Starlette(
        routes=[
            Route("/mcp", tools),
            Route("/openapi.json", _endpoint(services, "/openapi.json", reference.get_openapi), methods=["GET"]),
            Route("/docs", _endpoint(services, "/docs", reference.get_docs), methods=["GET"]),
            Route("/metrics", _endpoint(services, "/metrics", metrics.get_metrics), methods=["GET"]),
            *(
                Route(PREFIX + path, _endpoint(services, path, one), methods=[method])
                for method, path, one in (*handlers, *ASYNC_ROUTES)
            ),
            *(
                Route(PREFIX + path, _endpoint(services, path, one, whole_body=False), methods=[method])
                for method, path, one in UPLOAD_ROUTES
            ),
        ],
        exception_handlers={HTTPException: _http_error, Exception: _unexpected},
        middleware=[*_cors(services.settings.cors_allowed_origins), Middleware(EncodedSlashes)],
        lifespan=lifespan,
    )
    app.state.observation = Observation(services.audit)
    app.state.observation.registry.register(metrics.DatabaseCollector(services))
    app.state.openapi = cache(partial(openapi.document, (*ROUTES, *ASYNC_ROUTES, *UPLOAD_ROUTES), prefix=PREFIX))
    app.state.rate_limit = RateLimit(services.settings.rate_limit_per_s)
    return app


def _cors(origins: Sequence[str]) -> list[Middleware]:
    """Lets browsers of those origins in. Keys travel in a header of their own, so no credentials do."""
    if not origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["X-Trace-Id", "Retry-After"],
        )
    ]


def _endpoint(
    services: Services, path: str, handler: AsyncHandler, *, whole_body: bool = True
) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        call = Call(services, with_slashes(request.path_params), request.query_params, request.headers, b"")
        response = await answered(call, request)
        observation: Observation = request.app.state.observation
        observation.answered(request.method, path, call, response, time.perf_counter() - began)
        return response

    async def answered(call: Call, request: Request) -> Response:
        try:
            if key := key_in(request.headers):
                request.app.state.rate_limit.take(key)
            if whole_body:
                call = replace(call, body=await _body(request))
            exchange = Exchange(call, request, request.app.state.writers)
            if path.endswith(COSTLY):
                await exchange.read(call.require_affordable)
            return await handler(exchange)
        except PalimpsestError as error:
            return problem(error)
        except psycopg_pool.PoolTimeout:
            return problem(Unavailable("no database connection was to be had in time"))
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            logger.warning("database unavailable: %s", type(error).__name__)
            return problem(Unavailable("the database can't answer right now"))
        except (ClientDisconnect, ClientGone):
            return Response(status_code=400)
        except asyncio.CancelledError:
            # The grace period is over and this request never came to its end.
            return problem(Unavailable("the server is stopping"))
        except HTTPException:
            raise
        except Exception as error:
            # Here, so that it is counted and stands in the audit like any other answer.
            return await _unexpected(request, error)

    return endpoint


def _in_thread(handler: Handler) -> AsyncHandler:
    async def handled(exchange: Exchange) -> Response:
        # Shielded: a client that hangs up must not stop a write half way between its transactions.
        status, content = await asyncio.shield(
            anyio.to_thread.run_sync(
                _handled,
                handler,
                exchange.call,
                limiter=exchange.writers if exchange.request.method == "POST" else None,
            )
        )
        if content is None:
            return Response(status_code=status, headers=trace_header())
        return answer(status, content)

    return handled


def _handled(handler: Handler, call: Call) -> tuple[int, Any]:
    """The handler's answer. Whatever it finds wrong with a request, a caller without a key only learns that."""
    try:
        status, content = handler(call)
        call.note.rows = call.note.rows or _rows(content)
        return status, content
    except (InvalidRequest, NotFound, Unprocessable):
        if "context_id" in call.path:
            call.caller()
        raise


def _rows(content: Any) -> int:
    """How many rows an answer holds: what stands in its lists, one level down."""
    if isinstance(content, list):
        return len(content)
    if not isinstance(content, dict):
        return 0
    found = [value for value in content.values() if isinstance(value, list)]
    found += [
        value
        for below in content.values()
        if isinstance(below, dict)
        for value in below.values()
        if isinstance(value, list)
    ]
    return sum(len(rows) for rows in found)


async def _body(request: Request) -> bytes:
    """Raises PayloadTooLarge, RequestTimeout."""

    def too_large() -> PayloadTooLarge:
        return PayloadTooLarge(f"a body has at most {BODY_BYTES_MAX} bytes")

    return b"".join([piece async for piece in pieces(request, most=BODY_BYTES_MAX, too_large=too_large)])


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return problem_of_status(error.status_code, str(error.detail), dict(error.headers or {}))


async def _unexpected(_: Request, error: Exception) -> Response:
    logger.error("unexpected error", exc_info=error)
    return problem(PalimpsestError("something went wrong; the server's log says more"))
