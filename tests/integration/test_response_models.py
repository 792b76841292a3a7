"""Whether response models answer, as they are asked over a real socket."""

import asyncio
import contextlib

from llmock.pytest_plugin import LLMock

from api.chat.responders import ConfiguredResponders
from api.models import Models
from memory.errors import ModelUnavailable

MODEL, OTHER = "openai/gpt-4o", "openai/gpt-4o-mini"


def test_a_model_that_gives_no_whole_reply_is_failing_until_it_gives_one(llmock: LLMock) -> None:
    provider = {"base_url": llmock.base_url(), "api_key": "test"}
    models = Models({"models": {"response": MODEL, "allowed": [OTHER]}, "providers": {"openai": provider}}, {})
    own = {"mine": {"models": {"response": OTHER}}}
    models.context_overrides = lambda context_id: own.get(context_id, {})
    responders = ConfiguredResponders(models)
    seen = []

    async def ask(context_id: str) -> None:
        model = responders.chosen(context_id, None)
        assert model is not None
        with contextlib.suppress(ModelUnavailable):
            _ = [piece async for piece in model.pieces([{"role": "user", "content": "Hi"}], streamed=False)]
        seen.append((models.failing, models.failing_in("mine")))

    async def talk() -> None:
        llmock.fail(401).rate_limit(times=1).reply("Hello.").reply("Hello.")
        for context_id in ("mine", "dev", "dev", "mine"):
            await ask(context_id)
        await responders.close()

    asyncio.run(talk())
    # of a context's own model the server's word tells nothing
    assert seen == [
        ({}, {OTHER: "unauthorized"}),
        ({MODEL: "rate_limited"}, {OTHER: "unauthorized"}),
        ({}, {OTHER: "unauthorized"}),
        ({}, {}),
    ]
