"""Every operation against the wire contract: shapes, keys, context ids, errors, paging, and the traps of real clients.

The shapes are in api/http/wire_shapes.json, which the OpenAPI document is made from too. A field name ending
in "?" may be absent, a type ending in "?" may be null, "[]" is a list; every shape may have more fields than it names.
"""

import base64
import itertools
import json
import re
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import pytest

from api.http.app import ASYNC_ROUTES, PREFIX, ROUTES
from api.http.openapi import SHAPES
from api.ids import new_id
from tests.e2e.clients.rest import Context, Json, assert_error, content, new_context
from tests.servers import ServerProcess
from tests.tenants import Tenant, operator, operator_key

CONTRACT = json.loads(SHAPES.read_text(encoding="utf-8"))
NO_SESSION = "01arz3ndektsv4rrffq69g5fav"
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ALICE = {"type": "person", "name": "Alice"}

# Words that fill every list of an extraction and of the state.
STORY = (
    "I'm Alice, Head of Platform at Acme.",
    "I just got promoted to CTO",
    "Always reply in French.",
    "Maybe I will move to Rome.",
)
DEED = {"entity": ALICE, "verb": "visited", "object": "the office", "occurred_at": "2024-05-01T00:00:00Z"}
TASTE = {"entity": ALICE, "key": "likes", "value": "tea"}
MOOD = {"entity": ALICE, "key": "mood", "value": "calm", "memory_category": "context"}


class Operation(NamedTuple):
    """A valid call: a route as in ROUTES, and the shape of its answer, None for an empty one."""

    method: str
    route: str
    shape: str | None
    body: Any = None
    status: int = 200
    params: dict[str, str] | None = None

    def __str__(self) -> str:
        variant = self.body.get("infer") or self.body.get("extract") if isinstance(self.body, dict) else None
        return " ".join(filter(None, (self.method, self.route, variant, *(self.params or {}).values())))


