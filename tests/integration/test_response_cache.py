"""The response cache: the same question is answered from it, and never once anything has changed."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from api import ids
from api.chat import cache
from api.chat.signature import signature
from api.wiring import Services
from memory.regions import region_of
from memory.values import Infer
from projections.traces import TraceReader
from tests.chats import OTHER_MODEL, Talk, application, openai_at, talk_at
from tests.worlds import fact

QUESTION = "Where does Alice live?"
AGAIN = "Where does Alice live, please?"


@pytest.fixture(scope="module")
def url(services: Services, llmock_server: Any) -> Iterator[str]:
    with application(services, openai_at(llmock_server.base_url("openai"))) as url:
        deadline = time.monotonic() + 60
        while not services.embedder.embedder.ready:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield url


@pytest.fixture
def talk(url: str, services: Services, llmock: LLMock) -> Iterator[Talk]:
    llmock.reply("She lives in Porto [S1].", times=None)
    with talk_at(url, services) as talk:
        talk.world.given(fact("Alice", "location", "Porto"))
        talk.world.given(fact("Zephyr 41", "colour", "red", kind="product"))
        yield talk


def is_cached(talk: Talk, question: str = QUESTION, **fields: Any) -> bool:
    answer = talk.say(question, **fields)
    assert answer.status_code == 200, answer.text
    assert answer.json()["reply"] == "She lives in Porto [S1]."
    return bool(answer.json()["cached"])


def test_the_same_question_is_answered_from_the_cache(talk: Talk, llmock: LLMock) -> None:
    first = talk.say(QUESTION).json()
    second = talk.say(AGAIN).json()
    assert (first["cached"], second["cached"]) == (False, True)
    assert len(llmock.requests) == 1
    assert second["reply"] == first["reply"]
    assert second["citations"] == first["citations"] != []
    assert second["memory_updates"]["status"] == "nothing_found"
    turns = talk.turns(second["sessionId"])
    assert [turn["role"] for turn in turns] == ["user", "assistant"]
    assert turns[1]["citations"]
    services = talk.world.services
    services.traces.flush()
    with services.pool.connection() as connection, connection.cursor() as cursor:
        reader = TraceReader(cursor, talk.world.context_id, region_of(talk.world.caller.grants))
        trace = reader.one(ids.parse_trace(second["traceId"]))
    assert trace is not None
    assert (trace.cached, trace.tier, trace.reused_from) == (True, "cache", ids.parse_trace(first["traceId"]))
    assert is_cached(talk), "it outlives its own use"


def test_it_is_streamed_too(talk: Talk) -> None:
    talk.say(QUESTION)
    answer = talk.say(QUESTION, stream=True).text
    assert '{"delta":"She lives in Porto [S1]."}' in answer
    assert '"cached":true' in answer


def test_the_cache_can_be_bypassed(talk: Talk) -> None:
    assert not is_cached(talk, bypassCache=True)
    assert not is_cached(talk), "a reply past the cache is not kept in it"
    assert not is_cached(talk, bypassCache=True)


def test_a_superseding_write_ends_it_at_once(talk: Talk) -> None:
    assert [is_cached(talk), is_cached(talk)] == [False, True]
    talk.world.given(fact("Alice", "location", "Oslo"))
    assert not is_cached(talk)


def test_whatever_is_said_of_what_the_question_is_about_ends_it(talk: Talk) -> None:
    assert [is_cached(talk), is_cached(talk)] == [False, True]
    talk.world.given(fact("Bob", "location", "Lima"))
    assert is_cached(talk), "that was about somebody else"
    talk.world.given(fact("Alice", "mood", "calm"))
    assert not is_cached(talk)


def test_what_is_cited_is_closed_or_doubted(talk: Talk) -> None:
    citation = talk.say(QUESTION).json()["citations"][0]
    assert is_cached(talk)
    if citation["kind"] == "attribute":
        closed = talk.http.post(f"/attributes/{citation['id']}/close", json={})
        assert closed.status_code == 200, closed.text
        answer = talk.say(QUESTION, bypassCache=False).json()
        assert not answer["cached"]


def test_a_new_doubt_ends_it(talk: Talk) -> None:
    assert [is_cached(talk), is_cached(talk)] == [False, True]
    talk.world.say("Maybe Alice lives in Rome.")
    assert not is_cached(talk)


def test_without_anybody_known_any_event_ends_it(talk: Talk) -> None:
    question = "What colour do boats have?"
    talk.world.say("The boats in the harbour are green, what a colour.", infer=Infer.NONE)
    assert [is_cached(talk, question), is_cached(talk, question), is_cached(talk, question)] == [False, True, True]
    talk.world.say("The kettle is on.", infer=Infer.NONE)
    assert not is_cached(talk, question)


def test_a_reply_that_cites_nothing_is_not_kept(talk: Talk, llmock: LLMock) -> None:
    llmock.reset().reply("No idea.", times=None)
    assert [talk.say(QUESTION).json()["cached"] for _ in range(2)] == [False, False]


def test_a_conversation_neither_reads_nor_seeds_it(talk: Talk) -> None:
    session_id = talk.session()
    assert not talk.say(QUESTION, session_id).json()["cached"]
    assert talk.say(QUESTION).json()["cached"], "its first turn did seed it"
    assert not talk.say(QUESTION, session_id).json()["cached"]
    other = talk.session()
    talk.world.say("Hello", session_id=ids.parse_session(other), infer=Infer.NONE)
    question = "In which town does Alice live?"
    assert not talk.say(question, other).json()["cached"]
    assert not talk.say(question).json()["cached"]


def test_a_question_that_tells_something_is_not_kept(talk: Talk) -> None:
    question = "I moved to Berlin last week. Where does Alice live?"
    assert [is_cached(talk, question), is_cached(talk, question)] == [False, False]


def test_another_model_and_other_instructions_have_other_replies(talk: Talk) -> None:
    assert [is_cached(talk), is_cached(talk)] == [False, True]
    assert not is_cached(talk, model=OTHER_MODEL)
    talk.world.say("Please always answer in French.")
    assert not is_cached(talk)


def test_an_hour_later_it_is_stale(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [is_cached(talk), is_cached(talk)] == [False, True]
    with talk.world.services.pool.connection() as connection:
        connection.execute("UPDATE response_cache SET created_at = created_at - interval '61 minutes'")
    assert not is_cached(talk)


def test_it_is_bounded(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "ROWS_MAX", 2)
    for name in ("Bob", "Carol", "Dave", "Erin"):
        talk.say(f"Where does {name} live?")
    with talk.world.services.pool.connection() as connection:
        count = "SELECT count(*) FROM response_cache WHERE context_id = %s"
        assert connection.execute(count, [talk.world.context_id]).fetchone() == (2,)


def test_it_is_never_shared_with_another_region_though_it_shows_the_same(talk: Talk) -> None:
    assert [is_cached(talk), is_cached(talk)] == [False, True]
    grants = {"memory:read": ["/"], "memory:write": ["/*"]}
    made = talk.http.post("/keys", json={"name": "narrowed", "grants": grants})
    assert made.status_code == 201, made.text
    narrowed = {"Authorization": f"Bearer {made.json()['key']}"}
    answer = talk.http.post("/chat", json={"message": QUESTION}, headers=narrowed).json()
    assert answer["reply"] == "She lives in Porto [S1]."
    assert not answer["cached"]


def test_it_is_never_shared_with_another_principal(talk: Talk) -> None:
    talk.say(QUESTION)
    world = talk.world
    with world.services.pool.connection() as connection:
        connection.execute(
            "UPDATE response_cache SET principal_id = gen_random_uuid() WHERE context_id = %s", [world.context_id]
        )
    assert not is_cached(talk)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("What is Zephyr 41?", "What is Zephyr 42?", False),
        ("Where does Alice live?", "Where does Bob live?", False),
        ("Alice's job?", "Bob's job?", False),
        ("Does Alice eat meat?", "Doesn't Alice eat meat?", False),
        ("Does Alice like tea?", "Does Alice not like tea?", False),
        ("Where does Alice live?", "Where did Alice live?", False),
        ("Where does Alice live?", "Where does Alice live now?", False),
        ("What happened in March?", "What happened in April?", False),
        ("Where does Alice live?", "Tell me where Alice lives", True),
        ("Where is Alice's house?", "Where is the house of Alice?", True),
        ("Who is Ärzte?", "who is Ärzte", True),
    ],
)
def test_names_numbers_negations_and_times_must_be_the_same(one: str, other: str, same: bool) -> None:
    assert (signature(one) == signature(other)) is same
