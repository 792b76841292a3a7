"""`make bench NAME=decide`: what one decision costs. Seconds.

- whole line: one turn of 8 candidates about an entity whose 8 keys have 25 versions each, all of them loaded, the
  new words going into their past;
- tail: the same in order, when only the end of each line is loaded, as in the common case;
- hot attribute over Postgres: the append of the 400th version of one attribute against that of the 10th.

Times are medians in milliseconds.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from datetime import timedelta

from memory.candidates import AttributeCandidate, Mention
from memory.decide import decide
from memory.known import Known, Statement, Unit
from memory.segments import Said
from memory.values import Role, SourceKind
from tests.bench.appends import new_context
from tests.bench.figures import Figures
from tests.bench.write import embedded
from tests.given import NOON, SESSION, Story
from tests.worlds import World, fact

KEYS = 8
VERSIONS = 25
REPEATS = 200
EARLY, LATE = 10, 400
AROUND = 10


def main() -> None:
    argparse.ArgumentParser(description="What one decision costs.").parse_args()
    figures = Figures()
    story = _long_story()
    late = _median_ms(lambda: _decided(story.known.attributes, story, days=0.5))
    figures.add("decide_late_ms", late, "decide 8 candidates against 200 versions, into the past: ms")
    tails = {unit: line[-1:] for unit, line in story.known.attributes.items()}
    figures.add("decide_ms", _median_ms(lambda: _decided(tails, story, days=99)), "the same, in order: ms", most=1.0)
    early_ms, late_ms = _hot_attribute()
    figures.add("append_10th_ms", early_ms, "append of a 10th version: ms")
    figures.add("append_400th_ms", late_ms, "append of a 400th version: ms")
    figures.add("append_growth", late_ms / early_ms, "400th / 10th", most=2.0)
    figures.finish()


def _long_story() -> Story:
    story = Story()
    for day in range(VERSIONS):
        story.when(*_candidates(str(day)), at=NOON + timedelta(days=day))
    return story


def _candidates(value: str) -> list[AttributeCandidate]:
    entity = Mention(type="person", name="Ana")
    return [AttributeCandidate(entity=entity, key=f"key {n}", value=value, start=n, end=n) for n in range(KEYS)]


def _decided(attributes: dict[Unit, list[Said]], story: Story, *, days: float) -> None:
    known = Known(
        entities=dict(story.known.entities),
        visible_names=story.known.visible_names,
        keys=dict(story.known.keys),
        attributes=attributes,
    )
    statement = Statement(
        turn_id=SESSION,
        session_id=SESSION,
        role=Role.USER,
        source_kind=SourceKind.USER,
        said_at=NOON + timedelta(days=days),
        position=10**6,
        next_position=10**6 + 1,
    )
    assert decide(_candidates("new"), known, statement)


def _median_ms(run: Callable[[], None]) -> float:
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1000


def _hot_attribute() -> tuple[float, float]:
    """Median times of appends around the EARLY-th and the LATE-th version."""
    with embedded() as services:
        world = World(services, new_context(services.log))
        session = world.given(fact("Ana", "city", "0")).session_id
        times = []
        for version in range(1, LATE + AROUND):
            begin = time.perf_counter()
            world.given(fact("Ana", "city", str(version)), session_id=session)
            times.append((time.perf_counter() - begin) * 1000)
    return tuple(statistics.median(times[at - AROUND : at + AROUND]) for at in (EARLY, LATE))  # type: ignore[return-value]


if __name__ == "__main__":
    main()
