"""`make bench NAME=write`: what a write costs. About two minutes.

1. Append: a turn with five facts about somebody new through `Memory.remember`, against a raw floor that
   inserts the very same rows (`tests.bench.appends`), one writer and eight, each writer a process with
   a context of its own, in interleaved slices (`tests.bench.slices`).
2. Lock: the floor over many contexts, with the head row locked and advanced and without, at eight writers.
3. REST: processor time of a serving process per `POST /facts` with one given fact, over one kept-alive
   connection, the local models loaded; and the wall-clock time as the client sees it.
4. Memory: VmRSS of that process after 1,000 writes, 100 of them read by the local extractor.
5. Pairs of turns read by a model that answers at once (`tests.bench.pairs`).

Rates of separate runs say nothing; ratios within one run do, to some 10 %.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from api import wiring
from api.settings.config import from_env
from api.wiring import Services
from tests.bench import pairs, processes
from tests.bench.appends import AppendSetup
from tests.bench.figures import Figures
from tests.bench.slices import ROUNDS, Writers, interleaved, median_cpu_ms, median_rate, paired_ratios, ratio
from tests.servers import ServerProcess, public_folder

WRITERS = 8
REQUESTS = 300
REQUESTS_WARM = 30
WRITES = 1_000
WRITES_FULL = 100
CITIES = ("Berlin", "Oslo", "Lima", "Kyiv", "Bern")
TEXTS = (
    "I'm Alice, Head of Platform at Acme.",
    "I just got promoted to CTO",
    "Actually I moved to Berlin last month",
    "My sister Carol lives in Oslo and works for the Post.",
    "Please always answer in short sentences.",
    "We met Bob at the harbour yesterday and talked about the new office.",
    "I used to play the cello, but I stopped two years ago.",
    "My favourite tea is Assam and I never take sugar.",
)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a write costs.")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="Slices of each kind (default %(default)s).")
    rounds = parser.parse_args().rounds
    figures = Figures()
    with embedded() as services:
        _measure_append(figures, services, writers=1, target=0.8, rounds=rounds)
        _measure_append(figures, services, writers=WRITERS, target=0.65, rounds=rounds)
        _measure_lock(figures, services, rounds=rounds)
    _measure_server(figures)
    pairs.measure(figures)
    figures.finish()


@contextmanager
def embedded() -> Iterator[Services]:
    """Services over an embedded Postgres of its own."""
    with public_folder() as home, wiring.services(from_env({"PALIMPSEST_HOME": str(home)})) as services:
        yield services


def _measure_append(figures: Figures, services: Services, *, writers: int, target: float, rounds: int) -> None:
    names = ("remember", "floor")
    with Writers(writers, AppendSetup(services.database)) as running:
        slices = interleaved(running, names, rounds=rounds)
    title = f"append, {writers} writer{'s' if writers > 1 else ''}"
    for name in names:
        figures.add(f"append_{name}_{writers}w_per_s", median_rate(slices[name]), f"{title}: {name}, appends/s")
        cpu_ms = median_cpu_ms(slices[name])
        figures.add(f"append_{name}_{writers}w_cpu_ms", cpu_ms, f"{title}: {name}, writer's CPU ms/append")
    figures.add(f"append_ratio_{writers}w", ratio(slices, *names), f"{title}: remember / floor", least=target)
    low, middle, high = paired_ratios(slices, *names)
    figures.note(f"{'':14}ratios by round: {low:.2f} / {middle:.2f} / {high:.2f} (quartiles)")


def _measure_lock(figures: Figures, services: Services, *, rounds: int) -> None:
    names = ("locked", "unlocked")
    with Writers(WRITERS, AppendSetup(services.database)) as running:
        slices = interleaved(running, names, rounds=rounds)
    for name in names:
        figures.add(f"head_{name}_per_s", median_rate(slices[name]), f"head row {name}, {WRITERS} writers: appends/s")
    figures.add("head_lock_ratio", ratio(slices, *names), "head row locked / unlocked", least=0.8)
    low, middle, high = paired_ratios(slices, *names)
    figures.note(f"{'':14}ratios by round: {low:.2f} / {middle:.2f} / {high:.2f} (quartiles)")


def _measure_server(figures: Figures) -> None:
    with public_folder() as home, ServerProcess(home) as server, server.client() as client:
        wait_for_models(client, server)
        session_id = _write(client, {"text": TEXTS[0]})["sessionId"]
        for number in range(REQUESTS_WARM):
            _write(client, _triple(number, session_id))
        walls_ms: list[float] = []
        cpu_began = processes.cpu_s(server.pid)
        for number in range(REQUESTS_WARM, REQUESTS_WARM + REQUESTS):
            began = time.perf_counter()
            _write(client, _triple(number, session_id))
            walls_ms.append(1000 * (time.perf_counter() - began))
        cpu_ms = 1000 * (processes.cpu_s(server.pid) - cpu_began) / REQUESTS
        figures.add("rest_write_cpu_ms", cpu_ms, "POST /facts, one triple: server's CPU ms/request", most=10)
        figures.add("rest_write_p50_ms", statistics.median(walls_ms), "POST /facts, one triple: wall clock, p50 ms")
        for number in range(REQUESTS_WARM + REQUESTS, WRITES - WRITES_FULL):
            _write(client, _triple(number, session_id))
        for number in range(WRITES_FULL - 1):
            _write(client, {"text": TEXTS[number % len(TEXTS)], "session_id": session_id})
        resident_mb = processes.resident_mb(server.pid)
        figures.add("rss_mb", resident_mb, f"server's memory after {WRITES} writes, models loaded: MB", most=450)


def wait_for_models(client: httpx.Client, server: ServerProcess) -> None:
    """Until /health says that the local models are loaded."""
    while client.get(f"{server.url}/api/v1/health").json()["models"] != "ready":
        time.sleep(0.02)


def _triple(number: int, session_id: str) -> dict[str, Any]:
    """A third of these bring something new, the others supersede it."""
    entity = {"type": "person", "name": f"Somebody {number % (REQUESTS // 3)}"}
    value = CITIES[number // (REQUESTS // 3) % len(CITIES)]
    triples = [{"entity": entity, "key": "city", "value": value}]
    return {"infer": "triples", "session_id": session_id, "triples": triples}


def _write(client: httpx.Client, body: dict[str, Any]) -> Any:
    answer = client.post("/facts", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


if __name__ == "__main__":
    main()