SAID = [{"role": "user", "content": "I live in Lyon."}, {"role": "assistant", "content": "Lyon is lovely."}]
SESSION = "/{context_id}/sessions/{session_id}"
MANAGED = "/contexts/{id}"
MANAGED_PRINCIPAL = MANAGED + "/principals/{principal_id}"
PRINCIPAL = "/{context_id}/principals/{principal_id}"
ENTITY = "/{context_id}/entities/{entity_type}/{entity_name:path}"
DOCUMENT = "/{context_id}/documents/{document_id}"
# Their answers are files, not JSON.
FILES = {("GET", DOCUMENT + "/raw"), ("GET", DOCUMENT + "/text")}
PANELS = b"# Roof\n\nThe solar panel is new. A solar panel is not of use without [light](light.md).\n"
OPERATIONS = (
    Operation("GET", "/health", "Health"),
    Operation("GET", "/audit", "OperatorAudit"),
    Operation("GET", "/contexts", "Contexts"),
    Operation("POST", "/contexts/{id}", "Context_", {"namespace": "acme", "config": {"token_limit": 5}}, 201),
    Operation("GET", MANAGED, "Context_"),
    Operation("PATCH", MANAGED, "Context_", {"config": {"providers": {"openai": {"api_key": "hidden-key"}}}}),
    Operation("DELETE", MANAGED, None, status=204),
    Operation("POST", MANAGED + "/lifecycle/decay", "Lifecycle"),
    Operation("POST", MANAGED + "/lifecycle/reindex", "Job", status=202),
    Operation("GET", MANAGED + "/principals", "ManagedPrincipal[]"),
    Operation("POST", MANAGED + "/principals", "ManagedPrincipal", {"display_name": "Bo", "external_id": "bo"}, 201),
    Operation("GET", MANAGED_PRINCIPAL, "ManagedPrincipal"),
    Operation("PATCH", MANAGED_PRINCIPAL, "ManagedPrincipal", {"write_scopes": ["/"]}),
    Operation("DELETE", MANAGED_PRINCIPAL, None, status=204),
    Operation("GET", MANAGED_PRINCIPAL + "/keys", "ManagedKey[]"),
    Operation("POST", MANAGED_PRINCIPAL + "/keys/{key_name}", "MintedKey", status=201),
    Operation("POST", MANAGED_PRINCIPAL + "/keys/{key_name}/rotate", "MintedKey"),
    Operation("DELETE", MANAGED_PRINCIPAL + "/keys/{key_name}", None, status=204),
    Operation("GET", MANAGED + "/keys", "ManagedKey[]"),
    Operation("POST", MANAGED + "/keys/{key_name}/rotate", "MintedKey"),
    Operation("DELETE", MANAGED + "/keys/{key_name}", None, status=204),
    Operation("POST", MANAGED + "/access-tokens", "MintedKey", {"external_id": "cy", "ttl_seconds": 60}, 201),
    Operation("GET", "/migrations", "Migrations"),
    Operation("GET", "/verbs", "Verb[]"),
    Operation("GET", "/{context_id}/me", "Whoami"),
    Operation("GET", "/{context_id}/providers", "Providers"),
    Operation("GET", "/{context_id}/keys", "Key[]"),
    Operation("GET", "/{context_id}/keys", "Keys", params={"count": "true"}),
    Operation("POST", "/{context_id}/keys", "MintedKey", status=201),
    Operation("DELETE", "/{context_id}/keys/{key_name}", None, status=204),
    Operation("POST", "/{context_id}/keys/{key_name}/rotate", "MintedKey"),
    Operation("GET", "/{context_id}/scopes", "ScopeNode[]"),
    Operation("GET", "/{context_id}/scopes", "Scopes", params={"limit": "1"}),
    Operation("POST", "/{context_id}/scopes", "ScopeNode", {"path": "/org/acme/", "displayName": "Acme"}, 201),
    Operation("DELETE", "/{context_id}/scopes", None, status=204, params={"path": "org/acme"}),
    Operation("POST", "/{context_id}/scope-grants", "Error", {"grants": {}}, 501),
    Operation("GET", "/{context_id}/principals", "Principal[]"),
    Operation("GET", "/{context_id}/principals", "Principals", params={"limit": "1"}),
    Operation("POST", "/{context_id}/principals", "Principal", {"displayName": "Ada", "externalId": "ada"}, 201),
    Operation("GET", PRINCIPAL, "Principal"),
    Operation("GET", PRINCIPAL + "/effective", "Effective", params={"path": "org/acme"}),
    Operation("GET", PRINCIPAL + "/effective", "Effective", params={"path": "/", "asOf": "2024-01-01T00:00:00Z"}),
    Operation("POST", PRINCIPAL + "/grants", "Principal", {"path": "org/acme/*", "verbs": ["memory:read"]}),
    Operation("DELETE", PRINCIPAL + "/grants", "Principal", {"path": "org/acme/*", "verbs": ["memory:read"]}),
    Operation("PUT", PRINCIPAL + "/write-scopes", "Principal", {"scopes": ["/"]}),
    Operation("GET", "/{context_id}/audit", "Audit"),
    Operation("POST", "/{context_id}/facts", "Facts", {"text": "I live in Lyon."}),
    Operation("POST", "/{context_id}/facts", "Facts", {"text": "I live in Lyon.", "infer": "full"}),
    Operation("POST", "/{context_id}/facts", "Facts", {"text": "I live in Oslo.", "infer": "preview"}),
    Operation("POST", "/{context_id}/facts", "Facts", {"text": "The kettle is on.", "infer": "none"}),
    Operation("POST", "/{context_id}/facts", "Facts", {"triples": [DEED], "infer": "triples"}),
    Operation("POST", "/{context_id}/facts/batch", "FactsBatch", {"messages": SAID}),
    Operation("POST", "/{context_id}/facts/batch", "FactsBatch", {"messages": SAID, "extract": "whole_conversation"}),
    Operation("POST", "/{context_id}/facts/batch", "FactsBatch", {"messages": SAID, "extract": "per_message"}),
    Operation("POST", "/{context_id}/facts/batch", "FactsBatch", {"messages": SAID, "infer": "none"}),
    Operation("POST", "/{context_id}/sessions", "Session", {"scopes": [["org/acme"]], "metadata": {"a": 1}}, 201),
    Operation("GET", "/{context_id}/sessions", "Sessions"),
    Operation("GET", SESSION, "Session"),
    Operation("DELETE", SESSION, None, status=204),
    Operation("GET", SESSION + "/turns", "Turns"),
    Operation("POST", SESSION + "/turns", "Facts", {"role": "user", "content": "I live in Lyon."}),
    Operation("POST", "/{context_id}/consolidate", "Consolidated"),
    Operation("POST", "/{context_id}/reflect", "Error", {"query": "Who is Alice?"}, 503),
    Operation("POST", "/{context_id}/elaborate", "Error", {"sweep": True}, 503),
    Operation("POST", "/{context_id}/chat", "Chat", {"message": "What do you know about me?"}),
    Operation("POST", SESSION + "/chat", "Chat", {"content": "What do you know about me?"}),
    Operation("GET", "/{context_id}/turns/{turn_id}", "UnderstoodTurn"),
    Operation("GET", "/{context_id}/turns/{turn_id}/diff", "TurnChanges"),
    Operation("GET", "/{context_id}/diff", "Changes", params={"from": "1"}),
    Operation("GET", "/{context_id}/usage", "Usage"),
    Operation("GET", "/{context_id}/state", "State"),
    Operation("POST", "/{context_id}/state", "State"),
    Operation("GET", "/{context_id}/entities", "Entities"),
    Operation("GET", "/{context_id}/entities/search", "EntityMatches", params={"q": "alice"}),
    Operation("GET", "/{context_id}/entities/top", "TopEntities"),
    Operation("GET", "/{context_id}/entities/top", "TopEntities", params={"by": "importance"}),
    Operation("GET", "/{context_id}/entities/top", "TopEntities", params={"by": "recency"}),
    Operation("GET", ENTITY, "EntityFacts"),
    Operation("GET", ENTITY + "/history/{key}", "History"),
    Operation("GET", ENTITY + "/history", "HistoryOfAll"),
    Operation("GET", ENTITY + "/neighbourhood", "Neighbourhood"),
    Operation("DELETE", ENTITY, None, status=204),
    Operation("POST", ENTITY + "/merge", "EntityFacts", {"into": "person/Katherine", "reason": "told so"}),
    Operation("POST", ENTITY + "/separate", "EntityFacts"),
    Operation("POST", "/{context_id}/fsck", "Fsck"),
    Operation("POST", "/{context_id}/fsck", "Fsck", {"check": "duplicates", "duplicateThreshold": 0.9}),
    Operation("POST", "/{context_id}/lifecycle/decay", "Lifecycle"),
    Operation("POST", "/{context_id}/lifecycle/expire", "Lifecycle"),
    Operation("GET", "/{context_id}/attributes", "Attributes"),
    Operation("GET", "/{context_id}/relations", "Relations"),
    Operation("GET", "/{context_id}/actions", "Actions"),
    Operation("GET", "/{context_id}/instructions", "Instructions"),
    Operation("GET", "/{context_id}/uncertainty", "Uncertainties"),
    Operation("POST", "/{context_id}/attributes/{attribute_id}/close", "ClosedAttribute", {"reason": "told by phone"}),
    Operation("POST", "/{context_id}/relations/{relation_id}/close", "ClosedRelation", {}),
    Operation("POST", "/{context_id}/instructions/{instruction_id}/close", None, status=204),
    Operation("POST", "/{context_id}/uncertainty/{uncertainty_id}/resolve", "Resolved", {"acceptedValue": "180"}),
    Operation("GET", "/{context_id}/corrections", "Corrections"),
    Operation("GET", "/{context_id}/corrections/{correction_id}", "CorrectionWithTurn"),
    Operation("DELETE", "/{context_id}/turns/{turn_id}", "Forgotten", params={"dryRun": "true"}),
    Operation("POST", "/{context_id}/turns/{turn_id}/retract", "Revision", {"dryRun": True}),
    Operation("POST", "/{context_id}/corrections/{correction_id}/undo", "Revision", {"dryRun": True}),
    Operation("POST", "/{context_id}/forget", "Forgotten", {"query": "Ulan Bator", "dryRun": True}),
    Operation("POST", "/{context_id}/scopes/forget", "ScopeForgotten", {"path": "org/nowhere"}),
    Operation("GET", "/{context_id}/erasures/{erasure_id}", "Erasure"),
    Operation("GET", "/{context_id}/events", "Events", params={"limit": "3"}),
    Operation("GET", ENTITY + "/explain/{key}", "Explained"),
    Operation("GET", "/{context_id}/profile", "Profile"),
    Operation("GET", "/{context_id}/inspect", "InspectedEntity", params={"ref": "entity:person/alice"}),
    Operation("GET", "/{context_id}/inspect", "InspectedAttribute", params={"ref": "attribute:person/alice/job_title"}),
    Operation("GET", "/{context_id}/inspect", "InspectedRelation", params={"ref": "relation:alice/works_at/acme"}),
    Operation("POST", "/{context_id}/query", "Query", {"query": "what is Alice's job title?"}),
    Operation("POST", "/{context_id}/query", "Query", {"query": "the platform at Acme in March", "k": 5}),
    Operation("POST", "/{context_id}/query", "Query", {"query": "Alice visited the office", "mode": "graph"}),
    Operation("POST", "/{context_id}/lookup", "Lookup", {"query": "Alice", "include": ["passages"]}),
    Operation("POST", "/{context_id}/lookup", "Lookup", {"query": "zzz qqq"}),
    Operation("POST", "/{context_id}/context", "Context", {"query": "who is Alice?"}),
    Operation("POST", SESSION + "/context", "SessionContext", {"query": "who is Alice?"}),
    Operation("GET", SESSION + "/context", "SessionContext", params={"query": "who is Alice?"}),
    Operation("GET", "/{context_id}/documents", "Documents", params={"count": "true"}),
    Operation("GET", "/{context_id}/documents", "Documents", params={"page": "0", "pageSize": "1"}),
    Operation("GET", DOCUMENT, "Document"),
    Operation("DELETE", DOCUMENT, None, status=204),
    Operation("GET", DOCUMENT + "/chunks", "Chunks"),
    Operation("GET", DOCUMENT + "/keywords", "DocumentKeywords"),
    Operation("GET", "/{context_id}/documents/keywords", "Keywords"),
    Operation("GET", "/{context_id}/documents/keywords/{normalised:path}", "KeywordDetail"),
    Operation("POST", "/{context_id}/documents/keywords/search", "KeywordHits", {"query": "solar panel"}),
    Operation(
        "POST", "/{context_id}/documents/query", "DocumentHits", {"query": "solar panel", "mode": "hybrid_graph"}
    ),
    Operation("POST", "/{context_id}/documents/recompute-links", "Relinked"),
    Operation("GET", "/{context_id}/traces", "Traces"),
    Operation("GET", "/{context_id}/traces/{trace_id}", "Trace"),
    Operation("GET", "/{context_id}/traces/stats", "TraceStats"),
)
PATHS_OF_ROWS = (
    ("/documents", "documents"),
    ("/documents/keywords", "keywords"),
    ("/attributes", "attributes"),
    ("/relations", "relations"),
    ("/actions", "actions"),
    ("/instructions", "instructions"),
    ("/uncertainty", "unknowns"),
    ("/entities/search?q=alice", "matches"),
    ("/entities/top", "entities"),
    ("/entities/person/alice/history", "history"),
    ("/entities/person/alice/neighbourhood", "neighbours"),
    *(("/profile", name) for name in ("static", "dynamic", "preferences", "instructions", "selfFacts")),
)
# A made-up id in a sentence would be parsed differently from run to run.
NUMBERS = itertools.count(1)
FRESH = ("key_name", "erasure_id", "attribute_id", "relation_id", "instruction_id", "uncertainty_id")
OPERATED = [
    operation for operation in OPERATIONS if operation.route.startswith(("/contexts", "/audit", "/migr", "/verbs"))
]
KEYED = [operation for operation in OPERATIONS if "{context_id}" in operation.route]


