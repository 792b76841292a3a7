"""What happens around the handlers: who is let in before anything costs, and answers to what nobody expected."""

import dataclasses

import anyio
import anyio.to_thread
import httpx
import psycopg
import pytest
from starlette.datastructures import Headers

from api import wiring
from api.http.app import create_app
from api.http.calls import key_in
from api.ids import new_id
from api.wiring import Services
from memory.erasing import CONTEXT, Asked
from projections.reading import snapshot
from tests.calls import keyed_world
from tests.worlds import World

SPELLINGS = ("Bearer key", "bearer key", "BEARER   key", "Bearer key  ")
STATUSES = "SELECT status FROM audit WHERE context_id = %s AND operation = %s"


def asked(world: World, method: str, path: str, key: str, **more: object) -> httpx.Response:
    return sent(world.services, method, f"/api/v1/{world.context_id}{path}", key, **more)  # type: ignore[arg-type]


def sent(services: Services, method: str, url: str, key: str, times: int = 1, **more: object) -> httpx.Response:
    """The last answer of a fresh application."""

    async def send() -> httpx.Response:
        app = create_app(services)
        app.state.writers = anyio.CapacityLimiter(2)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            headers = {"Authorization": f"Bearer {key}"}
            for _ in range(times - 1):
                await client.request(method, url, headers=headers, **more)  # type: ignore[arg-type]
            return await client.request(method, url, headers=headers, **more)  # type: ignore[arg-type]

    return anyio.run(send)


@pytest.mark.parametrize("path", ["/query", "/context", "/documents/query", "/forget"])
def test_nobody_without_a_key_asks_the_embedding_model(
    world: World, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(world.services.embedder, "question", pytest.fail)
    body = {"query": "whatever there may be about parks and how they are kept"}
    assert asked(world, "POST", path, "sp-wrong", json=body).status_code == 401


def test_an_error_that_nobody_expected_is_answered_and_audited(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyed = keyed_world(services)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr("projections.entities.by_type_and_name", broken)
    response = asked(keyed.world, "GET", "/entities", keyed.key)
    assert response.status_code == 500
    assert "secret" not in response.text
    services.audit.flush()
    with services.pool.connection() as connection, snapshot(connection):
        rows = connection.execute(STATUSES, (keyed.world.context_id, "GET /{context_id}/entities")).fetchall()
    assert rows == [(500,)]


@pytest.mark.parametrize("header", SPELLINGS)
def test_a_key_is_the_same_however_the_header_is_spelt(header: str) -> None:
    assert key_in(Headers({"Authorization": header})) == "key"


def test_past_the_token_limit_no_reply_is_asked_for(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"models": {"response": "openai/gpt-4o"}, "providers": {"openai": {"api_key": "k"}}, "token_limit": 5}
    monkeypatch.setattr(services.models, "context_overrides", lambda _: config)
    monkeypatch.setattr(services.models, "spent", lambda *_: 5)
    monkeypatch.setattr(services.models, "client", pytest.fail)
    keyed = keyed_world(services)
    response = asked(keyed.world, "POST", "/chat", keyed.key, json={"message": "What do you know?"})
    assert response.status_code == 429
    assert 0 < int(response.headers["retry-after"]) <= 24 * 3600
    assert response.json()["message"].startswith("token_limit")


def test_a_server_whose_own_context_was_deleted_starts_all_the_same(services: Services) -> None:
    gone = dataclasses.replace(services, settings=dataclasses.replace(services.settings, context=f"own-{new_id()}"))
    assert wiring.bootstrap(gone)
    gone.erasing.erase_context(gone.settings.context, Asked(new_id(), None, CONTEXT))
    assert wiring.bootstrap(gone) is None


def test_whoever_may_not_ask_now_is_not_shown_the_tools_either(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyed = keyed_world(services)
    settings = dataclasses.replace(services.settings, context=keyed.world.context_id, rate_limit_per_s=0.01)
    limited = dataclasses.replace(services, settings=settings)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    refused = sent(limited, "POST", "/mcp", keyed.key, times=2, json=message)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 100

    def unreachable(*_: object, **__: object) -> None:
        raise psycopg.OperationalError("gone")

    monkeypatch.setattr("api.http.calls.caller_of", unreachable)
    for url in ("/mcp", f"/api/v1/{keyed.world.context_id}/me"):
        refused = sent(services, "POST" if url == "/mcp" else "GET", url, keyed.key)
        assert (refused.status_code, refused.json()["status"]) == (503, 503)


def test_a_key_for_metrics_shows_them_and_nothing_else(services: Services) -> None:
    scraper = "scraper-0123456789"
    settings = dataclasses.replace(services.settings, metrics_api_key=scraper)
    known = dataclasses.replace(services, settings=settings)
    assert "palimpsest_extractions_pending" in sent(known, "GET", "/metrics", scraper).text
    for url in ("/api/v1/contexts", f"/api/v1/{settings.context}/me"):
        assert sent(known, "GET", url, scraper).status_code == 401
    assert sent(services, "GET", "/metrics", scraper).status_code == 401
