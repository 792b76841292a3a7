"""Faults reported of comparable systems that lie with models and their providers: answers that are none, tokens that
nobody counts, models that fail, vectors of another length. See `tests/integration/test_reported_cases.py`.
"""

import json
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
import yaml
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply
from pytest_httpserver import HTTPServer

from api.embedders.hashing import Hashing
from api.settings.model_settings import settings_of
from api.work.indexing import Indexing
from memory.errors import InvalidRequest
from memory.events import ExtractionCompleted, ExtractionFailed
from memory.extraction.model import ModelExtractor
from memory.remember import ExtractionStatus, Learnt
from memory.usage import Usage, total
from projections import usage
from projections.recall.embedding import Vector
from projections.recall.question import parsed
from projections.recall.search import Found, search
from tests.heard import Prepared, events, kept, known, learn_pending, mine, only, status, with_extractor
from tests.integration.test_recall import recall, texts
from tests.providers import answer, attribute, extractor_at
from tests.worlds import World

DENTIST = "My dentist is Dr. Oyelaran."
ANSWER = answer(attributes=[attribute("USER", "dentist", "Dr. Oyelaran", "My dentist is Dr. Oyelaran")])
FACTS = {"user dentist Dr. Oyelaran"}


@pytest.fixture
def model(llmock: LLMock) -> Iterator[ModelExtractor]:
    with extractor_at(llmock.base_url()) as ready:
        yield ready


def taken(world: World) -> Usage:
    """What models took today, as the usage report says."""
    now = datetime.now(UTC)
    with world.reading() as reader:
        days = usage.by_day(reader, since=now - timedelta(days=1), until=now + timedelta(days=1))
    return total(one.usage for one in days)


def completed(learnt: Learnt) -> ExtractionCompleted:
    (event,) = [one for one in events(learnt) if isinstance(one, ExtractionCompleted)]
    return event


# --- answers ----------------------------------------------------------------------------------


def test_par_01_an_answer_wrapped_in_prose_and_fences_is_understood(
    world: World, llmock: LLMock, model: ModelExtractor
) -> None:
    llmock.reply(f"Here is the JSON:\n```json\n{ANSWER}\n```\nShall I go on?")
    learnt = only(with_extractor(world, model).say(DENTIST))
    assert (learnt.status, known(world)) == (ExtractionStatus.COMPLETE, FACTS)
    assert len(llmock.requests) == 1


def test_par_03_a_cut_answer_is_tried_with_more_room_a_bounded_number_of_times_and_each_counts(
    world: World, llmock: LLMock, model: ModelExtractor
) -> None:
    llmock.add(Reply(text=ANSWER[:40], finish_reason="length", times=None))
    learnt = only(with_extractor(world, model).say(" ".join(f"Fact {n} is here." for n in range(60))))
    assert learnt.status is ExtractionStatus.PENDING
    (failed,) = [one for one in events(learnt) if isinstance(one, ExtractionFailed)]
    assert failed.usage.calls == 2 == len(llmock.requests)
    rooms = [request.body["max_tokens"] for request in llmock.requests]
    assert rooms[1] > rooms[0]
    assert taken(world) == failed.usage
    assert failed.usage.output_tokens > 0


# --- what it costs ------------------------------------------------------------------------------


def test_cos_03_each_answer_tells_what_it_took_and_the_sum_is_to_be_had(
    world: World, llmock: LLMock, model: ModelExtractor
) -> None:
    llmock.reply(ANSWER, times=2)
    told = with_extractor(world, model)
    answers = [only(told.say(DENTIST)) for _ in range(2)]
    took = [completed(one).usage for one in answers]
    assert all(one.calls == 1 and one.input_tokens > 0 and one.output_tokens > 0 for one in took)
    assert taken(world) == total(took)
    assert {completed(one).model for one in answers} == {model.model}


def test_cos_04_what_is_counted_is_what_the_provider_reported_with_reasoning_and_failed_attempts(
    world: World, httpserver: HTTPServer
) -> None:
    def completion(content: str, into: int, out: int, reasoning: int) -> str:
        return json.dumps(
            {
                "id": "c",
                "object": "chat.completion",
                "created": 1,
                "model": "gpt-4o-mini",
                "choices": [
                    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
                ],
                "usage": {
                    "prompt_tokens": into,
                    "completion_tokens": out,
                    "total_tokens": into + out,
                    "completion_tokens_details": {"reasoning_tokens": reasoning},
                },
            }
        )

    for content, *counts in (("I can't.", 900, 70, 64), (ANSWER, 950, 130, 80)):
        httpserver.expect_ordered_request("/v1/chat/completions").respond_with_data(
            completion(content, *counts), content_type="application/json"
        )
    with extractor_at(httpserver.url_for("/v1")) as model:
        learnt = only(with_extractor(world, model).say(DENTIST))
    assert known(world) == FACTS
    assert completed(learnt).usage == taken(world) == Usage(calls=2, input_tokens=1_850, output_tokens=200)