class Place(NamedTuple):
    """What fills the placeholders of a route."""

    context: Context
    session_id: str
    other_key: str
    turn_id: str
    correction_id: str
    trace_id: str
    document_id: str

    def call(
        self, operation: Operation, *, key: str | None, context_path: str | None = None, **names: str
    ) -> httpx.Response:
        filled = {
            "session_id": self.session_id,
            "turn_id": self.turn_id,
            "correction_id": self.correction_id,
            "principal_id": "principal:admin",
            "id": quote(self.context.name),
            "trace_id": self.trace_id,
            "document_id": self.document_id,
            "normalised": "SOLAR%20PANEL",
            "entity_type": "person",
            "entity_name": "alice",
            "key": "job_title",
            "context_id": context_path or self.context.path.removeprefix(PREFIX + "/"),
            **names,
        }
        if operation in OPERATED:
            filled |= self.managed_ids(operation)
        elif key == self.context.key and context_path is None:
            filled |= self.fresh_ids(operation.route)
        filled = dict.fromkeys(FRESH, "none") | filled
        path = PREFIX + operation.route.replace(":path", "").format(**filled)
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        url = self.context.server.url + path
        return httpx.request(
            operation.method, url, json=operation.body, params=operation.params, headers=headers, timeout=60
        )

    def managed_ids(self, operation: Operation) -> dict[str, str]:
        """A key and a principal made just now, for what kills them, and a new context's name."""
        with operator(self.context.server) as client:
            tenant = Tenant(self.context.server, client, self.context.name)
            principal_id = tenant.principal(f"p {new_id()}", {})
            name = f"key {new_id()}"
            if (operation.method, operation.status) != ("POST", 201):
                tenant.key(principal_id, name)
            context = self.context.name
            if operation.route == MANAGED and operation.method in ("POST", "DELETE"):
                context = f"short-lived {new_id()}"
            if operation.route == MANAGED and operation.method == "DELETE":
                Tenant(self.context.server, client, context).make()
        return {"id": quote(context), "principal_id": principal_id, "key_name": quote(name)}

    def fresh_ids(self, route: str) -> dict[str, str]:
        """Ids of something made just now, for a route that settles it by hand."""
        wanted = [name for name in FRESH if f"{{{name}}}" in route]
        if not wanted:
            return {}
        if wanted == ["key_name"]:
            with self.context.client() as rest:
                return {"key_name": content(rest.post("/keys", json={}), 201)["name"]}
        if wanted == ["erasure_id"]:
            word = f"Word{new_id().hex}"
            with self.context.client() as rest:
                content(rest.post("/facts", json={"text": word, "infer": "none"}))
                return {"erasure_id": content(rest.post("/forget", json={"query": word, "purge": True}))["erasureId"]}
        entity = {"type": "person", "name": f"Ina {new_id()}"}
        triples = [
            {"entity": entity, "key": "city", "value": "Lyon"},
            {"entity": entity, "key": "knows", "target": {"type": "person", "name": "Bo"}},
            {"entity": entity, "key": "height", "value": "170", "confidence": 0.4},
        ]
        with self.context.client() as rest:
            told = content(rest.post("/facts", json={"infer": "triples", "triples": triples}))["extraction"]
            rule = content(rest.post("/facts", json={"text": f"Always cite source {next(NUMBERS)}."}))["extraction"]
            (doubt,) = content(rest.get(f"/uncertainty?entity=person/{entity['name']}"))["unknowns"]
        return {
            "attribute_id": told["attributes"][0]["id"],
            "relation_id": told["relations"][0]["id"],
            "instruction_id": rule["instructions"][0]["id"],
            "uncertainty_id": doubt["id"],
        }


