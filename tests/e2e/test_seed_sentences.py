"""The documentation's own sentences, end to end: what each turn changed, and how it can be read back."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import httpx
import pytest

from tests.e2e.clients.rest import Json, assert_error, content, new_context
from tests.servers import ServerProcess

SENTENCES = (
    "I'm Alice, Head of Platform at Acme.",
    "I just got promoted to CTO",
    "Actually I moved to Berlin last month",
    "Hi, how are you?",
)
ALICE = "['person', 'alice']"
ACME = "['organisation', 'acme']"
BERLIN = "['location', 'berlin']"
LISTS = ("entities", "attributes", "relations", "actions", "instructions", "uncertainties", "corrections")
CATEGORIES = ("identity", "knowledge", "context")
BOB_TITLES = ("Clerk", "Editor", "Publisher")


class Told(NamedTuple):
    """The conversation, and the answer to each of its turns. other: a second session, about Bob."""

    rest: httpx.Client
    session_id: str
    answers: list[Json]
    other: str

    def extraction(self, ordinal: int) -> Json:
        found: Json = self.answers[ordinal]["extraction"]
        return found

    def turn(self, ordinal: int) -> Json:
        found: Json = content(self.rest.get(f"/sessions/{self.session_id}/turns"))["turns"][ordinal]
        return found


@pytest.fixture(scope="module")
def told(server: ServerProcess) -> Any:
    context = new_context(server, "seed sentences")
    with context.client() as rest:
        session_id = content(rest.post("/sessions"), 201)["id"]
        answers = [
            content(rest.post("/facts", json={"text": text, "session_id": session_id, "role": "user"}))
            for text in SENTENCES
        ]
        other = content(rest.post("/sessions"), 201)["id"]
        for title in BOB_TITLES:
            bob = {"entity": {"type": "person", "name": "Bob"}, "key": "job_title", "value": title}
            content(rest.post("/facts", json={"infer": "triples", "triples": [bob], "session_id": other}))
        yield Told(rest, session_id, answers, other)


def pick(rows: list[Json], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_each_answer_names_its_session_its_turn_and_a_growing_position(told: Told) -> None:
    turns = content(told.rest.get(f"/sessions/{told.session_id}/turns"))["turns"]
    assert pick(turns, "seq", "role", "content") == [(seq, "user", text) for seq, text in enumerate(SENTENCES, 1)]
    assert [answer["turnId"] for answer in told.answers] == [turn["id"] for turn in turns]
    for answer in told.answers:
        assert answer["sessionId"] == told.session_id
        assert (answer["mode"], answer["preview"]) == ("full", False)
        assert answer["extraction"]["turnId"] == answer["turnId"]
    positions = [answer["position"] for answer in told.answers]
    assert positions == sorted(set(positions))
    assert all(type(position) is int for position in positions)


def test_the_first_turn_introduces_alice_her_title_and_her_employer(told: Told) -> None:
    found = told.extraction(0)
    assert found["status"] == "complete"
    assert pick(found["entities"], "id", "name", "entityType", "isNew") == [
        (ALICE, "Alice", "person", True),
        (ACME, "Acme", "organisation", True),
    ]
    assert found["entities"][0]["memoryCategory"] == "identity"
    assert pick(found["attributes"], "entityId", "key", "value", "memoryCategory") == [
        (ALICE, "job_title", "Head of Platform", "identity")
    ]
    assert pick(found["relations"], "subject", "label", "object") == [(ALICE, "works_at", ACME)]
    assert not any(found[name] for name in LISTS[3:])


def test_the_promotion_is_one_correction_of_a_known_alice(told: Told) -> None:
    before, found = told.extraction(0), told.extraction(1)
    assert found["status"] == "complete"
    assert pick(found["entities"], "id", "isNew") == [(ALICE, False)]
    assert pick(found["attributes"], "entityId", "key", "value") == [(ALICE, "job_title", "CTO")]
    (correction,) = found["corrections"]
    assert {name: correction[name] for name in ("entityId", "key", "oldValue", "newValue", "previous", "current")} == {
        "entityId": ALICE,
        "key": "job_title",
        "oldValue": "Head of Platform",
        "newValue": "CTO",
        "previous": {"id": before["attributes"][0]["id"], "value": "Head of Platform"},
        "current": {"id": found["attributes"][0]["id"], "value": "CTO"},
    }
    assert not any(found[name] for name in ("relations", "actions", "instructions", "uncertainties"))


def test_the_third_turns_diff_says_only_what_the_third_turn_changed(told: Told) -> None:
    found = told.extraction(2)
    assert found["status"] == "complete"
    assert pick(found["entities"], "id", "isNew") == [(ALICE, False), (BERLIN, True)]
    assert pick(found["attributes"], "entityId", "key", "value") == [(ALICE, "location", "Berlin")]
    assert not any(found[name] for name in LISTS[2:])


def test_the_move_is_valid_from_within_the_calendar_month_before(told: Told) -> None:
    this_month = moment(told.turn(2)["createdAt"]).astimezone(UTC).replace(day=1)
    last_month = this_month - timedelta(days=1)
    (location,) = told.extraction(2)["attributes"]
    assert (moment(location["validFrom"]).year, moment(location["validFrom"]).month) == (
        last_month.year,
        last_month.month,
    )
    assert location["validUntil"] is None


def test_small_talk_is_kept_and_nothing_is_found_in_it(told: Told) -> None:
    found = told.extraction(3)
    assert found["status"] == "nothing_found"
    assert {name: found[name] for name in LISTS} == {name: [] for name in LISTS}


def test_every_extracted_row_carries_the_turn_it_comes_from(told: Told) -> None:
    rows = 0
    for answer in told.answers:
        for row in (row for name in LISTS for row in answer["extraction"][name]):
            assert row["source_turn"] == answer["turnId"]
            assert row["source"] == {"kind": "turn", "ref": answer["turnId"], "sessionId": told.session_id}
            rows += 1
    assert rows == 10


def test_the_history_is_newest_first_and_linked_both_ways(told: Told) -> None:
    new, old = content(told.rest.get("/entities/person/alice/history/job_title"))["history"]
    assert [new["value"], old["value"]] == ["CTO", "Head of Platform"]
    assert (new["supersedes"], new["supersededBy"]) == (old["id"], None)
    assert (old["supersedes"], old["supersededBy"]) == (None, new["id"])
    assert (new["validFrom"], new["validUntil"]) == (told.turn(1)["createdAt"], None)
    assert (old["validFrom"], old["validUntil"]) == (told.turn(0)["createdAt"], new["validFrom"])
    for ordinal, version in ((1, new), (0, old)):
        turn_id = told.answers[ordinal]["turnId"]
        assert version["source"] == {"kind": "turn", "ref": turn_id, "sessionId": told.session_id}
        assert version["source_turn"] == turn_id
        assert version["entity"] == "entity:person/alice"
        assert version["id"] == told.extraction(ordinal)["attributes"][0]["id"]


def test_alice_is_one_entity_with_what_is_true_of_her_now(told: Told) -> None:
    persons = content(told.rest.get("/entities", params={"type": "person"}))["entities"]
    assert pick(persons, "id", "name") == [("entity:person/alice", "Alice"), ("entity:person/bob", "Bob")]
    alice = content(told.rest.get("/entities/person/alice"))
    assert sorted(pick(alice["attributes"], "key", "value")) == [("job_title", "CTO"), ("location", "Berlin")]
    assert pick(alice["relations"], "subject", "label", "object") == [
        ("entity:person/alice", "works_at", "entity:organisation/acme")
    ]
    assert alice["truncated"] == {"attributes": False, "relations": False}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_state_holds_current_facts_only(told: Told, method: str) -> None:
    state = content(told.rest.request(method, "/state"))
    rows = {name: [row for part in CATEGORIES for row in state[part][name]] for name in LISTS[:4]}
    assert sorted(pick(rows["attributes"], "entity", "key", "value")) == [
        ("entity:person/alice", "job_title", "CTO"),
        ("entity:person/alice", "location", "Berlin"),
        ("entity:person/bob", "job_title", BOB_TITLES[-1]),
    ]
    assert pick(rows["relations"], "subject", "label", "object") == [
        ("entity:person/alice", "works_at", "entity:organisation/acme")
    ]
    assert sorted(row["id"] for row in rows["entities"]) == [
        "entity:location/berlin",
        "entity:organisation/acme",
        "entity:person/alice",
        "entity:person/bob",
    ]
    assert rows["actions"] == []
    for part, name in ((part, name) for part in CATEGORIES for name in LISTS[:4]):
        assert {row["memoryCategory"] for row in state[part][name]} <= {part}
    assert "job_title" in [row["key"] for row in state["identity"]["attributes"]]
    assert (state["instructions"], state["unknowns"]) == ([], [])
    assert not any(state["truncated"].values())


# --- GET /corrections --------------------------------------------------------------------------

ALL = [("bob", "Editor", "Publisher"), ("bob", "Clerk", "Editor"), ("alice", "Head of Platform", "CTO")]


def read_corrections(told: Told, **params: Any) -> list[tuple[str, str, str]]:
    rows = content(told.rest.get("/corrections", params=params))["corrections"]
    return [
        (row["entity"].removeprefix("entity:person/"), row["previous"]["value"], row["current"]["value"])
        for row in rows
    ]


def test_a_correction_can_be_read_back_as_it_was_answered(told: Told) -> None:
    (answered,) = told.extraction(1)["corrections"]
    (row,) = content(told.rest.get("/corrections", params={"entity": "person/alice"}))["corrections"]
    new, old = content(told.rest.get("/entities/person/alice/history/job_title"))["history"]
    assert (row["id"], row["entity"], row["key"]) == (answered["id"], "entity:person/alice", "job_title")
    for side, version in (("previous", old), ("current", new)):
        assert row[side] == {name: version[name] for name in ("id", "value", "validFrom", "validUntil")}
    assert row["source"] == {"kind": "turn", "ref": told.answers[1]["turnId"], "sessionId": told.session_id}
    assert row["createdAt"] == told.turn(1)["createdAt"]
    assert told.answers[0]["position"] < row["position"] <= told.answers[1]["position"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, ALL),
        ({"entity": "person/alice"}, ALL[2:]),
        ({"entity": "entity:Person/Alice"}, ALL[2:]),
        ({"entity": "person/bob"}, ALL[:2]),
        ({"entity": "person/nobody"}, []),
        ({"entity": "organisation/acme"}, []),
        ({"key": "job_title"}, ALL),
        ({"key": "Job Title"}, ALL),
        ({"key": "location"}, []),
        ({"session": "{told}"}, ALL[2:]),
        ({"session": "sess_{other}"}, ALL[:2]),
        ({"session": "{other}", "entity": "person/alice"}, []),
        ({"session": "{told}", "entity": "person/alice", "key": "job_title"}, ALL[2:]),
    ],
)
def test_corrections_are_filtered_by_entity_key_and_session(
    told: Told, params: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    given = {name: value.format(told=told.session_id, other=told.other) for name, value in params.items()}
    assert read_corrections(told, **given) == expected


def test_corrections_are_paged_newest_first(told: Told) -> None:
    found, params = [], {"limit": "1"}
    for _ in ALL:
        found += read_corrections(told, **params)
        page = content(told.rest.get("/corrections", params=params))["page"]
        if not page["hasMore"]:
            break
        params["cursor"] = page["nextCursor"]
    assert found == ALL
    assert page == {"hasMore": False}


@pytest.mark.parametrize("params", [{"entity": "alice"}, {"cursor": "x"}, {"limit": "x"}])
def test_a_filter_that_can_not_be_read_is_refused(told: Told, params: dict[str, str]) -> None:
    (name,) = params
    assert name in assert_error(told.rest.get("/corrections", params=params), 400)
