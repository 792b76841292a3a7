"""The background worker: runs what is queued, finds what is not, and stops at once."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import psycopg

from api.ids import new_id
from api.wiring import Services
from api.work.queue import QUEUE, QUEUE_SCHEMA, job_key
from api.work.recovery import PendingTurns
from api.work.worker import Ids, Task, Worker
from memory.candidates import Extraction
from memory.errors import ExtractorUnavailable
from memory.remember import ExtractionStatus
from tests.worlds import World

SOON_S = 30.0

ABANDONED_JOB = f"""
WITH dead AS (
    INSERT INTO {QUEUE_SCHEMA}.procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 hour') RETURNING id
)
INSERT INTO {QUEUE_SCHEMA}.procrastinate_jobs (queue_name, task_name, lock, args, status, worker_id)
SELECT %s, %s, %s, jsonb_build_object('id', %s::text), 'doing', id FROM dead
"""


@contextmanager
def working(services: Services, *tasks: Task) -> Iterator[Worker]:
    worker = Worker(services, tasks)
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def nothing(_: Services) -> list[Ids]:
    return []


def test_a_queued_job_runs_and_the_same_one_is_queued_once(services: Services) -> None:
    name, done = f"task-{new_id()}", []
    task = Task(name, lambda _, ids: done.append(ids["id"]), nothing)
    assert services.queue.put(name, {"id": "a"})
    assert not services.queue.put(name, {"id": "a"})
    assert services.queue.put(name, {"id": "b"})
    with working(services, task):
        eventually(lambda: len(done) == 2)
    assert sorted(done) == ["a", "b"]


def test_work_that_no_job_tells_of_is_found_and_a_task_that_raises_is_tried_again(services: Services) -> None:
    tried: list[str] = []

    def run(_: Services, ids: Ids) -> None:
        tried.append(ids["id"])
        if len(tried) == 1:
            raise ValueError("the first time fails")

    task = Task(f"task-{new_id()}", run, lambda _: [{"id": "lost"}] if len(tried) < 2 else [], every_s=0.2)
    with working(services, task):
        eventually(lambda: len(tried) == 2)


def test_the_job_of_a_killed_worker_does_not_block_the_next_one(services: Services) -> None:
    name, done = f"task-{new_id()}", []
    with psycopg.connect(services.database.url, autocommit=True) as connection:
        connection.execute(ABANDONED_JOB.encode(), [QUEUE, name, job_key(name, {"id": "a"}), "a"])
    task = Task(name, lambda _, ids: done.append(ids["id"]), lambda _: [] if done else [{"id": "a"}], every_s=0.2)
    with working(services, task):
        eventually(lambda: done == ["a"])


def test_stopping_does_not_wait_for_a_job(services: Services) -> None:
    started, release = threading.Event(), threading.Event()

    def run(_: Services, __: Ids) -> None:
        started.set()
        release.wait(SOON_S)

    name = f"task-{new_id()}"
    services.queue.put(name, {"id": "slow"})
    with working(services, Task(name, run, nothing)) as worker:
        assert started.wait(SOON_S)
        begun = time.monotonic()
        worker.stop()
        assert time.monotonic() - begun < 3
    release.set()


def test_a_turn_that_is_due_is_learnt_from_in_the_background(services: Services, world: World) -> None:
    memory = services.memory
    built_in = memory.understanding.built_in
    try:
        memory.understanding.built_in = _Failing()
        (learnt,) = world.say("I live in Porto.").answers
        assert learnt.status is ExtractionStatus.PENDING
    finally:
        memory.understanding.built_in = built_in
    head = world.events()[-1].position
    with working(services, PendingTurns({world.context_id: head}).task):
        eventually(lambda: world.events()[-1].position > head)
    assert any(one.event and one.event.TOPIC == "AttributeAsserted" for one in world.events())


class _Failing:
    """An extractor that can't be reached."""

    name = "local/en-1"

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        raise ExtractorUnavailable
