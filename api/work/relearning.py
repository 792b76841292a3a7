"""`palimpsest extract --again`: old turns read once more by another model, with the cost told first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from api.wiring import Services
from api.work.recovery import reading, turn_of
from memory.errors import ExtractorUnavailable, InvalidRequest, SessionUnavailable
from memory.extraction.model.extractor import rules
from memory.relearning import Relearning, Relearnt
from memory.usage import Usage
from projections import turns
from projections.turns import TurnRow

BATCH_TURNS = 100
# A rough guess, on the high side for English: what is offered and said before, and the JSON of an answer.
CHARACTERS_A_TOKEN = 3.5
SCHEMA_CHARACTERS = 4_700
CONTEXT_CHARACTERS = 1_500
OUTPUT_TOKENS_A_TURN = 150


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which turns of a context. since: said then or later."""

    context_id: str
    session_id: UUID | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """turns: to be read. usage: a guess of what they take, with its cost where the price is known."""

    turns: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one turn. error: why it stays as it was, the kind of failure."""

    turn_id: UUID
    relearnt: Relearnt | None
    error: str | None = None


def estimate(services: Services, wanted: Wanted, model: str) -> Estimate:
    rows = list(_rows(services, wanted))
    fixed = len(rules()) + SCHEMA_CHARACTERS + CONTEXT_CHARACTERS
    characters = sum(len(row.text) + fixed for row in rows)
    usage = Usage(
        calls=len(rows),
        input_tokens=int(characters / CHARACTERS_A_TOKEN),
        output_tokens=OUTPUT_TOKENS_A_TURN * len(rows),
    )
    return Estimate(len(rows), services.models.settings(wanted.context_id).priced(model, usage))


def learn_again(services: Services, wanted: Wanted, model: str) -> Iterator[Outcome]:
    """Read each turn again, oldest first. A turn that fails stays as it was. Raises InvalidRequest for a model
    that can't be used."""
    extractor = services.models.extractor(wanted.context_id, model)
    if extractor is None:
        raise InvalidRequest(f"model: {model} can't be asked")
    relearning = Relearning(services.memory)
    for row in _rows(services, wanted):
        found = turn_of(services, wanted.context_id, row)
        if found is None:
            yield Outcome(row.id, None, "no_principal")
            continue
        try:
            yield Outcome(row.id, relearning.learn(*found, extractor))
        except ExtractorUnavailable as error:
            yield Outcome(row.id, None, error.kind)
        except SessionUnavailable:
            yield Outcome(row.id, None, "session_unavailable")


def _rows(services: Services, wanted: Wanted) -> Iterator[TurnRow]:
    after = 0
    while True:
        with reading(services, wanted.context_id) as reader:
            rows = turns.understood(
                reader, after=after, session_id=wanted.session_id, since=wanted.since, limit=BATCH_TURNS
            )
        yield from rows
        if len(rows) < BATCH_TURNS:
            return
        after = rows[-1].position_from
