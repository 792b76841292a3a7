"""One exchange of a conversation: what is known before the model is asked, the reply, and both turns kept."""

import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from api import ids, wire
from api.calls import Call
from api.chat import citations
from api.chat.extractive import MODEL, extractive_reply
from api.chat.markers import MarkerFilter
from api.chat.prompt import Prompt, prompt_of
from api.chat.response_model import RETRY_AFTER_S, ResponseModel
from api.chat.sources import sources_of
from api.chat.window import TURNS_MAX, Window, window_of
from api.routes.facts import Answering, merged
from api.wire import Json
from memory.errors import ModelUnavailable, SessionClosedAlready, SessionUnavailable
from memory.events import ModelUsed
from memory.log import Writing
from memory.principals import Caller
from memory.recorded import Origin
from memory.regions import region_of
from memory.remember import ExtractionStatus, Learnt, Turn
from memory.scopes import ScopeSet
from memory.scopes import scope_set_id as scope_set_id_of
from memory.values import Infer, Role, SourceKind
from projections import diffs, passages, sessions, turns
from projections.reading import Reader
from projections.retrieval.wanted import Retrieved, Wanted
from projections.traces import RESPONSE, Trace

logger = logging.getLogger(__name__)

HITS_MAX = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a caller says. session_id: None opens one, with the id new_session_id, in `scopes` or the caller's
    write scopes. model: that the request names. suppressed: no citation markers in the reply."""

    text: str
    session_id: UUID | None
    new_session_id: UUID
    scopes: ScopeSet | None = None
    labels: tuple[str, ...] = ()
    model: str | None = None
    suppressed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """All that a reply needs. scope_set_id: of the session. began: by the monotonic clock, in seconds."""

    caller: Caller
    message: Message
    scope_set_id: UUID
    window: Window
    retrieved: Retrieved
    prompt: Prompt
    model: ResponseModel | None
    began: float


@dataclass(frozen=True, slots=True)
class _Keeping:
    """Answers with what a turn changed; with the reply's, what the model took is recorded too."""

    replying: "Replying"
    reply_turn_id: UUID

    def __call__(self, writing: Writing, learnt: Learnt) -> Json:
        prepared = self.replying.prepared
        if prepared.model is not None and learnt.turn_id == self.reply_turn_id:
            used = ModelUsed(purpose="response", model=prepared.model.name, usage=prepared.model.usage)
            origin = Origin(
                turn_id=learnt.turn_id,
                session_id=learnt.session_id,
                principal_id=prepared.caller.principal_id,
                scope_set_id=prepared.scope_set_id,
            )
            writing.record([used], origin)
        return Answering(prepared.caller)(writing, learnt)


@dataclass(frozen=True, slots=True)
class Heard:
    """A user turn that was stored before the reply. updates: what it changed."""

    turn_id: UUID
    seq: int
    updates: Json


def prepare(call: Call, message: Message, *, heard: Heard | None = None) -> Prepared:
    """Everything before the model is asked; writes nothing. heard: the message's turn, if it is stored already.

    Raises SessionUnavailable, SessionClosedAlready or Forbidden as the later write would, InvalidRequest for
    a model that is not allowed.
    """
    began = time.monotonic()
    window = Window()
    with call.reading_as() as (caller, reader):
        model = call.services.chat.responders.chosen(caller.context_id, message.model)
        scope_set_id = _writable(reader, caller, message)
        if message.session_id is not None:
            before_seq = heard.seq if heard else None
            window = window_of(turns.spoken_last(reader, message.session_id, limit=TURNS_MAX, before_seq=before_seq))
    retrieved = call.services.recall.retrieve(
        call.reading_as,
        Wanted(
            text=message.text,
            k=HITS_MAX,
            session_id=message.session_id,
            without_turns=window.whole | ({heard.turn_id} if heard else set()),
            background=True,
            source="chat",
        ),
    )
    now = datetime.now(UTC)
    prompt = prompt_of(
        message.text,
        sources=sources_of(retrieved, now=now, lengths=_lengths(call, retrieved)),
        instructions=[one.description for one in retrieved.background.instructions],
        window=window,
        today=now,
        characters=call.services.chat.prompt_characters,
    )
    return Prepared(
        caller=caller,
        message=message,
        scope_set_id=scope_set_id,
        window=window,
        retrieved=retrieved,
        prompt=prompt,
        model=model,
        began=began,
    )


def _lengths(call: Call, retrieved: Retrieved) -> dict[UUID, int]:
    """How long the documents are that something came from."""
    documents = {one.document_id for one in (*retrieved.hits, *retrieved.beside) if one.document_id}
    if not documents:
        return {}
    with call.reading() as reader:
        return passages.document_lengths(reader, list(documents))


def _writable(reader: Reader, caller: Caller, message: Message) -> UUID:
    """The scope set of the session that the turns go to. A reply that can't be stored is not worth a model's time."""
    if message.session_id is None:
        scopes = message.scopes or caller.write_scopes
        caller.require("memory:write", scopes)
        return scope_set_id_of(scopes)
    session = sessions.one(reader, message.session_id)
    if session is None or session.scope_set_id not in caller.writable:
        raise SessionUnavailable()
    if session.closed_at is not None:
        raise SessionClosedAlready()
    return session.scope_set_id


class Replying:
    """One reply in the making. text, cited: what came so far."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.text = ""
        self._markers = MarkerFilter(prepared.prompt.sources, suppressed=prepared.message.suppressed)

    @property
    def cited(self) -> Sequence[int]:
        return self._markers.cited

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
            answer=_Keeping(replying, reply.turn_id),
        )
    except Exception:
        updates, position = _pending(call, said.turn_id)
    else:
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
        answer=_Keeping(replying, reply.turn_id),
    )
    updates = merged([heard.updates, remembered.answers[0]])
    return _answer(call, replying, heard.turn_id, reply.turn_id, updates, remembered.position)


def _reply_turn(replying: Replying) -> Turn:
    return Turn(
        turn_id=ids.new_id(),
        text=replying.text,
        role=Role.ASSISTANT,
        labels=replying.prepared.message.labels,
        citations=citations.kept(replying.cited, replying.prepared.prompt.sources),
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
    trace_id = ids.new_id()
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
            tier=prepared.retrieved.tier,
            tier_reason=prepared.retrieved.reason,
            latency_ms=round(1000 * (time.monotonic() - prepared.began)),
            candidates=prepared.retrieved.candidates,
            retrievals=prepared.retrieved.passes,
            user_turn_id=user_turn_id,
            reply_turn_id=reply_turn_id,
            model=replying.model_name,
            cost=(prepared.model.usage.cost if prepared.model else None) or 0.0,
        )
    )
    return {
        "reply": replying.text,
        "memoryUpdates": updates,
        "memory_updates": updates,
        "citations": citations.shown(replying.cited, prepared.prompt.sources),
        "sessionId": ids.ulid(session_id),
        "traceId": ids.ulid(trace_id),
        "turnId": ids.ulid(user_turn_id),
        "replyTurnId": ids.ulid(reply_turn_id),
        "model": replying.model_name,
        "position": position,
    }
