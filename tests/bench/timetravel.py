"""`make bench NAME=timetravel`: what a read of the past costs beside the same read of now. About five minutes.

100,000 attribute versions (`--versions`): 2,000 people with 5 properties each, told again and again, an hour
between the rounds. Each read is timed now, as of the middle of the history (`asOf`), and as the system was at
half of the log (`atInstant`), in turns; medians of `--repeats` reads of people drawn by chance. Only the ratios
of one run say much.
"""

import argparse
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from api.routes import attributes, entities, profile, state
from memory.candidates import AttributeCandidate
from tests.bench.figures import Figures
from tests.bench.slices import stopwatch
from tests.bench.write import embedded
from tests.calls import Keyed, keyed_world
from tests.worlds import fact

VERSIONS = 100_000
REPEATS = 60
PEOPLE, KEYS = 2_000, ("city", "job_title", "employer", "team", "car")
FACTS_A_TURN = 250
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RATIO_MOST = 1.5


@dataclass(frozen=True, slots=True)
class Read:
    """One kind of read. of_person: whether it is about one of the people."""

    name: str
    handler: Callable[..., Any]
    of_person: bool = False
    query: dict[str, str] | None = None


READS = (
    Read("entity", entities.get_entity, of_person=True),
    Read("history", entities.get_history, of_person=True),
    Read("attributes", attributes.list_attributes),
    Read("profile", profile.get_profile, query={"limit": "100"}),
    Read("state", state.get_state),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a read of the past costs beside one of now.")
    parser.add_argument("--versions", type=int, default=VERSIONS, help="Attribute versions (default %(default)s).")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="Reads of each kind (default %(default)s).")
    arguments = parser.parse_args()
    figures = Figures()
    with embedded() as services:
        keyed = keyed_world(services)
        with stopwatch() as elapsed:
            rounds = _told(keyed, arguments.versions)
            figures.note(f"told {rounds * PEOPLE * len(KEYS)} versions in {elapsed():.0f} s")
        with services.database.connect() as connection:
            connection.execute("SET ROLE NONE")
            connection.execute("ANALYZE")
            head = services.log.head(connection, keyed.world.context_id)
        as_of = (NOON + timedelta(hours=rounds / 2)).strftime("%Y-%m-%dT%H:%M:%SZ")
        instants = {"now": {}, "asOf": {"asOf": as_of}, "atInstant": {"atInstant": f"position:{head // 2}"}}
        for read in READS:
            seconds = _measured(keyed, read, instants, arguments.repeats)
            for name, taken in seconds.items():
                figures.note(f"{read.name:>12} {name:<10} {1000 * taken:8.2f} ms")
            for name in ("asOf", "atInstant"):
                ratio = seconds[name] / seconds["now"]
                figures.add(f"{read.name}_{name}_ratio", ratio, f"{read.name}: {name} / now", most=RATIO_MOST)
    figures.finish()


def _told(keyed: Keyed, versions: int) -> int:
    """Tell everybody's properties round by round. Returns the number of rounds."""
    rounds = max(1, versions // (PEOPLE * len(KEYS)))
    session = None
    for number in range(rounds):
        said: list[AttributeCandidate] = [
            fact(f"Person {person}", key, f"{key} {number} of {person}") for person in range(PEOPLE) for key in KEYS
        ]
        for begin in range(0, len(said), FACTS_A_TURN):
            told = keyed.world.given(
                *said[begin : begin + FACTS_A_TURN], session_id=session, observed_at=NOON + timedelta(hours=number)
            )
            session = told.session_id
    return rounds


def _measured(keyed: Keyed, read: Read, instants: dict[str, dict[str, str]], repeats: int) -> dict[str, float]:
    chance = random.Random(7)
    taken: dict[str, list[float]] = {name: [] for name in instants}
    for _ in range(repeats):
        person = {"entity_type": "person", "entity_name": f"person_{chance.randrange(PEOPLE)}", "key": "city"}
        for name, instant in instants.items():
            with stopwatch() as elapsed:
                keyed.get(read.handler, person if read.of_person else {}, **(read.query or {}), **instant)
                taken[name].append(elapsed())
    return {name: statistics.median(times) for name, times in taken.items()}


if __name__ == "__main__":
    main()