# --- providers that fail ------------------------------------------------------------------------


def test_slo_04_a_model_that_never_answers_is_a_clear_error_within_its_time(world: World, llmock: LLMock) -> None:
    llmock.delay(30, times=None)
    begun = time.monotonic()
    with extractor_at(llmock.base_url(), timeout_s=0.5) as model:
        learnt = only(with_extractor(world, model).say("Hello, I'm Femi."))
    assert time.monotonic() - begun < 10
    assert status(world, learnt) == ("pending", "timeout")
    assert kept(world, [learnt]) == ["Hello, I'm Femi."]


def test_sta_03_with_another_provider_all_is_as_it_was(world: World, llmock: LLMock, model: ModelExtractor) -> None:
    with_extractor(world, Prepared([[mine("owns", "kayak")]])).say("I own a kayak.")
    before = len(world.events())
    other = with_extractor(world, model)
    learn_pending(other)  # what a start does
    assert known(other) == {"user owns kayak"}
    assert len(world.events()) == before
    assert llmock.requests == []


def test_sta_05_with_its_quota_exhausted_reads_are_served_and_a_write_is_kept_with_the_reason(
    world: World, llmock: LLMock, model: ModelExtractor
) -> None:
    world.given(mine("location", "Bruges"))
    llmock.rate_limit(times=None, retry_after=90)
    limited = with_extractor(world, model)
    learn_pending(limited)
    learnt = only(limited.say("I moved to Ghent."))
    assert status(world, learnt) == ("pending", "rate_limited")
    assert kept(world, [learnt]) == ["I moved to Ghent."]
    assert known(limited) == {"user location Bruges"}


# --- vectors ------------------------------------------------------------------------------------


class Sized(Hashing):
    """Vectors of a given length, to which everything means the same."""

    def __init__(self, dimension: int) -> None:
        self.model, self.dimension = f"sized/{dimension}", dimension

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [[1.0, *[0.0] * (self.dimension - 1)] for _ in texts]


def indexed(world: World, embedder: Hashing) -> None:
    Indexing(world.services.pool, lambda _: embedder).catch_up(world.context_id)


def by_meaning(world: World, text: str, embedder: Sized) -> Found:
    (vector,) = embedder.embed([text])
    with world.reading() as reader:
        return search(reader, parsed(text, vector=vector, model=embedder.model))


@pytest.mark.parametrize("dimension", [384, 768, 1536])
def test_dim_02_an_embedder_of_any_dimension_works_without_a_setting(world: World, dimension: int) -> None:
    embedder = Sized(dimension)
    world.given(mine("pets", "parrot"), text="I have a parrot.")
    indexed(world, embedder)
    hits = by_meaning(world, "is there a bird?", embedder).hits
    assert [hit.signals.cosine for hit in hits] == pytest.approx([1.0] * len(hits), abs=1e-3)
    assert any("parrot" in hit.text for hit in hits)


def test_dim_03_embedding_again_with_another_dimension_keeps_all(world: World) -> None:
    world.given(mine("plays", "harp"), text="I play the harp.")
    facts, log = known(world), len(world.events())
    for dimension in (768, 1536):
        indexed(world, Sized(dimension))
        assert by_meaning(world, "is it an instrument?", Sized(dimension)).hits
    assert (known(world), len(world.events())) == (facts, log)
    assert world.verified().problem is None


def test_dim_04_a_question_of_another_dimension_falls_back_to_words(world: World) -> None:
    world.say("My stall sells honey.")
    indexed(world, Sized(1536))
    (vector,) = Sized(3072).embed(["honey"])
    with world.reading() as reader:
        hits = search(reader, parsed("honey", vector=vector, model="sized/1536")).hits
    assert hits[0].text.endswith("honey.")
    assert {hit.signals.cosine for hit in hits} == {None}


def test_dim_05_a_dimension_that_no_provider_would_get_is_refused() -> None:
    config = yaml.safe_load("models: {embedding: {provider: openai, model: text-embedding-3-small, dimensions: 768}}")
    with pytest.raises(InvalidRequest, match=r"models\.embedding.*dimensions"):
        settings_of(config, {"OPENAI_API_KEY": "sk-secret"})


def test_prv_09_with_the_embedder_down_words_answer_and_the_answer_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down:
        def question(self, text: str, context_id: str, /) -> tuple[None, str]:
            return None, "openai/text-embedding-3-small"

        kept = question

    monkeypatch.setattr(world.services.recall, "_embedder", Down())
    world.say("We climbed with my mentor Sunniva in June.")
    found = recall(world, "what did I climb with Sunniva?")
    assert found.degraded and "degraded" in found.reason
    assert "We climbed with my mentor Sunniva in June." in texts(found)
