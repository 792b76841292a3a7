"""The leak hunt: nobody reads, counts or touches what is somebody else's, on any route.

The routes come from the application's own tables, and a placeholder that this module can't fill is an error, so a
new route is hunted too. Everything of Bob's is marked with words that nothing else holds; his ids are collected
from his own answers. Alice then asks for everything, in every way.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import pytest

from api.http.app import ASYNC_ROUTES, ROUTES, UPLOAD_ROUTES
from api.ids import new_id, ulid
from api.mcp.tools import TOOLS
from tests.e2e.clients.rest import content
from tests.e2e.test_crash import eventually
from tests.servers import ServerProcess
from tests.tenants import FORGET, READ, WRITE, Tenant, operator

HUNTED = [
    (method, path) for method, path, _ in (*ROUTES, *ASYNC_ROUTES, *UPLOAD_ROUTES) if path.startswith("/{context_id}/")
]
# What is read by a POST, and of GETs what Bob may not ask, or has none of.
READ_BY_POST = ("/query", "/context", "/lookup", "/state", "/fsck", "/search", "/chat")
NEVER_HIS = tuple("/{context_id}/principals" + rest for rest in ("", "/{principal_id}", "/{principal_id}/effective"))
# What holds no rows of memory, or shows the caller nothing but itself.
OF_THE_CALLER = ("/me", "/keys", "/providers", "/scope-grants")
ULID = re.compile(r"(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])")

SECRETS = (
    *("Quuxville", "Blivetown", "Frobnicorp", "Snorkheim", "Wibbleton", "Grumblefitz", "Plonkworth", "Kwyjibo"),
    *("Crumbsworth", "Zibbledash"),
)
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"limit": 1, "count": "true"},
    {"lens": "/*"},
    {"lens": "org/b/*"},
    {"asOf": "now"},
    {"sort": "text", "by": "recency", "q": "Zorblax", "entity": "person/zorblax", "actor": "person/zorblax"},
    {"src": "person/zorblax", "ref": "entity:person/zorblax", "resolved": "false", "type": "person"},
    {"path": "org/b", "from": "0", "query": "Where does Zorblax live?", "days": 30, "page": 0, "pageSize": 5},
)
STREAM = {"Accept": "text/event-stream", "Last-Event-ID": "0"}
STREAM_READ_S = 0.6  # of one that goes on by itself
HANDBOOK = b"A kwyjibo handbook tells of kwyjibo. Who has a kwyjibo handbook needs no other kwyjibo handbook."
# A body that every operation finds its fields in; what it does not know it ignores.
BODY = {
    "query": "Where does Zorblax live and work?",
    "message": "Where does Zorblax live?",
    "content": "Hello.",
    "text": "Hello.",
    "infer": "none",
    "role": "user",
    "path": "org/b",
    "verbs": [READ],
    "reason": "none",
    "messages": [{"role": "user", "content": "Hello."}],
    "acceptedValue": "1",
    "into": "person/alice",
    "displayName": "x",
    "subject": "person/zorblax",
    "include": ["passages"],
    "purge": True,
    "dryRun": False,
    "check": "duplicates",
    "entityRef": "person/zorblax",
}


class Hunt(NamedTuple):
    """Callers of one context, and what of Bob's must never be seen by any but him."""

    tenant: Tenant
    alice: httpx.Client
    bob: httpx.Client
    admin_for_alice: httpx.Client
    alice_for_bob: httpx.Client
    elsewhere: httpx.Client
    ids: dict[str, str]
    secret_ids: frozenset[str]

    @property
    def callers(self) -> dict[str, httpx.Client]:
        return {
            "alice": self.alice,
            "admin for alice": self.admin_for_alice,
            "alice for bob": self.alice_for_bob,
            "the other context": self.elsewhere,
        }