def read_document(rest: httpx.Client, data: bytes) -> str:
    """Upload a document and wait until it is ready. Returns its id."""
    made = content(rest.post("/documents", files={"file": ("panels.md", data)}), 202)
    assert faults(made, "Uploaded") == []
    deadline = time.monotonic() + 60
    while content(rest.get(f"/documents/{made['id']}"))["status"] != "ready":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return str(made["id"])


@pytest.fixture(scope="module")
def place(server: ServerProcess) -> Place:
    """A context whose id holds a space, with every kind of fact in it, and the key of another context."""
    context = new_context(server, "acme prod")
    with context.client() as rest:
        session_id = content(rest.post("/sessions"), 201)["id"]
        told = [content(rest.post("/facts", json={"text": text, "session_id": session_id})) for text in STORY]
        given = {"infer": "triples", "triples": [DEED, TASTE, MOOD], "session_id": session_id}
        content(rest.post("/facts", json=given))
        trace_id = content(rest.post("/query", json={"query": "platform"}))["trace"]["traceId"]
        document_id = read_document(rest, PANELS)
    (correction_id,) = [row["id"] for one in told for row in one["extraction"]["corrections"]]
    other_key = new_context(server, "somebody else").key
    return Place(context, session_id, other_key, told[0]["turnId"], correction_id, trace_id, document_id)


@pytest.fixture(scope="module")
def rest(place: Place) -> Iterator[httpx.Client]:
    with place.context.client() as client:
        yield client


# --- shapes ------------------------------------------------------------------------------------


def faults(value: Any, kind: str, path: str = "answer") -> list[str]:
    """What is wrong with `value` as a `kind` of the contract."""
    if kind.endswith("?"):
        return [] if value is None else faults(value, kind[:-1], path)
    if kind.endswith("[]"):
        if not isinstance(value, list):
            return [f"{path}: not a list"]
        return [fault for ordinal, one in enumerate(value) for fault in faults(one, kind[:-2], f"{path}.{ordinal}")]
    if kind in CONTRACT["enums"]:
        return [] if value in CONTRACT["enums"][kind] else [f"{path}: {value!r} is no {kind}"]
    if kind in CONTRACT["shapes"]:
        return _faults_of_fields(value, CONTRACT["shapes"][kind], path)
    fits = {
        "str": isinstance(value, str),
        "bool": isinstance(value, bool),
        "int": isinstance(value, int) and not isinstance(value, bool),
        "num": isinstance(value, int | float) and not isinstance(value, bool),
        "time": isinstance(value, str) and RFC_3339.fullmatch(value) is not None,
    }[kind]
    return [] if fits else [f"{path}: {value!r} is no {kind}"]


