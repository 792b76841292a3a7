"""Extractions that fail: how long they wait, what is honoured, and when it is given up."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from api.work import recovery
from memory.candidates import Extraction
from memory.errors import ExtractorUnavailable
from memory.events import ExtractionAbandoned, ExtractionFailed
from memory.remember import ExtractionStatus
from memory.retries import Retries
from projections import turns
from tests.worlds import World


class Failing:
    """Fails with what it is given."""

    name = "model/1"

    def __init__(self, error: ExtractorUnavailable) -> None:
        self.error = error

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        raise self.error


@pytest.fixture
def failing(world: World) -> Iterator[Failing]:
    """Every extraction fails, and nothing is given up for a day."""
    understanding, learning = world.services.memory.understanding, world.services.memory.learning
    built_in, retries = understanding.built_in, learning.retries
    extractor = Failing(ExtractorUnavailable(kind="server_error"))
    understanding.built_in = extractor
    yield extractor
    understanding.built_in, learning.retries = built_in, retries


def due_at(world: World) -> datetime | None:
    with world.reading() as reader:
        (row,) = turns.pending(reader, after=0, until=2**62, limit=10, given_up=True)
        extraction = turns.extraction(reader, row.id)
    assert extraction is not None
    return extraction.due_at


def try_again(world: World) -> None:
    recovery.learn_pending(world.services, {world.context_id: world.events()[-1].position})


def test_delays_grow_up_to_an_hour_and_what_a_provider_asks_for_is_kept() -> None:
    retries = Retries()
    assert [retries.delay_s(attempt) for attempt in (1, 2, 3, 8, 1000)] == [30, 60, 120, 3_600, 3_600]
    assert retries.delay_s(1, 90) == 90
    assert retries.delay_s(8, 90) == 3_600
    assert retries.delay_s(1, 1e12) == retries.give_up_s


def test_each_failure_says_when_the_next_attempt_is_due(world: World, failing: Failing) -> None:
    world.say("I live in Porto.")
    failing.error = ExtractorUnavailable(kind="rate_limited", wait_s=300)
    try_again(world)
    failed = [one for one in world.events() if isinstance(one.event, ExtractionFailed)]
    told = [(one.event.error, one.event.attempt, one.event.retry_in_s) for one in failed if one.event]  # type: ignore[attr-defined]
    assert told == [("server_error", 1, 30), ("rate_limited", 2, 300)]
    assert due_at(world) == failed[-1].recorded_at + timedelta(seconds=300)


def test_what_only_a_human_can_mend_is_tried_again_with_the_same_growing_delays(world: World, failing: Failing) -> None:
    failing.error = ExtractorUnavailable(kind="unauthorized", retryable=False)
    world.say("I live in Porto.")
    try_again(world)
    failed = [one for one in world.events() if isinstance(one.event, ExtractionFailed)]
    told = [(one.event.retryable, one.event.retry_in_s) for one in failed if one.event]  # type: ignore[attr-defined]
    assert told == [(False, 30), (False, 60)]
    assert due_at(world) == failed[-1].recorded_at + timedelta(seconds=60)


def test_after_a_day_it_is_given_up_with_an_event_and_a_hand_may_still_help(world: World, failing: Failing) -> None:
    learning = world.services.memory.learning
    world.say("I live in Porto.")
    learning.retries = replace(learning.retries, give_up_s=0)
    try_again(world)
    (abandoned,) = [one.event for one in world.events() if isinstance(one.event, ExtractionAbandoned)]
    assert (abandoned.error, abandoned.attempts) == ("server_error", 2)
    with world.reading() as reader:
        assert turns.pending(reader, after=0, until=2**62, limit=10) == []
        (row,) = turns.pending(reader, after=0, until=2**62, limit=10, given_up=True)
        extraction = turns.extraction(reader, row.id)
    assert extraction is not None and extraction.status == ExtractionStatus.FAILED
    world.services.memory.understanding.built_in = world.services.extractor
    position = world.events()[-1].position
    assert recovery.learn_pending(world.services, {world.context_id: position}, given_up=True) == 1
    assert world.verified().problem is None
