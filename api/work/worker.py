"""The background worker: runs queued jobs, and finds work that no job tells of.

A thread with an event loop of its own, inside `palimpsest serve` or as `palimpsest worker`. Each task
says from the log what of it is pending; that is asked at the start and periodically, so a lost job
only costs time. Jobs of a killed worker are taken over when its heartbeat has been missing.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg_pool import PoolClosed

from api.postgres.database import Database
from api.work.queue import QUEUE

if TYPE_CHECKING:
    import procrastinate

    from api.wiring import Services

logger = logging.getLogger(__name__)

CONCURRENCY = 4
POLLING_S = 5.0
HEARTBEAT_S = 3.0
STALLED_S = 10.0
# A server answers its first requests before the library is imported, which costs half a second of CPU.
START_DELAY_S = 0.5
RESTART_PAUSE_S = 1.0
STOP_S = 2.0

Ids = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of background work.

    name: as stored in the queue. run: does it for one set of ids, in a thread of its own; it must be
    repeatable, may be killed anywhere, and what it raises is logged. waiting: the ids of all that is
    pending, from the log or its read models; asked at the start and then every `every_s` seconds.
    """

    name: str
    run: Callable[["Services", Ids], None]
    waiting: Callable[["Services"], Iterable[Ids]]
    every_s: float = 15.0


class Worker:
    """Runs `tasks`. Start it once; after `stop` it takes no more jobs."""

    def __init__(self, services: "Services", tasks: Sequence[Task]) -> None:
        self._services = services
        self._tasks = tasks
        self._stopping = threading.Event()
        self._stopped: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Take no more jobs, and return within some two seconds. What is running is found again later."""
        self._stopping.set()
        self._stopped()
        self._thread.join(STOP_S)

    def wait(self) -> None:
        """Until somebody stops it."""
        while self._thread.is_alive():
            self._thread.join(1)

    def _run(self) -> None:
        if self._stopping.wait(START_DELAY_S):
            return
        # A loop of its own rather than asyncio.run, which would wait for threads at its end.
        loop = asyncio.new_event_loop()
        try:
            self._work_on(loop)
        finally:
            loop.close()

    def _work_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """Again after a pause whenever the database was lost."""
        while not self._stopping.is_set():
            try:
                loop.run_until_complete(self._worked(loop))
            except Exception as error:
                # The queue's own errors are raised from the driver's.
                lost = next((one for one in (error, error.__cause__) if isinstance(one, psycopg.Error | OSError)), None)
                if lost is None:
                    logger.exception("the worker failed and starts again")
                else:
                    logger.warning("the worker lost the database: %s", type(lost).__name__)
            self._stopping.wait(RESTART_PAUSE_S)

    async def _worked(self, loop: asyncio.AbstractEventLoop) -> None:
        """Work until told to stop, or until the database is lost."""
        app = self._app()
        async with app.open_async():
            running = asyncio.ensure_future(
                app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=CONCURRENCY,
                    fetch_job_polling_interval=POLLING_S,
                    shutdown_graceful_timeout=0,
                    update_heartbeat_interval=HEARTBEAT_S,
                    stalled_worker_timeout=STALLED_S,
                    install_signal_handlers=False,
                    delete_jobs="always",
                )
            )
            self._stopped = lambda: _call(loop, running.cancel)
            sweeping = asyncio.ensure_future(self._sweep(app))
            try:
                if self._stopping.is_set():
                    running.cancel()
                await asyncio.wait((running, sweeping), return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._stopped = lambda: None
                for future in (running, sweeping):
                    future.cancel()
                await asyncio.wait((running, sweeping))
            for future in (running, sweeping):
                if not future.cancelled() and (error := future.exception()):
                    raise error

    def _app(self) -> "procrastinate.App":
        import procrastinate

        database = self._services.database
        app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                conninfo=database.url,
                min_size=1,
                max_size=3,
                configure=_configure(database),
            )
        )
        for task in self._tasks:
            app.task(name=task.name, queue=QUEUE)(self._job(task))
        return app

    def _job(self, task: Task) -> Callable[..., Any]:
        async def job(**ids: str) -> None:
            try:
                await _in_thread(task.name, lambda: task.run(self._services, ids))
            except PoolClosed:
                pass  # the server is stopping
            except Exception:  # the next sweep finds it again
                logger.exception("background task %s failed", task.name)

        return job

    async def _sweep(self, app: "procrastinate.App") -> None:
        """Queue what the log says is pending, and take over the jobs of dead workers."""
        due = dict.fromkeys(self._tasks, 0.0)
        while True:
            for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_S):
                await app.job_manager.finish_job(job, _failed(), delete_job=True)
            for task in self._tasks:
                if time.monotonic() >= due[task]:
                    await _in_thread("sweep", lambda task=task: self._queue_waiting(task))  # type: ignore[misc]
                    due[task] = time.monotonic() + task.every_s
            await asyncio.sleep(1)

    def _queue_waiting(self, task: Task) -> None:
        for ids in task.waiting(self._services):
            self._services.queue.put(task.name, ids)


def _failed() -> Any:
    from procrastinate.jobs import Status

    return Status.FAILED


def _call(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: there is nothing to stop
        loop.call_soon_threadsafe(function)


def _configure(database: Database) -> Callable[[Any], Any]:
    async def configure(connection: Any) -> None:
        await connection.execute(database.session_settings())
        await connection.commit()

    return configure


async def _in_thread(name: str, function: Callable[[], None]) -> None:
    """Run in a daemon thread, which does not keep the process from ending, unlike those of an executor."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def finish(error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            function()
        except BaseException as raised:
            error = raised
        _call(loop, lambda: finish(error))

    threading.Thread(target=run, name=name, daemon=True).start()
    await done
