"""Who sees and does what: grants, narrowed keys, delegation, scopes, over HTTP."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.e2e.clients.rest import assert_error, content
from tests.servers import ServerProcess
from tests.tenants import MANAGE, READ, WRITE, Tenant, operator

ALICE = {READ: ["org/acme", "user/alice/*"], WRITE: ["org/acme", "user/alice/*"]}
BOB = {READ: ["org/acme", "user/bob/*"], WRITE: ["user/bob/*"]}


@pytest.fixture(scope="module")
def management(server: ServerProcess) -> Iterator[httpx.Client]:
    with operator(server) as client:
        yield client


@pytest.fixture
def tenant(server: ServerProcess, management: httpx.Client) -> Tenant:
    return Tenant(server, management).make()


def told(client: httpx.Client, name: str, value: str, **more: Any) -> dict[str, Any]:
    triple = {"entity": {"type": "person", "name": name}, "key": "city", "value": value}
    return content(client.post("/facts", json={"infer": "triples", "triples": [triple], **more}))


def names(client: httpx.Client, **query: Any) -> set[str]:
    return {row["name"] for row in content(client.get("/entities", params=query))["entities"]}


# --- scopes ---------------------------------------------------------------------------------------


def test_a_row_shows_only_to_who_covers_every_path_of_a_clause(tenant: Tenant) -> None:
    admin, alice, bob = tenant.admin(), tenant.caller("alice", ALICE), tenant.caller("bob", BOB)
    told(admin, "Root", "Rome")
    told(admin, "Team", "Rome", scopes=["org/acme"])
    told(admin, "Both", "Rome", scopes=[["org/acme", "user/alice"]])
    told(admin, "Either", "Rome", scopes=["user/alice", "user/bob"])
    told(admin, "Below", "Rome", scopes=["org/acme/hr"])

    assert names(alice) == {"Team", "Both", "Either"}
    assert names(bob) == {"Team", "Either"}
    assert names(admin) == {"Root", "Team", "Both", "Either", "Below"}
    assert names(tenant.caller("nobody", {})) == set()


def test_what_is_said_without_scopes_goes_to_all_of_the_write_region(tenant: Tenant) -> None:
    alice, bob = tenant.caller("alice", ALICE), tenant.caller("bob", BOB)
    opened = content(alice.post("/sessions"), 201)
    told(alice, "Mine", "Oslo", session_id=opened["id"])

    assert opened["scopes"] == [["org/acme/", "user/alice/"]]
    assert names(alice) == {"Mine"}
    assert names(bob) == set()


def test_a_new_grant_does_not_move_where_facts_go(tenant: Tenant) -> None:
    admin = tenant.admin()
    principal = tenant.principal("cleo", {WRITE: ["user/cleo/*"]})
    cleo = tenant.client(tenant.key(principal))
    grant = {"path": "org/acme/*", "verbs": [WRITE]}
    content(admin.post(f"/principals/{principal}/grants", json=grant))
    assert content(cleo.post("/sessions"), 201)["scopes"] == [["user/cleo/"]]

    chosen = content(admin.put(f"/principals/{principal}/write-scopes", json={"scopes": ["org/acme/desk"]}))
    assert chosen["writeScopes"] == [["org/acme/desk/"]]
    assert content(cleo.post("/sessions"), 201)["scopes"] == [["org/acme/desk/"]]


def test_a_first_grant_says_where_facts_go(tenant: Tenant) -> None:
    admin, principal = tenant.admin(), tenant.principal("dan", {})
    dan = tenant.client(tenant.key(principal))
    assert_error(dan.post("/sessions"), 403)
    content(admin.post(f"/principals/{principal}/grants", json={"path": "user/dan/*", "verbs": [WRITE]}))
    content(admin.post(f"/principals/{principal}/grants", json={"path": "org/x/*", "verbs": [WRITE]}))
    assert content(dan.post("/sessions"), 201)["scopes"] == [["user/dan/"]]


def test_writing_outside_the_region_is_refused_and_leaves_nothing(tenant: Tenant) -> None:
    bob = tenant.caller("bob", BOB)
    for scopes in (["org/acme"], [["user/bob", "org/acme"]], ["user/bob", "user/alice"], ["/"]):
        assert_error(bob.post("/facts", json={"text": "I live in Rome.", "scopes": scopes}), 403)
    assert content(tenant.admin().get("/sessions"))["sessions"] == []


def test_a_session_keeps_the_scopes_that_it_was_made_with(tenant: Tenant) -> None:
    alice = tenant.caller("alice", ALICE)
    session = content(alice.post("/sessions", json={"scopes": ["user/alice"]}), 201)["id"]
    told(alice, "Same", "Oslo", session_id=session, scopes=["user/alice"])
    other = {"text": "I live in Rome.", "session_id": session, "scopes": ["org/acme"]}
    assert_error(alice.post("/facts", json=other), 400)


def test_an_absent_session_and_somebody_elses_are_refused_alike(tenant: Tenant) -> None:
    alice, bob = tenant.caller("alice", ALICE), tenant.caller("bob", BOB)
    hers = content(alice.post("/sessions"), 201)["id"]
    absent = assert_error(bob.post("/facts", json={"text": "Hi.", "session_id": "01arz3ndektsv4rrffq69g5fav"}), 403)
    assert assert_error(bob.post("/facts", json={"text": "Hi.", "session_id": hers}), 403) == absent
    assert assert_error(bob.get(f"/sessions/{hers}"), 404) == assert_error(
        bob.get("/sessions/01arz3ndektsv4rrffq69g5fav"), 404
    )


@pytest.mark.parametrize(
    ("lens", "seen"),
    [
        (["org/acme"], {"Team", "Both"}),
        (["org/acme/*"], {"Team", "Both", "Below"}),
        (["user/*"], {"Both", "User"}),
        (["/*"], {"Root", "Team", "Both", "Below", "User"}),
        (["org/other", "/"], {"Root"}),
        (["org/other"], set()),
    ],
)
def test_a_lens_only_narrows(tenant: Tenant, lens: list[str], seen: set[str]) -> None:
    admin, alice = tenant.admin(), tenant.caller("alice", ALICE)
    told(admin, "Root", "Rome")
    told(admin, "Team", "Rome", scopes=["org/acme"])
    told(admin, "Both", "Rome", scopes=[["org/acme", "user/alice"]])
    told(admin, "Below", "Rome", scopes=["org/acme/hr"])
    told(admin, "User", "Rome", scopes=["user/bob"])

    assert names(admin, lens=lens) == seen
    assert names(alice, lens=lens) == seen & {"Team", "Both"}
    assert_error(admin.get("/entities", params={"lens": "org/*/x"}), 400)


def test_a_lens_never_tells_of_a_clause_that_the_caller_is_not_granted(tenant: Tenant) -> None:
    bob = tenant.caller("bob", BOB)
    told(tenant.admin(), "Either", "Rome", scopes=["user/bob", "user/alice"])
    assert names(bob, lens="user/bob") == {"Either"}
    assert names(bob, lens="user/alice") == set()


def test_who_sees_a_row_by_one_clause_is_not_told_the_others(tenant: Tenant) -> None:
    bob = tenant.caller("bob", BOB)
    admin = tenant.admin()
    told(admin, "Either", "Rome", scopes=[["user/bob"], ["org/hush", "user/alice"]])
    content(admin.post("/facts", json={"text": "Always answer in French.", "scopes": ["user/bob", "org/hush"]}))
    for path in ("/entities/person/either", "/attributes", "/state", "/sessions", "/events", "/instructions"):
        text = bob.get(path).text
        assert "hush" in admin.get(path).text or path == "/events"
        assert "user/bob" in text or path == "/events"
        assert "hush" not in text and "user/alice" not in text, path
    assert "hush" not in bob.get("/events", params={"limit": 500}).text


def test_a_narrowed_key_leaves_no_trace_of_what_it_may_read(tenant: Tenant) -> None:
    narrow = tenant.client(
        tenant.key("principal:admin", grants={READ: ["org/hush/*", "user/bob"], WRITE: ["user/bob"]})
    )
    content(narrow.post("/facts", json={"text": "Words.", "infer": "none", "scopes": ["user/bob"]}))
    events = tenant.caller("bob", BOB).get("/events")
    assert "Words." in events.text and "hush" not in events.text


def test_paths_are_registered_by_the_first_write(tenant: Tenant) -> None:
    admin, alice = tenant.admin(), tenant.caller("alice", ALICE)
    told(admin, "Deep", "Rome", scopes=["org/acme/user/zoe"])
    told(alice, "Mine", "Rome", scopes=["user/alice/notes"])
    paths = [node["path"] for node in content_list(admin.get("/scopes"))]
    assert paths == [
        "org/",
        "org/acme/",
        "org/acme/user/",
        "org/acme/user/zoe/",
        "user/",
        "user/alice/",
        "user/alice/notes/",
    ]
    assert [node["path"] for node in content_list(alice.get("/scopes"))] == [
        "org/acme/",
        "user/alice/",
        "user/alice/notes/",
    ]


def test_a_strict_context_takes_only_registered_paths(server: ServerProcess, management: httpx.Client) -> None:
    tenant = Tenant(server, management).make(config={"scopes": {"strict": True}})
    admin = tenant.admin()
    assert_error(admin.post("/facts", json={"text": "Hi.", "infer": "none", "scopes": ["org/new"]}), 403)
    node = content(admin.post("/scopes", json={"path": "org/new", "displayName": "New"}), 201)
    assert (node["path"], node["displayName"], node["tombstonedAt"]) == ("org/new/", "New", None)
    told(admin, "In", "Rome", scopes=["org/new"])
    assert admin.delete("/scopes", params={"path": "org/new"}).status_code == 204
    assert_error(admin.post("/facts", json={"text": "Hi.", "infer": "none", "scopes": ["org/new"]}), 403)
    assert names(admin) == {"In"}
    assert content_list(admin.get("/scopes"))[1]["tombstonedAt"] is not None
    assert_error(admin.delete("/scopes", params={"path": "/"}), 403)
    assert_error(admin.delete("/scopes"), 400)


def test_scope_verbs_are_verbs_of_their_own(tenant: Tenant) -> None:
    alice = tenant.caller("alice", {**ALICE, "scope:create": ["org/acme/*"]})
    content(alice.post("/scopes", json={"path": "org/acme/lab"}), 201)
    assert_error(alice.post("/scopes", json={"path": "org/other"}), 403)
    assert_error(alice.delete("/scopes", params={"path": "org/acme/lab"}), 403)


# --- delegation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["X-Spectron-On-Behalf-Of", "X-Memory-On-Behalf-Of", "X-Agent-Memory-On-Behalf-Of"])
def test_acting_for_another_leaves_what_both_may(tenant: Tenant, header: str) -> None:
    alice_id = tenant.principal("alice@acme", ALICE)
    alice = tenant.client(tenant.key(alice_id))
    helper = tenant.key(tenant.principal("helper", {READ: ["user/*"], WRITE: ["user/*"]}))
    told(tenant.admin(), "Team", "Rome", scopes=["org/acme"])
    told(tenant.admin(), "Bobs", "Rome", scopes=["user/bob"])

    for value in (alice_id, alice_id.removeprefix("principal:"), "alice@acme", "principal:alice@acme"):
        acting = tenant.client(helper, **{header: value})
        told(acting, "Hers", "Oslo")
        assert names(acting) == {"Hers"}
        me = content(acting.get("/me"))
        assert (me["displayName"], me["delegatedPrincipalId"]) == ("helper", alice_id)
        assert me["effectiveGrants"] == {READ: ["user/alice/*"], WRITE: ["user/alice/*"]}
    assert names(alice) == {"Hers", "Team"}


def test_two_spellings_must_name_the_same_principal(tenant: Tenant) -> None:
    key = tenant.key("principal:admin")
    same = {"X-Spectron-On-Behalf-Of": "principal:x", "X-Memory-On-Behalf-Of": "x"}
    assert content(tenant.client(key, **same).get("/me"))["effectiveGrants"] == {}
    other = {"X-Spectron-On-Behalf-Of": "x", "X-Memory-On-Behalf-Of": "y"}
    assert_error(tenant.client(key, **other).get("/me"), 400)


def test_acting_for_nobody_known_shows_and_does_nothing(tenant: Tenant) -> None:
    told(tenant.admin(), "Root", "Rome")
    acting = tenant.client(tenant.key("principal:admin"), **{"X-Memory-On-Behalf-Of": "nobody"})
    assert names(acting) == set()
    assert_error(acting.post("/facts", json={"text": "Hi."}), 403)
    assert_error(acting.post("/keys"), 403)


# --- principals and grants ------------------------------------------------------------------------


def test_grants_are_answered_from_their_history(tenant: Tenant) -> None:
    admin, principal = tenant.admin(), tenant.principal("ed", {})
    path = f"/principals/{principal}"
    grant = {"path": "org/acme/*", "verbs": [READ, WRITE]}
    assert content(admin.post(f"{path}/grants", json=grant))["grants"] == {READ: ["org/acme/*"], WRITE: ["org/acme/*"]}
    granted_at = now()
    revoke = {"path": "org/*", "verbs": [WRITE]}
    assert content(admin.request("DELETE", f"{path}/grants", json=revoke))["grants"] == {READ: ["org/acme/*"]}

    effective = f"{path}/effective?path=org/acme/user/al"
    assert content(admin.get(effective))["verbs"] == [READ]
    then = content(admin.get(effective, params={"path": "org/acme/user/al", "asOf": granted_at}))
    assert then["verbs"] == [READ, WRITE]
    assert then["asOf"] == granted_at
    assert content(admin.get(effective, params={"path": "org/acme", "asOf": "2020-01-01T00:00:00Z"}))["verbs"] == []
    assert_error(admin.get(f"{path}/effective"), 400)


def test_a_part_of_a_wider_grant_is_not_silently_left(tenant: Tenant) -> None:
    admin, principal = tenant.admin(), tenant.principal("flo", {READ: ["org/*"]})
    assert_error(
        admin.request("DELETE", f"/principals/{principal}/grants", json={"path": "org/acme", "verbs": [READ]}), 400
    )


@pytest.mark.parametrize(
    "body",
    [{"path": "org/acme", "verbs": ["read"]}, {"path": "org/*/x", "verbs": [READ]}, {"path": "a", "verbs": []}, {}],
)
def test_a_bad_grant_is_refused(tenant: Tenant, body: dict[str, Any]) -> None:
    assert_error(tenant.admin().post("/principals/principal:admin/grants", json=body), 400)


def test_grants_are_managed_within_ones_own_region(tenant: Tenant) -> None:
    lead = tenant.caller("lead", {MANAGE: ["org/acme/*"]})
    inside = tenant.principal("in", {READ: ["org/acme/hr", "user/in"]})
    outside = tenant.principal("out", {READ: ["org/other"]})
    shown = {row["displayName"]: row["grants"] for row in content_list(lead.get("/principals"))}
    assert shown["in"] == {READ: ["org/acme/hr"]}
    assert "out" not in shown
    assert_error(lead.get(f"/principals/{outside}"), 404)
    content(lead.post(f"/principals/{inside}/grants", json={"path": "org/acme/*", "verbs": [WRITE]}))
    assert_error(lead.post(f"/principals/{inside}/grants", json={"path": "/*", "verbs": [WRITE]}), 403)
    assert_error(lead.post("/principals", json={"displayName": "new"}), 403)
    assert_error(tenant.caller("plain", ALICE).get("/principals"), 403)


def test_the_system_principal_stays_as_it_is(tenant: Tenant) -> None:
    admin = tenant.admin()
    assert content(admin.get("/principals/principal:system"))["displayName"] == "system"
    assert_error(admin.post("/principals/principal:system/grants", json={"path": "/*", "verbs": [READ]}), 403)
    assert_error(admin.get("/principals/01arz3ndektsv4rrffq69g5fav"), 404)


READS: dict[str, Callable[[httpx.Client], httpx.Response]] = {
    "a list": lambda client: client.get("/attributes"),
    "the state": lambda client: client.get("/state"),
    "events": lambda client: client.get("/events", params={"limit": 500}),
    "a question": lambda client: client.post("/query", json={"query": "Where does Secret live?"}),
    "a chat": lambda client: client.post("/chat", json={"message": "Where does Secret live?"}),
}


@pytest.mark.parametrize(
    "way",
    ["a list", "a chat", *(pytest.param(way, marks=pytest.mark.long) for way in ("the state", "events", "a question"))],
)
def test_nothing_that_was_revoked_is_shown_after_the_revoke_was_answered(tenant: Tenant, way: str) -> None:
    admin = tenant.admin()
    principal = tenant.principal("gus", {READ: ["org/acme/*"], WRITE: ["user/gus"]})
    key = tenant.key(principal)
    told(admin, "Secret", "Rome", scopes=["org/acme"])
    stop: list[bool] = []
    early: list[str] = []
    late: list[str] = []

    def read() -> None:
        with tenant.client(key) as client:
            while not stop or len(late) < 8:
                seen = late if stop else early
                seen.append(READS[way](client).text)

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        while not early:
            time.sleep(0.01)
        grant = {"path": "org/acme/*", "verbs": [READ]}
        content(admin.request("DELETE", f"/principals/{principal}/grants", json=grant))
        stop.append(True)
        for reader in readers:
            reader.result()
    assert "Rome" in early[0]
    assert late and not any("Rome" in seen for seen in late)


def test_a_stream_of_events_goes_on_without_what_was_revoked(tenant: Tenant) -> None:
    admin = tenant.admin()
    principal = tenant.principal("gus", {READ: ["org/acme/*", "user/gus"]})
    told(admin, "Known", "Rome", scopes=["org/acme"])
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "0"}
    text = ""
    with (
        tenant.client(tenant.key(principal)) as client,
        client.stream("GET", "/events", headers=headers, timeout=30) as stream,
    ):
        pieces = stream.iter_text()
        while "Rome" not in text:
            text += next(pieces)
        grant = {"path": "org/acme/*", "verbs": [READ]}
        content(admin.request("DELETE", f"/principals/{principal}/grants", json=grant))
        told(admin, "Secret", "Lima", scopes=["org/acme"])
        told(admin, "Own", "Oslo", scopes=["user/gus"])
        while "Oslo" not in text:
            text += next(pieces)
    assert "Lima" not in text and "Secret" not in text


# --- keys -----------------------------------------------------------------------------------------


def test_a_narrowed_key_does_no_more_than_it_says(tenant: Tenant) -> None:
    alice = tenant.caller("alice", ALICE)
    minted = content(alice.post("/keys", json={"name": "phone", "grants": {READ: ["user/alice"]}}), 201)
    phone = tenant.client(minted["key"])
    told(alice, "Mine", "Oslo", scopes=["user/alice"])
    told(alice, "Team", "Oslo", scopes=["org/acme"])
    assert names(phone) == {"Mine"}
    assert_error(phone.post("/facts", json={"text": "Hi."}), 403)
    assert content(phone.get("/me"))["tokenGrants"] == {READ: ["user/alice"]}
    assert_error(phone.post("/keys", json={"grants": {WRITE: ["user/alice"]}}), 400)
    inherited = content(phone.post("/keys", json={"name": "watch"}), 201)
    assert content(tenant.client(inherited["key"]).get("/me"))["tokenGrants"] == {READ: ["user/alice"]}
    wide = content(alice.post("/keys", json={"name": "wide"}), 201)
    assert_error(phone.post(f"/keys/{wide['name']}/rotate"), 404)
    assert_error(phone.delete("/keys/wide"), 404)


def test_rotating_kills_the_old_secret_at_once(tenant: Tenant) -> None:
    alice = tenant.caller("alice", ALICE)
    first = content(alice.post("/keys", params={"ttlSeconds": 3600}, json={"name": "phone"}), 201)
    second = content(alice.post("/keys/phone/rotate"))
    assert second["id"] == first["id"]
    assert second["validUntil"] == first["validUntil"]
    assert_error(tenant.client(first["key"]).get("/me"), 401)
    content(tenant.client(second["key"]).get("/me"))
    assert alice.delete("/keys/phone").status_code == 204
    assert_error(tenant.client(second["key"]).get("/me"), 401)
    assert_error(alice.delete("/keys/phone"), 404)
    content(alice.post("/keys", json={"name": "phone"}), 201)
    assert_error(alice.post("/keys", json={"name": "phone"}), 409)


def test_a_key_ends_when_its_time_is_up_and_what_it_made_with_it(tenant: Tenant) -> None:
    short = tenant.client(tenant.key(tenant.principal("kim", ALICE), ttl=2))
    child = content(short.post("/keys", json={"name": "child"}), 201)
    assert child["validUntil"] is not None
    content(tenant.client(child["key"]).get("/me"))
    time.sleep(2.1)
    assert_error(short.get("/me"), 401)
    assert_error(tenant.client(child["key"]).get("/me"), 401)


def test_keys_are_seen_by_themselves_and_by_who_manages_all(tenant: Tenant) -> None:
    admin, alice = tenant.admin(), tenant.caller("alice", ALICE)
    content(alice.post("/keys", json={"name": "phone"}), 201)
    (own,) = content_list(alice.get("/keys"))
    assert own["lastUsedAt"] is not None
    assert "key" not in own
    assert {row["name"] for row in content_list(admin.get("/keys"))} >= {"phone", own["name"]}
    page = content(admin.get("/keys", params={"limit": 1, "count": "true"}))
    assert len(page["keys"]) == 1 and page["page"]["hasMore"] and page["page"]["totalSize"] == 3
    newest = tenant.client(tenant.key("principal:admin"), **{"User-Agent": "surrealdb-memory-js/0.2.1"})
    assert isinstance(content(newest.get("/keys"))["keys"], list)
    assert isinstance(newest.get("/scopes").json()["scopes"], list)
    assert isinstance(newest.get("/principals").json()["principals"], list)


def test_a_context_may_keep_keys_to_its_operator(server: ServerProcess, management: httpx.Client) -> None:
    closed = Tenant(server, management).make(config={"allow_self_service_keys": False, "max_token_ttl_seconds": 60})
    assert_error(closed.admin().post("/keys"), 403)
    assert_error(closed.admin().get("/keys"), 403)
    management.patch(closed.path, json={"config": {"allow_self_service_keys": None}})
    bounded = content(closed.admin().post("/keys", params={"ttlSeconds": 3600}), 201)
    assert bounded["validUntil"] < now(ahead_s=61)


def test_who_may_write_nowhere_is_refused_before_a_reply_is_made(tenant: Tenant) -> None:
    reader = tenant.caller("reader", {READ: ["/*"]})
    for body in ({"message": "Hello."}, {"message": "Hello.", "stream": True}):
        assert_error(reader.post("/chat", json=body), 403)


def test_a_writer_who_may_not_read_learns_nothing_from_its_answers(tenant: Tenant) -> None:
    told(tenant.admin(), "Vera", "Lisbon", scopes=["box"])
    writer = tenant.caller("drop", {WRITE: ["box"]})
    answer = writer.post(
        "/facts",
        json={
            "infer": "triples",
            "triples": [{"entity": {"type": "person", "name": "Vera"}, "key": "city", "value": "Turin"}],
        },
    )
    assert "Lisbon" not in answer.text
    told_back = content(answer)["extraction"]
    assert told_back["corrections"] == [] and told_back["entities"] == []
    assert names(writer) == set()


def content_list(answer: httpx.Response) -> list[Any]:
    assert answer.status_code == 200, answer.text
    rows = answer.json()
    assert isinstance(rows, list)
    return rows


def now(*, ahead_s: float = 0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=ahead_s)).isoformat(timespec="microseconds").replace("+00:00", "Z")
