"""Asking a model through instructor: at most two tries, every failure named, every token counted.

Calls run on one event loop in a thread of its own, so that many turns wait without a thread each for I/O
and a deadline really ends a call.
"""

import asyncio
import json
import logging
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memory.errors import ExtractorUnavailable
from memory.usage import Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T")
M = TypeVar("M", bound="BaseModel")

logger = logging.getLogger(__name__)

TRIES_MAX = 2
PAUSE_S = 0.3
# A provider that asks to wait longer than this is waited for in the background, not by the caller.
WAIT_MAX_S = 2.0
CONNECT_TIMEOUT_S = 5.0
NO_KEY = "none"
# From the strictest way to get JSON to the one that any model can follow.
MODES = ("JSON_SCHEMA", "TOOLS", "MD_JSON")


class ModelLoop:
    """One event loop in a daemon thread, started at the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, from any other thread."""
        return asyncio.run_coroutine_threadsafe(work, self._started()).result()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=loop.run_forever, name="models", daemon=True)
                self._thread.start()
                self._loop = loop
            return self._loop

    def close(self) -> None:
        """End all calls. The loop may be used again afterwards."""
        with self._lock:
            loop, self._loop = self._loop, None
            thread = self._thread
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _cancel_all() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model is. compatible: it is asked in OpenAI's way, at base_url or OpenAI's own address."""

    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    compatible: bool = True


@dataclass(slots=True)
class _Failure(Exception):
    """Why a try failed. again: another may help at once."""

    kind: str
    retryable: bool = True
    again: bool = True
    wait_s: float | None = None


def kind_of_status(status: int) -> str:
    """The kind of failure that a status of HTTP amounts to."""
    if status in (401, 403):
        return "unauthorized"
    if status == 408 or status >= 500:
        return "server_error"
    return {404: "model_not_found", 429: "rate_limited"}.get(status, "bad_request")


class Asker:
    """Asks one model. Learns what its provider does not take: a way of asking, or a parameter.

    failing: why the last question got no answer, None if it got one or none was asked yet. timeout_s: for one try.
    tokens_max: of an answer; the second try after a cut-off one may take twice as many.
    """

    def __init__(self, address: Address, *, timeout_s: float, tokens_max: int, pause_s: float = PAUSE_S) -> None:
        self.address = address
        self.name = f"{address.provider}/{address.model}"
        self.failing: str | None = None
        self._timeout_s = timeout_s
        self._tokens_max = tokens_max
        self._pause_s = pause_s
        self._mode = 0
        own = address.provider == "openai" and address.base_url is None
        self._tokens_name = "max_completion_tokens" if own else "max_tokens"
        self._temperature: dict[str, float] = {"temperature": 0.0}

    async def ask(self, messages: list[dict[str, str]], answer: type[M]) -> tuple[M, Usage]:
        """The model's answer and what it took. Raises ExtractorUnavailable with what the tries took."""
        counted = _Counted()
        tokens_max = self._tokens_max
        for attempt in range(1, TRIES_MAX + 1):
            try:
                answered = await self._tried(messages, answer, tokens_max, counted)
                self.failing = None
                return answered, counted.usage
            except _Failure as failure:
                wait_s = failure.wait_s or self._pause_s
                if attempt == TRIES_MAX or not failure.again or wait_s > WAIT_MAX_S:
                    logger.warning("%s failed: %s", self.name, failure.kind)
                    self.failing = failure.kind
                    raise ExtractorUnavailable(
                        kind=failure.kind,
                        retryable=failure.retryable,
                        wait_s=failure.wait_s,
                        model=self.name,
                        usage=counted.usage,
                    ) from None
                if failure.kind == "truncated":
                    tokens_max *= 2
                await asyncio.sleep(wait_s)
        raise AssertionError("the last try returns or raises")

    def load(self) -> None:
        """Import the libraries; the first question does it otherwise."""
        import memory.extraction.model.reading  # noqa: F401
        from memory.extraction.model.answer import Extracted

        self._prepared(Extracted)
        if self.address.compatible:
            self._client(MODES[self._mode])

    async def close(self) -> None:
        """Close the connections."""
        clients = [client for client in self._clients.values() if hasattr(client.client, "close")]
        self._clients.clear()
        for client in clients:
            await client.client.close()

    async def _tried(self, messages: list[dict[str, str]], answer: type[M], tokens_max: int, counted: "_Counted") -> M:
        client = self._client(MODES[self._mode])
        counted.calls += 1
        parameters: dict[str, Any] = {self._tokens_name: tokens_max, **self._temperature}
        try:
            return await asyncio.wait_for(
                client.chat.completions.create(
                    messages=[dict(message) for message in messages],
                    response_model=self._prepared(answer),
                    max_retries=0,
                    strict=False,
                    hooks=counted.hooks,
                    **parameters,
                ),
                self._timeout_s,
            )
        except TimeoutError:
            raise _Failure("timeout", again=False) from None
        except Exception as error:
            failure = self._failure(error)
            unwrapped = _unwrapped(counted.said, answer) if failure.kind == "invalid_answer" else None
            if unwrapped is None:
                raise failure from error
            return unwrapped

    def _failure(self, error: Exception) -> _Failure:
        """The failure that an exception of instructor, openai or another provider's library amounts to."""
        chain = list(_chain(error))
        names = {type(one).__name__ for one in chain}
        if "IncompleteOutputException" in names or "LengthFinishReasonError" in names:
            return _Failure("truncated")
        status = next((one.status_code for one in chain if isinstance(getattr(one, "status_code", None), int)), None)
        if status is not None:
            return self._of_status(status, chain)
        if any("Timeout" in name for name in names):
            return _Failure("timeout", again=False)
        if any(
            name.startswith(("API", "Connect", "RemoteProtocol", "ReadError", "WriteError", "Network"))
            for name in names
        ):
            return _Failure("connection_error")
        if names & {"ConfigurationError", "ImportError", "ModuleNotFoundError"}:
            logger.error("%s can't be asked: %s", self.name, error)
            return _Failure("not_available", retryable=False, again=False)
        return _Failure("invalid_answer")

    def _of_status(self, status: int, chain: list[BaseException]) -> _Failure:
        wait_s = next((wait for one in chain if (wait := _retry_after_s(one)) is not None), None)
        kind = kind_of_status(status)
        if kind in ("unauthorized", "model_not_found"):
            return _Failure(kind, retryable=False, again=False)
        if kind in ("rate_limited", "server_error"):
            return _Failure(kind, wait_s=wait_s)
        adapted = self._adapted(" ".join(str(one) for one in chain).lower())
        return _Failure(kind, retryable=adapted, again=adapted)

    def _adapted(self, complaint: str) -> bool:
        """Ask in another way from now on, if that is what a refusal is about. Returns whether anything changed."""
        if "context_length" in complaint or "context length" in complaint:
            return False
        if "temperature" in complaint and self._temperature:
            self._temperature = {}
        elif "max_completion_tokens" in complaint and self._tokens_name == "max_tokens":
            self._tokens_name = "max_completion_tokens"
        elif "max_completion_tokens" in complaint or "max_tokens" in complaint:
            self._tokens_name = "max_tokens"
        elif self._mode < len(MODES) - 1:
            self._mode += 1
            logger.info("%s does not take %s, asking by %s", self.name, MODES[self._mode - 1], MODES[self._mode])
        else:
            return False
        return True

    def _prepared(self, answer: type[M]) -> type[M]:
        """Other libraries than openai's may ask a type for its fields."""
        return _in_short(answer) if self.address.compatible else _prepared(answer)

    def _client(self, mode: str) -> Any:
        client = self._clients.get(mode)
        if client is None:
            client = self._clients[mode] = self._made(mode)
        return client

    @cached_property
    def _clients(self) -> dict[str, Any]:
        return {}

    def _made(self, mode: str) -> Any:
        import instructor

        # It logs every failure as an error, with the answer that did not fit: other people's words.
        logging.getLogger("instructor").setLevel(logging.CRITICAL)
        address = self.address
        if not address.compatible:
            return instructor.from_provider(self.name, async_client=True, api_key=address.api_key)
        return instructor.from_provider(
            f"openai/{address.model}",
            async_client=True,
            mode=instructor.Mode[mode],
            base_url=address.base_url,
            api_key=address.api_key or NO_KEY,
            max_retries=0,
            timeout=_timeout(self._timeout_s),
        )


