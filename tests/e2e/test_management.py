"""Operators: contexts, their configuration, principals, keys and tokens; the audit; limits."""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial

import httpx
import psycopg
import pytest

from api.ids import new_id
from tests.e2e.clients.rest import assert_error, content
from tests.servers import ServerProcess, public_folder
from tests.tenants import READ, WRITE, Tenant, operator

SECRET = "sk-provider-secret-0815"


@pytest.fixture(scope="module")
def management(server: ServerProcess) -> Iterator[httpx.Client]:
    with operator(server) as client:
        yield client


@pytest.fixture
def tenant(server: ServerProcess, management: httpx.Client) -> Tenant:
    return Tenant(server, management).make()


# --- contexts -------------------------------------------------------------------------------------


def test_configuring_merges_object_by_object(tenant: Tenant, management: httpx.Client) -> None:
    changes = [
        {"scopes": {"strict": True}, "attributes": {"multi_valued": ["hats"]}, "token_limit": 9},
        {"scopes": {"depth": 3}, "token_limit": None},
    ]
    for config in changes:
        record = content(management.patch(tenant.path, json={"config": config}))
    assert record["config"]["scopes"] == {"strict": True, "depth": 3}
    assert record["config"]["attributes"] == {"multi_valued": ["hats"]}
    assert "token_limit" not in record["config"]
    blocked = content(management.patch(tenant.path, json={"enforcement_blocked": True, "description": "shut"}))
    assert (blocked["enforcement_blocked"], blocked["description"]) == (True, "shut")
    shown = content(management.get(tenant.path))
    assert blocked.items() <= shown.items()
    assert shown["hold"] == "enforcement_blocked"
    assert tenant.name in [one["id"] for one in content(management.get("/contexts"))["contexts"]]


@pytest.mark.parametrize("config", [{"token_limit": "many"}, {"scopes": {"strict": "yes"}}, {"models": []}, []])
def test_a_setting_of_the_wrong_type_is_refused(tenant: Tenant, management: httpx.Client, config: object) -> None:
    before = content(management.get(tenant.path))
    assert_error(management.patch(tenant.path, json={"config": config}), 400)
    assert content(management.get(tenant.path)) == before


def test_a_provider_key_is_written_and_never_shown(tenant: Tenant, management: httpx.Client) -> None:
    given = {"config": {"providers": {"openai": {"api_key": SECRET}, "acme": SECRET}}}
    record = content(management.patch(tenant.path, json=given))
    assert record["config"]["providers_configured"] == ["acme", "openai"]
    assert "providers" not in record["config"]
    everything = [management.get(path) for path in (tenant.path, "/contexts", f"{tenant.path}/keys")]
    assert everything[0].json()["embedding"].keys() == {"model", "waiting"}
    assert not [one for one in everything if SECRET in one.text]
    assert SECRET not in "".join(tenant.server.output)
    log = tenant.server.command("log", "--context", tenant.name, "--json", "--limit", "0").stdout
    assert "ContextConfigured" in log
    assert SECRET not in log
    taken = content(management.patch(tenant.path, json={"config": {"providers": {"openai": None}}}))
    assert taken["config"]["providers_configured"] == ["acme"]


def test_a_context_is_made_once_and_not_under_a_reserved_name(tenant: Tenant, management: httpx.Client) -> None:
    assert_error(management.post(tenant.path), 409)
    assert_error(management.post("/contexts/new", json={"namespace": "spectron"}), 422)
    assert_error(management.post("/contexts/health"), 422)
    assert_error(management.get("/contexts/nowhere"), 404)
    for odd in ("%20", "%00", "%0A", "x" * 200, "%F0%9F%99%82%0D"):
        assert_error(management.post(f"/contexts/{odd}"), 422)


def test_deleting_a_context_leaves_only_the_head_of_its_log(tenant: Tenant, management: httpx.Client) -> None:
    admin = tenant.admin()
    word = f"Word{new_id().hex}"
    content(admin.post("/facts", json={"text": f"I'm {word} and I live in Oslo."}))
    content(management.patch(tenant.path, json={"config": {"providers": {"openai": word}}}))
    content(admin.get("/audit"))

    assert management.delete(tenant.path).status_code == 204

    assert_error(admin.get("/me"), 401)
    assert_error(management.get(tenant.path), 404)
    assert_error(management.delete(tenant.path), 404)
    assert_error(management.post(tenant.path), 409)
    tables = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'palimpsest%'"
    with psycopg.connect(tenant.server.database_url) as connection:
        for schema, table in connection.execute(tables).fetchall():
            rows = connection.execute(f'SELECT t::text FROM "{schema}"."{table}" AS t'.encode()).fetchall()
            assert not [row for (row,) in rows if word in row], table
            if table not in ("contexts", "events", "scrubs"):
                assert not [row for (row,) in rows if row.startswith(f'("{tenant.name}"')], table


