"""Progress bars of the command line: events done, rate, time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or task.finished_speed or 0:,.0f} events/s")


@contextmanager
def event_progress(what: str, *, total: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar on standard error. Yields a function that takes the number of events just done."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet,
    )
    with progress:
        task = progress.add_task(what, total=total)
        yield lambda events: progress.advance(task, events)
