"""What is known before a reply: the window, an earlier reply or what memory brings, and the prompt."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from api.chat import cache
from api.chat.cache import Kept, Place
from api.chat.prompt import Prompt, prompt_of
from api.chat.response_model import ResponseModel
from api.chat.sources import sources_of
from api.chat.window import TURNS_MAX, Window, window_of
from api.http.calls import Call
from api.shapes.wire import Json
from memory.errors import Forbidden, SessionClosedAlready, SessionUnavailable
from memory.idempotency import RequestKey
from memory.principals import Caller
from memory.scopes import ScopeSet
from memory.scopes import scope_set_id as scope_set_id_of
from projections import documents, sessions, turns
from projections.reading import Reader
from projections.retrieval.wanted import Retrieved, Wanted

HITS_MAX = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a caller says. session_id: None opens one, with the id new_session_id, in `scopes` or the caller's
    write scopes. model: that the request names. suppressed: no citation markers in the reply. cached: an
    earlier reply may be given again. request: the reserved key of the request, if it has one."""

    text: str
    session_id: UUID | None
    new_session_id: UUID
    scopes: ScopeSet | None = None
    labels: tuple[str, ...] = ()
    model: str | None = None
    suppressed: bool = False
    cached: bool = True
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """All that a reply needs. scope_set_id: of the session. place: where the reply may be kept, or was: then
    `reused` is that reply, and nothing was retrieved. began: by the monotonic clock, in seconds."""

    caller: Caller
    message: Message
    scope_set_id: UUID
    retrieved: Retrieved | None
    prompt: Prompt
    model: ResponseModel | None
    place: Place | None
    reused: Kept | None
    began: float


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
    model = call.services.chat.responders.chosen(call.context_id, message.model)
    place, reused = None, None
    # Before a reader is open: an embedder may take its time.
    cacheable = message.cached and call.services.chat.caching and model is not None
    vector = call.services.embedder.question(message.text, call.context_id)[0] if cacheable else None
    window = Window()
    with call.reading_as() as (caller, reader):
        scope_set_id = _writable(reader, caller, message)
        if message.session_id is not None:
            before_seq = heard.seq if heard else None
            window = window_of(turns.spoken_last(reader, message.session_id, limit=TURNS_MAX, before_seq=before_seq))
        # What was said before bears on the reply, and the cache knows nothing of it.
        if vector is not None and model is not None and not window:
            manner = f"{model.name} {message.suppressed}"
            place = cache.place_of(
                reader, caller, message.text, session_id=message.session_id, vector=vector, manner=manner
            )
            reused = cache.find(reader, place)
    prepared = partial(
        Prepared, caller=caller, message=message, scope_set_id=scope_set_id, model=model, place=place, began=began
    )
    if reused is not None:
        prompt = Prompt("", "", reused.sources)
        return prepared(retrieved=None, prompt=prompt, reused=reused)
    retrieved = call.services.recall.retrieve(
        call.context_id,
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
    return prepared(retrieved=retrieved, prompt=prompt, reused=None)


def _lengths(call: Call, retrieved: Retrieved) -> dict[UUID, int]:
    """How long the documents are that something came from."""
    wanted = {one.document_id for one in (*retrieved.hits, *retrieved.beside) if one.document_id}
    if not wanted:
        return {}
    with call.reading() as reader:
        return documents.lengths(reader, list(wanted))


def _writable(reader: Reader, caller: Caller, message: Message) -> UUID:
    """The scope set of the session that the turns go to. A reply that can't be stored is not worth a model's time."""
    if message.session_id is None:
        scopes = message.scopes or caller.write_scopes
        if not scopes:
            raise Forbidden("the key's grants do not cover memory:write anywhere")
        caller.require("memory:write", scopes)
        return scope_set_id_of(scopes)
    session = sessions.one(reader, message.session_id)
    if session is None or session.scope_set_id not in caller.writable:
        raise SessionUnavailable()
    if session.closed_at is not None:
        raise SessionClosedAlready()
    return session.scope_set_id
