"""Seven months of one conversation: what is known at the end, what was known before, and that both follow from the log.

`tests/data/conversation.json` was written by hand and is not bent to what the extractor can do. Asserted is what it
says clearly and what must never be made of it.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory.cardinality import is_single_valued
from tests.servers import ServerProcess, run_command

CONVERSATION = Path(__file__).resolve().parents[1] / "data" / "conversation.json"
CONTEXT = "conversation"
MAYA = "person/maya_lindqvist"
TITLES = ["Head of Design", "Senior Product Designer", "product designer"]
CITIES = ["Hamburg", "Copenhagen", "Malmö", "Gothenburg"]
COLOURS = ["blue", "green"]

# How the turns begin that are not in English.
SWEDISH = ("God morgon", "Självklart", "Jag undrar", "Kolla den", "Tack! Vi")
GERMAN = ("Kannst du", "Gern.", "Dass wir", '"Wir freuen', "Wunderbar", "Dann schicken", "Haha, mache")

# The user's own words that state nothing about her, each with what a hasty reader would make of them.
NOT_STATED = {
    "Not sure. I might move to Lisbon": "Lisbon",
    "Still, I'm a bit tired. If I were": "head of design",
    "Head of Design, if they want me.": "Head of Design",
    "Do I live in the rainiest town": "Sweden",
    "Not Lund, please!": "Lund",
    "Shorter than me. I want to live closer.": "Copenhagen",
    "My mother would say": "house with a garden",
    "I don't think so. There are ferries": "near the harbour",
    "One old man asked": "inspector of stairs",
}

FACTS = ("attributes", "relations", "actions", "instructions", "corrections")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """The conversation in a context of its own, and the server's answer to it."""

    home: Path
    client: httpx.Client
    messages: list[Json]
    answer: Json

    def get(self, path: str, **query: str | int) -> Json:
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        found: Json = answer.json()
        return found

    def all_pages(self, path: str, name: str, *, limit: int) -> list[Json]:
        """All rows of a list, page by page."""
        rows: list[Json] = []
        cursor: dict[str, str] = {}
        while True:
            answer = self.get(path, limit=limit, **cursor)
            rows += answer[name]
            if not answer["page"]["hasMore"]:
                return rows
            assert len(answer[name]) == limit
            cursor = {"cursor": answer["page"]["nextCursor"]}

    def history(self, key: str, entity: str = MAYA) -> list[Json]:
        found: list[Json] = self.get(f"/entities/{entity}/history/{key}")["history"]
        return found

    def extracted(self, beginning: str) -> Json:
        """What was made of the one turn that begins so."""
        (found,) = (
            extraction
            for message, extraction in zip(self.messages, self.answer["extractions"], strict=True)
            if message["content"].startswith(beginning)
        )
        extraction: Json = found
        return extraction

    def said_at(self, beginning: str) -> datetime:
        (found,) = (message["ts"] for message in self.messages if message["content"].startswith(beginning))
        return datetime.fromisoformat(found)

    def command(self, *arguments: str) -> str:
        """What a `palimpsest` command prints beside the running server."""
        ran = run_command(self.home, *arguments)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def everything(self) -> Json:
        """All that can be read of the context, without importance, which fades as time passes."""
        read: Json = {
            "/state": self.get("/state", limit=500),
            "/entities": self.get("/entities", limit=500, count="true"),
            "/corrections": self.get("/corrections", limit=500),
            "/sessions": self.get("/sessions"),
            "turns": self.get(f"/sessions/{self.answer['sessionId']}/turns", limit=500),
        }
        for row in read["/entities"]["entities"]:
            path = "/entities/" + row["id"].removeprefix("entity:")
            read[path] = self.get(path)
            for key in sorted({attribute["key"] for attribute in read[path]["attributes"]}):
                read[f"{path}/history/{key}"] = self.get(f"{path}/history/{key}")
        unfading: Json = without_importance(read)
        return unfading


def without_importance(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_importance(inner) for name, inner in value.items() if name != "importance"}
    if isinstance(value, list):
        return [without_importance(inner) for inner in value]
    return value


def moment(text: str | None) -> datetime:
    assert text is not None
    return datetime.fromisoformat(text)


def values(versions: list[Json]) -> list[str]:
    return [version["value"] for version in versions]


def assert_chained(history: list[Json]) -> None:
    """Newest first: each follows the one before it in both directions, and their times meet without overlapping."""
    for newer, older in pairwise(history):
        assert newer["supersedes"] == older["id"]
        assert older["supersededBy"] == newer["id"]
        assert older["endReason"]
        assert older["validUntil"] == newer["validFrom"]
        assert moment(older["validFrom"]) < moment(older["validUntil"])
    assert history[0]["validUntil"] is None
    assert history[0]["supersededBy"] is None
    assert history[-1]["supersedes"] is None
    assert len({version["id"] for version in history}) == len(history)


