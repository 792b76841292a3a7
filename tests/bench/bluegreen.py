"""`make bench NAME=bluegreen`: what writers and readers notice of a replay beside them. About a minute.

A log of 60,000 events (`--events`) is made up (`tests.bench.conversations`). While `palimpsest replay` rebuilds its
read models in a process of its own, four writers append facts to the same context and two readers read them. The
longest append is the pause that a writer may meet, when the new rows become live under the head's lock; before it,
the same is measured without a replay. Every request must succeed, every reader must see its context whole, and
after it all `verify` must find that the live rows follow from the log.
"""

import argparse
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from api import wiring
from api.routes import state
from api.settings.config import from_env
from projections.rebuild import rebuild
from projections.verification import verify
from tests.bench.conversations import fill
from tests.bench.figures import Figures
from tests.bench.slices import stopwatch
from tests.calls import Keyed, keyed_world
from tests.servers import COMMAND, environment, public_folder
from tests.worlds import fact

EVENTS = 60_000
WRITERS, READERS = 4, 2
QUIET_S = 5
PAUSE_MOST_S = 1.0

Request = Callable[[Keyed, int, int], None]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one process saw: how many requests, the longest in seconds, and what failed."""

    requests: int
    longest_s: float
    failures: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description="What writers and readers notice of a replay.")
    parser.add_argument("--events", type=int, default=EVENTS, help="Length of the log (default %(default)s).")
    arguments = parser.parse_args()
    figures = Figures()
    with public_folder() as home, wiring.services(from_env({"PALIMPSEST_HOME": str(home)})) as services:
        original, keyed = keyed_world(services), keyed_world(services)
        context_id = keyed.world.context_id
        fill(services.log, services.memory, original.world.caller, keyed.world.caller, arguments.events)
        with services.database.connect() as connection:
            rebuild(services.log, connection, context_id)
        _, quiet = _beside(keyed, lambda: time.sleep(QUIET_S))
        seconds, busy = _beside(keyed, lambda: _replayed(home, context_id))
        figures.note(f"{arguments.events} events replayed in {seconds:.1f} s beside {WRITERS} writers")
        for name, seen in (("quiet", quiet), ("replay", busy)):
            for kind in ("append", "read"):
                requests = sum(one.requests for one in seen[kind])
                longest_s = max(one.longest_s for one in seen[kind])
                figures.note(f"{name:>8} {kind:<8} {requests:6} requests, the longest {1000 * longest_s:6.0f} ms")
        failures = [
            failure for seen in (quiet, busy) for kind in seen.values() for one in kind for failure in one.failures
        ]
        figures.add("failed_requests", len(failures), f"requests that failed {failures[:1]}", most=0)
        pause_s = max(one.longest_s for one in busy["append"])
        figures.add("append_pause_s", pause_s, "longest append during a replay: s", most=PAUSE_MOST_S)
        with services.database.connect() as connection:
            problem = verify(services.log, connection, context_id).problem
        figures.add("problems", 0 if problem is None else 1, f"what verify found: {problem}", most=0)
    figures.finish()


def _replayed(home: Path, context_id: str) -> None:
    command = [str(COMMAND), "replay", "--context", context_id]
    done = subprocess.run(command, env=environment(home), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _beside(keyed: Keyed, action: Callable[[], None]) -> tuple[float, dict[str, list[Seen]]]:
    """The seconds that the action took, and what writers and readers saw meanwhile, by kind of request."""
    stop = threading.Event()
    kinds: dict[str, list[Request]] = {"append": [_append] * WRITERS, "read": [_read] * READERS}
    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        running = {
            kind: [pool.submit(_run, request, keyed, number, stop) for number, request in enumerate(many)]
            for kind, many in kinds.items()
        }
        with stopwatch() as elapsed:
            try:
                action()
            finally:
                stop.set()
            seconds = elapsed()
        return seconds, {kind: [one.result() for one in many] for kind, many in running.items()}


def _run(request: Request, keyed: Keyed, number: int, stop: threading.Event) -> Seen:
    failures: list[str] = []
    requests, longest_s = 0, 0.0
    while not stop.is_set():
        requests += 1
        with stopwatch() as elapsed:
            try:
                request(keyed, number, requests)
            except Exception as error:  # every kind of failure counts
                failures.append(repr(error))
            longest_s = max(longest_s, elapsed())
    return Seen(requests, longest_s, failures)


def _append(keyed: Keyed, writer: int, request: int) -> None:
    keyed.world.given(fact(f"Writer {writer}", "city", f"city {request}"), text=f"{writer}: {request}")


def _read(keyed: Keyed, reader: int, request: int) -> None:
    answer = keyed.get(state.get_state, limit="20")
    assert len(answer["knowledge"]["entities"]) + len(answer["identity"]["entities"]) >= 20


if __name__ == "__main__":
    main()
