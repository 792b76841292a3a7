"""Full writes of pairs, a user's turn and an assistant's, each read by a model that answers at once.

1. What the server spends on a pair beside the model, and beside the local models that index and read.
2. Pairs a second with eight clients, each in a session of its own.
3. Calls and characters of the prompt a turn, at a state of a hundred known names.

Run by `make bench NAME=write`; `make bench NAME=pairs` runs it alone.
"""

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from api.embedders.minilm import MiniLM
from tests.bench import processes
from tests.bench.figures import Figures
from tests.bench.model_stub import Stub, model_stub
from tests.servers import ServerProcess, public_folder

NAMES = 100
PAIRS = 60
PAIRS_WARM = 10
CLIENTS = 8
PAIRS_A_CLIENT = 15
PROMPT_CHARACTERS_MAX = 6_000
CPU_MS_MAX = 20
INDEXED_PAUSE_S = 3.0

CONFIG = """
models: {{extraction: openai/stub}}
providers: {{openai: {{base_url: "{url}", api_key: none}}}}
"""


def main() -> None:
    figures = Figures()
    measure(figures)
    figures.finish()


def measure(figures: Figures) -> None:
    with model_stub() as stub, serving(stub) as server, server.client() as client:
        while client.get(f"{server.url}/api/v1/health").json()["models"] != "ready":
            time.sleep(0.05)
        session_id = _fill(client)
        for number in range(PAIRS_WARM):
            _pair(client, session_id, number)
        time.sleep(INDEXED_PAUSE_S)
        stub.prompts.clear()
        began = processes.cpu_s(server.pid)
        for number in range(PAIRS_WARM, PAIRS_WARM + PAIRS):
            _pair(client, session_id, number)
        cpu_ms = 1000 * (processes.cpu_s(server.pid) - began) / PAIRS
        turns = 2 * PAIRS
        figures.add("model_calls_a_turn", len(stub.prompts) / turns, "calls of the model a turn", most=1)
        longest = max(stub.prompts)
        figures.add("prompt_characters", longest, "characters of the longest prompt", most=PROMPT_CHARACTERS_MAX)
        figures.add("pair_cpu_ms", cpu_ms, "pair, model at 0 ms: server's CPU ms, vectors made meanwhile included")
        embedding_ms = _embedding_cpu_ms()
        figures.add("pair_embedding_cpu_ms", embedding_ms, "the local embedder alone: CPU ms a pair")
        figures.add("pair_rest_cpu_ms", cpu_ms - embedding_ms, "pair, beside local inference", most=CPU_MS_MAX)
        figures.add("pairs_per_s", _rate(server), f"pairs a second, {CLIENTS} clients")


@contextmanager
def serving(stub: Stub) -> Iterator[ServerProcess]:
    with tempfile.TemporaryDirectory() as folder, public_folder() as home:
        config = Path(folder) / "palimpsest.yaml"
        config.write_text(CONFIG.format(url=stub.url), encoding="utf-8")
        with ServerProcess(home, CONFIG=str(config)) as server:
            yield server


def _fill(client: httpx.Client) -> str:
    """A hundred known names; returns the session of the pairs."""
    triples = [
        {"entity": {"type": "person", "name": f"Somebody {number}"}, "key": f"key_{number % 40}", "value": str(number)}
        for number in range(NAMES)
    ]
    answered = client.post("/facts", json={"infer": "triples", "triples": triples})
    assert answered.status_code == 200, answered.text
    session_id: str = answered.json()["sessionId"]
    return session_id


def _turns(number: int) -> tuple[tuple[str, str], ...]:
    return (
        ("user", f"Yesterday, {number}, I met Somebody {number % NAMES} at the harbour and we talked for an hour."),
        ("assistant", f"Good to hear, number {number}. Shall I put the next meeting with them into your calendar?"),
    )


def _pair(client: httpx.Client, session_id: str, number: int) -> None:
    for role, text in _turns(number):
        answered = client.post("/facts", json={"text": text, "role": role, "session_id": session_id})
        assert answered.status_code == 200, answered.text


def _embedding_cpu_ms() -> float:
    """What the local embedder takes for what a pair says, embedded together: two turns and a fact of each."""
    embedder = MiniLM()
    embedder.load()
    pairs = [[text for _, text in _turns(number)] for number in range(PAIRS)]
    began = time.process_time()
    for texts in pairs:
        embedder.embed([*texts, *(f"user says {' '.join(text.split()[:3])}" for text in texts)])
    return 1000 * (time.process_time() - began) / PAIRS


def _rate(server: ServerProcess) -> float:
    def write(client_number: int) -> None:
        with server.client() as client:
            session_id = client.post("/sessions", json={}).json()["id"]
            for number in range(PAIRS_A_CLIENT):
                _pair(client, session_id, 1000 * (client_number + 1) + number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(CLIENTS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return CLIENTS * PAIRS_A_CLIENT / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
