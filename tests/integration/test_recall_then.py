"""Recall at an instant: whatever comes back was there then, and looks as it did then."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api import ids
from api.routes import attributes, contexts, lookups, queries
from api.wiring import Services
from memory.candidates import AnyCandidate, AttributeCandidate, RelationCandidate
from memory.turns import Turn
from memory.values import Infer
from projections.retrieval import facts
from projections.retrieval.context_block import fact_line
from tests.calls import Keyed, keyed_world
from tests.integration.test_replay_properties import HOUR, NOON, History, histories
from tests.integration.test_time_travel import ends_of_appends, is_plain, with_prefix_of
from tests.worlds import fact

SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}
QUESTIONS = ("Where does Ana live?", "What does Bo like?", "Whom does Cy know in Porto, Lyon or Oslo?")

VERSIONS = "SELECT v.id FROM {attribute_versions} AS v UNION ALL SELECT r.id FROM {relations} AS r"
TURNS = "SELECT t.id, t.text FROM {turns} AS t"


@dataclass(frozen=True, slots=True)
class Then:
    """All that could come back from a context: facts as they look, the lines that tell of them, and turns."""

    facts: dict[str, tuple[Any, ...]]
    lines: set[str]
    turns: dict[str, str]


def told(number: int, said: list[AnyCandidate]) -> str:
    """Words for these candidates, with one word that no other turn has."""
    words = [f"token{number:03}"]
    for one in said:
        match one:
            case AttributeCandidate(entity=owner):
                words.append(f"{owner.name} {one.key} {one.value}")
            case RelationCandidate(subject=owner, object=target):
                words.append(f"{owner.name} {one.label} {target.name}")
    return " ".join(words)


def lived_aloud(services: Services, history: History) -> Keyed:
    keyed = keyed_world(services)
    session = keyed.world.say("Hello.", infer=Infer.NONE).session_id
    for number, (hours, said) in enumerate(history):
        text = told(number, said)
        keyed.world.given(*said, text=text, session_id=session, observed_at=NOON + hours * HOUR)
    return keyed


def all_of(keyed: Keyed) -> Then:
    with keyed.world.reading() as reader:
        versions = facts.by_ids(reader, [row_id for (row_id,) in reader.tuples(VERSIONS, {})])
        turns = {ids.ulid(turn_id): text for turn_id, text in reader.tuples(TURNS, {})}
    looks = {
        ids.ulid(one.id): (
            one.value,
            one.row.standing,
            ids.moment(one.row.valid_from),
            ids.moment(one.row.valid_to),
            one.row.superseded_by and ids.ulid(one.row.superseded_by),
        )
        for one in versions.values()
    }
    return Then(looks, {fact_line(one) for one in versions.values()}, turns)


def bare(ref: str | None) -> str | None:
    return ref and ref.split("_", 1)[-1]


def check_hits(answer: dict[str, Any], then: Then) -> int:
    """Every hit was there, with the values that it had. Returns how many there were."""
    shown = [*answer["hits"], *answer["contextHits"]]
    for hit in shown:
        if hit["source"] == "turn":
            assert hit["text"] == then.turns[hit["turnId"]]
        else:
            value, *looks = then.facts[bare(hit["id"]) or ""]
            shown_as = [hit[name] for name in ("standing", "validFrom", "validUntil")]
            assert [*shown_as, bare(hit["supersededBy"])] == looks
            assert hit["resource"]["kind"] == "relation" or hit["text"].endswith(value)
    return len(shown)


def check_block(block: str, then: Then) -> None:
    section = ""
    for line in block.splitlines():
        section = line if line.startswith("#") else section
        if line.startswith("- ") and section in ("## Profile", "## Facts", "## Also said, but not confirmed"):
            assert line in then.lines


def is_recalled_as_it_was(services: Services, history: History, pick: float) -> None:
    keyed = lived_aloud(services, history)
    ends = list(ends_of_appends(keyed.world))
    position = ends[int(pick * (len(ends) - 1))]
    then = all_of(with_prefix_of(keyed, position))
    later = {text.split()[0] for text in all_of(keyed).turns.values()} - {
        text.split()[0] for text in then.turns.values()
    }
    at = f"position:{position}"
    for question in QUESTIONS:
        found = keyed.post(queries.query, query=question, atInstant=at, k=50)
        check_hits(found, then)
        block = keyed.post(contexts.query_context, query=question, atInstant=at)["context"]
        check_block(block, then)
        looked = keyed.post(lookups.lookup, query=question, atInstant=at, include=["passages"], passageLimit=49)
        known = {row["id"]: row for row in looked["facts"]["items"]}
        for row_id, row in known.items():
            assert row["value"] == then.facts[bare(row_id) or ""][0]
            assert row["validUntil"] == then.facts[bare(row_id) or ""][3]
        everything = json.dumps((found, block, looked))
        assert not [token for token in later if token in everything]


@settings(max_examples=3, **SETTINGS)
@given(history=histories, pick=st.floats(0, 1))
def test_what_is_recalled_at_an_instant_was_there_and_looked_so(
    services: Services, history: History, pick: float
) -> None:
    is_recalled_as_it_was(services, history, pick)


@pytest.mark.long
@settings(max_examples=150, **SETTINGS)
@given(history=histories, pick=st.floats(0, 1))
def test_what_is_recalled_at_an_instant_at_length(services: Services, history: History, pick: float) -> None:
    is_recalled_as_it_was(services, history, pick)


def is_recalled_as_it_was_known(services: Services, history: History, hours: int) -> None:
    """As of a time: nothing said later, and facts as their history of that time tells them."""
    keyed = lived_aloud(services, [(hour, [one for one in said if is_plain(one)]) for hour, said in history])
    as_of = (NOON + hours * HOUR).isoformat().replace("+00:00", "Z")
    later = [f"token{number:03}" for number, (hour, _) in enumerate(history) if hour > hours]
    rows: dict[str, dict[str, Any]] = {}
    for name in ("ana", "bo", "cy"):
        path = {"entity_type": "person", "entity_name": name}
        told_of = keyed.get(attributes.list_history, path, asOf=as_of, limit="500")
        rows |= {row["id"]: row for row in told_of.get("history", [])}
    for question in QUESTIONS:
        found = keyed.post(queries.query, query=question, asOf=as_of, k=50)
        block = keyed.post(contexts.query_context, query=question, asOf=as_of)["context"]
        looked = keyed.post(lookups.lookup, query=question, asOf=as_of, include=["passages"], passageLimit=49)
        for hit in (*found["hits"], *found["contextHits"]):
            if hit["source"] == "attribute" and hit["resource"]["kind"] == "attribute":
                row = rows[hit["id"]]
                for name in ("validFrom", "validUntil", "standing"):
                    assert hit[name] == row[name], name
        everything = json.dumps((found, block, looked))
        assert not [token for token in later if token in everything]


@settings(max_examples=2, **SETTINGS)
@given(history=histories, hours=st.integers(-5, 5))
def test_what_is_recalled_as_of_a_time_had_been_said(services: Services, history: History, hours: int) -> None:
    is_recalled_as_it_was_known(services, history, hours)


@pytest.mark.long
@settings(max_examples=150, **SETTINGS)
@given(history=histories, hours=st.integers(-5, 5))
def test_what_is_recalled_as_of_a_time_at_length(services: Services, history: History, hours: int) -> None:
    is_recalled_as_it_was_known(services, history, hours)


@pytest.fixture
def moves(services: Services) -> tuple[Keyed, list[int]]:
    """Ana moves thrice, an hour apart; with the position after each move."""
    keyed = keyed_world(services)
    ends = []
    for hour, city in enumerate(("Porto", "Lyon", "Oslo")):
        keyed.world.given(fact("Ana", "city", city), text=f"Ana moved to {city}.", observed_at=NOON + 2 * hour * HOUR)
        ends.append(keyed.world.events()[-1].position)
    return keyed, ends


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("by", ["asOf", "atInstant"])
def test_an_answer_is_the_one_of_then(moves: tuple[Keyed, list[int]], step: int, by: str) -> None:
    keyed, ends = moves
    said_by = (NOON + (2 * step + 1) * HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")
    at = {by: said_by if by == "asOf" else f"position:{ends[step]}"}
    cities = ("Porto", "Lyon", "Oslo")
    for mode in ("hybrid", "bm25"):
        hits = keyed.post(queries.query, query="Where does Ana live?", mode=mode, **at)["hits"]
        assert cities[step] in hits[0]["text"]
        open_ended = [hit for hit in hits if hit["source"] == "attribute" and hit["supersededBy"] is None]
        assert all(hit["text"].endswith(cities[step]) for hit in open_ended)
        assert not [city for city in cities[step + 1 :] if city in str(hits)]
    block = keyed.post(contexts.query_context, query="Where does Ana live?", subject="Ana", **at)["context"]
    assert cities[step] in block
    looked = keyed.post(lookups.lookup, query="Ana", include=["passages"], **at)
    assert [row["value"] for row in looked["facts"]["items"]] == [cities[step]]
    assert looked["passages"]["items"]
    assert not [city for city in cities[step + 1 :] if city in str((block, looked))]


def test_what_came_later_does_not_crowd_out_what_was_there(services: Services) -> None:
    keyed = keyed_world(services)
    keyed.world.say("The lighthouse keeper paints whales.", infer=Infer.NONE)
    then = keyed.world.events()[-1].position
    texts = [f"The lighthouse keeper paints boat {number}." for number in range(90)]
    keyed.world.remember(*(Turn(turn_id=ids.new_id(), text=text, infer=Infer.NONE) for text in texts))
    for mode in ("hybrid", "bm25"):
        hits = keyed.post(
            queries.query, query="What does the lighthouse keeper paint?", mode=mode, atInstant=f"position:{then}"
        )["hits"]
        assert ["whales" in hit["text"] for hit in hits] == [True], mode
