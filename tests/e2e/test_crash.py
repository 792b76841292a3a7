"""Stopping and crashing: Ctrl-C leaves nothing behind, kill -9 loses nothing that was acknowledged."""

import itertools
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import httpx
import pytest

from tests import servers
from tests.servers import ServerProcess, environment, free_port, public_folder, run_command

STOP_TIMEOUT_S = 10
GRACE_TIMEOUT_S = 15  # with a client that never ends its request
PROGRESS_TIMEOUT_S = 30
THREADS = 3
SENTENCES = 100


def postmaster(home: Path) -> int:
    return int((home / "pgdata" / "postmaster.pid").read_text().split("\n")[0])


def postgres_processes(home: Path) -> list[int]:
    """Every process of the home's Postgres: all of them work inside the data folder."""
    data = (home / "pgdata").resolve()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == data:
                found.append(int(process.name))
    return found


def eventually(condition: Callable[[], bool], what: str, timeout_s: float = PROGRESS_TIMEOUT_S) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.02)


def log_of(home: Path, topic: str) -> list[dict[str, Any]]:
    answer = run_command(home, "log", "--topic", topic, "--limit", "0", "--json")
    assert answer.returncode == 0, answer.stderr
    return [json.loads(line) for line in answer.stdout.splitlines()]


