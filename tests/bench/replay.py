"""`make bench NAME=replay`: how fast read models are rebuilt and verified. About three minutes.

A log of 200,000 events (`--events`) is made up (`tests.bench.conversations`) and copied into a context. Then,
each in a fresh child process, in turns:

- decode: the log read and decoded, nothing else; the floor of all that follows;
- rebuild: `projections.rebuild.rebuild`, with the flip and the sweep of the former rows, as `palimpsest replay`
  does it; peak memory is VmHWM after it less VmRSS before it, of this process, without Postgres;
- verify: quick, and in full against a second replay.

Rates are events per second of wall-clock time, medians of `--repeats`; only their ratio within one run says much.
"""

import argparse
import multiprocessing
import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from api.postgres.database import Database
from memory.log import Connection, EventLog
from projections.projector import ReadModelProjector
from projections.rebuild import rebuild
from projections.verification import verify
from tests.bench import processes
from tests.bench.appends import new_context
from tests.bench.conversations import fill
from tests.bench.figures import Figures
from tests.bench.slices import stopwatch
from tests.bench.write import embedded

EVENTS = 200_000
REPEATS = 3


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over a context's log. grown_mb: peak resident memory above what there was before it, in MB."""

    events: int
    seconds: float
    grown_mb: float

    @property
    def rate(self) -> float:
        return self.events / self.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast read models are rebuilt and verified.")
    parser.add_argument("--events", type=int, default=EVENTS, help="Length of the log (default %(default)s).")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="Passes of each kind (default %(default)s).")
    arguments = parser.parse_args()
    figures = Figures()
    with embedded() as services:
        original, caller = new_context(services.log), new_context(services.log)
        with stopwatch() as elapsed:
            topics = fill(services.log, services.memory, original, caller, arguments.events)
            figures.note(f"made up {topics.total()} events in {elapsed():.1f} s")
        for topic, number in topics.most_common():
            figures.note(f"{number:>12,}  {topic}")
        with services.database.connect() as connection:
            connection.execute("SET ROLE NONE")
            connection.execute("ANALYZE events")
        _measure(figures, services.database, caller.context_id, arguments.repeats)
    figures.finish()


def _measure(figures: Figures, database: Database, context_id: str, repeats: int) -> None:
    # The first rebuild makes the rows that every later one sweeps: it warms up and is not counted.
    passes: dict[str, list[Pass]] = {name: [] for name in ACTIONS}
    _in_child("rebuild", database, context_id)
    for _ in range(repeats):
        for name in ("decode", "rebuild"):
            passes[name].append(_in_child(name, database, context_id))
    for name in ("quick", "full"):
        passes[name].append(_in_child(name, database, context_id))
    rates = {name: statistics.median(one.rate for one in done) for name, done in passes.items()}
    figures.add("decode_events_per_s", rates["decode"], "decode only: events/s")
    figures.add("rebuild_events_per_s", rates["rebuild"], "rebuild: events/s")
    figures.add("rebuild_ratio", rates["rebuild"] / rates["decode"], "rebuild / decode only", least=1 / 3)
    grown_mb = max(one.grown_mb for one in passes["rebuild"])
    figures.add("rebuild_grown_mb", grown_mb, "rebuild: peak memory above the start, MB", most=150)
    figures.add("verify_quick_events_per_s", rates["quick"], "verify --quick: events/s")
    figures.add("verify_events_per_s", rates["full"], "verify: events/s")


def _decode(log: EventLog, connection: Connection, context_id: str) -> int:
    return sum(len(log.decoded(rows)) for rows in log.read(connection, context_id))


def _quick(log: EventLog, connection: Connection, context_id: str) -> int:
    return _verified(log, connection, context_id, quick=True)


def _full(log: EventLog, connection: Connection, context_id: str) -> int:
    return _verified(log, connection, context_id, quick=False)


def _verified(log: EventLog, connection: Connection, context_id: str, *, quick: bool) -> int:
    verified = verify(log, connection, context_id, quick=quick)
    assert verified.problem is None, verified.problem
    return verified.events


ACTIONS: dict[str, Callable[[EventLog, Connection, str], int]] = {
    "decode": _decode,
    "rebuild": rebuild,
    "quick": _quick,
    "full": _full,
}


def _in_child(name: str, database: Database, context_id: str) -> Pass:
    """One pass in a fresh process, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(one_pass, (name, database, context_id))


def one_pass(name: str, database: Database, context_id: str) -> Pass:
    with database.pool(size_max=1) as pool, database.connect() as connection:
        log = EventLog(pool, ReadModelProjector())
        before_mb = processes.resident_mb(os.getpid())
        with stopwatch() as elapsed:
            events = ACTIONS[name](log, connection, context_id)
            seconds = elapsed()
    return Pass(events, seconds, processes.peak_resident_mb(os.getpid()) - before_mb)


if __name__ == "__main__":
    main()