def _faults_of_fields(value: Any, fields: dict[str, str], path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path}: not an object"]
    found = []
    for field, kind in fields.items():
        name = field.removesuffix("?")
        if name in value:
            found += faults(value[name], kind, f"{path}.{name}")
        elif not field.endswith("?"):
            found.append(f"{path}.{name}: missing")
    return found


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({}, "Page"),
        ({"hasMore": 1}, "Page"),
        ({"hasMore": True, "nextCursor": 5}, "Page"),
        ([{"hasMore": True}], "Page"),
        ({"scopes": ["/"], "id": "x", "createdAt": "2024-01-01T00:00:00Z"}, "Session"),
        ({"scopes": [], "id": "x", "createdAt": "2024-01-01"}, "Session"),
        ("memory", "MemoryCategory"),
        (None, "str"),
        (True, "num"),
    ],
)
def test_the_checker_finds_what_is_wrong(value: Any, kind: str) -> None:
    assert faults(value, kind)


def test_the_table_has_every_route() -> None:
    assert {(one.method, one.route) for one in OPERATIONS} == {
        (method, path) for method, path, _ in (*ROUTES, *ASYNC_ROUTES)
    } - FILES


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_valid_call_has_the_shape_of_the_contract(place: Place, rest: httpx.Client, operation: Operation) -> None:
    names = {}
    if operation.method == "DELETE":
        rest.post("/facts", json={"infer": "triples", "triples": [{"entity": {"type": "person", "name": "Gone"}}]})
        names = {"session_id": content(rest.post("/sessions"), 201)["id"], "entity_name": "gone"}
    if (operation.method, operation.route) == ("DELETE", DOCUMENT):
        uploaded = rest.post("/documents", files={"file": ("gone.txt", b"Words that are soon gone.")})
        names = {"document_id": content(uploaded, 202)["id"]}

    if operation.method == "POST" and operation.route.startswith(ENTITY):
        kat, katherine = ({"entity": {"type": "person", "name": name}} for name in ("Kat", "Katherine"))
        rest.post("/facts", json={"infer": "triples", "triples": [kat, katherine]})
        names = {"entity_name": "kat"}

    if operation.method == "POST" and operation.route.startswith(SESSION):
        names = {"session_id": content(rest.post("/sessions"), 201)["id"]}

    key = operator_key(place.context.server) if operation in OPERATED else place.context.key
    answer = place.call(operation, key=key, **names)

    assert answer.status_code == operation.status, answer.text
    assert "hidden-key" not in answer.text
    assert answer.headers["x-trace-id"]
    if operation.shape is None:
        assert answer.content == b""
    else:
        assert answer.headers["content-type"] == "application/json"
        assert faults(answer.json(), operation.shape) == []


def test_the_checked_answers_had_rows_of_every_kind(rest: httpx.Client, place: Place) -> None:
    state = content(rest.get("/state"))
    for name in ("entities", "attributes", "relations", "actions"):
        assert any(state[category][name] for category in ("identity", "knowledge", "context")), name
    assert state["instructions"] and state["unknowns"]
    assert content(rest.get("/corrections"))["corrections"]
    for path, name in PATHS_OF_ROWS:
        assert content(rest.get(path))[name], (path, name)
    assert len(content(rest.get("/entities/person/alice/history/job_title"))["history"]) == 2
    assert len(content(rest.get(f"/sessions/{place.session_id}/turns"))["turns"]) == len(STORY) + 1


@pytest.mark.parametrize(
    ("body", "present", "absent"),
    [
        ({"text": "I live in Lyon."}, {"turnId", "extraction"}, {"chunkId"}),
        ({"text": "I live in Oslo.", "infer": "preview"}, {"extraction"}, {"chunkId"}),
        ({"infer": "triples", "triples": [DEED]}, {"turnId", "extraction"}, {"chunkId"}),
        ({"text": "The kettle is on.", "infer": "none"}, {"turnId", "chunkId"}, {"extraction"}),
    ],
    ids=["full", "preview", "triples", "none"],
)
def test_each_mode_answers_with_its_own_fields(
    rest: httpx.Client, body: Json, present: set[str], absent: set[str]
) -> None:
    answer = content(rest.post("/facts", json=body))

    assert answer["mode"] == body.get("infer", "full")
    assert answer["preview"] is (body.get("infer") == "preview")
    assert present <= answer.keys()
    assert absent.isdisjoint(answer.keys())


def test_a_preview_stores_nothing(rest: httpx.Client) -> None:
    before = content(rest.get("/sessions", params={"limit": 1}))

    preview = content(rest.post("/facts", json={"text": "I'm Zoe and I live in Quito.", "infer": "preview"}))

    assert [row["name"] for row in preview["extraction"]["entities"]] == ["Zoe", "Quito"]
    assert_error(rest.get("/entities/person/zoe"), 404)
    assert_error(rest.get(f"/sessions/{preview['sessionId']}"), 404)
    assert content(rest.get("/sessions", params={"limit": 1})) == before


@pytest.mark.parametrize("operation", OPERATED, ids=str)
def test_managing_needs_a_management_key(place: Place, operation: Operation) -> None:
    for key in (None, "wrong", place.context.key):
        assert_error(place.call(operation, key=key), 401)


# --- keys, context ids, unknown routes ---------------------------------------------------------


@pytest.mark.parametrize("operation", KEYED, ids=str)
def test_an_operation_without_a_key_of_this_context_is_refused(place: Place, operation: Operation) -> None:
    for key in (None, "wrong", place.other_key, place.context.server.key, place.context.key + "x"):
        answer = place.call(operation, key=key)
        assert_error(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["Bearer", "Basic {key}", "{key}", "Token {key}"])
def test_a_malformed_authorization_is_refused(place: Place, header: str) -> None:
    headers = {"Authorization": header.format(key=place.context.key)}
    assert_error(httpx.get(f"{place.context.server.url}{place.context.path}/state", headers=headers), 401)


