"""Writes through a server whose extraction model misbehaves: the words are kept, and understood later."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from llmock.pytest_plugin import LLMock
from llmock.testing import LLMockServer

from tests.providers import answer, attribute
from tests.servers import ServerProcess, public_folder
from tests.tenants import operator

CONFIG = """
models: {{extraction: openai/gpt-4o-mini}}
providers: {{openai: {{base_url: "{base_url}", api_key: sk-served}}}}
prices: {{openai/gpt-4o-mini: {{input: 1000000, output: 0}}}}
extraction: {{deadline_seconds: 4, timeout_seconds: 20, retry_seconds: 1}}
"""
LIVES = attribute("USER", "location", "Porto", "I live in Porto")
PATIENCE_S = 40.0


@pytest.fixture(scope="module")
def server(llmock_server: LLMockServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    config = tmp_path_factory.mktemp("config") / "palimpsest.yaml"
    config.write_text(CONFIG.format(base_url=LLMock(llmock_server).base_url()))
    config.parent.chmod(0o755)
    with public_folder() as folder, ServerProcess(folder, CONFIG=str(config)) as running:
        eventually(lambda: httpx.get(f"{running.url}/api/v1/health").json()["models"] == "ready")
        yield running


@pytest.fixture
def client(server: ServerProcess, llmock: LLMock) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def say(client: httpx.Client, text: str = "I live in Porto.", **more: Any) -> tuple[int, dict[str, Any]]:
    answered = client.post("/facts", json={"text": text, **more})
    assert answered.status_code in (200, 202), answered.text
    return answered.status_code, answered.json()


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def state_of(client: httpx.Client, turn_id: str) -> dict[str, Any]:
    turn: dict[str, Any] = client.get(f"/turns/{turn_id}").json()
    state: dict[str, Any] = turn["extraction"]
    return state


def test_the_start_says_who_reads(server: ServerProcess) -> None:
    assert any("turns are read by openai/gpt-4o-mini" in line for line in server.output)
    assert not any("sk-served" in line for line in server.output)


def test_a_turn_is_one_call_and_its_answer_says_what_it_took(client: httpx.Client, llmock: LLMock) -> None:
    llmock.reply(answer(attributes=[LIVES]))
    before = client.get("/usage").json()
    status, told = say(client)
    extraction = told["extraction"]
    assert (status, extraction["status"]) == (200, "complete")
    assert [(one["key"], one["value"]) for one in extraction["attributes"]] == [("location", "Porto")]
    usage = extraction["usage"]
    assert usage["calls"] == len(llmock.requests) == 1
    assert usage["cost"] == pytest.approx(usage["inputTokens"])
    today = client.get("/usage").json()
    assert today["tokensToday"] - before["tokensToday"] == usage["inputTokens"] + usage["outputTokens"]
    (row,) = [one for one in today["days"] if one["purpose"] == "extraction"]
    assert (row["day"], row["model"]) == (f"{datetime.now(UTC):%Y-%m-%d}", "openai/gpt-4o-mini")


def test_nothing_to_store_is_not_a_failure(client: httpx.Client, llmock: LLMock) -> None:
    llmock.reply(answer())
    status, told = say(client, "Hello!")
    assert (status, told["extraction"]["status"]) == (200, "nothing_found")
    assert "error" not in told["extraction"]


def test_health_is_degraded_while_the_model_fails_and_says_why(
    server: ServerProcess, client: httpx.Client, llmock: LLMock
) -> None:
    def health() -> tuple[int, str, dict[str, str]]:
        told = httpx.get(f"{server.url}/api/v1/health")
        return told.status_code, told.json()["models"], told.json()["failing"]

    llmock.rate_limit(times=1, retry_after=3_000).reply(answer(attributes=[LIVES]))
    assert say(client)[0] == 202
    assert health() == (200, "degraded", {"openai/gpt-4o-mini": "rate_limited"})
    assert client.get("/state").status_code == 200
    assert say(client)[0] == 200
    assert health() == (200, "ready", {})


def test_failed_turns_are_kept_found_and_understood_later_by_themselves(client: httpx.Client, llmock: LLMock) -> None:
    boat = attribute("USER", "boat", "Estrela", "My boat is Estrela")
    # given a server that fails for a minute, and a key that is refused until somebody mends it
    llmock.fail(500, times=2).fail(401).reply(answer(attributes=[boat])).reply(answer(attributes=[LIVES]))
    before = client.get("/usage").json()["total"]["calls"]
    status, told = say(client, "My boat is Estrela.")
    assert (status, told["extraction"]["status"]) == (202, "pending")
    assert told["extraction"]["error"] == {"type": "server_error", "retryable": True}
    assert told["extraction"]["usage"]["calls"] == 2
    status, refused = say(client)
    assert (status, refused["extraction"]["error"]) == (202, {"type": "unauthorized", "retryable": False})
    assert refused["extraction"]["usage"]["calls"] == 1
    # then failed attempts count, the words are found, and both are understood in time
    assert client.get("/usage").json()["total"]["calls"] - before >= 3
    found = client.post("/query", json={"query": "Estrela"})
    assert "Estrela" in found.text
    turns = [told["turnId"], refused["turnId"]]
    eventually(lambda: all(state_of(client, one)["status"] == "complete" for one in turns))
    assert any(row["value"] == "Estrela" for row in client.get("/attributes").json()["attributes"])


def test_past_the_deadline_the_answer_is_pending_and_the_work_goes_on(client: httpx.Client, llmock: LLMock) -> None:
    slow = attribute("USER", "bike", "blue", "My bike is blue")
    llmock.delay(6).reply(answer(attributes=[slow]))
    begun = time.monotonic()
    status, told = say(client, "My bike is blue.")
    assert time.monotonic() - begun < 6
    assert (status, told["extraction"]["error"]) == (202, {"type": "deadline_exceeded", "retryable": True})
    eventually(lambda: state_of(client, told["turnId"])["status"] == "complete")
    assert len(llmock.requests) == 1


def test_a_client_that_hangs_up_finds_its_turn_by_the_same_key(client: httpx.Client, llmock: LLMock) -> None:
    llmock.delay(1).reply(answer(attributes=[attribute("USER", "cat", "Mia", "My cat is Mia")]))
    asked = {"json": {"text": "My cat is Mia."}, "headers": {"Idempotency-Key": "hung-up"}}
    with pytest.raises(httpx.ReadTimeout):
        client.post("/facts", timeout=0.3, **asked)  # type: ignore[arg-type]
    eventually(lambda: client.post("/facts", **asked).json()["extraction"]["status"] == "complete")  # type: ignore[arg-type]
    again = client.post("/facts", **asked)  # type: ignore[arg-type]
    assert again.status_code == 200
    assert [one["value"] for one in again.json()["extraction"]["attributes"]] == ["Mia"]
    assert len(llmock.requests) == 1


def test_a_conversation_is_read_in_one_call_and_each_message_at_its_own_time(
    client: httpx.Client, llmock: LLMock
) -> None:
    dog = attribute("USER", "dog", "Rex", "I got a dog, Rex, yesterday")
    llmock.reply(answer(attributes=[{**dog, "message": 2, "since": "yesterday"}]))
    messages = [
        {"role": "user", "content": "Hello!", "ts": "2026-01-01T10:00:00Z"},
        {"role": "user", "content": "I got a dog, Rex, yesterday.", "ts": "2026-01-10T10:00:00Z"},
    ]
    answered = client.post("/facts/batch", json={"messages": messages})
    assert answered.status_code == 200, answered.text
    (extraction,) = answered.json()["extractions"]
    (fact,) = extraction["attributes"]
    assert (fact["value"], fact["validFrom"][:10], fact["source_turn"]) == (
        *("Rex", "2026-01-09"),
        answered.json()["turnIds"][1],
    )
    assert extraction["usage"]["calls"] == len(llmock.requests) == 1


def test_each_message_may_be_a_call_of_its_own(client: httpx.Client, llmock: LLMock) -> None:
    llmock.reply(answer(), times=None)
    messages = [{"role": "user", "content": f"Message {number}."} for number in range(5)]
    answered = client.post("/facts/batch", json={"messages": messages, "extract": "per_message"}).json()
    assert [one["status"] for one in answered["extractions"]] == ["nothing_found"] * 5
    assert len(llmock.requests) == 5


def test_known_names_and_keys_are_offered_again(client: httpx.Client, llmock: LLMock) -> None:
    harbor = {"name": "Harbor", "type": "project", "span": "Harbor"}
    written = attribute("Harbor", "written_in", "Go", "written in Go", category="knowledge")
    llmock.reply(answer(entities=[harbor], attributes=[written])).reply(answer())
    say(client, "Harbor is written in Go.")
    say(client, "Is Harbor any good?")
    (asked,) = [message["content"] for message in llmock.last_request.body["messages"] if message["role"] == "user"]
    assert "Harbor (project)" in asked and "written_in" in asked


def test_writes_that_wait_for_a_model_hold_up_no_other(client: httpx.Client, llmock: LLMock) -> None:
    llmock.delay(1.5, times=None).reply(answer(), times=None)
    waiting = [threading.Thread(target=say, args=(client, "Hello!")) for _ in range(20)]
    for thread in waiting:
        thread.start()
    time.sleep(0.5)
    begun = time.monotonic()
    say(client, "Words only.", infer="none")
    assert time.monotonic() - begun < 1.0
    for thread in waiting:
        thread.join()


def test_what_was_stored_failed_and_empty_is_counted_apart(
    server: ServerProcess, client: httpx.Client, llmock: LLMock
) -> None:
    def counted() -> dict[str, float]:
        with operator(server) as management:
            text = management.get(f"{server.url}/metrics").text
        found = re.findall(r'^palimpsest_extractions_total{outcome="(\w+)"} (\S+)$', text, re.MULTILINE)
        return {outcome: float(number) for outcome, number in found}

    before = counted()
    llmock.rate_limit(retry_after=600).reply(answer()).reply(answer(attributes=[LIVES]))
    for _ in range(3):
        say(client)
    after = counted()
    rise = {outcome: after[outcome] - before[outcome] for outcome in ("complete", "nothing_found", "pending")}
    assert rise == {"complete": 1, "nothing_found": 1, "pending": 1}


def test_pending_turns_are_understood_and_old_ones_read_again_by_hand(
    server: ServerProcess, client: httpx.Client, llmock: LLMock
) -> None:
    llmock.rate_limit(retry_after=600).reply(answer(), times=None)
    _, told = say(client, "Nobody knows the password.")
    assert state_of(client, told["turnId"])["status"] == "pending"  # and long not due by itself
    learnt = server.command("extract", "--pending", "--json")
    assert learnt.returncode == 0, learnt.stderr
    assert state_of(client, told["turnId"])["status"] == "nothing_found"
    again = ("extract", "--again", "--model", "openai/gpt-4o-mini", "--session", told["sessionId"], "--json")
    before = len(llmock.requests)
    expected = json.loads(server.command(*again, "--dry-run").stdout)
    assert expected["turns"] == 1 and expected["estimate"]["inputTokens"] > 500 and expected["estimate"]["cost"] > 0
    assert len(llmock.requests) == before
    lines = server.command(*again, "--yes").stdout.splitlines()
    assert json.loads(lines[-1])["read"] == 1
    assert len(llmock.requests) == before + 1
    assert server.command("extract", "--again").returncode != 0
