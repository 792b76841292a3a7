"""Faults reported of comparable systems, asked about: what questions, chats and reads of the past answer.

See `tests/e2e/test_reported_cases.py`.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.e2e.clients.rest import Json, content, new_context
from tests.e2e.test_reported_cases import entity, fact, link, say, write
from tests.servers import ServerProcess


@pytest.fixture(scope="module")
def rest(server: ServerProcess) -> Iterator[httpx.Client]:
    with new_context(server, "asked about").client() as client:
        yield client


def asked(rest: httpx.Client, query: str, **fields: Any) -> list[Json]:
    hits: list[Json] = content(rest.post("/query", json={"query": query, **fields}))["hits"]
    return hits


def facts(hits: list[Json]) -> list[str]:
    return [hit["text"] for hit in hits if hit["source"] != "turn"]


def reply(rest: httpx.Client, message: str, **fields: Any) -> Json:
    return content(rest.post("/chat", json={"message": message, **fields}))


def test_con_08_of_a_value_that_moved_one_is_current(rest: httpx.Client) -> None:
    write(rest, fact("Staging", "database", "MariaDB", "service"), observed_at="2026-01-05T00:00:00Z")
    write(rest, fact("Staging", "database", "CockroachDB", "service"), observed_at="2026-02-05T00:00:00Z")
    assert "CockroachDB" in asked(rest, "What is the database of Staging?")[0]["text"]
    (current,) = content(rest.get("/attributes", params={"entity": "service/staging"}))["attributes"]
    assert current["value"] == "CockroachDB"


def test_con_13_a_chat_answers_with_what_holds_now_and_cites_it(rest: httpx.Client) -> None:
    session = say(rest, "I work as a welder.")["sessionId"]
    newer = say(rest, "I quit. I'm a nursing student now.", session_id=session)
    told = reply(rest, "What is my occupation?", sessionId=session)
    assert "nursing student" in told["reply"]
    turns = [content(rest.get("/inspect", params={"ref": one["id"]})) for one in told["citations"]]
    assert newer["turnId"] in str(turns)


def test_con_14_what_ended_without_a_successor_is_known_of_its_time_alone(rest: httpx.Client) -> None:
    write(rest, fact("Build", "agent", "mist-4", "service"), observed_at="2026-01-05T00:00:00Z")
    (row,) = content(rest.get("/attributes", params={"entity": "service/build"}))["attributes"]
    closing = {"validUntil": "2026-02-10T00:00:00Z", "reason": "decommissioned"}
    content(rest.post(f"/attributes/{row['id']}/close", json=closing))
    assert content(rest.get("/attributes", params={"entity": "service/build"}))["attributes"] == []
    for moment, expected in (("2026-02-01T00:00:00Z", ["mist-4"]), ("2026-02-11T00:00:00Z", ["mist-4"])):
        then = content(rest.get("/entities/service/build", params={"asOf": moment}))
        assert [one["value"] for one in then["attributes"]] == expected, "as it was known then"


def test_dup_03_what_was_told_twice_is_recalled_once(rest: httpx.Client) -> None:
    for text in ("Pavel leads the Kestrel team and is on call on Mondays.", "Pavel is on call on Mondays."):
        write(rest, fact("Pavel", "on_call", "Mondays"), text=text)
    assert len([one for one in facts(asked(rest, "When is Pavel on call?")) if "Mondays" in one]) == 1


def test_ent_05_a_name_in_its_own_script_is_recalled_by_it(rest: httpx.Client) -> None:
    text = "我的同事叫钟离舒，她在云杉科技上班。"
    write(rest, {**link("钟离舒", "works_at", ""), "target": entity("云杉科技", "organisation")}, text=text)
    for question in ("钟离舒在哪里上班？", "云杉科技"):
        assert any("云杉科技" in hit["text"] for hit in asked(rest, question))


def test_neg_03_what_is_liked_no_more_is_asserted_no_more(rest: httpx.Client) -> None:
    say(rest, "I love trail running.")
    say(rest, "I no longer like running.")
    assert content(rest.get("/attributes", params={"key": "likes"}))["attributes"] == []
    assert content(rest.get("/instructions"))["instructions"] == []
    assert not [one for one in facts(asked(rest, "Do I like running?")) if "trail" in one]


def test_tmp_03_the_year_of_a_talk_finds_it(rest: httpx.Client) -> None:
    say(rest, "I gave a lecture on bees.")
    say(rest, "In 2026 I spoke at the Kivu open data summit.")
    assert "Kivu open data summit" in asked(rest, "Which summit did I speak at?")[0]["text"]


def test_del_01_a_forgotten_fact_answers_nothing(rest: httpx.Client) -> None:
    answer = write(rest, fact("Greta", "allergic_to", "latex"), text="Greta is allergic to latex.")
    assert "latex" in reply(rest, "What is Greta allergic to?")["reply"]
    assert content(rest.post("/forget", json={"query": "Greta allergic to latex", "purge": True}))["deleted"] >= 1
    for mode in ("hybrid", "bm25", "vector"):
        assert "latex" not in str(asked(rest, "What is Greta allergic to?", mode=mode))
    assert "latex" not in reply(rest, "Tell me of Greta's allergy.")["reply"]
    assert rest.get("/inspect", params={"ref": answer["extraction"]["attributes"][0]["id"]}).status_code == 404


def test_del_05_a_deleted_note_is_found_by_no_question(rest: httpx.Client) -> None:
    kites = say(rest, "Note one about kites.", infer="none")
    say(rest, "Note two about drums.", infer="none")
    assert content(rest.delete(f"/turns/{kites['turnId']}"))["deleted"] == 1
    assert "kites" not in str(asked(rest, "the note about kites"))
    assert "drums" in str(asked(rest, "the note about drums"))


def test_del_10_a_forgotten_scope_can_be_written_again_and_shows_only_the_new(rest: httpx.Client) -> None:
    write(rest, fact("Door", "code", "11-11", "location"), scopes=["house/1"])
    content(rest.post("/scopes/forget", json={"path": "house/1"}))
    write(rest, fact("Door", "code", "22-22", "location"), scopes=["house/1"])
    told = str([asked(rest, "the code of the door"), content(rest.get("/state")), content(rest.get("/attributes"))])
    assert "22-22" in told and "11-11" not in told


def test_del_13_an_answer_given_before_is_not_given_after_its_erasure(rest: httpx.Client) -> None:
    hint = say(rest, "My pin hint is the street of my grandmother.")
    question = "What is my pin hint?"
    for _ in range(2):
        assert "grandmother" in str(asked(rest, question))
    content(rest.delete(f"/turns/{hint['turnId']}"))
    assert "grandmother" not in str(asked(rest, question))
    assert "grandmother" not in reply(rest, question)["reply"]


def test_his_03_what_a_turn_led_to_is_listed_and_goes_with_it(rest: httpx.Client) -> None:
    answer = say(rest, "My sister Edda works at the port authority.")
    led_to = content(rest.get(f"/events?turn={answer['turnId']}"))["events"]
    assert {"TurnRecorded", "EntityRecognised", "AttributeAsserted"} <= {one["topic"] for one in led_to}
    content(rest.delete(f"/turns/{answer['turnId']}"))
    assert "Edda" not in str([content(rest.get(path)) for path in ("/state", "/entities", "/relations")])


def test_txt_02_a_sentence_is_found_in_its_language(rest: httpx.Client) -> None:
    say(rest, "Ich wohne seit 2019 in Graz und spiele Bratsche.")
    for question in ("Wer spielt Bratsche?", "Who lives in Graz?"):
        assert any("Graz" in hit["text"] and "Bratsche" in hit["text"] for hit in asked(rest, question))


@pytest.mark.parametrize("blank", ["", "   "])
def test_txt_05_a_blank_question_is_refused(rest: httpx.Client, blank: str) -> None:
    for path, field in (("/query", "query"), ("/context", "query"), ("/chat", "message")):
        assert rest.post(path, json={field: blank}).status_code == 400


def test_txt_10_a_name_of_odd_characters_is_found_in_every_mode(rest: httpx.Client) -> None:
    name = "Night route / A|B\\C"
    write(rest, fact(name, "leaves_at", "22:00", "service"), text=f"The ferry '{name}' leaves at 22:00.")
    for mode in ("hybrid", "bm25", "vector", "graph"):
        asked(rest, name, mode=mode)
    assert any(name in hit["text"] for hit in asked(rest, name))


def test_prv_07_a_chat_right_after_a_write_knows_it(rest: httpx.Client) -> None:
    say(rest, "My bus is the 81.")
    assert "81" in reply(rest, "Which bus is mine?")["reply"]


def test_cnc_05_twenty_questions_at_once_have_one_answer(rest: httpx.Client) -> None:
    say(rest, "The lighthouse of Utsira is red.")
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: asked(rest, "What is red?"), range(20)))
    assert {tuple(hit["text"] for hit in hits) for hits in answers} == {tuple(hit["text"] for hit in answers[0])}
    assert answers[0]


def test_fil_03_a_range_of_time_finds_what_was_true_in_it(rest: httpx.Client) -> None:
    say(rest, "I lived in Faro from January to March 2024.", observed_at="2026-03-01T00:00:00Z")

    def between(since: str, until: str) -> list[str]:
        found = asked(rest, "Where did I live?", validFrom=since, validUntil=until, include=["facts"])
        return [hit["text"] for hit in found]

    assert any("Faro" in one for one in between("2024-01-01T00:00:00Z", "2024-12-31T00:00:00Z"))
    assert between("2025-01-01T00:00:00Z", "2025-12-31T00:00:00Z") == []


def test_unc_01_a_chat_does_not_say_as_certain_what_was_a_guess(rest: httpx.Client) -> None:
    said = say(rest, "I think the leak might be the valve, but I haven't checked.")
    assert said["extraction"]["attributes"] == []
    told = reply(rest, "What is the leak?")["reply"]
    assert "valve" not in told or "might" in told or "I think" in told