def test_an_operator_stops_what_costs_money_and_nothing_else(tenant: Tenant, management: httpx.Client) -> None:
    admin = tenant.admin()
    content(management.patch(tenant.path, json={"enforcement_blocked": True}))
    costly = [("/facts", {"text": "Hi."}), ("/chat", {"message": "Hi."}), ("/reflect", {"query": "Hi?"})]
    for path, body in [*costly, ("/facts/batch", {"messages": [{"role": "user", "content": "Hi."}]})]:
        answer = admin.post(path, json=body)
        assert "enforcement_blocked" in assert_error(answer, 429)
        assert answer.headers["retry-after"] == "60"
    content(admin.post("/facts", json={"text": "Hi.", "infer": "none"}))
    content(admin.get("/state"))
    content(management.patch(tenant.path, json={"enforcement_blocked": False}))
    content(admin.post("/facts", json={"text": "Hi."}))


# --- principals, keys, tokens -----------------------------------------------------------------------


def test_an_external_id_names_one_principal(tenant: Tenant, management: httpx.Client) -> None:
    made = {"display_name": "Ada", "external_id": "ada@acme", "kind": "human", "grants": {READ: ["user/ada/*"]}}
    first = content(management.post(f"{tenant.path}/principals", json=made), 201)
    again = {**made, "display_name": "Other", "grants": {READ: ["/*"]}}
    assert content(management.post(f"{tenant.path}/principals", json=again), 201) == first
    assert_error(management.post(f"{tenant.path}/principals", json={"display_name": "Ada"}), 409)
    assert content(management.get(f"{tenant.path}/principals/ada@acme")) == first
    changed = content(management.patch(f"{tenant.path}/principals/ada@acme", json={"grants": {WRITE: ["user/ada"]}}))
    assert changed["grants"] == {WRITE: ["user/ada"]}


def test_who_is_deleted_has_no_grants_and_no_keys(tenant: Tenant, management: httpx.Client) -> None:
    principal = tenant.principal("gone", {READ: ["/*"]})
    client = tenant.client(tenant.key(principal))
    content(client.get("/me"))
    assert management.delete(f"{tenant.path}/principals/{principal}").status_code == 204
    assert_error(client.get("/me"), 401)
    assert content(management.get(f"{tenant.path}/principals/{principal}"))["grants"] == {}
    for reserved in ("principal:admin", "principal:system"):
        assert_error(management.delete(f"{tenant.path}/principals/{reserved}"), 403)
    assert_error(management.patch(f"{tenant.path}/principals/principal:system", json={"grants": {}}), 403)


def test_keys_of_a_principal(tenant: Tenant, management: httpx.Client) -> None:
    principal, other = tenant.principal("kim", {READ: ["org/acme/*"]}), tenant.principal("lee", {})
    base = f"{tenant.path}/principals/{principal}/keys"
    made = content(management.post(f"{base}/phone", params={"ttl_seconds": 60}), 201)
    assert_error(management.post(f"{base}/phone"), 409)
    assert_error(management.post(f"{base}/wide", json={"grants": {READ: ["/*"]}}), 400)
    assert [row["name"] for row in management.get(base).json()] == ["phone"]
    assert_error(management.post(f"{tenant.path}/principals/{other}/keys/phone/rotate"), 404)
    rotated = content(management.post(f"{base}/phone/rotate"))
    assert rotated["valid_until"] == made["valid_until"]
    assert_error(tenant.client(made["key"]).get("/me"), 401)
    assert management.delete(f"{tenant.path}/keys/phone").status_code == 204
    assert_error(tenant.client(rotated["key"]).get("/me"), 401)


