"""POST /context and /sessions/{id}/context: what memory holds for a question, as text for a prompt."""

from functools import partial
from typing import Any

from api import ids
from api.chat.window import TURNS_MAX, window_of
from api.http.calls import Call
from api.routes.queries import narrowing
from api.shapes.instants import Asked
from api.shapes.question_schemas import ContextBody, SessionContextBody
from api.shapes.refs import entity_name
from memory.errors import NotFound
from memory.values import name_key
from projections import entities, sessions, turns
from projections.retrieval.context_block import Budget, context_block
from projections.retrieval.wanted import Wanted


def query_context(call: Call) -> tuple[int, dict[str, Any]]:
    body = call.parsed(ContextBody)
    asked = call.asked()
    call.caller()  # nobody without a key asks the embedding model
    text = body.query
    if body.subject:
        text = f"{_subject(call, asked, body)}: {text}"
    wanted = Wanted(text=text, background=True, source="context", **narrowing(body))
    retrieved = call.services.recall.retrieve(call.context_id, partial(call.reading_as, asked, lens=body.lens), wanted)
    block = context_block(retrieved, Budget(body.max_chars, body.max_tokens))
    return 200, {
        "context": block,
        "tier": retrieved.tier,
        "queryMs": retrieved.latency_ms,
        "traceId": ids.ulid(retrieved.trace_id),
    }


def get_session_context(call: Call) -> tuple[int, dict[str, Any]]:
    """With the conversation so far, whose turns are not recalled again."""
    session_id = ids.parse_session(call.path["session_id"])
    body = call.parsed(SessionContextBody) if call.body.strip() else call.queried(SessionContextBody)
    asked = call.asked()
    with call.reading(asked) as reader:
        if sessions.one(reader, session_id) is None:
            raise NotFound("there is no such session")
        window = window_of(turns.spoken_last(reader, session_id, limit=TURNS_MAX))
    wanted = Wanted(
        text=body.query,
        session_id=session_id,
        without_turns=window.whole,
        background=True,
        source="session context",
    )
    retrieved = call.services.recall.retrieve(call.context_id, partial(call.reading_as, asked), wanted)
    block = context_block(retrieved, Budget(body.max_chars, body.max_tokens), said=window.lines)
    return 200, {"context": block, "tier": retrieved.tier, "queryMs": retrieved.latency_ms}


def _subject(call: Call, asked: Asked, body: ContextBody) -> str:
    """The name of the entity. Raises NotFound for one that the caller does not know."""
    text = body.subject or ""
    with call.reading(asked, lens=body.lens) as reader:
        if "/" in text:
            rows = entities.named(reader, *entity_name(text, field="subject"))
        else:
            rows = entities.named_of_any_type(reader, name_key(text))
    if not rows:
        raise NotFound("subject: there is no such entity")
    return rows[0].name
