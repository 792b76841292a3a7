"""POST /reflect, /consolidate and /elaborate, with a model on a real socket and without one."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from api.chat.responders import ConfiguredResponders
from api.models import Models
from api.wiring import Services
from memory.candidates import ActionCandidate, Mention, RelationCandidate
from memory.usage import Usage
from projections import embedding_usage
from tests.chats import Talk, application, openai_at, talk_at
from tests.worlds import fact

ALICE = {"type": "person", "name": "Alice"}
ACME = {"type": "organisation", "name": "Acme"}


@pytest.fixture(scope="module")
def url(services: Services, llmock_server: Any) -> Iterator[str]:
    with application(services, openai_at(llmock_server.base_url("openai"))) as url:
        yield url


@pytest.fixture
def talk(url: str, services: Services, llmock: LLMock) -> Iterator[Talk]:
    with talk_at(url, services) as talk:
        yield talk


@pytest.fixture
def alone(services: Services) -> Iterator[Talk]:
    """A context without a model."""
    with application(services, ConfiguredResponders(Models({}, {}))) as url, talk_at(url, services) as talk:
        yield talk


def replies(llmock: LLMock, content: Any) -> None:
    llmock.reply(f"```json\n{json.dumps(content)}\n```")


def given(talk: Talk) -> None:
    talk.world.given(
        fact("Alice", "job_title", "CTO"),
        fact("Alice", "location", "Porto"),
        RelationCandidate(
            subject=Mention(type="person", name="Alice"),
            label="works_at",
            object=Mention(type="organisation", name="Acme"),
        ),
    )


def standing(talk: Talk, key: str) -> list[tuple[str, str]]:
    history = talk.http.get(f"/entities/person/alice/history/{key}").json()["history"]
    return [(row["value"], row["standing"]) for row in history]


# --- reflect ---


def test_a_reflection_names_its_evidence_and_stores_nothing_unless_asked(talk: Talk, llmock: LLMock) -> None:
    given(talk)
    replies(llmock, {"reflection": "Alice leads in 2026 [S1][S99].", "attributes": []})
    answer = talk.http.post("/reflect", json={"query": "What does Alice do?"}).json()
    assert answer["reflection"] == "Alice leads in 2026."
    assert len(answer["evidence"]) == 1
    assert answer["persistedAttributes"] == []
    assert answer["traceId"]
    prompt = llmock.last_request.body["messages"][0]["content"]
    assert prompt.count("<untrusted-data>") == 1
    assert "[S1] " in prompt


def test_a_persisted_reflection_never_outranks_what_was_said(talk: Talk, llmock: LLMock) -> None:
    given(talk)
    conclusions = [
        {"entity": ALICE, "key": "Seniority", "value": "executive", "evidence": ["S1"]},
        {"entity": ALICE, "key": "location", "value": "Lisbon", "evidence": ["[S1]"]},
        {"entity": ALICE, "key": "unfounded", "value": "x", "evidence": ["S99"]},
    ]
    replies(llmock, {"reflection": "So it is.", "attributes": conclusions})
    answer = talk.http.post("/reflect", json={"query": "What does Alice do?", "persist": True}).json()
    assert ("seniority", "executive") in [(row["key"], row["value"]) for row in answer["persistedAttributes"]]
    assert standing(talk, "seniority") == [("executive", "current")]
    assert ("Porto", "current") in standing(talk, "location")
    assert ("Lisbon", "claimed") in standing(talk, "location")
    (row,) = talk.http.get("/attributes", params={"entity": "person/alice", "key": "seniority"}).json()["attributes"]
    assert row["source"]["kind"] == "reflect"


@pytest.mark.parametrize("reply", ["no JSON", "{}", '{"reflection": 3}'])
def test_an_answer_of_another_shape_is_a_503(talk: Talk, llmock: LLMock, reply: str) -> None:
    llmock.reply(reply)
    answer = talk.http.post("/reflect", json={"query": "What?"})
    assert answer.status_code == 503
    assert answer.headers["retry-after"]


# --- consolidate ---


@pytest.mark.parametrize("dry_run", [True, False])
def test_observations_rest_on_several_facts(talk: Talk, llmock: LLMock, dry_run: bool) -> None:
    given(talk)
    observations = [
        {"entity": ALICE, "key": "works_from", "value": "Porto", "rationale": "Both say so.", "evidence": ["S1", "S2"]},
        {"entity": ALICE, "key": "alone", "value": "x", "evidence": ["S1", "S1", "S77"]},
    ]
    replies(llmock, {"observations": observations})
    answer = talk.http.post("/consolidate", json={"dryRun": dry_run}).json()
    (outcome,) = answer["outcomes"]
    assert (outcome["kind"], outcome["key"], outcome["proofCount"]) == ("create", "works_from", 2)
    assert outcome["persisted"] is not dry_run
    assert answer["dryRun"] is dry_run
    assert answer["created"] == 1
    found = talk.http.get("/entities/person/alice/history/works_from")
    assert (found.status_code == 200 and found.json()["history"] != []) is not dry_run


def test_without_a_model_what_was_observed_repeatedly_is_proposed(alone: Talk) -> None:
    for _ in range(3):
        alone.world.given(fact("Alice", "job_title", "CTO"))
    for month in (1, 2):
        deed = ActionCandidate(
            actor=Mention(type="person", name="Alice"),
            verb="visited",
            object="Oslo",
            summary=f"Alice visited Oslo {month}",
        )
        alone.world.given(deed, text=f"{month}")
    events = len(alone.world.events())
    answer = alone.http.post("/consolidate").json()
    assert answer["dryRun"] is True
    proposed = [
        (one["kind"], one["entityName"], one["key"], one["value"], one["proofCount"]) for one in answer["outcomes"]
    ]
    assert ("update", "Alice", "job_title", "CTO", 3) in proposed
    assert not any(one["persisted"] for one in answer["outcomes"])
    assert len(alone.world.events()) == events


# --- elaborate ---


@pytest.mark.parametrize("dry_run", [True, False])
def test_relations_between_known_entities_are_found(talk: Talk, llmock: LLMock, dry_run: bool) -> None:
    given(talk)
    proposed = [
        {"subject": ALICE, "label": "Leads", "object": ACME, "evidence": ["S1"]},
        {"subject": ALICE, "label": "knows", "object": {"type": "person", "name": "Nobody"}, "evidence": ["S1"]},
        {"subject": ALICE, "label": "owns", "object": ACME, "evidence": []},
    ]
    replies(llmock, {"relations": proposed})
    body = {"entityRef": "person:alice", "dryRun": dry_run}
    answer = talk.http.post("/elaborate", json=body).json()
    (outcome,) = answer["outcomes"]
    assert outcome["proposedRelations"] == [{"subject": "Alice", "label": "leads", "object": "Acme"}]
    assert answer["relationsEmitted"] == outcome["relationsEmitted"] == (0 if dry_run else 1)
    labels = {row["label"] for row in talk.http.get("/relations").json()["relations"]}
    assert ("leads" in labels) is not dry_run


def test_a_sweep_keeps_its_budget(talk: Talk, llmock: LLMock) -> None:
    given(talk)
    llmock.reply('{"relations": []}', times=None)
    answer = talk.http.post("/elaborate", json={"sweep": True, "budget": 1}).json()
    assert len(answer["outcomes"]) == len(llmock.requests) == 1


# --- refusals ---


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/reflect", {}, 400),
        ("/reflect", {"query": " "}, 400),
        ("/elaborate", {}, 400),
        ("/elaborate", {"entityRef": "person:nobody"}, 404),
        ("/consolidate", {"factLimit": 0}, 400),
    ],
)
def test_what_makes_no_sense_is_refused(talk: Talk, path: str, body: dict[str, Any], status: int) -> None:
    assert talk.http.post(path, json=body).status_code == status


@pytest.mark.parametrize(("path", "body"), [("/reflect", {"query": "Who?"}), ("/elaborate", {"sweep": True})])
def test_without_a_model_they_say_what_is_missing(alone: Talk, path: str, body: dict[str, Any]) -> None:
    answer = alone.http.post(path, json=body)
    assert answer.status_code == 503
    assert "models.response" in answer.json()["message"]
    assert answer.headers["retry-after"]


def test_what_a_reader_asks_for_is_counted_too(talk: Talk, llmock: LLMock) -> None:
    given(talk)
    reader = talk.http.post(
        "/principals", json={"display_name": "Reader", "external_id": "reader", "grants": {"memory:read": ["/*"]}}
    ).json()["id"]
    replies(llmock, {"reflection": "Alice leads [S1].", "attributes": []})
    asked = talk.http.post("/reflect", json={"query": "What does Alice do?"}, headers={"X-Memory-On-Behalf-Of": reader})
    assert asked.status_code == 200, asked.text
    embedding_usage.add(
        talk.world.services.pool, talk.world.context_id, "openai/embedder", Usage(calls=1, input_tokens=9)
    )
    counted = talk.http.get("/usage").json()["days"]
    assert [day["inputTokens"] for day in counted if day["purpose"] == "embedding"] == [9]
    counted = [day for day in counted if day["purpose"] != "embedding"]
    assert [(day["purpose"], day["calls"]) for day in counted] == [("reflection", 1)]
    assert counted[0]["outputTokens"] > 0
