"""What happens around the handlers: who is let in before anything costs, and answers to what nobody expected."""

import dataclasses

import anyio
import anyio.to_thread
import httpx
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
    async def send() -> httpx.Response:
        app = create_app(world.services)
        app.state.writers = anyio.CapacityLimiter(2)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            url = f"/api/v1/{world.context_id}{path}"
            return await client.request(method, url, headers={"Authorization": f"Bearer {key}"}, **more)  # type: ignore[arg-type]

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
    monkeypatch.setattr(services.models, "response", pytest.fail)
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
