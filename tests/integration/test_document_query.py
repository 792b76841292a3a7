"""The optional stages of /documents/query: what each changes, and what the answer tells of it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from api.chat.responders import ConfiguredResponders
from api.models import Models
from api.wiring import Services
from memory.documents.contents import contents
from tests.chats import Talk, application, openai_at, talk_at
from tests.library import FactLines, read, uploaded

LAMPS = "Lamps are sold with a warranty of two years, and lamps are tested before they leave the house."
SHIPS = "The ferry leaves from the northern quay at six in the morning, except on public holidays."
BREAD = "Sourdough rests for eleven hours in a cold room before it is baked on a stone."


@pytest.fixture(scope="module")
def url(services: Services, llmock_server: Any) -> Iterator[str]:
    with application(services, openai_at(llmock_server.base_url("openai"))) as url:
        yield url


@pytest.fixture
def talk(url: str, services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    monkeypatch.setattr("memory.documents.sandbox.read", contents)
    with talk_at(url, services) as talk:
        yield talk


def given(talk: Talk, **texts: str) -> None:
    for name, text in texts.items():
        read(talk.world, uploaded(talk.world, text, name=f"{name}.md").document_id)
    talk.world.services.indexing.catch_up(talk.world.context_id)


def asked(talk: Talk, **body: Any) -> dict[str, Any]:
    answer = talk.http.post("/documents/query", json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def titles(answer: dict[str, Any]) -> list[str]:
    return [one["document"]["title"].removesuffix(".md") for one in answer["results"]]


def test_each_question_of_a_compound_one_finds_its_own(talk: Talk) -> None:
    given(talk, lamps=LAMPS, more=LAMPS.replace("Lamps", "Tested lamps"), ships=SHIPS, bread=BREAD)
    both = {"query": "What is the warranty of lamps, lamps that are tested? When does the ferry leave?", "mode": "bm25"}
    assert "ships" not in titles(asked(talk, **both, k=2, includeDuplicates=True))
    split = asked(talk, **both, k=2, decomposeQuery=True)
    assert set(titles(split)) == {"lamps", "ships"} or set(titles(split)) == {"more", "ships"}
    (stage,) = split["stages"]
    assert (stage["stage"], stage["applied"]) == ("decompose", True)
    simple = asked(talk, query="When does the ferry leave?", decomposeQuery=True)
    assert [one["applied"] for one in simple["stages"]] == [False]


def test_the_meaning_of_a_supposed_answer_finds_what_the_question_does_not(talk: Talk, llmock: LLMock) -> None:
    given(talk, lamps=LAMPS, ships=SHIPS, bread=BREAD)
    vague = {"query": "How was the thing with my uncle?", "mode": "vector", "threshold": 0.3}
    assert titles(asked(talk, **vague)) == []
    llmock.reply(json.dumps({"passage": "Sourdough dough rests in the cold overnight before it is baked on a stone."}))
    found = asked(talk, **vague, useHyde=True)
    assert titles(found) == ["bread"]
    assert found["stages"] == [{"stage": "hyde", "applied": True, "detail": "by a passage of openai/gpt-4o"}]
    assert "my uncle" in llmock.last_request.body["messages"][0]["content"]


def test_a_model_that_fails_leaves_the_usual_search(talk: Talk, llmock: LLMock) -> None:
    given(talk, ships=SHIPS)
    llmock.reply("no JSON at all")
    found = asked(talk, query="When does the ferry leave?", useHyde=True)
    assert titles(found) == ["ships"]
    assert [(one["stage"], one["applied"]) for one in found["stages"]] == [("hyde", False)]


def test_no_model_is_asked_while_the_operator_has_stopped_what_costs_money(
    talk: Talk, llmock: LLMock, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(talk, ships=SHIPS)
    monkeypatch.setattr(type(services.overrides), "is_blocked", lambda *_: True)
    before = len(llmock.requests)
    found = asked(talk, query="When does the ferry leave?", useHyde=True)
    assert titles(found) == ["ships"]
    assert [(one["stage"], one["applied"]) for one in found["stages"]] == [("hyde", False)]
    assert "the operator" in found["stages"][0]["detail"]
    assert len(llmock.requests) == before


def test_without_a_response_model_the_answer_says_what_was_left_out(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.documents.sandbox.read", contents)
    with application(services, ConfiguredResponders(Models({}, {}))) as url, talk_at(url, services) as talk:
        given(talk, ships=SHIPS)
        found = asked(talk, query="When does the ferry leave?", useHyde=True)
        assert titles(found) == ["ships"]
        assert found["stages"] == [{"stage": "hyde", "applied": False, "detail": "no response model is configured"}]
        assert "stages" not in asked(talk, query="When does the ferry leave?")


def test_the_reranker_orders_by_all_signals_of_memorys_ranking(talk: Talk) -> None:
    given(talk, lamps=LAMPS, ships=SHIPS, bread=BREAD)
    plain = asked(talk, query="When does the ferry leave in the morning?", threshold=0.01)
    better = asked(talk, query="When does the ferry leave in the morning?", threshold=0.01, useReranker=True)
    assert titles(better)[0] == titles(plain)[0] == "ships"
    assert set(titles(better)) == set(titles(plain))
    scores = [one["score"] for one in better["results"]]
    assert scores == sorted(scores, reverse=True)
    assert scores != [one["score"] for one in plain["results"]]
    assert [one["stage"] for one in better["stages"]] == ["rerank"]


def test_a_location_keeps_the_documents_that_name_a_place_there(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk.world.services.document_learning, "remote_of", lambda _: FactLines())
    given(talk, north=f"{SHIPS}\n\nPier coordinates: 60.39, 5.32", south=f"{BREAD}\n\nBakery coordinates: 43.3, 5.37")
    near = {"near": {"lat": 60.4, "lng": 5.3, "radiusKm": 20}}
    query = {"query": "ferry sourdough", "mode": "bm25"}
    assert titles(asked(talk, **query, location=near)) == ["north"]
    assert sorted(titles(asked(talk, **query))) == ["north", "south"]
    south = "POLYGON((5 43, 6 43, 6 44, 5 44, 5 43))"
    assert titles(asked(talk, **query, location={"within": south})) == ["south"]
    assert titles(asked(talk, **query, location={"near": {"lat": 0, "lng": 0, "radiusKm": 5}})) == []
    wrong = talk.http.post("/documents/query", json={**query, "location": {"within": "CIRCLE(1 1)"}})
    assert wrong.status_code == 400


# --- what stands beside, in a prompt and in a reply -------------------------------------------------

FILLING = "It is told at length, so that what stands here is a chunk of its own and not one with its neighbours. " * 9
SECTIONS = f"""# One

