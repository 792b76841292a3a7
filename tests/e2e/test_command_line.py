"""The commands, each beside a running server on the same home and with none, when they start Postgres themselves."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from projections import verification
from tests.e2e.test_crash import postgres_processes
from tests.servers import ServerProcess, public_folder, run_command

CITIES = {"Alice": ["Rome", "Oslo", "Lima"], "Bob": ["Bern"]}


@dataclass(frozen=True)
class Memory:
    """A home with two conversations in its context; `running` serves it, or nothing does."""

    home: Path
    key: str
    sessions: dict[str, str]  # of each person
    turns: dict[str, list[str]]
    position: int
    running: ServerProcess | None

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command; afterwards Postgres runs only if the server does."""
        answer = run_command(self.home, *arguments, **settings)
        assert bool(postgres_processes(self.home)) == bool(self.running)
        if self.running:
            assert httpx.get(f"{self.running.url}/api/v1/health").status_code == 200
        return answer

    def output(self, *arguments: str, **settings: str) -> str:
        answer = self.run(*arguments, **settings)
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    def lines(self, *arguments: str) -> list[str]:
        return self.output(*arguments).splitlines()

    def events(self, *arguments: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines("log", "--json", *arguments)]

    def refusal(self, *arguments: str) -> str:
        answer = self.run(*arguments)
        assert answer.returncode == 1
        assert answer.stdout == ""
        (line,) = answer.stderr.splitlines()
        assert line.startswith("palimpsest: ")
        return line


BESIDE, ALONE = "beside a running server", "with no server running"
beside_only = pytest.mark.parametrize("memory", [BESIDE], indirect=True)  # what they print is the same


@pytest.fixture(scope="module", params=[BESIDE, pytest.param(ALONE, marks=pytest.mark.long)])
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    with public_folder() as home, ServerProcess(home) as server:
        sessions: dict[str, str] = {}
        turns: dict[str, list[str]] = {}
        position = 0
        with server.client() as client:
            for person, cities in CITIES.items():
                for city in cities:
                    triple = {"entity": {"type": "person", "name": person}, "key": "city", "value": city}
                    body = {"infer": "triples", "triples": [triple], "session_id": sessions.get(person)}
                    answer = client.post("/facts", json=body).raise_for_status().json()
                    sessions[person], position = answer["sessionId"], answer["position"]
                    turns.setdefault(person, []).append(answer["turnId"])
        running: ServerProcess | None = server
        if request.param == ALONE:
            server.stop()
            running = None
        yield Memory(home, server.key, sessions, turns, position, running)


# --- log ----------------------------------------------------------------------------------------


def test_log_prints_every_event_as_one_json_object_a_line(memory: Memory) -> None:
    events = memory.events("--limit", "0")
    assert [event["position"] for event in events] == list(range(1, memory.position + 1))
    assert {event["context"] for event in events} == {"dev"}
    assert all(len(event["hash"]) == 64 and event["recordedAt"] and event["payload"] for event in events)


@beside_only
def test_log_prints_one_line_an_event_for_people(memory: Memory) -> None:
    lines = memory.lines("log", "--limit", "0")
    assert [int(line.split()[0]) for line in lines] == list(range(1, memory.position + 1))
    assert sum(" TurnRecorded " in line for line in lines) == 4


@beside_only
def test_log_of_a_session_has_its_events_only(memory: Memory) -> None:
    for person, session in memory.sessions.items():
        events = memory.events("--session", session, "--limit", "0")
        assert {event["sessionId"] for event in events} == {session}
        assert [event["turnId"] for event in events if event["topic"] == "TurnRecorded"] == memory.turns[person]


@beside_only
def test_log_of_an_entity_has_what_concerns_it_only(memory: Memory) -> None:
    for name in ("person/Alice", "entity:person/alice"):
        events = memory.events("--entity", name)
        values = [event["payload"]["value"] for event in events if event["topic"] == "AttributeAsserted"]
        assert values == CITIES["Alice"]
        assert {event["turnId"] for event in events} == set(memory.turns["Alice"])
    assert memory.events("--entity", "person/nobody") == []


@beside_only
def test_log_of_a_topic_has_that_type_only(memory: Memory) -> None:
    events = memory.events("--topic", "AttributeAsserted")
    assert [event["payload"]["value"] for event in events] == ["Rome", "Oslo", "Lima", "Bern"]
    assert {event["topic"] for event in events} == {"AttributeAsserted"}