def assert_verified(home: Path) -> None:
    answer = run_command(home, "verify")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def turns_of(client: httpx.Client, session: str) -> list[dict[str, Any]]:
    """Every turn of a session, page by page."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        parameters = {"limit": "500", **({"cursor": cursor} if cursor else {})}
        answer = client.get(f"/sessions/{session}/turns", params=parameters)
        assert answer.status_code == 200, answer.text
        found += answer.json()["turns"]
        cursor = answer.json()["page"].get("nextCursor")
        if not cursor:
            return found


@pytest.fixture
def home() -> Iterator[Path]:
    with public_folder() as folder:
        yield folder
        for pid in postgres_processes(folder):  # of a failed test
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


class Writers:
    """Threads that write facts as fast as they are acknowledged, whatever happens to the server."""

    def __init__(self, server: ServerProcess) -> None:
        self.acknowledged: list[tuple[str, str]] = []  # session and turn
        self.unavailable = 0
        self.wrong: list[str] = []
        self._server = server
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(THREADS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        session: str | None = None
        with self._server.client(timeout=30) as client:
            for count in itertools.count():
                if self._ended.is_set():
                    return
                body = _body(number, count, session)
                try:
                    answer = client.post("/facts", json=body)
                except httpx.TransportError:  # the server is dead: nothing was promised
                    time.sleep(0.02)
                    continue
                if answer.status_code in (200, 202):
                    session = answer.json()["sessionId"]
                    self.acknowledged.append((session, answer.json()["turnId"]))
                elif answer.status_code == 503 and answer.headers.get("Retry-After") and answer.json()["message"]:
                    self.unavailable += 1
                    time.sleep(0.02)
                else:
                    self.wrong.append(f"{answer.status_code} {answer.text}")

    def written(self, more: int = 10) -> None:
        """Wait until so many more writes are acknowledged."""
        goal = len(self.acknowledged) + more
        eventually(lambda: len(self.acknowledged) >= goal, "writes are acknowledged again")


def _body(number: int, count: int, session: str | None) -> dict[str, Any]:
    where = {"session_id": session} if session else {}
    if count % 2:
        return {**where, "text": f"I live in Berlin and I have {count} cats."}
    triple = {"entity": {"type": "person", "name": f"Person {number}"}, "key": "city", "value": f"City {count}"}
    return {**where, "infer": "triples", "triples": [triple]}


# --- kinds of crash -----------------------------------------------------------------------------


def kill_server(server: ServerProcess, _: random.Random) -> None:
    server.kill()


def kill_postmaster(server: ServerProcess, moments: random.Random) -> None:
    os.kill(postmaster(server.home), signal.SIGKILL)
    time.sleep(moments.uniform(0, 0.5))
    server.stop()


def kill_both(server: ServerProcess, moments: random.Random) -> None:
    os.kill(postmaster(server.home), signal.SIGKILL)
    server.kill()


def kill_server_and_the_next_one_while_it_starts(server: ServerProcess, moments: random.Random) -> None:
    server.kill()
    kill_while_it_starts(server.home, moments.uniform(0, 1.5))


def kill_while_it_starts(home: Path, after_s: float) -> None:
    start = subprocess.Popen(
        [str(servers.COMMAND), "serve"],
        env=environment(home, BIND=f"127.0.0.1:{free_port()}"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(after_s)
    start.kill()
    start.wait()


KILLS = (kill_server, kill_postmaster, kill_both, kill_server_and_the_next_one_while_it_starts)


def write_while_killing(home: Path, kills: list[Callable[[ServerProcess, random.Random], None]], seed: int) -> None:
    moments = random.Random(seed)
    print(f"seed {seed}")  # shown if it fails
    server = ServerProcess(home).start()
    try:
        with Writers(server) as writers:
            for kill in kills:
                writers.written()
                time.sleep(moments.uniform(0, 0.7))
                kill(server, moments)
                server.start()
            writers.written()
        assert writers.wrong == []
        with server.client() as client:
            sessions = {session for session, _ in writers.acknowledged}
            kept = {(session, turn["id"]) for session in sessions for turn in turns_of(client, session)}
        assert set(writers.acknowledged) - kept == set()
        recorded = len(log_of(home, "TurnRecorded"))
        eventually(lambda: len(log_of(home, "ExtractionCompleted")) == recorded, "every recorded turn is understood")
        assert_verified(home)
    finally:
        server.stop()
    assert postgres_processes(home) == []


def test_writes_survive_kill_9_of_the_server_and_of_postgres(home: Path) -> None:
    write_while_killing(home, [kill_server, kill_postmaster], seed=1)


@pytest.mark.long
def test_writes_survive_many_kills_at_random_moments(home: Path) -> None:
    seed = random.randrange(2**32)
    write_while_killing(home, [*KILLS * 6], seed)


@pytest.mark.long
def test_a_first_start_that_was_killed_does_not_hinder_the_next(home: Path) -> None:
    start_after_a_killed_one(home, 0.6)


@pytest.mark.long
@pytest.mark.parametrize("after_s", [step * 0.1 for step in range(3, 18)])
def test_a_first_start_may_be_killed_at_any_moment(after_s: float, home: Path) -> None:
    start_after_a_killed_one(home, after_s)


def start_after_a_killed_one(home: Path, after_s: float) -> None:
    kill_while_it_starts(home, after_s)
    with ServerProcess(home) as server, server.client() as client:
        assert client.post("/facts", json={"text": "I live in Lisbon."}).status_code == 200
    assert postgres_processes(home) == []
    assert_verified(home)


# --- Postgres dies under a living server --------------------------------------------------------


def test_when_postgres_dies_the_server_answers_503_until_it_has_brought_it_back(home: Path) -> None:
    with ServerProcess(home) as server, server.client() as client:
        turn = client.post("/facts", json={"infer": "none", "text": "kept"}).json()
        os.kill(postmaster(home), signal.SIGKILL)
        requests: list[tuple[str, str, dict[str, Any] | None]] = [
            ("POST", "/facts", {"text": "I live in Lisbon."}),
            ("POST", "/facts", {"infer": "none", "text": "words"}),
            ("GET", "/state", None),
            ("GET", f"/sessions/{turn['sessionId']}/turns", None),
            ("GET", f"{server.url}/api/v1/health", None),
        ]
        with ThreadPoolExecutor(len(requests)) as threads:
            answers = threads.map(lambda request: client.request(*request[:2], json=request[2]), requests)
        for answer in answers:
            assert answer.status_code in (200, 202, 503), answer.text
            if answer.status_code == 503:
                assert int(answer.headers["Retry-After"]) >= 1
                assert answer.json()["status"] == 503 and answer.json()["message"]
        eventually(lambda: client.get("/state").status_code == 200, "the server brought Postgres back")
        assert turns_of(client, turn["sessionId"])[0]["content"] == "kept"
        assert client.post("/facts", json={"text": "I live in Lisbon."}).status_code == 200
    assert "Traceback" not in "".join(server.output)
    assert postgres_processes(home) == []
    assert_verified(home)


@pytest.mark.long
def test_postgres_brought_back_beside_a_living_server_serves_it_again(home: Path) -> None:
    with ServerProcess(home) as server, server.client() as client:
        client.post("/facts", json={"text": "I live in Lisbon."}).raise_for_status()
        os.kill(postmaster(home), signal.SIGKILL)
        assert_verified(home)  # which starts Postgres, and leaves it to the server
        eventually(lambda: client.get("/state").status_code == 200, "the server found Postgres again")
        assert client.post("/facts", json={"text": "I live in Porto."}).status_code == 200
    assert postgres_processes(home) == []


# --- turns that were recorded but not understood ------------------------------------------------


@pytest.mark.long
def test_turns_left_pending_by_a_crash_are_learnt_at_their_own_time_after_the_next_start(home: Path) -> None:
    server = ServerProcess(home).start()
    messages = [
        {"role": "user", "content": f"Actually I moved to {('Berlin', 'Lisbon')[n % 2]}."} for n in range(SENTENCES)
    ]
    answers: list[int] = []

    def write() -> None:
        with suppress(httpx.TransportError), server.client() as client:
            answers.append(client.post("/facts/batch", json={"messages": messages}).status_code)

    def sessions() -> list[dict[str, Any]]:
        with server.client() as client:
            found: list[dict[str, Any]] = client.get("/sessions").json()["sessions"]
            return found

    writer = threading.Thread(target=write)
    writer.start()
    eventually(lambda: len(sessions()) == 1, "the words are recorded")
    server.kill()
    writer.join()
    assert answers == []
    assert len(log_of(home, "TurnRecorded")) == SENTENCES
    understood = len(log_of(home, "ExtractionCompleted"))
    assert understood < SENTENCES
    with server:
        learnt = f"learnt from {SENTENCES - understood} turns"
        eventually(lambda: learnt in "".join(server.output), "the turns are learnt")
        assert len(log_of(home, "ExtractionCompleted")) == SENTENCES
        with server.client() as client:
            said = {turn["id"]: turn["createdAt"] for turn in turns_of(client, sessions()[0]["id"])}
            (city,) = client.get("/entities/person/user").json()["attributes"]
        assert city["value"] == "Lisbon"  # the last one said
        assert city["createdAt"] == said[city["source_turn"]]
        assert_verified(home)


# --- stopping -----------------------------------------------------------------------------------


def at_once(_: ServerProcess) -> None:
    """Still loading its models."""


def idle(server: ServerProcess) -> None:
    with server.client() as client:
        client.post("/facts", json={"text": "I live in Lisbon."}).raise_for_status()


@pytest.mark.parametrize(
    ("number", "occupied"),
    [
        (signal.SIGINT, at_once),
        (signal.SIGTERM, idle),
        pytest.param(signal.SIGINT, idle, marks=pytest.mark.long),
        pytest.param(signal.SIGTERM, at_once, marks=pytest.mark.long),
    ],
)
def test_a_signal_stops_server_and_postgres(
    number: signal.Signals, occupied: Callable[[ServerProcess], None], home: Path
) -> None:
    server = ServerProcess(home).start()
    occupied(server)
    assert server.process is not None
    assert len(postgres_processes(home)) > 1
    os.killpg(server.pid, number)  # the whole group, as a terminal does
    assert server.process.wait(STOP_TIMEOUT_S) in (0, 128 + number)
    assert postgres_processes(home) == []
    assert not (home / "pgdata" / "postmaster.pid").exists()
    eventually(lambda: "last month" in "".join(server.output), "the output is read")
    assert "Traceback" not in "".join(server.output)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_request_in_flight_is_answered_before_the_server_stops(number: signal.Signals, home: Path) -> None:
    server = ServerProcess(home).start()
    idle(server)
    answers: list[httpx.Response] = []

    def write() -> None:
        messages = [{"role": "user", "content": f"I have {n} cats."} for n in range(SENTENCES)]
        with server.client() as client:
            answers.append(client.post("/facts/batch", json={"messages": messages}))

    writer = threading.Thread(target=write)
    writer.start()
    with server.client() as client:
        eventually(lambda: len(client.get("/sessions").json()["sessions"]) == 2, "the write is under way")
    assert answers == []
    assert server.process is not None
    os.killpg(server.pid, number)
    assert server.process.wait(STOP_TIMEOUT_S) in (0, 128 + number)
    writer.join()
    assert [answer.status_code for answer in answers] == [200]
    assert postgres_processes(home) == []
    assert len(log_of(home, "ExtractionCompleted")) == SENTENCES + 1
    assert "Traceback" not in "".join(server.output)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_client_that_never_ends_its_request_does_not_keep_the_server_alive(
    number: signal.Signals, home: Path
) -> None:
    server = ServerProcess(home).start()
    assert server.process is not None
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        head = f"POST /api/v1/dev/facts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.key}\r\n"
        client.sendall(f'{head}Content-Length: 100\r\n\r\n{{"te'.encode())
        time.sleep(0.5)
        os.killpg(server.pid, number)
        assert server.process.wait(GRACE_TIMEOUT_S) in (0, 128 + number)
    assert postgres_processes(home) == []
    assert "Traceback" not in "".join(server.output)


def test_ctrl_c_during_the_first_start_leaves_nothing_running(home: Path) -> None:
    interrupt_while_it_starts(home, 0.6)


@pytest.mark.long
@pytest.mark.parametrize("after_s", [step * 0.1 for step in range(1, 15)])
def test_ctrl_c_at_any_moment_of_the_first_start_leaves_nothing_running(after_s: float, home: Path) -> None:
    interrupt_while_it_starts(home, after_s)


def interrupt_while_it_starts(home: Path, after_s: float) -> None:
    start = subprocess.Popen(
        [str(servers.COMMAND), "serve"],
        env=environment(home, BIND=f"127.0.0.1:{free_port()}"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(after_s)
    os.killpg(start.pid, signal.SIGINT)
    start.wait(STOP_TIMEOUT_S)
    assert postgres_processes(home) == []
    with ServerProcess(home) as server, server.client() as client:
        assert client.post("/facts", json={"text": "I live in Lisbon."}).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("pause_s", [0.0, 0.15])
def test_a_second_ctrl_c_leaves_nothing_running_either(pause_s: float, home: Path) -> None:
    server = ServerProcess(home).start()
    assert server.process is not None
    os.killpg(server.pid, signal.SIGINT)
    time.sleep(pause_s)
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGINT)
    server.process.wait(STOP_TIMEOUT_S)
    assert postgres_processes(home) == []
