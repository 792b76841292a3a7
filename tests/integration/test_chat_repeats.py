"""A chat that is sent again with its Idempotency-Key: one pair of turns, one question to the model, one answer."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import httpx_sse
import pytest
from llmock.pytest_plugin import LLMock

from api.chat import conversation
from api.ids import new_id
from api.wiring import Services
from memory.idempotency import LEASE
from tests.chats import Talk, application, openai_at, talk_at

WORDS = "I'm Alice, Head of Platform at Acme."
RESERVED = "SELECT count(*) FROM requests WHERE context_id = %s AND lease_until IS NOT NULL"


@pytest.fixture(scope="module")
def url(services: Services, llmock_server: Any) -> Iterator[str]:
    with application(services, openai_at(llmock_server.base_url("openai"))) as url:
        yield url


@pytest.fixture
def talk(url: str, services: Services, llmock: LLMock) -> Iterator[Talk]:
    with talk_at(url, services) as talk:
        talk.world.say(WORDS)
        services.indexing.catch_up(talk.world.context_id)
        yield talk


def post(talk: Talk, key: str, path: str = "/chat", **body: Any) -> httpx.Response:
    words = {"content" if path.startswith("/sessions") else "message": "What is my job title?"}
    return talk.http.post(path, json={**words, **body}, headers={"Idempotency-Key": key})


def roles(talk: Talk, session_id: str) -> list[str]:
    return [turn["role"] for turn in talk.turns(session_id)]


def is_reserved(talk: Talk) -> bool:
    with talk.world.services.pool.connection() as connection:
        return connection.execute(RESERVED, (talk.world.context_id,)).fetchone() != (0,)


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("route", ["/chat", "/sessions/{}/chat"])
def test_the_same_request_again_gets_the_same_answer_and_asks_no_model(talk: Talk, llmock: LLMock, route: str) -> None:
    key, path = str(new_id()), route.format(talk.session())
    llmock.reply("You are Head of Platform [S1][S9].")
    first = post(talk, key, path).json()
    assert [one["marker"] for one in first["citations"]] == ["[S1]"]
    again = post(talk, key, path)
    assert again.status_code == 200
    assert {**again.json(), "position": first["position"]} == first
    assert len(llmock.requests) == 1
    assert roles(talk, first["sessionId"]) == ["user", "assistant"]


def test_a_stream_again_brings_the_stored_reply_and_the_same_answer(talk: Talk, llmock: LLMock) -> None:
    key = str(new_id())
    llmock.reply("You are Head of Platform [S1].")
    first = post(talk, key).json()
    body = {"message": "What is my job title?"}
    headers = {"Idempotency-Key": key, "Accept": "text/event-stream"}
    with httpx_sse.connect_sse(talk.http, "POST", "/chat", json=body, headers=headers) as events:
        frames = [(event.event, json.loads(event.data)) for event in events.iter_sse()]
    (_, delta), (name, done) = frames
    assert (delta, name) == ({"delta": first["reply"]}, "done")
    assert {**done, "position": first["position"]} == {"done": True, **first}


def test_another_body_conflicts_and_so_does_the_other_route(talk: Talk, llmock: LLMock) -> None:
    key = str(new_id())
    llmock.reply("Yes.").reply("No.")
    session_id = post(talk, key).json()["sessionId"]
    conflict = post(talk, key, message="Something else?")
    assert (conflict.status_code, conflict.json()["status"]) == (409, 409)
    assert post(talk, key, f"/sessions/{session_id}/chat").json()["reply"] == "No.", "a key is of one operation"


def test_while_the_first_is_being_answered_the_same_key_conflicts(talk: Talk, llmock: LLMock) -> None:
    key = str(new_id())
    llmock.reply("Slowly.").delay(0.6)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(post, talk, key)
        eventually(lambda: is_reserved(talk))
        for stream in (False, True):
            assert post(talk, key, stream=stream, message="What is my job title?").status_code == 409
        answer = first.result().json()
    assert post(talk, key).json()["replyTurnId"] == answer["replyTurnId"]


def test_one_key_from_sixteen_threads_makes_one_pair(talk: Talk, llmock: LLMock) -> None:
    key, session_id = str(new_id()), talk.session()
    llmock.reply("Once.")
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: post(talk, key, sessionId=session_id), range(16)))
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len({answer.json()["turnId"] for answer in answers if answer.status_code == 200}) == 1
    assert roles(talk, session_id) == ["user", "assistant"]
    assert len(llmock.requests) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_failure_frees_the_key(talk: Talk, llmock: LLMock, stream: bool) -> None:
    key = str(new_id())
    llmock.reply("one two three four").truncate(after_chunks=2) if stream else llmock.fail(500)
    failed = post(talk, key, stream=stream)
    assert failed.status_code == 503 or "event: error" in failed.text
    assert not is_reserved(talk)
    llmock.reply("Better.")
    assert post(talk, key).json()["reply"] == "Better."


def test_who_hangs_up_frees_the_key(talk: Talk, llmock: LLMock) -> None:
    key = str(new_id())
    llmock.reply("one two three four five").stall(after_chunks=2, seconds=30)
    began = threading.Event()

    def ask() -> None:
        body = {"message": "What is my job title?", "stream": True}
        with talk.http.stream("POST", "/chat", json=body, headers={"Idempotency-Key": key}) as answer:
            next(answer.iter_bytes())
            began.set()

    threading.Thread(target=ask, daemon=True).start()
    assert began.wait(20)
    eventually(lambda: not is_reserved(talk))
    llmock.reply("Again.")
    assert post(talk, key).json()["reply"] == "Again."


@pytest.mark.parametrize("route", ["/chat", "/sessions/{}/chat"])
def test_a_crash_between_the_commit_and_the_answer_costs_nothing(
    talk: Talk, llmock: LLMock, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    key, path = str(new_id()), route.format(talk.session())
    llmock.reply("Kept.")
    with monkeypatch.context() as broken:
        broken.setattr(conversation, "_answer", lambda *_: 1 / 0)
        assert post(talk, key, path).status_code == 500
    answer = post(talk, key, path).json()
    assert (answer["reply"], answer["model"]) == ("Kept.", "openai/gpt-4o")
    assert roles(talk, answer["sessionId"]) == ["user", "assistant"]
    assert len(llmock.requests) == 1


def test_a_crash_before_the_commit_blocks_the_key_until_its_lease_is_over(
    talk: Talk, llmock: LLMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = str(new_id())
    llmock.fail(500)
    monkeypatch.setattr("memory.idempotency.release", lambda *_: None)  # nobody is left to free it
    assert post(talk, key).status_code == 503
    assert post(talk, key).status_code == 409
    with talk.world.services.pool.connection() as connection:
        earlier = "UPDATE requests SET lease_until = lease_until - %s WHERE context_id = %s"
        connection.execute(earlier, (LEASE, talk.world.context_id))
    llmock.reply("At last.")
    assert post(talk, key).json()["reply"] == "At last."


def test_a_key_of_the_same_principal_that_may_not_read_the_turns_is_not_shown_them(talk: Talk, llmock: LLMock) -> None:
    key = str(new_id())
    llmock.reply("Head of Platform.")
    post(talk, key)
    grants = {"memory:read": ["org/elsewhere"], "memory:write": ["/*"]}
    narrow = talk.http.post("/keys", json={"name": "narrow", "grants": grants}).json()["key"]
    talk.http.headers["Authorization"] = f"Bearer {narrow}"
    again = post(talk, key)
    assert again.status_code == 409
    assert "Platform" not in again.text