@beside_only
def test_log_goes_page_by_page(memory: Memory) -> None:
    assert [event["position"] for event in memory.events("--after", "5", "--limit", "3")] == [6, 7, 8]
    assert memory.events("--after", str(memory.position)) == []
    (only,) = memory.events("--entity", "person/alice", "--topic", "AttributeAsserted", "--after", "5", "--limit", "1")
    assert only["position"] > 5


@beside_only
@pytest.mark.parametrize(
    ("arguments", "expected"), [(("--session", "nonsense"), "no such"), (("--entity", "alice"), "entity")]
)
def test_log_refuses_a_filter_that_is_none_in_one_line(
    arguments: tuple[str, str], expected: str, memory: Memory
) -> None:
    assert expected in memory.refusal("log", *arguments)


# --- replay and verify --------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("--context", "dev")])
def test_replay_tells_how_many_events_and_shows_its_progress_on_standard_error(
    arguments: tuple[str, ...], memory: Memory
) -> None:
    answer = memory.run("replay", *arguments)
    assert answer.returncode == 0
    assert f"dev: {memory.position} events replayed" in answer.stdout.splitlines()
    assert "replay dev" in answer.stderr and f"{memory.position}/{memory.position}" in answer.stderr
    assert memory.lines("verify", "--context", "dev")[0].startswith(f"dev: {memory.position} events, all good, head ")


def test_replay_as_json(memory: Memory) -> None:
    answer = memory.run("replay", "--context", "dev", "--json")
    assert answer.returncode == 0
    assert json.loads(answer.stdout) == {"events": {"dev": memory.position}}
    assert answer.stderr == ""


def test_verify_gives_the_head_of_the_log(memory: Memory) -> None:
    head = memory.events("--limit", "0")[-1]["hash"]
    expected = {"context_id": "dev", "events": memory.position, "head_hash": head, "problem": None, "erasures": []}
    for arguments in ((), ("--quick",)):
        (told,) = json.loads(memory.output("verify", "--context", "dev", "--json", *arguments))
        assert verification.kept_heads(told.pop("digest")) == {"dev": (memory.position, bytes.fromhex(head))}
        assert told == expected
    line = f"dev: {memory.position} events, all good, head {head[:16]}"
    for arguments in ((), ("--quick",)):
        assert line in memory.lines("verify", *arguments)


# --- migrate and bootstrap ----------------------------------------------------------------------


def test_migrate_has_nothing_to_do(memory: Memory) -> None:
    assert memory.output("migrate") == "The schema is up to date; 0 contexts rebuilt.\n"
    assert json.loads(memory.output("migrate", "--json")) == {"log_guard": "role", "rebuilt": []}


def test_bootstrap_gives_the_key_that_there_is(memory: Memory) -> None:
    assert memory.output("bootstrap") == f"context  dev\nkey      {memory.key}\n"
    assert json.loads(memory.output("bootstrap", "--json")) == {"context": "dev", "api_key": memory.key}


def test_bootstrap_makes_another_context_with_a_key_of_its_own(memory: Memory) -> None:
    made = json.loads(memory.output("bootstrap", "--json", CONTEXT="second"))
    assert made["context"] == "second"
    assert made["api_key"] != memory.key
    assert json.loads(memory.output("bootstrap", "--json", CONTEXT="second")) == made
    server = memory.running or ServerProcess(memory.home)
    if not memory.running:
        server.start()
    try:
        for context, key, expected in (
            ("second", made["api_key"], 200),
            ("dev", memory.key, 200),
            ("second", memory.key, 401),
            ("dev", made["api_key"], 401),
        ):
            headers = {"Authorization": f"Bearer {key}"}
            assert httpx.get(f"{server.url}/api/v1/{context}/state", headers=headers).status_code == expected
    finally:
        if not memory.running:
            server.stop()


# --- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["log", "replay", "verify"])
def test_an_unknown_context_is_named_in_one_line(command: str, memory: Memory) -> None:
    assert "'nope'" in memory.refusal(command, "--context", "nope")


def test_a_fresh_home_may_begin_with_another_command_than_serve() -> None:
    with public_folder() as home:
        answer = run_command(home, "verify")
        assert answer.returncode == 0, answer.stderr
        assert postgres_processes(home) == []