def plant(client: httpx.Client) -> dict[str, str]:
    """Something of every kind that can be stored, in the caller's own region. Returns what fills placeholders."""
    zorblax = {"type": "person", "name": "Zorblax"}
    session = content(client.post("/sessions", json={"metadata": {"note": "Plonkworth"}}), 201)["id"]
    triples: list[dict[str, Any]] = [
        {"entity": zorblax, "key": "city", "value": "Quuxville"},
        {"entity": zorblax, "key": "works_at", "target": {"type": "organisation", "name": "Frobnicorp"}},
        {"entity": zorblax, "verb": "visited", "object": "Snorkheim"},
        {"entity": zorblax, "key": "height", "value": "Wibbleton", "confidence": 0.4},
    ]

    def said(**body: Any) -> dict[str, Any]:
        return content(client.post("/facts", json={"session_id": session, **body}))

    told = said(infer="triples", triples=triples)
    moved = said(infer="triples", triples=[{"entity": zorblax, "key": "city", "value": "Blivetown"}])
    rule = said(text="Always sign as Grumblefitz.")
    said(text="The password is Zibbledash.", infer="none")
    said(text="Mumblecote was a mistake.", infer="none")
    erased = content(client.post("/forget", json={"query": "Mumblecote", "purge": True}))
    content(client.post("/query", json={"query": "What is Crumbsworth?"}))
    upload = content(client.post("/documents", files={"file": ("kwyjibo.txt", HANDBOOK, "text/plain")}), 202)
    document = upload["id"]
    eventually(lambda: content(client.get(f"/documents/{document}"))["status"] == "ready", "the document is read")
    keyword = content(client.get(f"/documents/{document}/keywords"))["keywords"][0]
    (doubt,) = content(client.get("/uncertainty"))["unknowns"][:1]
    return {
        "session_id": session,
        "turn_id": told["turnId"],
        "attribute_id": moved["extraction"]["attributes"][0]["id"],
        "relation_id": content(client.get("/relations"))["relations"][0]["id"],
        "instruction_id": rule["extraction"]["instructions"][0]["id"],
        "uncertainty_id": doubt["id"],
        "correction_id": content(client.get("/corrections"))["corrections"][0]["id"],
        "trace_id": content(client.get("/traces"))["traces"][0]["id"],
        "document_id": document,
        "erasure_id": erased["erasureId"],
        "normalised": keyword["normalised"],
        "entity_type": "person",
        "entity_name": "zorblax",
        "key": "city",
        "key_name": "bobs",
    }


def absent(ids: dict[str, str]) -> dict[str, str]:
    """Names and ids like those, of nothing."""
    nothing = ulid(new_id())
    return {
        name: ULID.sub(nothing, value) if ULID.search(value) else value if name == "entity_type" else "nothing"
        for name, value in ids.items()
    }


@pytest.fixture(scope="module")
def hunt(server: ServerProcess) -> Iterator[Hunt]:
    with operator(server) as management:
        tenant, other = Tenant(server, management).make(), Tenant(server, management).make()
        own = {name: [f"org/{name[0]}/*", f"user/{name}/*"] for name in ("alice", "bob")}
        grants = {name: dict.fromkeys((READ, WRITE, FORGET), patterns) for name, patterns in own.items()}
        alice_id, bob_id = (tenant.principal(name, grants[name]) for name in ("alice", "bob"))
        bob = tenant.client(tenant.key(bob_id, "bobs"))
        alice_key = tenant.key(alice_id)
        alice = tenant.client(alice_key)
        with operator(server):
            ids = plant(bob)
        content(alice.post("/facts", json={"text": "I'm Alice and I live in Oslo."}))
        elsewhere = other.admin()
        content(elsewhere.post("/facts", json={"text": "I'm Alice and I live in Oslo."}))
        found = {one for path in read_paths() for one in ULID.findall(bob.get(path).text)}
        own_ids = set(ULID.findall(alice.get("/me").text)) | set(ULID.findall(alice.get("/sessions").text))
        found |= {one for value in ids.values() for one in ULID.findall(value)}
        yield Hunt(
            tenant=tenant,
            alice=alice,
            bob=bob,
            admin_for_alice=tenant.client(tenant.key("principal:admin"), **{"X-Memory-On-Behalf-Of": "alice"}),
            alice_for_bob=tenant.client(alice_key, **{"X-Spectron-On-Behalf-Of": bob_id}),
            elsewhere=elsewhere,
            ids=ids,
            secret_ids=frozenset(found - own_ids - {bob_id.removeprefix("principal:")}),
        )


