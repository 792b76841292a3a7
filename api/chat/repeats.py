"""Chats that are sent again with their Idempotency-Key: reserved before a model is asked, answered from the log.

No answer is stored. The turns are rebuilt as they are now, so a repeated request sees how far the extraction is.
"""

import logging
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from uuid import UUID

import psycopg
import psycopg_pool

from api import ids
from api.chat import citations
from api.chat.answers import answer
from api.chat.markers import number_of
from api.chat.preparation import Message
from api.chat.sources import Reason, Source, recalled
from api.http.calls import Call
from api.http.exchanges import Exchange
from api.http.repeats import request_key
from api.routes.facts import merged
from api.shapes import wire
from api.shapes.wire import Json
from memory import idempotency
from memory.errors import Conflict, PalimpsestError
from memory.events import Reply, TurnRecorded
from memory.idempotency import Done, RequestKey
from memory.values import Infer
from projections import diffs, documents, entities, passages, turns
from projections.passages import passage_id
from projections.reading import Reader
from projections.retrieval import facts, found
from projections.turns import TurnRow

logger = logging.getLogger(__name__)

# The pieces of a reply as they come, then the whole answer.
Course = AsyncGenerator[str | Json, None]


async def once(exchange: Exchange, operation: str, message: Message, course: Callable[[Message], Course]) -> Course:
    """What `course` makes of the message, or what the first request with its Idempotency-Key came to.

    A course that does not come to its end frees the key, also when the client hangs up. Raises Conflict as
    `memory.idempotency.find` does, before the first piece.
    """
    reservation = _Reservation(exchange.call, operation)
    try:
        reserved = await exchange.write(reservation.take)
        if isinstance(reserved, Done):
            reply, content = await exchange.read(lambda: _answered_before(exchange.call, reserved))
            yield reply
            yield content
            return
        async with aclosing(course(replace(message, request=reserved))) as parts:
            async for part in parts:
                yield part
    except BaseException:
        await exchange.write(reservation.free)
        raise


class _Reservation:
    """The key of one request, while a model is asked. It may be given up while it is still being taken."""

    def __init__(self, call: Call, operation: str) -> None:
        self._call = call
        self._operation = operation
        self._lock = threading.Lock()
        self._request: RequestKey | None = None
        self._is_over = False

    def take(self) -> Done | RequestKey | None:
        """What was done before, or the key as this request's own; None for a request without one."""
        if not self._call.headers.get("idempotency-key"):
            return None
        caller = self._call.caller()
        request = request_key(self._call, caller, self._operation)
        assert request is not None
        with self._lock:
            if self._is_over:
                return None
            with self._call.services.log.writing(caller.context_id) as writing:
                reserved = idempotency.reserve(writing, request)
            if isinstance(reserved, RequestKey):
                self._request = reserved
            return reserved

    def free(self) -> None:
        """Never fails: a key that can't be freed now is free once its lease is over."""
        with self._lock:
            self._is_over = True
            if self._request is None:
                return
            try:
                with self._call.services.log.writing(self._call.context_id) as writing:
                    idempotency.release(writing, self._request)
            except (psycopg.Error, psycopg_pool.PoolTimeout, PalimpsestError) as error:
                logger.warning("an Idempotency-Key stays reserved: %s", type(error).__name__)


def _answered_before(call: Call, done: Done) -> tuple[str, Json]:
    """The reply and the whole answer as the log has them now. Raises Conflict if they can't be seen any more."""
    said_id, reply_id = done.turn_ids
    memory = call.services.memory
    with call.reading_as() as (caller, reader):
        rows = turns.by_ids(reader, [said_id, reply_id])
        if len(rows) < len(done.turn_ids):
            raise Conflict("the turns of this Idempotency-Key are out of reach")
        updates = []
        for row in (rows[said_id], rows[reply_id]):
            if row.infer == Infer.FULL:
                learnt = memory.learning.before(reader.cursor, reader.context_id, row.id)
                shown = [one for one in learnt.recorded if one.origin.scope_set_id in caller.visible]
                updates.append(wire.extraction(learnt, diffs.turn_diff(reader, shown)))
        row = rows[reply_id]
        reply = _reply_of(call, reader, row)
        sources = _sources(reader, row, reply)
        position = memory.log.head(reader.cursor.connection, reader.context_id)
    changed = merged(updates) if len(updates) > 1 else updates[0]
    return row.text, answer(
        reply=row.text,
        updates=changed,
        cited=citations.shown(list(sources), sources),
        session_id=row.session_id,
        trace_id=reply.trace_id,
        turn_ids=(said_id, reply_id),
        model=reply.model,
        cached=reply.is_reused,
        position=position,
    )


def _reply_of(call: Call, reader: Reader, row: TurnRow) -> Reply:
    (recorded,) = call.services.log.at(reader.cursor, reader.context_id, [row.position_from])
    assert isinstance(recorded.event, TurnRecorded) and recorded.event.reply, "replies are recorded with their making"
    return recorded.event.reply


def _sources(reader: Reader, row: TurnRow, reply: Reply) -> dict[int, Source]:
    """What the reply cites, by the numbers of its markers, as it is now; what is gone is left out."""
    cited = row.cited
    of_kind = {kind: [one.id for one in cited if one.kind == kind] for kind in ("chunk", "action")}
    chunks = {one.passage_id: one for one in found.of_passages(reader, of_kind["chunk"])}
    lengths = documents.lengths(reader, [one.document_id for one in chunks.values() if one.document_id])
    known = facts.by_ids(reader, [one.id for one in cited if one.kind in ("attribute", "relation")])
    actions = {action_id: _action(reader, action_id) for action_id in of_kind["action"]}
    sources: dict[int, Source] = {}
    for one, score in zip(cited, reply.scores, strict=True):
        source = actions.get(one.id)
        if fact := known.get(one.id):
            source = recalled(found.of_fact(fact, score=score), Reason.HIT, lengths)
        elif chunk := chunks.get(one.id):
            source = recalled(chunk, Reason.HIT, lengths)
        if source is not None:
            sources[number_of(one.marker)] = replace(source, score=score)
    return sources


def _action(reader: Reader, action_id: UUID) -> Source | None:
    row = passages.one(reader, passage_id(action_id, 0))
    if row is None:
        return None
    names = {one: entity.name for one, entity in entities.by_ids(reader, row.entity_ids).items()}
    text = passages.sentence(row.kind, row.text, row.entity_ids, names)
    return Source(ids.row("action", action_id), "action", text, 0.0, action_id, occurred_at=row.said_at)
