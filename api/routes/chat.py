"""POST /chat and the older POST /sessions/{id}/chat: the whole conversation loop, at once or streamed."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from functools import partial
from typing import Any, TypeVar

import psycopg
import psycopg_pool
from starlette.responses import Response

from api import ids
from api.chat import conversation
from api.chat.conversation import Replying
from api.chat.preparation import Heard, Message, prepare
from api.chat.repeats import Course, once
from api.http.calls import Call
from api.http.exchanges import Exchange, answer, event_stream
from api.http.problems import TYPE_PREFIX, problem
from api.routes.facts import session_ids
from api.shapes.schemas import ChatBody, SessionChatBody
from api.shapes.wire import Json
from memory.errors import InvalidRequest, ModelUnavailable, PalimpsestError, Unavailable

B = TypeVar("B", ChatBody, SessionChatBody)

EVENT_STREAM = "text/event-stream"


class ReplyMissing(ModelUnavailable):
    """The words are stored, but the language model could not answer"""

    def __init__(self, error: ModelUnavailable, heard: Heard) -> None:
        super().__init__(error.detail, retry_after_s=error.retry_after_s)
        self.more = {
            "turnId": ids.ulid(heard.turn_id),
            "memory_updates": heard.updates,
            "memoryUpdates": heard.updates,
        }


async def chat(exchange: Exchange) -> Response:
    """Nothing is stored before the reply is complete; then both turns are, and the user's is understood."""
    body, message = await _asked(exchange, _message)
    course = partial(_newer, exchange, streamed=_streamed(exchange, body))
    return await _answered(exchange, once(exchange, "chat", message, course), body)


async def chat_in_session(exchange: Exchange) -> Response:
    """The user's turn is stored and understood first, then the reply is too."""
    body, message = await _asked(exchange, _message_in_session)
    course = partial(_older, exchange, streamed=_streamed(exchange, body))
    return await _answered(exchange, once(exchange, f"chat {message.session_id}", message, course), body)


async def _asked(exchange: Exchange, read: Callable[[Call], tuple[B, Message]]) -> tuple[B, Message]:
    """What the request asks for. Whatever is wrong with it, a caller without a key only learns that."""
    try:
        return read(exchange.call)
    except PalimpsestError:
        await exchange.read(exchange.call.caller)
        raise


def _message(call: Call) -> tuple[ChatBody, Message]:
    body = call.parsed(ChatBody)
    session_id, new_session_id = session_ids(body.session_id)
    return body, Message(
        text=_words(body.message, "message"),
        session_id=session_id,
        new_session_id=new_session_id,
        scopes=body.scopes,
        labels=tuple(body.labels),
        model=body.model,
        suppressed=body.suppress_markers,
        cached=not body.bypass_cache,
    )


def _message_in_session(call: Call) -> tuple[SessionChatBody, Message]:
    body = call.parsed(SessionChatBody)
    session_id, new_session_id = session_ids(call.path["session_id"])
    return body, Message(
        text=_words(body.content, "content"),
        session_id=session_id,
        new_session_id=new_session_id,
        labels=tuple(body.labels),
        model=body.model,
        suppressed=body.suppress_markers,
        cached=not body.bypass_cache,
    )


async def _newer(exchange: Exchange, message: Message, *, streamed: bool) -> Course:
    call = exchange.call
    async with _between_pairs(exchange, message):
        replying = Replying(await exchange.read(partial(prepare, call, message)))
    async with aclosing(replying.pieces(streamed=streamed)) as pieces:
        async for piece in pieces:
            yield piece
    async with _between_pairs(exchange, message):
        content = await exchange.write(partial(conversation.keep_pair, call, replying))
    yield content


def _between_pairs(exchange: Exchange, message: Message) -> AbstractAsyncContextManager[None]:
    """While the older route has stored a question and not yet its reply, nothing else is read or said there."""
    if message.session_id is None:
        return nullcontext()
    return exchange.call.services.chat.locks.holding(exchange.call.context_id, message.session_id)


async def _older(exchange: Exchange, message: Message, *, streamed: bool) -> Course:
    call = exchange.call
    async with _between_pairs(exchange, message):
        # A model that may not be asked must not leave half a conversation.
        await exchange.read(partial(call.services.chat.responders.chosen, call.context_id, message.model))
        heard = await exchange.write(partial(conversation.hear, call, message))
        replying = Replying(await exchange.read(partial(prepare, call, message, heard=heard)))
        try:
            async with aclosing(replying.pieces(streamed=streamed)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelUnavailable as error:
            raise ReplyMissing(error, heard) from error
        yield await exchange.write(partial(conversation.keep_reply, call, replying, heard))


async def _answered(exchange: Exchange, course: Course, body: ChatBody | SessionChatBody) -> Response:
    try:
        if not _streamed(exchange, body):
            return answer(200, await exchange.unless_gone(_last(course)))
        # Until the first words are there, a failure is an HTTP error like any other.
        first = await exchange.unless_gone(anext(course))
    except ReplyMissing as error:
        return problem(error, error.more)
    except InvalidRequest:
        await exchange.read(exchange.call.caller)  # a caller without a key only learns that
        raise
    return event_stream(_frames(first, course))


async def _last(course: Course) -> Json:
    async with aclosing(course):
        async for part in course:
            if isinstance(part, dict):
                return part
    raise AssertionError("a course ends with the answer")


async def _frames(first: str | Json, course: Course) -> AsyncGenerator[tuple[str | None, Json], None]:
    """The frames that the vendor's clients read: deltas, then one that is done."""
    async with aclosing(course):
        try:
            yield _frame(first)
            async for part in course:
                yield _frame(part)
        except PalimpsestError as error:
            yield "error", {"error": _told(error)}
        except (psycopg.Error, psycopg_pool.PoolTimeout):
            yield "error", {"error": _told(Unavailable("the database can't answer right now"))}


def _frame(part: str | Json) -> tuple[str | None, Json]:
    return (None, {"delta": part}) if isinstance(part, str) else ("done", {"done": True, **part})


def _told(error: PalimpsestError) -> Json:
    told: dict[str, Any] = {
        "message": error.detail,
        "type": TYPE_PREFIX + error.slug,
        "title": error.title,
        "status": error.status,
    }
    if isinstance(error, Unavailable):
        told["retryAfter"] = error.retry_after_s
    return {**told, **(error.more if isinstance(error, ReplyMissing) else {})}


def _streamed(exchange: Exchange, body: ChatBody | SessionChatBody) -> bool:
    return body.stream or EVENT_STREAM in exchange.call.headers.get("accept", "")


def _words(text: str, field: str) -> str:
    if not text.strip():
        raise InvalidRequest(f"{field}: must not be blank")
    return text