def test_an_unknown_context_looks_like_a_wrong_key(place: Place) -> None:
    operation = Operation("GET", "/{context_id}/state", "State")
    unknown = place.call(operation, key=place.context.key, context_path="nowhere")
    wrong = place.call(operation, key="wrong")
    assert assert_error(unknown, 401) == assert_error(wrong, 401)


def test_refused_writes_leave_nothing(place: Place, rest: httpx.Client) -> None:
    before = content(rest.get("/sessions"))["sessions"], content(rest.get("/entities"))["entities"]
    for operation in KEYED:
        place.call(operation, key=place.other_key)
    assert (content(rest.get("/sessions"))["sessions"], content(rest.get("/entities"))["entities"]) == before


@pytest.mark.parametrize(
    "context_path",
    ["a" * 129, "a%00b", *(pytest.param(path, marks=pytest.mark.long) for path in ("%20", "a%1Fb", "a%0Ab", "%7F"))],
)
def test_an_invalid_context_id_is_refused_on_every_route(place: Place, context_path: str) -> None:
    for operation in KEYED:
        assert_error(place.call(operation, key=place.context.key, context_path=context_path), 422)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/api/v1/", 404),
        ("GET", "/api/v2/health", 404),
        ("GET", "/api/v1/acme%20prod/nowhere", 404),
        ("POST", "/api/v1/acme%20prod/nowhere", 404),
        ("GET", "/api/v1/acme%20prod/sessions/x/y/z", 404),
        ("PUT", "/api/v1/acme%20prod/facts", 405),
        ("DELETE", "/api/v1/health", 405),
    ],
)
def test_an_unknown_route_answers_in_the_shape_of_an_error(place: Place, method: str, path: str, status: int) -> None:
    headers = {"Authorization": f"Bearer {place.context.key}"}
    answer = httpx.request(method, place.context.server.url + path, headers=headers)
    assert_error(answer, status)
    assert faults(answer.json(), "Error") == []


@pytest.mark.parametrize(
    ("path", "status"), [("/entities/person/nobody", 404), ("/entities?limit=x", 400), ("/nowhere", 404)]
)
def test_an_error_carries_a_trace_id_for_the_clients_error_object(rest: httpx.Client, path: str, status: int) -> None:
    answer = rest.get(path)
    assert_error(answer, status)
    assert answer.headers.get("x-trace-id")


# --- paging ------------------------------------------------------------------------------------

OTHER_PATHS = {
    "unknowns": "/uncertainty",
    "history": "/entities/person/a/history",
    "neighbours": "/entities/person/a/neighbourhood",
}
LISTS = (
    *("turns", "entities", "sessions", "corrections", "attributes", "relations", "actions", "instructions"),
    *OTHER_PATHS,
)
TURNS = 505


@pytest.fixture(scope="module")
def paged(server: ServerProcess) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    """A context with more of everything than a small page holds, and the path of each list."""
    context = new_context(server, "paging")
    with context.client() as client:
        session_id = content(client.post("/sessions"), 201)["id"]
        for count in (500, TURNS - 500):
            messages = [{"role": "user", "content": "Hello."}] * count
            body = {"messages": messages, "infer": "none", "session_id": session_id}
            content(client.post("/facts/batch", json=body))
        for age in ("40", "41", "42", "43"):
            triples = [{"entity": {"type": "person", "name": name}, "key": "age", "value": age} for name in "ABCDE"]
            triples.append({"entity": {"type": "company", "name": "Acme"}})
            content(client.post("/facts", json={"infer": "triples", "triples": triples}))
        paths = {name: f"/{name}" for name in LISTS} | OTHER_PATHS | {"turns": f"/sessions/{session_id}/turns"}
        yield client, paths


def walk(client: httpx.Client, path: str, name: str, **params: Any) -> list[list[Json]]:
    """All pages of a list, by its cursors."""
    pages, cursor = [], None
    while True:
        answer = content(client.get(path, params={**params, **({"cursor": cursor} if cursor else {})}))
        pages.append(answer[name])
        assert answer["page"]["hasMore"] is ("nextCursor" in answer["page"])
        cursor = answer["page"].get("nextCursor")
        if cursor is None:
            return pages


@pytest.mark.parametrize(("name", "limit", "total"), [("turns", 100, TURNS), ("entities", 2, 6), ("sessions", 2, 5)])
def test_cursors_walk_a_list_once_and_in_order(
    paged: tuple[httpx.Client, dict[str, str]], name: str, limit: int, total: int
) -> None:
    client, paths = paged
    pages = walk(client, paths[name], name, limit=limit)

    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert 0 < len(pages[-1]) <= limit
    rows = [row for page in pages for row in page]
    assert len({row["id"] for row in rows}) == len(rows) == total
    assert rows == content(client.get(paths[name], params={"limit": 500}))[name] + rows[500:]


def test_cursors_walk_the_corrections_of_one_write_together(paged: tuple[httpx.Client, dict[str, str]]) -> None:
    client, paths = paged
    rows = [row for page in walk(client, paths["corrections"], "corrections", limit=4) for row in page]
    assert len({row["id"] for row in rows}) == len(rows) == 15
    assert [row["position"] for row in rows] == sorted((row["position"] for row in rows), reverse=True)


@pytest.mark.parametrize(
    ("params", "count"),
    [({}, 100), ({"limit": 1}, 1), ({"limit": 500}, 500), ({"limit": 501}, 500), ({"limit": 10**9}, 500)],
)
def test_a_page_has_100_rows_unless_asked_and_500_at_most(
    paged: tuple[httpx.Client, dict[str, str]], params: Json, count: int
) -> None:
    client, paths = paged
    answer = content(client.get(paths["turns"], params=params))
    assert [row["seq"] for row in answer["turns"]] == list(range(1, count + 1))
    assert answer["page"]["hasMore"] is True