def test_a_token_is_a_key_that_ends(tenant: Tenant, management: httpx.Client) -> None:
    body = {"external_id": "u-17", "ttl_seconds": 60, "grants": {READ: ["user/u-17"], WRITE: ["user/u-17"]}}
    first, second = (content(management.post(f"{tenant.path}/access-tokens", json=body), 201) for _ in range(2))
    assert first["principal_id"] == second["principal_id"]
    assert first["valid_until"] is not None
    for token in (first, second):
        assert content(tenant.client(token["key"]).get("/me"))["effectiveGrants"] == body["grants"]
    wider = {**body, "grants": {READ: ["/*"]}}
    assert_error(management.post(f"{tenant.path}/access-tokens", json=wider), 400)
    assert_error(management.post(f"{tenant.path}/access-tokens", json={"external_id": "x"}), 400)


# --- the audit, limits ------------------------------------------------------------------------------


def test_the_audit_tells_who_did_what_for_whom_and_what_was_denied(tenant: Tenant) -> None:
    admin = tenant.admin()
    alice = tenant.principal("alice", {READ: ["user/alice"], WRITE: ["user/alice"]})
    key = tenant.key("principal:admin", "helper")
    acting = tenant.client(key, **{"X-Memory-On-Behalf-Of": "alice"})
    said = acting.post("/facts", json={"text": "Squirrel secret.", "infer": "none"})
    assert_error(acting.post("/facts", json={"text": "Squirrel.", "scopes": ["org/x"]}), 403)
    assert_error(tenant.client("sp-nobody-has-this-key").get("/state"), 401)

    rows = content(admin.get("/audit", params={"limit": 3}))["rows"]

    denied, refused, done = rows
    assert (denied["operation"], denied["status"], denied["principal"]) == ("GET /{context_id}/state", 401, None)
    assert (refused["status"], refused["onBehalfOf"]) == (403, alice)
    assert (done["status"], done["principal"], done["onBehalfOf"]) == (200, "principal:admin", alice)
    assert (done["key"], done["kind"], done["traceId"]) == ("helper", "decision", said.headers["x-trace-id"])
    assert "Squirrel" not in json.dumps(rows)
    (only,) = content(admin.get("/audit", params={"principal": alice, "key": "helper", "limit": 1}))["rows"]
    assert only == refused
    pages = content(admin.get("/audit", params={"limit": 1}))["page"]
    assert pages["hasMore"]
    assert_error(admin.get("/audit", params={"kind": "gossip"}), 400)
    own = content(tenant.client(tenant.key(alice)).get("/audit"))["rows"]
    assert own and all(alice in (row["principal"], row["onBehalfOf"]) for row in own)


def test_bodies_and_lists_have_limits(tenant: Tenant) -> None:
    admin = tenant.admin()
    assert_error(admin.post("/facts", content=b"x" * (1024 * 1024 + 1)), 413)
    labels = [f"a{number}=b" for number in range(33)]
    assert_error(admin.post("/facts", json={"text": "Hi.", "labels": labels}), 400)
    assert_error(admin.post("/facts", json={"text": "Hi.", "labels": ["_a=b"]}), 400)
    assert_error(admin.post("/sessions", json={"scopes": ["/".join("a" * 17)]}), 400)
    assert_error(admin.post("/sessions", json={"scopes": [[f"a{number}" for number in range(33)]]}), 400)
    assert_error(admin.post("/sessions", json={"scopes": [[]]}), 400)
    assert_error(admin.get("/entities", params={"limit": 0}), 400)
    content(admin.get("/entities", params={"limit": 100_000}))


@pytest.mark.parametrize("odd", ["%20", "a%2Fb", "%F0%9F%99%82", "x" * 10_000, "%00", "..", "%0A", "%C3%28", "'--"])
def test_an_odd_context_id_is_refused_on_every_route(server: ServerProcess, odd: str) -> None:
    for path in ("me", "state", "entities/person/x", "sessions/x/turns", "scopes"):
        answer = httpx.get(f"{server.url}/api/v1/{odd}/{path}", headers={"Authorization": "Bearer x"}, timeout=60)
        assert 400 <= answer.status_code < 500, path


def test_metrics_count_by_operation_and_hold_no_words(server: ServerProcess, tenant: Tenant) -> None:
    content(tenant.admin().get("/entities/person/nobody-Squirrel"), 404)
    with operator(server) as management:
        text = management.get(f"{server.url}/metrics").text
    name = "GET /{context_id}/entities/{entity_type}/{entity_name:path}"
    assert f'palimpsest_requests_total{{operation="{name}",status="404"}}' in text
    assert "palimpsest_events " in text and "palimpsest_queue_depth " in text
    assert "palimpsest_extractions_pending " in text
    assert "Squirrel" not in text and tenant.name not in text
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": tenant.admin().headers["Authorization"]}):
        assert_error(httpx.get(f"{server.url}/metrics", headers=headers, timeout=60), 401)