def _unwrapped(said: str, answer: type[M]) -> M | None:
    """The answer within prose and fences, if there is one: "Here is the JSON: ```json {...} ```"."""
    begin = said.find("{")
    if begin < 0:
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(said, begin)
        return answer.model_validate_json(said[begin:end])
    except (ValueError, RecursionError):  # of JSON and of pydantic
        return None


@cache
def _prepared(answer: type[M]) -> type[M]:
    """The answer's type as instructor wants it: else it makes another class of it at every question."""
    from instructor import response_schema

    return response_schema(answer)


@cache
def _in_short(answer: type[M]) -> type[M]:
    """A type with the schema of `answer`, whose values are `answer`'s, but without its fields: instructor looks
    through all types within a type again and again, which takes a millisecond a question."""
    from pydantic import BaseModel, model_validator

    class Short(BaseModel):
        @classmethod
        def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
            return answer.model_json_schema(*arguments, **options)

        @model_validator(mode="wrap")
        @classmethod
        def _read(cls, content: Any, _: Any) -> Any:
            return answer.model_validate(content)

    Short.__name__ = answer.__name__
    Short.__doc__ = answer.__doc__
    return cast("type[M]", _prepared(Short))


def _timeout(timeout_s: float) -> Any:
    import openai

    return openai.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s))


class _Counted:
    """What the tries of one question took. said: the text of the last answer."""

    def __init__(self) -> None:
        self.calls = self.input_tokens = self.output_tokens = 0
        self.said = ""

    @property
    def usage(self) -> Usage:
        return Usage(calls=self.calls, input_tokens=self.input_tokens, output_tokens=self.output_tokens)

    @cached_property
    def hooks(self) -> Any:
        from instructor.core.hooks import Hooks

        hooks = Hooks()
        hooks.on("completion:response", self._response)
        return hooks

    def _response(self, response: Any) -> None:
        choices = getattr(response, "choices", None)
        content = choices[0].message.content if choices else None
        self.said = content if isinstance(content, str) else ""
        usage = getattr(response, "usage", None)
        if usage is None:
            return
        self.input_tokens += _count(usage, "prompt_tokens", "input_tokens")
        self.output_tokens += _count(usage, "completion_tokens", "output_tokens")


def _count(usage: Any, *names: str) -> int:
    for name in names:
        count = getattr(usage, name, None)
        if isinstance(count, int) and count >= 0:
            return count
    return 0


def _chain(error: BaseException | None) -> Any:
    """The error and what it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _retry_after_s(error: BaseException) -> float | None:
    """Seconds that an answer asks to wait, from its Retry-After (a number of seconds or a date)."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    text = headers.get("retry-after") if headers is not None else None
    if not text:
        return None
    try:
        return max(float(text), 0.0)
    except ValueError:
        return _until_s(text)


def _until_s(text: str) -> float | None:
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        return max((parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None
