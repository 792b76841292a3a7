"""Embedding models of providers, against a server that answers as they do, and as they should not."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from api.embedders.by_context import Embedders
from api.embedders.minilm import MODEL
from api.embedders.provider import TEXTS_MAX, ProviderEmbedder
from api.embedders.question_vectors import QuestionVectors
from api.settings.model_settings import ModelChoice, ModelSettings
from api.work import recovery
from api.work.indexing import Indexing
from memory.values import Infer
from projections import embedding_usage
from projections.recall.embedding import EmbeddingUnavailable
from tests.worlds import World


def answering(request: Request) -> Response:
    texts = json.loads(request.data)["input"]
    # out of order, as the interface allows
    data = [
        {"object": "embedding", "index": n, "embedding": [3.0, float(len(text)), 0.0]} for n, text in enumerate(texts)
    ]
    return Response(json.dumps({"object": "list", "model": "m", "data": data[::-1]}), content_type="application/json")


def choice(server: HTTPServer) -> ModelChoice:
    return ModelChoice("openai", "text-embedding-3-small", base_url=server.url_for("/v1"), api_key="sk-test")


def served(server: HTTPServer, handler: Callable[[Request], Response]) -> ProviderEmbedder:
    server.expect_request("/v1/embeddings", method="POST").respond_with_handler(handler)
    return ProviderEmbedder(choice(server))


def test_each_text_gets_its_own_vector_of_length_one(httpserver: HTTPServer) -> None:
    embedder = served(httpserver, answering)
    vectors = embedder.embed(["four", ""] + ["text"] * TEXTS_MAX)
    assert embedder.model == "openai/text-embedding-3-small"
    assert vectors[0] == pytest.approx([0.6, 0.8, 0.0])
    assert vectors[1] == pytest.approx([3 / 10**0.5, 1 / 10**0.5, 0.0])
    assert len(vectors) == TEXTS_MAX + 2
    assert len(httpserver.log) == 2


@pytest.mark.parametrize(
    ("answer", "retry_after_s"),
    [
        (Response("{}", status=401), None),
        (Response("{}", status=429, headers={"retry-after": "7"}), 7.0),
        (Response("{}", status=500), None),
        (Response("", status=200), None),
        (Response("no JSON", status=200, content_type="application/json"), None),
        (Response('{"object": "list", "model": "m", "data": []}', content_type="application/json"), None),
        (
            Response(
                '{"object": "list", "model": "m", "data": [{"object": "embedding", "index": 0, "embedding": [0, 0]}]}',
                content_type="application/json",
            ),
            None,
        ),
    ],
)
def test_what_is_no_vector_is_unavailable(
    httpserver: HTTPServer, answer: Response, retry_after_s: float | None
) -> None:
    with pytest.raises(EmbeddingUnavailable) as raised:
        served(httpserver, lambda _: answer).embed(["text"])
    assert raised.value.retry_after_s == retry_after_s


def test_a_question_is_searched_by_words_while_the_model_is_down(httpserver: HTTPServer) -> None:
    # given a context whose model fails once
    httpserver.expect_ordered_request("/v1/embeddings").respond_with_data("", status=500)
    httpserver.expect_ordered_request("/v1/embeddings").respond_with_handler(answering)
    settings = ModelSettings(embedding="openai/text-embedding-3-small", embedding_choice=choice(httpserver))
    embedders = Embedders(lambda _: settings)
    questions = QuestionVectors(embedders)
    assert embedders.failing(choice(httpserver)) == {}
    # then it is left alone for a while, and no error reaches the caller
    assert questions.question("text", "c") == (None, "openai/text-embedding-3-small")
    assert questions.question("text", "c") == (None, "openai/text-embedding-3-small")
    assert len(httpserver.log) == 1
    name = "openai/text-embedding-3-small"
    assert embedders.failing(choice(httpserver)) == {name: f"{name} answered 500"}
    # and is asked once for the same question afterwards
    questions._failed_until.clear()
    first, _ = questions.question("text", "c")
    assert first is not None and questions.question("text", "c")[0] == first
    assert len(httpserver.log) == 2
    assert embedders.failing(choice(httpserver)) == {}


def test_a_model_without_a_key_leaves_the_local_one() -> None:
    settings = ModelSettings(embedding="openai/text-embedding-3-small", embedding_choice=ModelChoice("openai", "m"))
    assert Embedders(lambda _: settings).of("c").model == MODEL
    assert Embedders(lambda _: ModelSettings(embedding="local/hashing")).of("c").model == "local/hashing"


def counting(request: Request) -> Response:
    answer = json.loads(answering(request).data)
    return Response(
        json.dumps(answer | {"usage": {"prompt_tokens": 7, "total_tokens": 7}}), content_type="application/json"
    )


def test_what_a_provider_takes_is_counted_by_context_and_day(httpserver: HTTPServer, world: World) -> None:
    httpserver.expect_request("/v1/embeddings").respond_with_handler(counting)
    settings = ModelSettings(embedding="openai/text-embedding-3-small", embedding_choice=choice(httpserver))
    pool = world.services.pool
    embedders = Embedders(lambda _: settings, partial(embedding_usage.add, pool))
    # when passages and a question are embedded
    world.say("My boat is Estrela.", infer=Infer.NONE)
    indexing = Indexing(pool, embedders.of)
    with recovery.reading(world.services, world.context_id) as reader:
        assert indexing.waiting(reader) == 1
    indexing.catch_up(world.context_id)
    QuestionVectors(embedders).question("What is my boat called?", world.context_id)
    # then both calls are there, for this context alone, and erased with it
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with recovery.reading(world.services, world.context_id) as reader:
        assert indexing.waiting(reader) == 0
        days = embedding_usage.by_day(reader.cursor, world.context_id, since=today, until=today + timedelta(days=1))
    assert [(one.day, one.purpose, one.model, one.usage.calls, one.usage.input_tokens) for one in days] == [
        (today, "embedding", "openai/text-embedding-3-small", 2, 14)
    ]
    assert embedding_usage.tokens_spent(pool, world.context_id, today) == 14
    assert embedding_usage.tokens_spent(pool, "elsewhere", today) == 0