def test_what_operators_do_stands_in_the_contexts_audit_and_in_their_own(
    server: ServerProcess, management: httpx.Client
) -> None:
    tenant = Tenant(server, management).make()
    tenant.principal("ada", {READ: ["user/ada/*"]})
    stranger = {"Authorization": "Bearer wrong"}
    assert_error(management.delete(tenant.path, headers=stranger), 401)
    assert_error(management.get("/contexts", headers=stranger), 401)
    made, denied = "POST /contexts/{id}/principals", "DELETE /contexts/{id}"
    own = content(tenant.admin().get("/audit", params={"limit": 500}))["rows"]
    told = {(row["operation"], row["status"]): row for row in own}
    assert told[made, 201]["byOperator"] and told[made, 201]["principal"] is None
    assert not told[denied, 401]["byOperator"]
    assert management.delete(tenant.path).status_code == 204
    calls = content(management.get("/audit", params={"context": tenant.name}))["calls"]
    assert (calls[0]["operation"], calls[0]["status"]) == (denied, 204)
    seen = {(one["operation"], one["status"]) for one in calls}
    assert {(made, 201), (denied, 401), ("POST /contexts/{id}", 201)} <= seen
    everything = content(management.get("/audit", params={"limit": 500}))["calls"]
    assert ("GET /contexts", 401, None) in {(one["operation"], one["status"], one["context"]) for one in everything}
    first = content(management.get("/audit", params={"context": tenant.name, "limit": 1}))
    second = content(management.get("/audit", params={"context": tenant.name, "cursor": first["next_cursor"]}))
    assert [*first["calls"], *second["calls"]] == calls
    assert_error(management.get("/audit", headers=stranger), 401)
    assert_error(management.get("/audit", headers={"Authorization": f"Bearer {server.key}"}), 401)


def patiently(send: Callable[[], httpx.Response]) -> httpx.Response:
    """The answer, once the rate limit lets it through."""
    while (answer := send()).status_code == 429:
        time.sleep(int(answer.headers["retry-after"]))
    return answer


@pytest.mark.long
def test_two_processes_behind_one_port_share_everything() -> None:
    origin = "https://app.example"
    with public_folder() as folder:
        first = ServerProcess(
            folder, SHARE_PORT="true", CORS_ALLOWED_ORIGINS=origin, RATE_LIMIT="3", API_KEY="a-shared-key-of-both"
        )
        with first, ServerProcess(folder, **first.settings) as second:
            pids = {first.pid, second.pid}
            assert len(pids) == 2
            deadline = time.monotonic() + 60
            while not any("is listening" in line for line in second.output):
                assert time.monotonic() < deadline, "the second one never came up"
                time.sleep(0.05)
            with operator(first) as management:
                tenant = Tenant(first, management, "shared").make()
                key = tenant.key(tenant.principal("ann", {READ: ["user/ann"], WRITE: ["user/ann"]}))
                client = tenant.client(key, Origin=origin)
                for number in range(10):
                    name = f"Person {number}"
                    triple = {"entity": {"type": "person", "name": name}, "key": "city", "value": "Oslo"}
                    body = {"infer": "triples", "triples": [triple]}
                    content(patiently(partial(client.post, "/facts", json=body)))
                    answer = patiently(partial(client.get, f"/entities/person/{name}"))
                    assert content(answer)["entity"]["name"] == name
                    assert answer.headers["access-control-allow-origin"] == origin
                spent = [client.get("/me") for _ in range(60)]
            limited = [answer for answer in spent if answer.status_code == 429]
            assert limited and assert_error(limited[0], 429)
            assert int(limited[0].headers["retry-after"]) >= 1
            preflight = httpx.options(
                f"{first.url}/api/v1/shared/facts",
                headers={
                    "Origin": origin,
                    "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "authorization,x-spectron-on-behalf-of",
                },
                timeout=60,
            )
            assert preflight.status_code == 200
            assert "x-spectron-on-behalf-of" in preflight.headers["access-control-allow-headers"].lower()
            other = httpx.get(f"{first.url}/api/v1/health", headers={"Origin": "https://evil.example"}, timeout=60)
            assert "access-control-allow-origin" not in other.headers
