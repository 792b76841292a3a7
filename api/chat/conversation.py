"""One exchange of a conversation: the reply in the making, and both turns kept."""

import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import psycopg_pool

from api import ids
from api.chat import cache, citations
from api.chat.answers import answer
from api.chat.cache import Kept
from api.chat.extractive import MODEL, extractive_reply
from api.chat.markers import MarkerFilter
from api.chat.preparation import Heard, Message, Prepared
from api.chat.response_model import RETRY_AFTER_S
from api.http.calls import Call
from api.routes.facts import Answering, merged
from api.shapes import wire
from api.shapes.wire import Json
from memory.errors import Conflict, ModelUnavailable
from memory.events import ModelUsed, Reply
from memory.log import Writing
from memory.recorded import Origin
from memory.regions import region_of
from memory.remember import ExtractionStatus, Learnt, Remembered, Turn
from memory.values import Infer, Role, SourceKind
from projections import diffs, turns
from projections.traces import RESPONSE, Trace

logger = logging.getLogger(__name__)

CACHE = "cache"
# What a turn may have brought that makes an earlier reply doubtful; a mention does not.
LEARNT = ("attributes", "relations", "actions", "instructions", "uncertainties", "corrections")


@dataclass(frozen=True, slots=True)
class _Keeping:
    """Answers with what a turn changed; with the reply's, what the model took is recorded too."""

    replying: "Replying"
    reply_turn_id: UUID

    def __call__(self, writing: Writing, learnt: Learnt) -> Json:
        prepared = self.replying.prepared
        if prepared.model is not None and prepared.reused is None and learnt.turn_id == self.reply_turn_id:
            used = ModelUsed(purpose="response", model=prepared.model.name, usage=prepared.model.usage)
            origin = Origin(
                turn_id=learnt.turn_id,
                session_id=learnt.session_id,
                principal_id=prepared.caller.principal_id,
                scope_set_id=prepared.scope_set_id,
            )
            writing.record([used], origin)
        return Answering(prepared.caller)(writing, learnt)


class Replying:
    """One reply in the making. text, cited: what came so far. trace_id: of what will tell how it was made."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.trace_id = ids.new_id()
        self.text = ""
        self._markers = MarkerFilter(prepared.prompt.sources, suppressed=prepared.message.suppressed)

    @property
    def cited(self) -> Sequence[int]:
        reused = self.prepared.reused
        return list(reused.sources) if reused else self._markers.cited

    @property
    def model_name(self) -> str:
        return self.prepared.model.name if self.prepared.model else MODEL

    async def pieces(self, *, streamed: bool) -> AsyncGenerator[str, None]:
        """The reply piece by piece, its markers resolved. Raises ModelUnavailable if it does not come whole."""
        async with aclosing(self._raw(streamed=streamed)) as raw:
            async for piece in raw:
                if cleaned := self._markers.feed(piece):
                    self.text += cleaned
                    yield cleaned
        if rest := self._markers.finish():
            self.text += rest
            yield rest
        if not self.text:
            raise ModelUnavailable(f"the model {self.model_name} gave an empty reply", retry_after_s=RETRY_AFTER_S)

    def _raw(self, *, streamed: bool) -> AsyncGenerator[str, None]:
        prepared = self.prepared
        if prepared.reused is not None:
            return _at_once(prepared.reused.reply)
        if prepared.model is None:
            return _at_once(extractive_reply(prepared.message.text, prepared.prompt.sources))
        return prepared.model.pieces(prepared.prompt.messages, streamed=streamed)


async def _at_once(text: str) -> AsyncGenerator[str, None]:
    yield text


def hear(call: Call, message: Message) -> Heard:
    """Store and understand the user's turn before anything else. Raises as `Memory.remember` does."""
    caller = call.caller()
    turn = Turn(turn_id=ids.new_id(), text=message.text, labels=message.labels)
    remembered = call.services.memory.remember(
        caller,
        [turn],
        session_id=message.session_id,
        new_session_id=message.new_session_id,
        scopes=message.scopes,
        answer=Answering(caller),
    )
    with call.reading() as reader:
        seq = turns.by_ids(reader, [turn.turn_id])[turn.turn_id].seq
    return Heard(turn.turn_id, seq, remembered.answers[0])


def keep_pair(call: Call, replying: Replying) -> Json:
    """Store both turns in one transaction, then understand the user's. Returns the whole answer.

    If understanding fails, the pair stays and the updates say that they are pending.
    """
    prepared = replying.prepared
    message, caller = prepared.message, prepared.caller
    said = Turn(turn_id=ids.new_id(), text=message.text, labels=message.labels)
    reply = replace(_reply_turn(replying), infer=Infer.NONE)
    try:
        # Each answer is made as its turn is done: the reply's first, for there is nothing to understand.
        remembered = call.services.memory.remember(
            caller,
            [said, reply],
            session_id=message.session_id,
            new_session_id=message.new_session_id,
            scopes=message.scopes,
            request=message.request,
            answer=_Keeping(replying, reply.turn_id),
        )
    except Exception:
        updates, position = _pending(call, said.turn_id)
    else:
        _require_own(remembered, said)
        updates, position = remembered.answers[-1], remembered.position
    return _answer(call, replying, said.turn_id, reply.turn_id, updates, position)


