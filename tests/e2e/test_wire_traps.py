"""What the vendor's clients send and read that no specification would make one expect, each under its number.

1  no body where one is asked for            7  two equal requests within one bucket of time
2  bodies where none is asked for            8  headers that error objects are made of
3  ids in every spelling, percent-encoded    9  other memory categories
4  two casings, and aliases                 10  fields that only one client reads
5  fields that a client can't do without    11  fields that a client drops
6  idempotency keys on reads                12  statuses in any case
"""

import itertools
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from api.ids import new_id
from tests.e2e.clients.rest import assert_error, content
from tests.servers import ServerProcess
from tests.tenants import READ, Tenant, operator

NAMES = itertools.count(1)


@pytest.fixture(scope="module")
def tenant(server: ServerProcess) -> Iterator[Tenant]:
    with operator(server) as management:
        yield Tenant(server, management).make()


@pytest.fixture(scope="module")
def admin(tenant: Tenant) -> Iterator[httpx.Client]:
    with tenant.admin() as client:
        yield client


def told(admin: httpx.Client, **body: Any) -> dict[str, Any]:
    entity = {"type": "person", "name": f"Person {next(NAMES)}"}
    triples = [{"entity": entity, "key": "city", "value": "Oslo"}]
    return content(admin.post("/facts", json={"infer": "triples", "triples": triples, **body}))


def uploaded(admin: httpx.Client) -> str:
    files = {"file": ("notes.txt", f"Notes {new_id()}.".encode(), "text/plain")}
    return str(content(admin.post("/documents", files=files), 202)["id"])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *[("/consolidate", 200), ("/fsck", 200), ("/sessions", 201), ("/keys", 201), ("/scopes/forget", 400)],
        *[("/lifecycle/decay", 200), ("/lifecycle/expire", 200), ("/elaborate", 400)],
    ],
)
def test_trap_1_a_request_without_a_body_or_content_type_is_an_empty_object(
    admin: httpx.Client, path: str, status: int
) -> None:
    bare = admin.post(path)
    assert "content-type" not in bare.request.headers
    assert (bare.status_code, admin.post(path, json={}).status_code) == (status, status), bare.text


def test_trap_1_a_document_that_is_put_without_bytes_is_read_again(admin: httpx.Client) -> None:
    document = uploaded(admin)
    again = admin.put(f"/documents/{document}")
    assert "content-type" not in again.request.headers
    assert content(again, 202)["id"] == document


@pytest.mark.parametrize("path", ["/lifecycle/decay", "/lifecycle/expire", "/documents/recompute-links"])
def test_trap_2_an_empty_object_is_no_body(admin: httpx.Client, path: str) -> None:
    assert admin.post(path, json={}).is_success


def test_trap_2_grants_are_taken_by_a_delete_with_a_body(tenant: Tenant, admin: httpx.Client) -> None:
    path = f"/principals/{tenant.principal('trap-2', {READ: ['org/acme']})}/grants"
    assert content(admin.request("DELETE", path, json={"path": "org/acme", "verbs": [READ]}))["grants"] == {}


def test_trap_3_sessions_in_every_spelling(admin: httpx.Client) -> None:
    session = content(admin.post("/sessions"), 201)["id"]
    for spelling in (session, f"sess%3A{session}", f"session%3A{session}", f"sess_{session}", f"session:{session}"):
        turn = told(admin, session_id=spelling.replace("%3A", ":"))["turnId"]
        assert content(admin.get(f"/sessions/{spelling}/turns"))["turns"][-1]["id"] == turn


def test_trap_3_keys_principals_and_documents_in_every_spelling(tenant: Tenant, admin: httpx.Client) -> None:
    made = content(admin.post("/keys"), 201)
    assert content(admin.post(f"/keys/{made['id'].replace(':', '%3A')}/rotate"))["id"] == made["id"]
    principal = content(admin.get("/me"))["principalId"].replace(":", "%3A")
    assert content(admin.get(f"/principals/{principal}"))["id"] == "principal:admin"
    document = uploaded(admin)
    bare = document.rpartition(":")[2]
    for spelling in (bare, f"doc:{bare}", f"doc%3A{bare}", f"document%3A{bare}", document):
        assert content(admin.get(f"/documents/{spelling}"))["id"] == document
    assert " " in tenant.name and "%20" in str(admin.base_url), "a context id may hold a space"


def test_trap_4_bodies_are_taken_in_both_casings(admin: httpx.Client) -> None:
    session = content(admin.post("/sessions"), 201)["id"]
    for body in (
        {"session_id": session, "memory_category": "identity", "observed_at": "2026-01-01T00:00:00Z"},
        {"sessionId": session, "memoryCategory": "identity", "observedAt": "2026-01-01T00:00:00Z"},
    ):
        answer = told(admin, **body)
        assert answer["sessionId"] == session
        (attribute,) = answer["extraction"]["attributes"]
        assert attribute["memoryCategory"] == "identity"
    for body in ({"session_id": session}, {"sessionId": session}):
        assert content(admin.post("/chat", json={"message": "Hello.", **body}))["sessionId"] == session
    moments = ({"as_of": "2020-01-01T00:00:00Z"}, {"asOf": "2020-01-01T00:00:00Z"})
    for body in moments:
        asked = {"query": "Where does Person 1 live?", "scope_view": "strict", **body}
        assert content(admin.post("/query", json=asked))["hits"] == []


