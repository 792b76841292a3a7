"""Recall over REST: every way to ask, refusals, and what the answers say of each other."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from api.ids import new_id
from tests.e2e.clients.rest import Json, assert_error, content, new_context
from tests.servers import ServerProcess

PLACE = {"type": "location", "name": "Potsdam"}


@pytest.fixture(scope="module")
def rest(server: ServerProcess) -> Iterator[httpx.Client]:
    """A context in which Alice has told about herself, and moved."""
    with new_context(server, f"recall {new_id()}").client() as client:
        session_id = content(client.post("/sessions", json={"scopes": ["org/acme/user/alice"]}), 201)["id"]
        for text in ("I'm Alice, Head of Platform at Acme.", "I live in Paris.", "I just moved to Berlin."):
            content(client.post("/facts", json={"text": text, "session_id": session_id, "labels": ["source=talk"]}))
        for text in ("The kettle in the kitchen is blue.", "Always answer in French."):
            content(client.post("/facts", json={"text": text, "session_id": session_id}))
        triples = [
            {"entity": PLACE, "key": key, "value": value}
            for key, value in (("coordinates", "52.39, 13.06"), ("known_for", "parks"))
        ]
        content(client.post("/facts", json={"infer": "triples", "triples": triples, "scopes": ["org/acme"]}))
        client.headers["X-Session"] = session_id
        yield client


def session_of(rest: httpx.Client) -> str:
    return rest.headers["X-Session"]


def ask(rest: httpx.Client, query: str, **body: Any) -> Json:
    return content(rest.post("/query", json={"query": query, **body}))


def test_a_direct_answer_names_the_fact_its_words_and_what_it_replaced(rest: httpx.Client) -> None:
    found = ask(rest, "where does Alice live?")
    fact, words = found["hits"]

    assert (found["tier"], found["classificationKind"]) == ("direct", "direct_lookup")
    assert found["seedEntities"] == ["entity:person/alice"]
    assert (fact["text"], fact["source"], fact["score"]) == ("Alice: location: Berlin", "attribute", 1.0)
    assert fact["resource"] == {"kind": "attribute", "entityType": "person", "name": "Alice", "key": "location"}
    assert (words["text"], words["source"], words["role"]) == ("I just moved to Berlin.", "turn", "user")
    assert words["resource"]["turnId"] == fact["source_turn"] == words["turnId"]
    history = content(rest.get("/inspect", params={"ref": fact["id"]}))["history"]
    assert [row["id"] for row in history] == [fact["id"], fact["supersedes"]]


def test_the_trace_of_a_question_reads_back(rest: httpx.Client) -> None:
    found = ask(rest, "the blue kettle", source="my agent")
    assert found["tier"] in ("hybrid", "escalated")
    trace = content(rest.get(f"/traces/{found['trace']['traceId']}"))
    assert (trace["queryText"], trace["source"]) == ("the blue kettle", "my agent")
    assert trace["resolutionTier"] == found["trace"]["resolutionTier"] == found["tier"]
    assert trace["retrievals"][-1]["retrievedIds"] == [hit["id"] for hit in found["hits"]]
    assert found["trace"]["retrievedCount"] == len(found["hits"])
    inspected = content(rest.get("/inspect", params={"ref": f"trace:{trace['id']}"}))
    assert inspected == {"kind": "trace", "trace": trace}
    newest = content(rest.get("/traces", params={"limit": 1}))
    assert newest["traces"][0]["id"] == trace["id"] and newest["page"]["hasMore"]
    stats = content(rest.get("/traces/stats"))
    assert stats["totalQueries"] >= 2 and stats["supersession"]["supersessionEvents"] == 1
    assert_error(rest.get("/traces/01arz3ndektsv4rrffq69g5fav"), 404)


def test_one_who_may_read_less_sees_neither_the_rows_nor_the_traces(rest: httpx.Client) -> None:
    asked = ask(rest, "where does Alice live?")
    narrow = {"name": f"narrow {new_id()}", "grants": {"memory:read": ["org/acme"]}}
    key = content(rest.post("/keys", json=narrow), 201)["key"]
    headers = {"Authorization": f"Bearer {key}"}

    assert content(rest.post("/query", json={"query": "where does Alice live?"}, headers=headers))["hits"] == []
    mine = content(rest.get("/traces", headers=headers))["traces"]
    assert [one["queryText"] for one in mine] == ["where does Alice live?"]
    assert_error(rest.get(f"/traces/{asked['trace']['traceId']}", headers=headers), 404)
    assert content(rest.get("/traces/stats", headers=headers))["totalQueries"] == 1


@pytest.mark.parametrize(
    "body",
    [
        {"k": 3, "sessionId": "SESSION", "includeDuplicates": True, "scopeView": "strict"},
        {"limit": 3, "session_id": "SESSION", "include_duplicates": True, "scope_view": "crossTeam"},
        {"lens": ["org/acme/*"]},
        {"scope": "org/acme/*"},
        {"scopes": [["org/acme/*"]]},
        {"mode": "bm25"},
        {"mode": "vector"},
        {"mode": "graph"},
        {"mode": None, "k": None, "labels": None, "location": None, "include": None},
    ],
)
def test_fields_are_taken_in_every_spelling(rest: httpx.Client, body: Json) -> None:
    body = {name: session_of(rest) if value == "SESSION" else value for name, value in body.items()}
    found = ask(rest, "is the kettle in the kitchen blue, Alice?", **body)
    assert len(found["hits"]) <= 10 and found["trace"]["traceId"]
    if body.get("mode") not in ("vector", "graph"):
        assert "The kettle in the kitchen is blue." in [hit["text"] for hit in found["hits"]]


def test_answers_are_narrowed_as_asked(rest: httpx.Client) -> None:
    kettle = "is the kettle in the kitchen blue?"
    assert ask(rest, kettle, lens=["org/other/*"])["hits"] == []
    assert ask(rest, kettle, labels=["source=talk"])["hits"] == []
    assert {hit["source"] for hit in ask(rest, "Berlin or Paris", include=["facts"])["hits"]} == {"attribute"}
    assert {hit["source"] for hit in ask(rest, "Berlin or Paris", include=["passages"])["hits"]} == {"turn"}
    near = {"near": {"lat": 52.5, "lng": 13.4, "radiusKm": 40}}
    within = {"within": "POLYGON((12 52, 14 52, 14 53, 12 53, 12 52))"}
    far = {"near": {"lat": -12, "lng": -77, "radius_km": 40}}
    texts = [
        [hit["text"] for hit in ask(rest, "known for parks", location=area)["hits"]] for area in (near, within, far)
    ]
    assert [found[:1] for found in texts] == [["Potsdam: known for: parks"], ["Potsdam: known for: parks"], []]
    assert {text.partition(":")[0] for found in texts for text in found} == {"Potsdam"}


def test_time_travel_answers_from_then(rest: httpx.Client) -> None:
    then = content(rest.get("/attributes", params={"entity": "person/alice", "key": "location"}))["attributes"][0]
    before = ask(rest, "where does Alice live?", atInstant=then["createdAt"])
    long_before = ask(rest, "where does Alice live?", asOf="2020-01-01T00:00:00Z")
    assert long_before["hits"] == []
    assert before["tier"] == "direct"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n"}, "query"),
        ({"query": "x" * 8_001}, "query"),
        ({"query": "a\0b"}, "NUL"),
        ({"query": 5}, "query"),
        ({"query": "x", "k": 51}, "k"),
        ({"query": "x", "limit": 51}, "k"),
        ({"query": "x", "k": 0}, "k"),
        ({"query": "x", "k": -1}, "k"),
        ({"query": "x", "mode": "psychic"}, "mode"),
        ({"query": "x", "include": ["everything"]}, "include"),
        ({"query": "x", "labels": ["_secret=1"]}, "labels"),
        ({"query": "x", "scopeView": "wide"}, "scopeView"),
        ({"query": "x", "lens": [[]]}, "lens"),
        ({"query": "x", "asOf": "yesterday"}, "asOf"),
        ({"query": "x", "location": {"near": {"lat": 91, "lng": 0, "radiusKm": 1}}}, "lat"),
        ({"query": "x", "location": {"within": "CIRCLE"}}, "within"),
        (
            {
                "query": "x",
                "location": {"within": "POLYGON((0 0, 1 0, 1 1))", "near": {"lat": 0, "lng": 0, "radiusKm": 1}},
            },
            "location",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(rest: httpx.Client, body: Json, named: str) -> None:
    assert named in assert_error(rest.post("/query", json=body), 400)


def test_a_session_that_does_not_exist_is_not_found(rest: httpx.Client) -> None:
    nowhere = "01arz3ndektsv4rrffq69g5fav"
    assert_error(rest.post("/query", json={"query": "x", "sessionId": nowhere}), 404)
    assert_error(rest.post(f"/sessions/{nowhere}/context", json={"query": "x"}), 404)


def test_a_context_is_text_for_a_prompt(rest: httpx.Client) -> None:
    question = {"query": "what about the kettle?", "sessionId": session_of(rest)}
    block = content(rest.post("/context", json=question))["context"]
    assert "- Alice: location: Berlin" in block and "- Always answer in French" in block
    assert "The kettle in the kitchen is blue." in block
    short = content(rest.post("/context", json={**question, "maxChars": 80}))["context"]
    assert 0 < len(short) <= 80
    assert set(short.splitlines()) <= {*block.splitlines()}
    about = content(rest.post("/context", json={"query": "what is it like?", "subject": "location/potsdam"}))
    assert "Potsdam: known for: parks" in about["context"]
    assert_error(rest.post("/context", json={"query": "x", "subject": "person/nobody"}), 404)


def test_a_sessions_context_holds_the_conversation_and_does_not_recall_it_again(rest: httpx.Client) -> None:
    path = f"/sessions/{session_of(rest)}/context"
    block = content(rest.post(path, json={"query": "is the kettle blue?"}))["context"]
    assert content(rest.get(path, params={"query": "is the kettle blue?"}))["context"] == block
    assert "## Conversation so far" in block
    assert block.count("The kettle in the kitchen is blue.") == 1


def test_a_lookup_resolves_a_name(rest: httpx.Client) -> None:
    found = content(rest.post("/lookup", json={"query": "Alice", "include": ["passages", "nonsense"]}))
    assert found["resolution"]["kind"] == "entity"
    assert found["resolution"]["subject"]["entity"]["id"] == "entity:person/alice"
    assert "location" in [row["key"] for row in found["facts"]["items"]]
    assert found["relations"]["items"] and found["passages"]["items"]
    assert content(rest.post("/lookup", json={"query": "Alice"}))["passages"]["items"] == []
    assert content(rest.post("/lookup", json={"query": "Alice", "factLimit": 0}))["facts"] == {
        "items": [],
        "truncated": True,
    }
    assert content(rest.post("/lookup", json={"query": "the kettle"}))["resolution"]["kind"] == "topic"
    assert content(rest.post("/lookup", json={"query": "quux"}))["resolution"]["kind"] == "empty"
    for name in ("Anna Berg", "Anna Dahl"):
        triple = {"entity": {"type": "person", "name": name}, "key": "age", "value": "40"}
        content(rest.post("/facts", json={"infer": "triples", "triples": [triple]}))
    found = content(rest.post("/lookup", json={"query": "Anna", "ambiguityMargin": 0.3}))
    assert found["resolution"]["kind"] in ("ambiguous", "empty")
