"""Asking a language model for something else than a reply: JSON of a known shape, about numbered facts of memory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import TypeVar
from uuid import UUID

import pydantic

from api import ids
from api.chat.markers import MarkerFilter, marker
from api.chat.response_model import RETRY_AFTER_S, ResponseModel
from api.chat.untrusted import FRAME_BEGIN, FRAME_END, one_line
from api.http.calls import Call
from api.http.exchanges import Exchange
from memory.candidates import AnyCandidate
from memory.errors import ModelUnavailable, Unavailable
from memory.events import Citation, ModelUsed
from memory.log import Writing
from memory.principals import Caller
from memory.recorded import Origin
from memory.remember import Turn
from memory.scopes import ROOT_SET, scope_set_id
from memory.turns import Learnt
from memory.values import Infer, Role, SourceKind

M = TypeVar("M", bound=pydantic.BaseModel)

FENCE = re.compile(r"^\s*```(?:json)?\s*|\s*```\s*$")
CONFIDENCE = 0.75  # of what a model concludes and nobody said; below 0.7 it would be a doubt only
_NUMBER = re.compile(r"\bS(\d+)", re.IGNORECASE)


class NamedEntity(pydantic.BaseModel):
    """An entity as a model names it."""

    type: str = pydantic.Field(default="other", max_length=40)
    name: str = pydantic.Field(min_length=1, max_length=200)


class NoModel(Unavailable):
    """No language model is configured"""

    retry_after_s = 60


def model_of(call: Call) -> ResponseModel:
    """The context's response model. Raises NoModel."""
    model = call.services.chat.responders.chosen(call.context_id, None)
    if model is None:
        raise NoModel("this needs a language model: configure models.response and its provider's key")
    return model


async def asked(
    exchange: Exchange, model: ResponseModel, task: str, lines: Sequence[str], shape: type[M], **values: str
) -> M:
    """What the model answers to the task of that name about `lines`, which get the numbers from 1 on.

    values: further ones of the task's template. Raises ModelUnavailable if the answer is not of the shape.
    """
    numbered = "\n".join(f"{marker(number)} {one_line(line)}" for number, line in enumerate(lines, start=1))
    told = {name: one_line(value) for name, value in values.items()}
    content = _template(task).substitute(told, facts=f"{FRAME_BEGIN}\n{numbered or '(nothing)'}\n{FRAME_END}")
    text = await exchange.unless_gone(_whole(model, content))
    try:
        return shape.model_validate_json(FENCE.sub("", text))
    except pydantic.ValidationError as error:
        message = f"the model {model.name} gave no answer of the shape that it was asked for"
        raise ModelUnavailable(message, retry_after_s=RETRY_AFTER_S) from error


async def _whole(model: ResponseModel, content: str) -> str:
    return "".join([piece async for piece in model.pieces([{"role": "user", "content": content}], streamed=False)])


def numbers_in(texts: Sequence[str], most: int) -> list[int]:
    """The numbers of facts that markers name, each once, in order; those above `most` are invented."""
    found = (int(number[:9]) for text in texts for number in _NUMBER.findall(text))
    return [number for number in dict.fromkeys(found) if 1 <= number <= most]


def without_markers(text: str) -> str:
    markers = MarkerFilter(())
    return markers.feed(text) + markers.finish()


@dataclass(frozen=True, slots=True)
class Concluded:
    """What a model concluded. evidence: the rows of memory that it rests on."""

    candidate: AnyCandidate
    evidence: tuple[Citation, ...]


def citations(numbers: Sequence[int], rows: Sequence[tuple[str, UUID]]) -> tuple[Citation, ...]:
    """The rows with these numbers, from 1 on, as evidence. rows: each with its kind."""
    return tuple(Citation(f"S{number}", *rows[number - 1]) for number in numbers)


def learn(call: Call, caller: Caller, conclusions: Sequence[Concluded], kind: SourceKind) -> list[Learnt]:
    """Tell memory what was concluded, through the same decisions as everything else, at the kind's low rank.

    Each is a turn of its own, that cites what it rests on: it goes when that goes. Returns what came of
    each. Raises Forbidden if the caller may write nowhere.
    """
    turns = [
        Turn(
            turn_id=ids.new_id(),
            text="",
            role=Role.SYSTEM,
            infer=Infer.TRIPLES,
            candidates=(one.candidate,),
            citations=one.evidence,
            source_kind=kind,
        )
        for one in conclusions
    ]
    remembered = call.services.memory.remember(
        caller, turns, session_id=None, new_session_id=ids.new_id(), answer=_itself
    )
    return remembered.answers


def count(call: Call, caller: Caller, model: ResponseModel, purpose: str) -> None:
    """Record what the model took, where the caller writes; what one who may only read has asked for stands in the
    root, for the context pays for it all the same."""
    scopes = caller.write_scopes or ROOT_SET
    with call.services.log.writing(caller.context_id) as writing:
        used = ModelUsed(purpose=purpose, model=model.name, usage=model.usage)
        # No turn is behind it, and what a model took is kept by the work that it was for.
        origin = Origin(turn_id=ids.new_id(), principal_id=caller.principal_id, scope_set_id=scope_set_id(scopes))
        writing.record([*call.services.memory.sessions.defined(writing, caller, scopes), used], origin)


def _itself(_: Writing, learnt: Learnt) -> Learnt:
    return learnt


@cache
def _template(task: str) -> Template:
    return Template(files("api.chat").joinpath(f"{task}.md").read_text(encoding="utf-8"))