def keep_reply(call: Call, replying: Replying, heard: Heard) -> Json:
    """Store and understand the reply to a turn that is stored already. Returns the whole answer, with what both
    turns changed."""
    message = replying.prepared.message
    reply = _reply_turn(replying)
    remembered = call.services.memory.remember(
        replying.prepared.caller,
        [reply],
        session_id=message.session_id,
        new_session_id=message.new_session_id,
        request=message.request,
        answered=heard.turn_id,
        answer=_Keeping(replying, reply.turn_id),
    )
    _require_own(remembered, reply)
    updates = merged([heard.updates, remembered.answers[0]])
    return _answer(call, replying, heard.turn_id, reply.turn_id, updates, remembered.position)


def _require_own(remembered: Remembered[Json], turn: Turn) -> None:
    """Raises Conflict if another request of the same key was answered while this one took longer than its lease."""
    if turn.turn_id not in remembered.turn_ids:
        raise Conflict("another request with this Idempotency-Key was answered meanwhile")


def _reply_turn(replying: Replying) -> Turn:
    sources = replying.prepared.prompt.sources
    return Turn(
        turn_id=ids.new_id(),
        text=replying.text,
        role=Role.ASSISTANT,
        labels=replying.prepared.message.labels,
        citations=citations.kept(replying.cited, sources),
        reply=Reply(
            model=replying.model_name,
            trace_id=replying.trace_id,
            is_reused=replying.prepared.reused is not None,
            scores=citations.scores(replying.cited, sources),
        ),
    )


def _pending(call: Call, turn_id: UUID) -> tuple[Json, int]:
    """What to say of a recorded turn whose understanding broke; raises what broke if it was not recorded."""
    with call.reading() as reader:
        row = turns.by_ids(reader, [turn_id]).get(turn_id)
        if row is None:
            raise
        logger.exception("turn %s is kept and not understood yet", turn_id)
        learnt = Learnt(turn_id, row.session_id, SourceKind.USER, ExtractionStatus.PENDING, [], row.position_from)
        return wire.extraction(learnt, diffs.turn_diff(reader, [])), row.position_from


def _answer(
    call: Call, replying: Replying, user_turn_id: UUID, reply_turn_id: UUID, updates: Json, position: int
) -> Json:
    prepared = replying.prepared
    session_id = prepared.message.session_id or prepared.message.new_session_id
    trace_id = replying.trace_id
    retrieved, reused = prepared.retrieved, prepared.reused
    cost = (prepared.model.usage.cost if prepared.model and not reused else None) or 0.0
    call.note.model, call.note.cost, call.note.trace_id = replying.model_name, cost, ids.ulid(trace_id)
    call.note.cached = reused is not None
    _keep_for_others(call, replying, trace_id, updates, position, (user_turn_id, reply_turn_id), session_id)
    call.services.traces.add(
        Trace(
            context_id=prepared.caller.context_id,
            id=trace_id,
            kind=RESPONSE,
            created_at=datetime.now(UTC),
            region=region_of(prepared.caller.grants),
            principal_id=prepared.caller.principal_id,
            session_id=session_id,
            query_text=None,
            tier=retrieved.tier if retrieved else CACHE,
            tier_reason=retrieved.reason if retrieved else "the same question was answered and nothing has changed",
            latency_ms=round(1000 * (time.monotonic() - prepared.began)),
            candidates=retrieved.candidates if retrieved else 0,
            retrievals=retrieved.passes if retrieved else (),
            cached=reused is not None,
            reused_from=reused.trace_id if reused else None,
            user_turn_id=user_turn_id,
            reply_turn_id=reply_turn_id,
            model=replying.model_name,
            cost=cost,
        )
    )
    return answer(
        reply=replying.text,
        updates=updates,
        cited=citations.shown(replying.cited, prepared.prompt.sources),
        session_id=session_id,
        trace_id=trace_id,
        turn_ids=(user_turn_id, reply_turn_id),
        model=replying.model_name,
        cached=reused is not None,
        position=position,
    )


def _keep_for_others(
    call: Call,
    replying: Replying,
    trace_id: UUID,
    updates: Json,
    position: int,
    turn_ids: Sequence[UUID],
    session_id: UUID,
) -> None:
    """Keep the reply in the cache, if another such question may have it. A failure costs nothing but the reuse."""
    prepared = replying.prepared
    place, reused = prepared.place, prepared.reused
    if place is None:
        return
    learnt = updates["status"] == ExtractionStatus.PENDING or any(updates[name] for name in LEARNT)
    kept = Kept(trace_id, replying.text, {one: prepared.prompt.sources[one] for one in replying.cited}, trace_id)
    try:
        with call.services.pool.connection() as connection:
            if reused is None and not learnt:
                now = datetime.now(UTC)
                cache.keep(
                    connection, place, kept, position=position, turn_ids=turn_ids, session_id=session_id, now=now
                )
            elif reused is not None and not learnt:
                cache.move(connection, place, reused, position=position, turn_ids=turn_ids, session_id=session_id)
    except (psycopg.Error, psycopg_pool.PoolTimeout) as error:
        logger.warning("a reply is not cached: %s", type(error).__name__)
