"""Response models: language models that answer, behind one small protocol."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol

from api.settings.config import CHAT_DEADLINE_S
from memory.errors import ModelUnavailable
from memory.extraction.model.asking import kind_of_status
from memory.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

logger = logging.getLogger(__name__)

Messages = Sequence[dict[str, str]]

RETRY_AFTER_S = 2
RETRY_AFTER_S_MAX = 3_600


class ResponseModel(Protocol):
    """A language model. name: "provider/model"."""

    @property
    def name(self) -> str: ...

    @property
    def usage(self) -> Usage:
        """What was asked of the provider so far."""
        ...

    def pieces(self, messages: Messages, *, streamed: bool) -> AsyncGenerator[str, None]:
        """The reply, piece by piece as the provider sends it, or as one piece.

        Closing the generator ends the provider's work. Raises ModelUnavailable whenever the reply is not
        complete: refused, too slow, broken off or empty.
        """
        ...


class OpenAiModel:
    """A model at any endpoint that speaks OpenAI's chat completions.

    One object serves one request. client: used within one event loop. deadline_s: for a reply at once, and for
    each piece of a streamed one. priced: adds the cost to the usage of a model. noted: is told why there is no whole
    reply, None if there is one.
    """

    def __init__(
        self,
        name: str,
        client: Callable[[], Awaitable["AsyncOpenAI"]],
        *,
        deadline_s: float = CHAT_DEADLINE_S,
        priced: Callable[[str, Usage], Usage] = lambda _, usage: usage,
        noted: Callable[[str | None], None] = lambda _: None,
    ) -> None:
        self.name = name
        self.usage = NO_USAGE
        self._client = client
        self._deadline_s = deadline_s
        self._priced = priced
        self._noted = noted

    async def pieces(self, messages: Messages, *, streamed: bool) -> AsyncGenerator[str, None]:
        try:
            async with aclosing(self._pieces(messages, streamed=streamed)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelUnavailable as error:
            self._noted(error.kind)
            raise
        self._noted(None)

    async def _pieces(self, messages: Messages, *, streamed: bool) -> AsyncGenerator[str, None]:
        some = False
        try:
            client = await self._client()
            async with aclosing(
                self._streamed(client, messages) if streamed else self._at_once(client, messages)
            ) as source:
                async for piece in source:
                    some = some or bool(piece.strip())
                    yield piece
        except ModelUnavailable:
            raise
        except Exception as error:
            # Whatever breaks in the provider's library means one thing: there is no whole reply.
            logger.warning("the model %s failed: %s", self.name, type(error).__name__)
            raise _failure(self.name, error) from error
        if not some:
            raise ModelUnavailable(f"the model {self.name} gave an empty reply", retry_after_s=RETRY_AFTER_S)

    async def _at_once(self, client: "AsyncOpenAI", messages: Messages) -> AsyncGenerator[str, None]:
        async with asyncio.timeout(self._deadline_s):
            answer: Any = await self._create(client, messages, stream=False)
        self._count(answer.usage)
        choice = answer.choices[0]
        if choice.finish_reason is None:
            raise self._broken_off()
        yield choice.message.content or ""

    async def _streamed(self, client: "AsyncOpenAI", messages: Messages) -> AsyncGenerator[str, None]:
        # The time limit is set anew for each piece: one around all would bind the stream to one task.
        async with asyncio.timeout(self._deadline_s):
            stream: Any = await self._create(client, messages, stream=True)
        finished = False
        async with stream:
            chunks = aiter(stream)
            while True:
                async with asyncio.timeout(self._deadline_s):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                self._count(chunk.usage)
                for choice in chunk.choices[:1]:
                    finished = finished or choice.finish_reason is not None
                    if choice.delta.content:
                        yield choice.delta.content
        # A stream that was cut ends like a whole one, but for the reason to finish.
        if not finished:
            raise self._broken_off()

    def _create(self, client: "AsyncOpenAI", messages: Messages, *, stream: bool) -> Awaitable[Any]:
        self.usage = Usage(calls=1)
        create: Callable[..., Awaitable[Any]] = client.chat.completions.create
        options = {"stream_options": {"include_usage": True}} if stream else {}
        return create(model=self._model, messages=list(messages), stream=stream, **options)

    def _count(self, told: Any) -> None:
        """Take in what the provider tells of the tokens, once it does."""
        if told is not None:
            usage = Usage(calls=1, input_tokens=told.prompt_tokens or 0, output_tokens=told.completion_tokens or 0)
            self.usage = self._priced(self.name, usage)

    def _broken_off(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"the model {self.name} broke off", retry_after_s=RETRY_AFTER_S, kind="connection_error"
        )

    @property
    def _model(self) -> str:
        return self.name.partition("/")[2]


def _failure(name: str, error: Exception) -> ModelUnavailable:
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return ModelUnavailable(f"the model {name} took too long", retry_after_s=RETRY_AFTER_S, kind="timeout")
    status = getattr(error, "status_code", None)
    if status is None:
        message = f"the model {name} broke off or can't be reached"
        return ModelUnavailable(message, retry_after_s=RETRY_AFTER_S, kind="connection_error")
    headers = getattr(getattr(error, "response", None), "headers", {})
    message = f"the model {name} answered {status}"
    return ModelUnavailable(message, retry_after_s=_retry_after_s(headers), kind=kind_of_status(status))


def _retry_after_s(headers: Any) -> int:
    try:
        return max(1, min(RETRY_AFTER_S_MAX, round(float(headers.get("retry-after", "")))))
    except ValueError:
        return RETRY_AFTER_S
