"""`make bench NAME=start`: how long a user waits. About a minute.

Cold: `palimpsest serve` on a home that does not exist yet, so that it makes the cluster, the schema, the
context and its keys; the packages are installed and the disk cache is as it is. Later: again on that home.
Each from the launch of the process until /health answers 200; then until it says that the local models are
loaded. Medians of three. Memory is VmRSS of the serving process, without Postgres.
"""

import argparse
import statistics

from tests.bench import processes
from tests.bench.figures import Figures
from tests.bench.slices import stopwatch
from tests.bench.write import wait_for_models
from tests.servers import ServerProcess, public_folder

REPEATS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a start takes.")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="Fresh homes (default %(default)s).")
    repeats = parser.parse_args().repeats
    figures = Figures()
    cold: list[_Start] = []
    later: list[_Start] = []
    for _ in range(repeats):
        with public_folder() as home:
            cold.append(_Start(ServerProcess(home)))
            later.append(_Start(ServerProcess(home)))
    for name, starts, most_s in (("cold", cold, 5.0), ("later", later, 1.5)):
        health_s = statistics.median(one.health_s for one in starts)
        models_s = statistics.median(one.models_s for one in starts)
        figures.add(f"{name}_health_s", health_s, f"{name} start until /health: s", most=most_s)
        figures.add(f"{name}_models_s", models_s, f"{name} start until the models are loaded: s", most=15)
        spread = ", ".join(f"{one.health_s:.2f}" for one in starts)
        figures.note(f"{'':14}/health after {spread} s")
    every = cold + later
    figures.add("rss_health_mb", statistics.median(one.health_mb for one in every), "memory at /health: MB")
    figures.add("rss_models_mb", statistics.median(one.models_mb for one in every), "memory with the models: MB")
    figures.finish()


class _Start:
    """One start, measured and stopped again."""

    def __init__(self, server: ServerProcess) -> None:
        with stopwatch() as elapsed, server:
            self.health_s = elapsed()
            self.health_mb = processes.resident_mb(server.pid)
            with server.client() as client:
                wait_for_models(client, server)
            self.models_s = elapsed()
            self.models_mb = processes.resident_mb(server.pid)


if __name__ == "__main__":
    main()