The alphamarker comes first. {FILLING}

The zephyr is measured here. {FILLING}

The omegamarker comes last. {FILLING}

# Two

The elsewhere is of another section. {FILLING}
"""


def test_a_context_takes_in_what_stands_beside_in_the_same_section(talk: Talk) -> None:
    given(talk, book=SECTIONS)
    block = talk.http.post("/context", json={"query": "Where is the zephyr measured?", "k": 1}).json()["context"]
    assert block.index("zephyr") < block.index("alphamarker") < block.index("omegamarker")
    assert "elsewhere" not in block
    small = talk.http.post(
        "/context", json={"query": "Where is the zephyr measured?", "k": 1, "maxChars": 1_500}
    ).json()
    assert "zephyr" in small["context"]
    assert "alphamarker" not in small["context"], "it comes last, if there is room"


def test_a_reply_may_cite_what_stands_beside_with_title_and_position(talk: Talk, llmock: LLMock) -> None:
    given(talk, book=SECTIONS)
    llmock.reply("It stands there. " + " ".join(f"[S{number}]" for number in range(1, 7)))
    citations = talk.say("Where is the zephyr measured?").json()["citations"]
    (cited,) = [one for one in citations if one["snippet"].startswith("The omegamarker")]
    assert cited["documentTitle"] == "book.md"
    assert cited["positionPercent"] == round(100 * SECTIONS.index("The omegamarker") / len(SECTIONS))
