"""What is settled by hand: closing facts, withdrawing directives, resolving doubts."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.e2e.clients.rest import Context, assert_error, content, new_context
from tests.servers import ServerProcess

ANA = {"type": "person", "name": "Ana"}


@pytest.fixture(scope="module")
def context(server: ServerProcess) -> Context:
    return new_context(server, "curated")


@pytest.fixture
def rest(context: Context) -> Iterator[httpx.Client]:
    with context.client() as client:
        yield client


def given(rest: httpx.Client, **triple: Any) -> dict[str, Any]:
    answer = content(rest.post("/facts", json={"infer": "triples", "triples": [{"entity": ANA, **triple}]}))
    extraction: dict[str, Any] = answer["extraction"]
    return extraction


def test_a_closed_attribute_leaves_no_current_value(rest: httpx.Client) -> None:
    (version,) = given(rest, key="city", value="Lyon")["attributes"]
    closed = content(rest.post(f"/attributes/{version['id']}/close", json={"reason": "moved"}))["attribute"]
    assert closed["endReason"] == "ended"
    assert closed["validFrom"] <= closed["validUntil"]
    assert content(rest.get("/attributes?entity=person/ana&key=city"))["attributes"] == []
    assert_error(rest.post(f"/attributes/{version['id']}/close", json={}), 409)


def test_an_attribute_closed_at_a_later_time_holds_until_then(rest: httpx.Client) -> None:
    (version,) = given(rest, key="team", value="Blue")["attributes"]
    later = {"validUntil": "2099-01-01T00:00:00Z"}
    closed = content(rest.post(f"/attributes/{version['id']}/close", json=later))["attribute"]
    assert closed["validUntil"] == "2099-01-01T00:00:00.000000Z"
    (held,) = content(rest.get("/attributes?entity=person/ana&key=team"))["attributes"]
    assert held["id"] == version["id"]


def test_a_closed_relation_holds_no_more(rest: httpx.Client) -> None:
    (relation,) = given(rest, key="works_at", target={"type": "organisation", "name": "Acme"})["relations"]
    closed = content(rest.post(f"/relations/{relation['id']}/close"))["relation"]
    assert closed["validUntil"] is not None
    assert content(rest.get("/relations?src=person/ana"))["relations"] == []


def test_a_withdrawn_directive_is_not_shown_and_withdrawing_again_is_fine(rest: httpx.Client) -> None:
    told = content(rest.post("/facts", json={"text": "Always reply in French."}))["extraction"]
    path = f"/instructions/{told['instructions'][0]['id']}/close"
    assert [rest.post(path).status_code for _ in range(2)] == [204, 204]
    assert content(rest.get("/instructions"))["instructions"] == []


def test_a_resolved_doubt_takes_the_accepted_value_and_resolving_again_changes_nothing(rest: httpx.Client) -> None:
    given(rest, key="height", value="170", confidence=0.4)
    (doubt,) = content(rest.get("/uncertainty?entity=person/ana&resolved=false"))["unknowns"]
    path = f"/uncertainty/{doubt['id']}/resolve"
    for _ in range(2):
        resolved = content(rest.post(path, json={"acceptedValue": "172", "note": "measured"}))["uncertainty"]
        assert resolved["resolved"]
    (fact,) = content(rest.get("/attributes?entity=person/ana&key=height"))["attributes"]
    assert (fact["value"], fact["source"]["kind"], fact["evidenceCount"]) == ("172", "upsert", 1)


def test_a_claim_against_a_higher_rank_is_flagged_and_settled_by_hand(rest: httpx.Client) -> None:
    given(rest, key="location", value="Lyon")
    session = content(rest.post("/sessions", json={"scopes": ["/"]}), 201)["id"]
    told = content(rest.post("/facts", json={"text": "Ana lives in Oslo.", "session_id": session}))["extraction"]
    assert told["corrections"] == []
    assert [row["standing"] for row in told["attributes"]] == ["claimed"]
    (doubt,) = content(rest.get("/uncertainty?entity=person/ana&resolved=false"))["unknowns"]
    content(rest.post(f"/uncertainty/{doubt['id']}/resolve", json={"acceptedValue": "Oslo"}))
    (fact,) = content(rest.get("/attributes?entity=person/ana&key=location"))["attributes"]
    assert fact["value"] == "Oslo"


@pytest.mark.parametrize("path", ["/attributes/attr_x/close", "/relations/rel_x/close", "/instructions/instr_x/close"])
def test_what_does_not_exist_cannot_be_settled(rest: httpx.Client, path: str) -> None:
    assert_error(rest.post(path, json={}), 404)


def test_a_doubt_is_settled_by_a_value_only(rest: httpx.Client) -> None:
    assert_error(rest.post("/uncertainty/unc_x/resolve", json={"acceptedValue": "1"}), 404)
    given(rest, key="weight", value="60", confidence=0.4)
    (doubt,) = content(rest.get("/uncertainty?entity=person/ana&resolved=false"))["unknowns"]
    for body in ({}, {"acceptedValue": " "}, {"acceptedValue": 3}):
        assert_error(rest.post(f"/uncertainty/{doubt['id']}/resolve", json=body), 400)


def test_all_of_it_replays(server: ServerProcess) -> None:
    assert server.command("verify", "--context", "curated").returncode == 0


def entity(name: str) -> dict[str, Any]:
    return {"type": "person", "name": name}


def test_two_names_are_made_one_and_two_again(rest: httpx.Client) -> None:
    triples = [
        {"entity": entity(name), "key": "town", "value": town} for name, town in (("Mo", "Rome"), ("Moa", "Oslo"))
    ]
    content(rest.post("/facts", json={"infer": "triples", "triples": triples}))
    merged = content(rest.post("/entities/person/Mo/merge", json={"into": "person/Moa", "reason": "she said so"}))
    assert (merged["entity"]["name"], merged["entity"]["aliases"]) == ("Moa", ["Mo"])
    for name in ("mo", "moa"):
        assert [row["value"] for row in content(rest.get(f"/entities/person/{name}/history/town"))["history"]] == [
            "Oslo",
            "Rome",
        ]
    (match, *_) = content(rest.get("/entities/search?q=mo"))["matches"]
    assert (match["entity"]["name"], match["matchedAlias"]) == ("Moa", "mo")
    (correction,) = content(rest.get("/corrections?entity=person/mo"))["corrections"]
    assert correction["reason"] == "merged"
    assert_error(rest.post("/entities/person/Mo/merge", json={"into": "person/Moa"}), 409)
    alone = content(rest.post("/entities/person/Mo/separate"))
    assert [row["value"] for row in alone["attributes"]] == ["Rome"]
    assert content(rest.get("/entities/person/moa"))["entity"]["aliases"] == []
    assert_error(rest.post("/entities/person/Mo/separate"), 409)
    assert_error(rest.post("/entities/person/Nobody/merge", json={"into": "person/Moa"}), 404)
    assert_error(rest.post("/entities/person/Mo/merge", json={"into": "nobody"}), 400)


def test_a_likely_nickname_is_settled_by_naming_who_it_is(rest: httpx.Client) -> None:
    for name in ("Wilhelmina Roth", "Wilhe"):
        content(rest.post("/facts", json={"infer": "triples", "triples": [{"entity": entity(name)}]}))
    (doubt,) = content(rest.get("/uncertainty?entity=person/wilhe"))["unknowns"]
    assert (doubt["about"], doubt["key"]) == ("Wilhe: perhaps Wilhelmina Roth", "same_as")
    body = {"acceptedValue": "Wilhelmina Roth"}
    assert content(rest.post(f"/uncertainty/{doubt['id']}/resolve", json=body))["uncertainty"]["resolved"] is True
    assert content(rest.get("/entities/person/wilhe"))["entity"]["name"] == "Wilhelmina Roth"