def test_an_offset_skips_rows(paged: tuple[httpx.Client, dict[str, str]]) -> None:
    client, paths = paged
    turns = content(client.get(paths["turns"], params={"offset": 503}))
    assert [row["seq"] for row in turns["turns"]] == [504, 505]
    assert turns["page"] == {"hasMore": False}
    assert content(client.get(paths["turns"], params={"offset": 505}))["turns"] == []
    names = [row["name"] for row in content(client.get("/entities"))["entities"]]
    assert names == ["Acme", "A", "B", "C", "D", "E"]
    some = content(client.get("/entities", params={"offset": 2, "limit": 3}))
    assert [row["name"] for row in some["entities"]] == names[2:5]


@pytest.mark.parametrize("kind", ["person", "Person", "PERSON"])
def test_entities_can_be_narrowed_to_a_type(paged: tuple[httpx.Client, dict[str, str]], kind: str) -> None:
    client, _ = paged
    pages = walk(client, "/entities", "entities", type=kind, limit=3)
    assert [[row["name"] for row in page] for page in pages] == [["A", "B", "C"], ["D", "E"]]


@pytest.mark.parametrize(("name", "total"), [("turns", TURNS), ("entities", 6)])
def test_the_total_is_counted_on_request(paged: tuple[httpx.Client, dict[str, str]], name: str, total: int) -> None:
    client, paths = paged
    assert content(client.get(paths[name], params={"count": "true", "limit": 1}))["page"]["totalSize"] == total
    assert "totalSize" not in content(client.get(paths[name], params={"limit": 1}))["page"]


def test_sessions_are_listed_newest_first(paged: tuple[httpx.Client, dict[str, str]]) -> None:
    client, _ = paged
    times = [datetime.fromisoformat(row["createdAt"]) for row in content(client.get("/sessions"))["sessions"]]
    assert times == sorted(times, reverse=True)