def read_paths() -> list[str]:
    """Lists without placeholders."""
    paths = [path.removeprefix("/{context_id}") for method, path in HUNTED if method == "GET"]
    return [path for path in paths if "{" not in path and not path.startswith(OF_THE_CALLER) and path != "/principals"]


def filled(path: str, ids: dict[str, str]) -> str:
    """The path with its placeholders filled. Raises KeyError for one that this module does not know."""
    names = {**{name: quote(value, safe="") for name, value in ids.items()}, "principal_id": "principal:admin"}
    return path.removeprefix("/{context_id}").replace(":path", "").format(**names)


def asked(client: httpx.Client, method: str, path: str, way: dict[str, Any]) -> httpx.Response:
    params = {**way, "asOf": datetime.now(UTC).isoformat()} if way.get("asOf") else way
    body = None if method in ("GET", "DELETE") else BODY
    return client.request(method, path, params=params, json=body)


def leaked(hunt: Hunt, answer: httpx.Response, path: str) -> list[str]:
    """Secrets and ids of Bob's in an answer, but those that were asked for by name."""
    text = answer.text
    return [one for one in (*SECRETS, *hunt.secret_ids) if one in text and one not in path]


def snapshot(client: httpx.Client) -> str:
    """All that a caller sees, without what reading itself changes."""
    skipped = ("/traces", "/audit", "/scopes")
    answers = [client.get(path).json() for path in read_paths() if not path.startswith(skipped)]
    # How long the log is, everybody is told by every write.
    return re.sub(r'"(importance|score|position|to)": [0-9.e-]+', "", json.dumps(answers, sort_keys=True))


def test_the_secrets_are_where_they_were_planted(hunt: Hunt) -> None:
    seen = "".join(hunt.bob.get(path).text for path in read_paths())
    seen += hunt.bob.get(f"/sessions/{hunt.ids['session_id']}/turns").text
    seen += hunt.bob.get(f"/sessions/{hunt.ids['session_id']}").text
    seen += hunt.bob.get("/entities/person/zorblax/history").text
    assert [one for one in SECRETS if one.lower() not in seen.lower()] == []
    assert len(hunt.secret_ids) > 15


@pytest.mark.parametrize(("method", "path"), HUNTED, ids=[f"{method} {path[13:]}" for method, path in HUNTED])
def test_nobody_sees_or_touches_what_is_bobs(hunt: Hunt, method: str, path: str) -> None:
    his, nothing = filled(path, hunt.ids), filled(path, absent(hunt.ids))
    ways = WAYS if method == "GET" else WAYS[:2]
    for name, client in hunt.callers.items():
        for way in ways if name == "alice" else ways[:1]:
            answer = asked(client, method, his, way)
            assert answer.status_code < 500 or answer.status_code in (501, 503), f"{name} {way}: {answer.text}"
            assert leaked(hunt, answer, his) == [], f"{name} {way}"
        if his != nothing:
            here, there = asked(client, method, his, {}), asked(client, method, nothing, {})
            assert here.status_code == there.status_code, name
            if here.status_code >= 400:
                assert here.json()["message"] == there.json()["message"], name


def answers_himself(hunt: Hunt, method: str, path: str) -> bool:
    return any(asked(hunt.bob, method, filled(path, hunt.ids), way).is_success for way in WAYS)


