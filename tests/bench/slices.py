"""Interleaved slices: how two ways of doing one thing are compared on a machine that is never quiet.

Each writer is a process of its own with its own connection. Threads would queue at the
interpreter's lock, and the figure would be about that lock instead of about the code and the database.
All writers do one thing for half a second, then all do the other, and so on, the order turned round
each time. Only ratios of medians within one such run mean anything.
"""

import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

SLICE_S = 0.6
ROUNDS = 10

Operation = Callable[[], None]
# Builds a writer's operations inside its process; called with the writer's number.
Setup = Callable[[int], AbstractContextManager[Mapping[str, Operation]]]


@dataclass(frozen=True, slots=True)
class Slice:
    """What all writers together did in one slice. rate: per second. cpu_ms: of the writers, per operation."""

    rate: float
    cpu_ms: float


class Writers:
    """Processes that do named operations on demand; a context manager that ends them."""

    def __init__(self, count: int, setup: Setup) -> None:
        self._count = count
        self._setup = setup
        self._stack = ExitStack()
        self._pipes: list[Connection[tuple[str, float] | None, tuple[int, float, float]]] = []

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("spawn")
        for number in range(self._count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, self._setup, number), daemon=True)
            process.start()
            theirs.close()
            self._stack.callback(process.join, 30)
            self._pipes.append(ours)
        for pipe in self._pipes:
            pipe.recv()  # it is set up
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in self._pipes:
            pipe.close()
        self._stack.close()

    def slice(self, name: str, seconds: float) -> Slice:
        """All writers do `name` for so long."""
        for pipe in self._pipes:
            pipe.send((name, seconds))
        done = [pipe.recv() for pipe in self._pipes]
        operations = sum(count for count, _, _ in done)
        return Slice(
            rate=sum(count / elapsed for count, elapsed, _ in done),
            cpu_ms=1000 * sum(cpu for _, _, cpu in done) / operations,
        )


def interleaved(
    writers: Writers, names: Sequence[str], *, rounds: int = ROUNDS, seconds: float = SLICE_S
) -> dict[str, list[Slice]]:
    """Slices of each name in turn, after one warm-up slice each that does not count."""
    slices: dict[str, list[Slice]] = {name: [] for name in names}
    for name in names:
        writers.slice(name, seconds)
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            slices[name].append(writers.slice(name, seconds))
    return slices


def median_rate(slices: Sequence[Slice]) -> float:
    return statistics.median(one.rate for one in slices)


def median_cpu_ms(slices: Sequence[Slice]) -> float:
    return statistics.median(one.cpu_ms for one in slices)


def ratio(slices: Mapping[str, Sequence[Slice]], name: str, floor: str) -> float:
    """Median rate of `name` over that of `floor`."""
    return median_rate(slices[name]) / median_rate(slices[floor])


def paired_ratios(slices: Mapping[str, Sequence[Slice]], name: str, floor: str) -> tuple[float, float, float]:
    """First quartile, median and third quartile of the ratio within each round: how far to trust `ratio`."""
    ratios = [one.rate / other.rate for one, other in zip(slices[name], slices[floor], strict=True)]
    if len(ratios) < 2:
        return ratios[0], ratios[0], ratios[0]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return low, middle, high


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    """Gives a function that tells the seconds since."""
    began = time.perf_counter()
    yield lambda: time.perf_counter() - began


def _work(pipe: "Connection[tuple[int, float, float], tuple[str, float]]", setup: Setup, number: int) -> None:
    with setup(number) as operations:
        pipe.send((0, 0.0, 0.0))
        while True:
            try:
                name, seconds = pipe.recv()
            except EOFError:
                return
            operation = operations[name]
            count = 0
            cpu_began, began = time.process_time(), time.perf_counter()
            while time.perf_counter() - began < seconds:
                operation()
                count += 1
            pipe.send((count, time.perf_counter() - began, time.process_time() - cpu_began))