@pytest.fixture(scope="module")
def told(server: ServerProcess) -> Iterator[Told]:
    made = run_command(server.home, "bootstrap", "--json", CONTEXT=CONTEXT)
    assert made.returncode == 0, made.stderr
    key = json.loads(made.stdout)["api_key"]
    body = json.loads(CONVERSATION.read_text(encoding="utf-8"))
    base = f"{server.url}/api/v1/{CONTEXT}"
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        answer = client.post("/facts/batch", json=body)
        assert answer.status_code == 200, answer.text
        yield Told(home=server.home, client=client, messages=body["messages"], answer=answer.json())


# --- the words ----------------------------------------------------------------------------------


def test_every_turn_is_kept_in_order_and_word_for_word(told: Told) -> None:
    session = told.answer["sessionId"]
    turns = told.all_pages(f"/sessions/{session}/turns", "turns", limit=64)
    assert [turn["id"] for turn in turns] == told.answer["turnIds"]
    assert [(turn["role"], turn["content"]) for turn in turns] == [
        (message["role"], message["content"]) for message in told.messages
    ]
    assert [moment(turn["createdAt"]) for turn in turns] == [moment(message["ts"]) for message in told.messages]
    assert all(earlier["seq"] < later["seq"] for earlier, later in pairwise(turns))
    assert told.get(f"/sessions/{session}")["turnCount"] == len(told.messages)


def test_every_turn_is_understood_at_once(told: Told) -> None:
    statuses = Counter(extraction["status"] for extraction in told.answer["extractions"])
    assert sum(statuses.values()) == len(told.messages)
    assert set(statuses) == {"complete", "nothing_found"}


@pytest.mark.parametrize("beginning", SWEDISH + GERMAN)
def test_of_a_turn_in_another_language_nothing_is_made(beginning: str, told: Told) -> None:
    extraction = told.extracted(beginning)
    assert {name: extraction[name] for name in ("entities", "uncertainties", *FACTS)} == {
        name: [] for name in ("entities", "uncertainties", *FACTS)
    }


# --- what changed -------------------------------------------------------------------------------


def test_the_cities_follow_each_other_from_when_she_moved(told: Told) -> None:
    history = told.history("location")
    assert values(history) == CITIES
    assert_chained(history)
    hamburg, copenhagen, malmo, gothenburg = (moment(version["validFrom"]) for version in history)
    assert gothenburg == told.said_at("I live in Gothenburg")
    # "last month" in March is February, and "last week" on a Friday the week from Monday the 15th on.
    assert malmo == datetime.fromisoformat("2026-02-01T00:00:00+01:00")
    assert datetime.fromisoformat("2026-06-15T00:00:00+02:00") <= copenhagen
    assert copenhagen < datetime.fromisoformat("2026-06-22T00:00:00+02:00")
    assert hamburg == told.said_at("I'm here! I live in Hamburg now.")


def test_the_job_titles_follow_each_other(told: Told) -> None:
    history = told.history("job_title")
    assert [title for title in values(history) if title in TITLES] == TITLES
    assert_chained(history)
    started = {version["value"]: moment(version["validFrom"]) for version in history}
    assert started["product designer"] == told.said_at("Hi there! I'm Maya Lindqvist")
    assert started["Senior Product Designer"] == told.said_at("Big news from the one-to-one")
    assert started["Head of Design"] == told.said_at("Also, the title is real")


def test_the_favourite_colour_changed_once(told: Told) -> None:
    history = told.history("favourite_colour")
    assert values(history) == COLOURS
    assert_chained(history)


@pytest.mark.parametrize("key", ["location", "job_title", "favourite_colour"])
def test_each_change_has_its_correction(key: str, told: Told) -> None:
    history = told.history(key)
    corrections = told.get("/corrections", entity=MAYA, key=key)["corrections"]
    told_by_id = dict(zip(told.answer["turnIds"], told.answer["extractions"], strict=True))
    # Both are newest first: n versions stand for n - 1 changes.
    for correction, (newer, older) in zip(corrections, pairwise(history), strict=True):
        assert correction["entity"] == f"entity:{MAYA}"
        assert correction["key"] == key
        for end, version in (("previous", older), ("current", newer)):
            assert correction[end] == {name: version[name] for name in ("id", "value", "validFrom", "validUntil")}
        assert correction["source"]["ref"] == newer["source_turn"]
        (announced,) = told_by_id[newer["source_turn"]]["corrections"]
        assert (announced["id"], announced["oldValue"], announced["newValue"]) == (
            correction["id"],
            older["value"],
            newer["value"],
        )


def test_there_are_no_other_corrections(told: Told) -> None:
    corrections = told.all_pages("/corrections", "corrections", limit=3)
    changed = {(correction["entity"], correction["key"]) for correction in corrections}
    hers = {(f"entity:{MAYA}", key) for key in ("location", "job_title", "favourite_colour")}
    assert changed == hers | {("entity:project/tidewatch", "written_in")}
    positions = [correction["position"] for correction in corrections]
    assert positions == sorted(positions, reverse=True)