@pytest.mark.parametrize(
    ("method", "path"),
    [(method, path) for method, path in HUNTED if method == "GET" or path.endswith(READ_BY_POST)],
    ids=lambda part: part.removeprefix("/{context_id}"),
)
def test_what_is_hunted_answers_bob_himself(hunt: Hunt, method: str, path: str) -> None:
    """Else nothing would be shown of his whatever the operation did."""
    assert answers_himself(hunt, method, path) or path in NEVER_HIS


@pytest.mark.parametrize("name", ["alice", "admin for alice", "alice for bob", "the other context"])
def test_no_stream_carries_what_is_bobs(hunt: Hunt, name: str) -> None:
    client = hunt.callers[name]
    body = {**BODY, "stream": True}
    for path in ("/chat", f"/sessions/{hunt.ids['session_id']}/chat"):
        assert leaked(hunt, client.post(path, json=body, headers=STREAM), path) == []
    seen = streamed(client)
    assert [one for one in (*SECRETS, *hunt.secret_ids) if one in seen] == []


def test_bobs_own_stream_has_it(hunt: Hunt) -> None:
    assert "Blivetown" in streamed(hunt.bob)


def streamed(client: httpx.Client) -> str:
    """What the stream of events brings within STREAM_READ_S."""
    parts: list[bytes] = []
    with suppress(httpx.ReadTimeout), client.stream("GET", "/events", headers=STREAM, timeout=STREAM_READ_S) as stream:
        parts.extend(stream.iter_raw())
    return b"".join(parts).decode()


TOOL_ARGUMENTS = {
    "query": "Where does Zorblax live and work?",
    "text": "Hello.",
    "infer": "none",
    "ref": "entity:person/zorblax",
    "entity": "person/zorblax",
    "key": "city",
    "bytes_base64": "SGk=",
    "filename": "kwyjibo.txt",
    "dry_run": True,
}
RESOURCES = ("documents", "entities", "sessions", "entities/person/zorblax")


def test_no_tool_and_no_resource_of_mcp_shows_what_is_bobs(hunt: Hunt) -> None:
    headers = {"Accept": "application/json, text/event-stream", "X-Spectron-Context": hunt.tenant.name}
    calls: list[tuple[str, dict[str, Any]]] = [("resources/read", {"uri": f"spectron://fs/{one}"}) for one in RESOURCES]
    calls += [("tools/call", {"name": tool, "arguments": TOOL_ARGUMENTS}) for tool in TOOLS]
    shown = {"alice": "", "bob": ""}
    for name, client in (("alice", hunt.alice), ("bob", hunt.bob)):
        for method, params in calls:
            if name == "bob" and "name" in params and not TOOLS[params["name"]].read_only:
                continue  # what is his must stay as it is
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            url = f"{hunt.tenant.server.url}/mcp"
            answer = client.post(url, json=message, headers=headers)
            assert answer.status_code == 200, answer.text
            shown[name] += answer.text
    assert "Blivetown" in shown["bob"]
    assert [one for one in (*SECRETS, *hunt.secret_ids) if one in shown["alice"]] == []


def test_counts_are_of_what_is_seen(hunt: Hunt) -> None:
    counted = 0
    for path in read_paths():
        answer = hunt.alice.get(path, params={"limit": 500, "count": "true"}).json()
        total = answer.get("page", {}).get("totalSize") if isinstance(answer, dict) else None
        if total is not None and not path.startswith(("/traces", "/audit")):
            (rows,) = [value for value in answer.values() if isinstance(value, list)]
            assert total == len(rows), path
            counted += 1
    assert counted >= 5


def test_at_the_end_of_the_hunt_all_of_bobs_is_as_it_was(hunt: Hunt) -> None:
    before = snapshot(hunt.bob)
    for method, path in HUNTED:
        if method != "GET":
            for client in hunt.callers.values():
                asked(client, method, filled(path, hunt.ids), {})
    assert snapshot(hunt.bob) == before
    assert "Blivetown" in before
