"""Readers of the log's events miss none and get none twice, whoever writes meanwhile and however slowly."""

import random
import threading
import time

from api.ids import new_id
from api.wiring import Services
from memory.events import SessionOpened
from memory.recorded import Origin
from projections import feed
from projections.feed import Wanted
from tests.calls import keyed_world

WRITERS, APPENDS = 8, 6


def test_no_event_is_missed_or_doubled_under_eight_writers_with_delayed_commits(services: Services) -> None:
    world = keyed_world(services).world
    scope = world.scope_sets()[0]
    chance = random.Random(7)
    begin = world.events()[-1].position
    delays = [[chance.random() / 50 for _ in range(APPENDS)] for _ in range(WRITERS)]

    def write(of_writer: list[float]) -> None:
        for delay in of_writer:
            with services.log.writing(world.context_id) as writing:
                opened = [SessionOpened(session_id=new_id()) for _ in range(2)]
                writing.record(opened, Origin(scope_set_id=scope))
                writing.flush()
                time.sleep(delay)

    writers = [threading.Thread(target=write, args=(one,)) for one in delays]
    for writer in writers:
        writer.start()
    seen: list[int] = []
    position = begin
    deadline = time.monotonic() + 20
    while len(seen) < 2 * WRITERS * APPENDS and time.monotonic() < deadline:
        with world.reading() as reader:
            stretch = feed.after(services.log, reader, Wanted(), position, limit=5)
        seen += [one.position for one in stretch.events]
        position = stretch.read_to
    for writer in writers:
        writer.join()
    assert seen == list(range(begin + 1, begin + 2 * WRITERS * APPENDS + 1))
