"""Old turns read again by a better model: each at its own time, nothing deleted, what is not said any more closed."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from api.work.recovery import turn_of
from memory.candidates import AnyCandidate, AttributeCandidate, Extraction, InstructionCandidate, Mention
from memory.errors import ExtractorUnavailable
from memory.events import ExtractionCompleted
from memory.extraction import Utterance
from memory.extraction.offered import Offered
from memory.relearning import Relearning, Relearnt
from memory.understanding import Understanding
from memory.usage import Usage
from projections import attribute_versions, instructions, turns
from tests.worlds import World

MARCH = datetime(2026, 3, 1, 12, tzinfo=UTC)
MAY = datetime(2026, 5, 1, 12, tzinfo=UTC)
ME = Mention(type="person", name="Ana")


def mine(key: str, value: str, **more: Any) -> AttributeCandidate:
    return AttributeCandidate(entity=ME, key=key, value=value, **more)


class Better:
    """Answers what it is given."""

    name = "model/1"

    def __init__(self, *candidates: AnyCandidate, fails: bool = False) -> None:
        self.candidates, self.fails = candidates, fails

    def extract_all(
        self, utterances: Sequence[Utterance], *, earlier: Sequence[str], offered: Offered
    ) -> list[Extraction]:
        if self.fails:
            raise ExtractorUnavailable(kind="rate_limited")
        usage = Usage(calls=1, input_tokens=10)
        return [Extraction(extractor=self.name, candidates=self.candidates, model="openai/gpt-4o", usage=usage)]


class First:
    """The extractor that read the turn at first."""

    name = "first"

    def __init__(self, *candidates: AnyCandidate) -> None:
        self.candidates = candidates

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        return Extraction(extractor=self.name, candidates=self.candidates)


@pytest.fixture
def reader(world: World) -> Iterator[Understanding]:
    understanding = world.services.memory.understanding
    built_in = understanding.built_in
    yield understanding
    understanding.built_in = built_in


def heard(world: World, reader: Understanding, text: str, at: datetime, *candidates: AnyCandidate) -> None:
    reader.built_in = First(*candidates)
    world.say(text, observed_at=at)


def again(world: World, better: Better) -> list[Relearnt]:
    with world.reading() as rows:
        found = turns.understood(rows, after=0, session_id=None, since=None, limit=100)
    relearning = Relearning(world.services.memory)
    done = []
    for row in found:
        turn = turn_of(world.services, world.context_id, row)
        assert turn is not None
        done.append(relearning.learn(*turn, better))
    return done


def history(world: World, key: str) -> list[tuple[str, str, datetime | None, datetime | None]]:
    with world.reading() as rows:
        found = rows.tuples(
            "SELECT v.value, v.standing, v.valid_from, v.valid_to FROM {attribute_versions} AS v "
            "WHERE v.key = %(key)s AND v.standing IN ('current', 'claimed', 'retracted') ORDER BY v.position_from",
            {"key": key},
        )
    assert attribute_versions.VERSIONS.name == "attribute_versions"
    return [tuple(row) for row in found]


def test_the_same_reading_changes_nothing_but_says_who_read(world: World, reader: Understanding) -> None:
    heard(world, reader, "I'm Ana and I live in Porto.", MARCH, mine("location", "Porto", start=13))
    before = history(world, "location")
    (done,) = again(world, Better(mine("location", "Porto", start=20)))
    assert (done.found, done.closed) == (1, 0)
    assert history(world, "location") == before
    completed = [one.event for one in world.events() if isinstance(one.event, ExtractionCompleted)]
    assert [one.model for one in completed] == ["", "openai/gpt-4o"]
    assert world.verified().problem is None


def test_what_only_the_older_one_said_is_closed_and_kept(world: World, reader: Understanding) -> None:
    rule = InstructionCandidate(label="language", description="Reply in French")
    heard(world, reader, "I'm Ana, they speak French here.", MARCH, mine("native_language", "French"), rule)
    (done,) = again(world, Better())
    assert (done.found, done.closed) == (0, 2)
    assert history(world, "native_language") == [("French", "current", MARCH, MARCH)]
    with world.reading() as rows:
        (directive,) = rows.tuples("SELECT i.valid_to IS NOT NULL FROM {instructions} AS i", {})
    assert directive == (True,) and instructions.TABLE.name == "instructions"
    assert world.verified().problem is None


def test_another_value_takes_its_place_at_the_turns_own_time(world: World, reader: Understanding) -> None:
    heard(world, reader, "Ana lives in Porto now.", MARCH, mine("location", "Port", start=13))
    heard(world, reader, "Ana lives in Berlin.", MAY, mine("location", "Berlin", start=13))
    reader.built_in = First()
    with world.reading() as rows:
        first, _ = turns.understood(rows, after=0, session_id=None, since=None, limit=100)
    turn = turn_of(world.services, world.context_id, first)
    assert turn is not None
    Relearning(world.services.memory).learn(*turn, Better(mine("location", "Porto", start=13)))
    in_force = [row for row in history(world, "location") if row[3] is None]
    assert [row[0] for row in in_force] == ["Berlin"]
    (porto,) = [row for row in history(world, "location") if row[0] == "Porto"]
    assert porto[2:] == (MARCH, MAY)
    assert world.verified().problem is None


def test_what_another_turn_says_too_stays(world: World, reader: Understanding) -> None:
    heard(world, reader, "Ana likes tea.", MARCH, mine("likes", "tea"))
    heard(world, reader, "Ana really likes tea.", MAY, mine("likes", "tea"))
    with world.reading() as rows:
        first, _ = turns.understood(rows, after=0, session_id=None, since=None, limit=100)
    turn = turn_of(world.services, world.context_id, first)
    assert turn is not None
    assert Relearning(world.services.memory).learn(*turn, Better()).closed == 0
    assert history(world, "likes") == [("tea", "current", MARCH, None)]


def test_a_model_that_fails_changes_nothing(world: World, reader: Understanding) -> None:
    heard(world, reader, "Ana lives in Porto.", MARCH, mine("location", "Porto"))
    position = world.events()[-1].position
    with pytest.raises(ExtractorUnavailable):
        again(world, Better(fails=True))
    assert world.events()[-1].position == position