def test_trap_4_scopes_limits_and_lenses_have_other_names(admin: httpx.Client) -> None:
    for body in ({"scope": "org/acme"}, {"scopes": "org/acme"}, {"scopes": ["org/acme"]}, {"scopes": [["org/acme"]]}):
        assert content(admin.post("/sessions", json=body), 201)["scopes"] == [["org/acme/"]]
    assert content(admin.post("/sessions", json={"scopes": []}), 201)["scopes"] == [["/"]]
    for _ in range(2):
        told(admin, scopes=["org/lens"])
    question = {"query": "Who lives in Oslo?"}
    for name in ("k", "limit"):
        assert len(content(admin.post("/query", json={**question, name: 1}))["hits"]) == 1
    for name in ("lens", "scope", "scopes"):
        assert content(admin.post("/query", json={**question, name: ["org/nowhere"]}))["hits"] == []


def test_trap_5_what_the_python_client_needs_is_always_there(admin: httpx.Client) -> None:
    fact = told(admin)
    assert {"mode", "sessionId"} <= fact.keys()
    batch = admin.post("/facts/batch", json={"messages": [{"role": "user", "content": "Hi."}], "infer": "none"})
    assert "sessionId" in content(batch)
    preview = {"text": "I live in Oslo.", "infer": "preview"}
    assert content(admin.post("/facts", json=preview))["sessionId"]
    hits = content(admin.post("/query", json={"query": "Who lives in Oslo?"}))["hits"]
    assert hits and all({"id", "score", "source", "text"} <= hit.keys() for hit in hits)
    assert {"reply", "sessionId", "traceId"} <= content(admin.post("/chat", json={"message": "Hello."})).keys()
    files = {"file": ("a.txt", f"{new_id()}".encode(), "text/plain")}
    upload = content(admin.post("/documents", files=files), 202)
    assert {"contentHash", "deduplicated", "id", "status"} <= upload.keys()
    assert {"id", "key"} <= content(admin.post("/keys"), 201).keys()
    assert all("path" in node for node in admin.get("/scopes").json())
    assert content(admin.get("/principals/principal:admin/effective", params={"path": "org"}))["path"]


@pytest.mark.parametrize("path", ["/query", "/context", "/lookup", "/state"])
def test_trap_6_a_read_is_never_answered_from_an_earlier_one(admin: httpx.Client, path: str) -> None:
    headers, name = {"Idempotency-Key": str(new_id())}, f"Zaphod {path[1:]}"
    body = {"query": f"Where does {name} live?", "subject": f"person/{name}"}
    before = admin.post(path, json=body, headers=headers).text
    triples = [{"entity": {"type": "person", "name": name}, "key": "city", "value": f"Betelgeuse {path[1:]}"}]
    content(admin.post("/facts", json={"infer": "triples", "triples": triples}))
    assert f"Betelgeuse {path[1:]}" not in before
    assert f"Betelgeuse {path[1:]}" in admin.post(path, json=body, headers=headers).text


def test_trap_7_two_equal_writes_in_one_bucket_are_one_turn(admin: httpx.Client) -> None:
    session = content(admin.post("/sessions"), 201)["id"]
    headers = {"Idempotency-Key": str(new_id())}
    body = {"text": "Hello.", "infer": "none", "session_id": session}
    first, second = (content(admin.post("/facts", json=body, headers=headers)) for _ in range(2))
    assert first["turnId"] == second["turnId"]
    assert len(content(admin.get(f"/sessions/{session}/turns"))["turns"]) == 1


def test_trap_8_errors_carry_a_trace_id_and_the_one_shape(admin: httpx.Client) -> None:
    for answer in (admin.get("/entities/person/nobody"), admin.post("/facts", json={}), admin.get("/nowhere")):
        assert len(answer.headers["x-trace-id"]) == 26
        assert_error(answer, answer.status_code)


@pytest.mark.parametrize("category", ["semantic", "episodic", "preference"])
def test_trap_9_other_memory_categories_are_refused(admin: httpx.Client, category: str) -> None:
    assert_error(admin.post("/facts", json={"text": "Hi.", "memory_category": category}), 400)


@pytest.mark.parametrize("verb", ["read", "write", "manage"])
def test_trap_9_flat_verbs_are_refused(admin: httpx.Client, verb: str) -> None:
    grant = {"path": "org/acme", "verbs": [verb]}
    assert_error(admin.post("/principals/principal:admin/grants", json=grant), 400)


def test_trap_10_fields_that_only_one_client_reads(admin: httpx.Client) -> None:
    assert content(admin.get("/me"))["enforce"] is True
    shown = content(admin.get(f"/documents/{uploaded(admin)}"))
    assert {"chunkCount", "keywordCount", "language"} <= shown.keys()


def test_trap_11_fields_that_a_client_drops_are_there_for_the_others(admin: httpx.Client) -> None:
    assert "actions" in told(admin)["extraction"]
    assert "citations" in content(admin.post("/chat", json={"message": "Hello."}))
    assert "contextHits" in content(admin.post("/query", json={"query": "Who lives in Oslo?"}))


@pytest.mark.parametrize("spelling", ["Failed", "FAILED", "failed", "Ready"])
def test_trap_12_a_status_is_compared_in_any_case_and_shown_in_lower_case(admin: httpx.Client, spelling: str) -> None:
    uploaded(admin)
    found = content(admin.get("/documents", params={"status": spelling}))["documents"]
    assert {document["status"] for document in found} <= {spelling.lower()}
