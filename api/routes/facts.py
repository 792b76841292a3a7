"""POST /facts and /facts/batch: the write path."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from api import ids
from api.http.calls import Call
from api.http.repeats import request_key
from api.shapes import wire
from api.shapes.schemas import BatchBody, FactsBody, TurnBody
from api.triples import candidates_of
from memory.errors import InvalidRequest, NotFound, SessionUnavailable
from memory.log import Writing
from memory.principals import Caller
from memory.remember import ExtractionStatus, Learnt, Turn
from memory.scopes import visible
from memory.values import Infer, Role
from projections import diffs, passages, scope_sets
from projections.reading import Reader

ACCEPTED = 202


@dataclass(frozen=True, slots=True)
class Answering:
    """Builds the extraction object of a turn inside the transaction that recorded it.

    It shows what the caller may read, also where it may write more: a correction tells what was there.
    """

    caller: Caller

    def __call__(self, writing: Writing, learnt: Learnt) -> dict[str, Any]:
        seen = set(self.caller.visible)
        fresh = {one.origin.scope_set_id for one in learnt.recorded if one.origin.scope_set_id} - seen
        if fresh:
            reader = Reader(writing.cursor, writing.context_id, writing.generation, list(fresh))
            patterns = self.caller.patterns("memory:read")
            seen |= {one for one, clauses in scope_sets.all_of(reader).items() if visible(clauses, patterns)}
        shown = [one for one in learnt.recorded if one.origin.scope_set_id in seen]
        reader = Reader(writing.cursor, writing.context_id, writing.generation, list(seen))
        return wire.extraction(learnt, diffs.turn_diff(reader, shown))


def create_fact(call: Call) -> tuple[int, dict[str, Any]]:
    caller = call.caller()
    body = call.parsed(FactsBody)
    return _created(call, caller, body, body.session_id)


def create_turn(call: Call) -> tuple[int, dict[str, Any]]:
    """The same within the session of the path; the words are called `content` there."""
    caller = call.caller()
    return _created(call, caller, call.parsed(TurnBody), call.path["session_id"])


def _created(call: Call, caller: Caller, body: FactsBody, session: str | None) -> tuple[int, dict[str, Any]]:
    turn = _turn_of(body)
    if turn.infer in (Infer.FULL, Infer.PREVIEW):
        call.require_unblocked()
    session_id, new_session_id = session_ids(session)
    remembered = call.services.memory.remember(
        caller,
        [turn],
        session_id=session_id,
        new_session_id=new_session_id,
        scopes=body.scopes,
        request=request_key(call, caller, "facts"),
        answer=Answering(caller),
    )
    answer: dict[str, Any] = {
        "mode": turn.infer.value,
        "sessionId": ids.ulid(remembered.session_id),
        "turnId": ids.ulid(remembered.turn_ids[0]),
        "preview": turn.infer is Infer.PREVIEW,
        "position": remembered.position,
    }
    if turn.infer is Infer.NONE:
        answer["chunkId"] = ids.chunk(passages.passage_id(remembered.turn_ids[0], 0))
    else:
        answer["extraction"] = remembered.answers[0]
    return _status(remembered.answers), answer


def create_facts(call: Call) -> tuple[int, dict[str, Any]]:
    caller = call.caller()
    body = call.parsed(BatchBody)
    if body.infer is Infer.TRIPLES:
        raise InvalidRequest("infer: a batch takes messages, not triples; use /facts")
    if body.infer in (Infer.FULL, Infer.PREVIEW):
        call.require_unblocked()
    turns = [
        Turn(
            turn_id=ids.new_id(),
            text=_words(message.content, f"messages.{ordinal}.content"),
            role=message.role,
            infer=body.infer,
            labels=tuple(body.labels),
            observed_at=message.ts,
        )
        for ordinal, message in enumerate(body.messages)
    ]
    session_id, new_session_id = session_ids(body.session_id)
    remembered = call.services.memory.remember(
        caller,
        turns,
        session_id=session_id,
        new_session_id=new_session_id,
        scopes=body.scopes,
        request=request_key(call, caller, "facts/batch"),
        together=body.extract == "whole_conversation",
        answer=Answering(caller),
    )
    extractions: Sequence[dict[str, Any]] = remembered.answers if body.infer is not Infer.NONE else []
    if extractions and body.extract == "whole_conversation":
        extractions = [merged(extractions)]
    return _status(remembered.answers), {
        "sessionId": ids.ulid(remembered.session_id),
        "turnIds": [ids.ulid(turn_id) for turn_id in remembered.turn_ids],
        "extractions": list(extractions),
        "position": remembered.position,
    }


def _turn_of(body: FactsBody) -> Turn:
    if body.infer is Infer.TRIPLES and not body.triples:
        raise InvalidRequest("triples: infer 'triples' needs at least one")
    if body.infer is not Infer.TRIPLES and body.triples:
        raise InvalidRequest("triples: only with infer 'triples'")
    if body.infer is not Infer.TRIPLES and body.text is None:
        raise InvalidRequest("text: is optional only with infer 'triples'")
    return Turn(
        turn_id=ids.new_id(),
        text="" if body.text is None else _words(body.text, "text"),
        role=body.role or Role.USER,
        infer=body.infer,
        labels=tuple(body.labels),
        memory_category=body.memory_category,
        observed_at=body.observed_at,
        candidates=candidates_of(body.triples),
    )


def _words(text: str, field: str) -> str:
    if not text.strip():
        raise InvalidRequest(f"{field}: must not be blank")
    return text


def session_ids(text: str | None) -> tuple[UUID | None, UUID]:
    """The session asked for, and the id of the new one if none is. Raises SessionUnavailable for what is no id."""
    try:
        return (None if text is None else ids.parse_session(text)), ids.new_id()
    except NotFound as error:
        raise SessionUnavailable() from error


def _status(answers: Sequence[dict[str, Any]]) -> int:
    """202 while a turn is kept but not understood: a 5xx would make the clients send it again."""
    pending = any(answer["status"] == ExtractionStatus.PENDING for answer in answers)
    return ACCEPTED if pending else 200


def merged(extractions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One extraction object for a whole conversation, under the id of its last turn."""
    whole = dict(extractions[-1])
    for name in ("attributes", "relations", "actions", "instructions", "uncertainties", "corrections"):
        whole[name] = [row for one in extractions for row in one[name]]
    entities: dict[str, dict[str, Any]] = {}
    for row in (row for one in extractions for row in one["entities"]):
        entities.setdefault(row["id"], row)
    whole["entities"] = list(entities.values())
    statuses = {one["status"] for one in extractions}
    for status in (ExtractionStatus.PENDING, ExtractionStatus.COMPLETE):
        if status in statuses:
            whole["status"] = status.value
            break
    whole.update({name: one[name] for one in extractions for name in ("error", "model") if name in one})
    used = [one for one in extractions if "usage" in one]
    if used:
        whole["usage"] = wire.usage_sum(one["usage"] for one in used)
        whole["dropped"] = sum(one["dropped"] for one in used)
    return whole