def cursor_over(*place: Any) -> str:
    """A cursor as the server makes them, over what no list holds."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


BAD_CURSORS = {
    "text": "x",
    "nul": "\0",
    "not ascii": "é",
    "of nothing": cursor_over(),
    "of a number too many": cursor_over(1, 2, 3),
    "of an object": base64.urlsafe_b64encode(b"{}").decode(),
    "of a truth": cursor_over(True),
    "of a fraction": cursor_over(1.5),
    "of a number beyond 64 bits": cursor_over(10**30),
    "of a nul": cursor_over("a\0", "b"),
    "of a lone surrogate": cursor_over("a\ud800", "b"),
    "of no time": cursor_over("yesterday", NO_SESSION),
}
# Well formed for these lists, so no error is due: entities are ordered by any two texts, turns by any number.
FITTING = {("entities", "of no time"), ("turns", "of a number beyond 64 bits")}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("cursor", BAD_CURSORS)
def test_a_bad_cursor_is_refused(paged: tuple[httpx.Client, dict[str, str]], name: str, cursor: str) -> None:
    client, paths = paged
    answer = client.get(paths[name], params={"cursor": BAD_CURSORS[cursor]})
    if (name, cursor) in FITTING and answer.status_code == 200:
        assert faults(answer.json()["page"], "Page") == []
    else:
        assert "cursor" in assert_error(answer, 400)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("limit", ["-1", "x", "1.5", "1e3", "٣", "9" * 30])
def test_a_bad_limit_is_refused(paged: tuple[httpx.Client, dict[str, str]], name: str, limit: str) -> None:
    client, paths = paged
    assert "limit" in assert_error(client.get(paths[name], params={"limit": limit}), 400)


@pytest.mark.parametrize("name", LISTS)
def test_a_limit_of_nothing_is_an_empty_page_or_refused(paged: tuple[httpx.Client, dict[str, str]], name: str) -> None:
    client, paths = paged
    answer = client.get(paths[name], params={"limit": 0})
    if answer.status_code == 200:
        assert answer.json()[name] == []
    else:
        assert "limit" in assert_error(answer, 400)


# --- traps of real clients ---------------------------------------------------------------------


def test_a_session_is_made_from_no_body_at_all(place: Place) -> None:
    url = f"{place.context.server.url}{place.context.path}/sessions"
    answer = httpx.post(url, headers={"Authorization": f"Bearer {place.context.key}"})
    assert "content-type" not in answer.request.headers
    assert content(answer, 201)["scopes"] == [["/"]]


@pytest.mark.parametrize("body", [b"{}", b"", b" \n", b'{"scopes": null}', b'{"scopes": []}'])
def test_nothing_asked_of_a_session_means_the_keys_own_region(rest: httpx.Client, body: bytes) -> None:
    assert content(rest.post("/sessions", content=body), 201)["scopes"] == [["/"]]


@pytest.mark.parametrize(
    ("field", "scopes", "stored"),
    [
        ("scopes", "org/acme", [["org/acme/"]]),
        ("scope", "/org/acme/", [["org/acme/"]]),
        ("scope", ["org/a", "org/b"], [["org/a/"], ["org/b/"]]),
        ("scopes", [["org/b", "org/a"]], [["org/a/", "org/b/"]]),
        ("scopes", ["org/c", ["org/a", "org/b"]], [["org/a/", "org/b/"], ["org/c/"]]),
    ],
)
def test_scopes_are_taken_in_every_form_and_under_both_names(
    rest: httpx.Client, field: str, scopes: Any, stored: list[list[str]]
) -> None:
    assert content(rest.post("/sessions", json={field: scopes}), 201)["scopes"] == stored
    written = content(rest.post("/facts", json={"text": "Hello.", "infer": "none", field: scopes}))
    assert content(rest.get(f"/sessions/{written['sessionId']}"))["scopes"] == stored


@pytest.mark.parametrize(
    ("city", "fields"),
    [
        ("Turin", ("session_id", "memory_category", "observed_at")),
        ("Milan", ("sessionId", "memoryCategory", "observedAt")),
    ],
)
def test_fields_are_taken_in_both_spellings(rest: httpx.Client, city: str, fields: tuple[str, ...]) -> None:
    session_id = content(rest.post("/sessions"), 201)["id"]
    given = dict(zip(fields, (session_id, "context", "2024-05-01T12:00:00Z"), strict=True))

    written = content(rest.post("/facts", json={"text": f"I live in {city}.", **given}))

    assert written["sessionId"] == session_id
    assert [row["memoryCategory"] for row in written["extraction"]["attributes"]] == ["context"]
    (turn,) = content(rest.get(f"/sessions/{session_id}/turns"))["turns"]
    assert turn["createdAt"] == "2024-05-01T12:00:00.000000Z"


@pytest.mark.parametrize(
    "form", ["{}", "sess_{}", "sess:{}", "session:{}", "sess%3A{}", "session%3A{}"], ids=lambda form: str(form)
)
def test_a_session_is_found_under_every_form_of_its_id(rest: httpx.Client, form: str) -> None:
    session_id = content(rest.post("/sessions"), 201)["id"]
    in_path = form.format(session_id)
    in_body = in_path.replace("%3A", ":")

    written = content(rest.post("/facts", json={"text": "Hello.", "infer": "none", "session_id": in_body}))

    assert written["sessionId"] == session_id
    answer = rest.get(f"/sessions/{in_path}")
    assert in_path in answer.request.url.raw_path.decode()
    assert content(answer)["id"] == session_id
    (turn,) = content(rest.get(f"/sessions/{in_path}/turns"))["turns"]
    assert turn["session"] == session_id
    assert rest.delete(f"/sessions/{in_path}").status_code == 204
    assert content(rest.get(f"/sessions/{session_id}"))["closedAt"] is not None


@pytest.mark.parametrize("name", ["person/alice", "Person/alice", "PERSON/Alice", "user/ALICE", "person/%41lice"])
def test_entities_are_found_under_every_spelling_of_type_and_name(rest: httpx.Client, name: str) -> None:
    assert content(rest.get(f"/entities/{name}"))["entity"]["id"] == "entity:person/alice"
    for key in ("job_title", "Job%20Title", "JOB-TITLE"):
        values = [row["value"] for row in content(rest.get(f"/entities/{name}/history/{key}"))["history"]]
        assert values == ["CTO", "Head of Platform"]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("company", "organisation"),
        ("org", "organisation"),
        ("Organization", "organisation"),
        ("wizard", "other"),
        ("creature", "other"),
        ("product", "product"),
    ],
)
def test_entity_types_are_normalised(rest: httpx.Client, given: str, stored: str) -> None:
    triples = [{"entity": {"type": given, "name": "AirPods Pro"}, "key": "colour", "value": "white"}]
    written = content(rest.post("/facts", json={"infer": "triples", "triples": triples}))
    (entity,) = written["extraction"]["entities"]
    assert (entity["id"], entity["entityType"]) == (f"['{stored}', 'airpods_pro']", stored)
    assert content(rest.get(f"/entities/{given}/AirPods%20Pro"))["entity"]["id"] == f"entity:{stored}/airpods_pro"


@pytest.mark.parametrize("category", ["semantic", "episodic", "preference", "Identity", "", 1])
@pytest.mark.parametrize("spelling", ["memory_category", "memoryCategory"])
def test_another_memory_category_is_refused(rest: httpx.Client, spelling: str, category: Any) -> None:
    assert spelling in assert_error(rest.post("/facts", json={"text": "Hello.", spelling: category}), 400)
    triple = {"entity": ALICE, "key": "age", "value": "40", spelling: category}
    answer = rest.post("/facts", json={"infer": "triples", "triples": [triple]})
    assert f"triples.0.{spelling}" in assert_error(answer, 400)


def test_a_session_is_closed_twice_without_harm_and_its_turns_stay(rest: httpx.Client) -> None:
    written = content(rest.post("/facts", json={"text": "Hello.", "infer": "none"}))
    session_path = f"/sessions/{written['sessionId']}"
    assert [rest.delete(session_path).status_code for _ in range(2)] == [204, 204]
    assert [row["content"] for row in content(rest.get(f"{session_path}/turns"))["turns"]] == ["Hello."]
    assert_error(rest.delete(f"/sessions/{NO_SESSION}"), 404)


def test_a_forgotten_entity_is_gone_from_every_read_and_can_come_back(rest: httpx.Client) -> None:
    triple = {"entity": {"type": "person", "name": "Ned"}, "key": "age", "value": "40"}
    body = {"infer": "triples", "triples": [triple]}
    content(rest.post("/facts", json=body))

    assert [rest.delete("/entities/Person/Ned").status_code for _ in range(2)] == [204, 204]

    assert_error(rest.get("/entities/person/ned"), 404)
    assert_error(rest.get("/entities/person/ned/history/age"), 404)
    assert "Ned" not in [row["name"] for row in content(rest.get("/entities"))["entities"]]
    assert "entity:person/ned" not in json.dumps(content(rest.get("/state")))
    (entity,) = content(rest.post("/facts", json=body))["extraction"]["entities"]
    assert entity["isNew"] is True
    assert len(content(rest.get("/entities/person/ned/history/age"))["history"]) == 1