# --- what is known at the end -------------------------------------------------------------------


def test_a_key_of_one_value_has_one_and_the_others_stand_beside_each_other(told: Told) -> None:
    state = told.get("/state", limit=500)
    assert not any(state["truncated"].values())
    current = [row for category in ("identity", "knowledge", "context") for row in state[category]["attributes"]]
    times_said = Counter((row["entity"], row["key"]) for row in current)
    assert all(times == 1 for (_, key), times in times_said.items() if is_single_valued(key)), times_said
    assert all(row["validUntil"] is None and row["supersededBy"] is None for row in current)

    hers = {(row["key"], row["value"]) for row in current if row["entity"] == f"entity:{MAYA}"}
    assert hers >= {
        ("location", "Hamburg"),
        ("favourite_colour", "blue"),
        ("sister", "Elin"),
        ("dog", "Biscuit"),
        *(("likes", thing) for thing in ("dark bread", "asparagus")),
        *(("dislikes", thing) for thing in ("jargon", "coriander", "open offices")),
    }
    assert ("entity:person/elin", "nurse") in {(row["entity"], row["value"]) for row in current}


def test_the_entity_says_what_the_state_says_of_it(told: Told) -> None:
    entity = told.get(f"/entities/{MAYA}")
    assert entity["entity"]["name"] == "Maya Lindqvist"
    state = told.get("/state", limit=500)
    categories = [state[category] for category in ("identity", "knowledge", "context")]
    for name, owner in (("attributes", "entity"), ("relations", "subject")):
        of_state = {row["id"] for part in categories for row in part[name] if row[owner] == f"entity:{MAYA}"}
        assert {row["id"] for row in entity[name] if row[owner] == f"entity:{MAYA}"} == of_state


def test_both_employers_were_heard_and_the_new_one_from_the_first_day_on(told: Told) -> None:
    for beginning, employer in (("Hi there! I'm Maya", "fjordlight"), ("First day done.", "ostra")):
        (relation,) = told.extracted(beginning)["relations"]
        assert relation["label"] == "works_at"
        assert relation["object"] == f"['organisation', '{employer}']"
        assert moment(relation["validFrom"]) == told.said_at(beginning)
    now = {row["object"] for row in told.get(f"/entities/{MAYA}")["relations"] if row["label"] == "works_at"}
    assert "entity:organisation/ostra" in now


def test_standing_instructions_are_kept(told: Told) -> None:
    descriptions = [row["description"] for row in told.get("/state")["instructions"]]
    for words in ("answer in short paragraphs", "use metric units"):
        assert [words in description for description in descriptions].count(True) == 1


# --- what must not be known ---------------------------------------------------------------------


def test_nothing_is_learnt_from_what_the_assistant_says(told: Told) -> None:
    for message, extraction in zip(told.messages, told.answer["extractions"], strict=True):
        if message["role"] == "assistant":
            assert [extraction[name] for name in FACTS] == [[] for _ in FACTS], message["content"]


@pytest.mark.parametrize("beginning", NOT_STATED)
def test_hedges_questions_denials_and_quotations_state_nothing(beginning: str, told: Told) -> None:
    assert NOT_STATED[beginning].lower() in next(
        message["content"].lower() for message in told.messages if message["content"].startswith(beginning)
    )
    extraction = told.extracted(beginning)
    assert [extraction[name] for name in FACTS] == [[] for _ in FACTS]


@pytest.mark.parametrize(
    ("beginning", "about"), [("Not sure. I might move", "Lisbon"), ("Still, I'm a bit tired.", "head of design")]
)
def test_a_hedge_is_answered_as_an_uncertainty_of_its_turn(beginning: str, about: str, told: Told) -> None:
    extraction = told.extracted(beginning)
    (uncertainty,) = extraction["uncertainties"]
    assert about in uncertainty["about"]
    assert uncertainty["source_turn"] == extraction["turnId"]


def test_what_was_said_of_others_stays_with_them(told: Told) -> None:
    assert values(told.history("location", "person/jonas")) == ["Mölndal"]
    said = json.dumps([told.history("location"), told.history("job_title")], ensure_ascii=False)
    for other in ("Lisbon", "Lund", "Uppsala", "Mölndal", "Nørrebro", "Sweden", "inspector", "nurse"):
        assert other not in said


# --- the log behind it --------------------------------------------------------------------------


def test_after_a_replay_every_read_answers_the_same_and_the_log_verifies(told: Told) -> None:
    before = told.everything()
    assert f"/entities/{MAYA}/history/location" in before
    replayed = json.loads(told.command("replay", "--context", CONTEXT, "--json"))["events"]
    assert replayed[CONTEXT] >= told.answer["position"]
    assert told.everything() == before
    (checked,) = json.loads(told.command("verify", "--context", CONTEXT, "--json"))
    assert checked["context_id"] == CONTEXT
    assert checked["problem"] is None
    assert checked["events"] == replayed[CONTEXT]
