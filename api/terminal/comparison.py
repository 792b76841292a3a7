"""`palimpsest replay --compare`: today's decisions over the candidates of long ago.

The log is folded anew, append by append, into scratch rows of one transaction that is rolled back. Before each
extraction's events are folded, they are decided again, against what was known then.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from msgspec import structs

from memory.events import EntityRecognised, Event, ExtractionCompleted, TurnRecorded
from memory.log import Connection, Cursor, Head, Writing
from memory.principals import Caller
from memory.recorded import Recorded
from memory.turns import Said, Turn
from projections.access import caller_of_principal
from projections.verification import SCRATCH_GENERATION

if TYPE_CHECKING:
    from api.wiring import Services

SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"


@dataclass(frozen=True, slots=True)
class Difference:
    """A turn that would be decided otherwise today. position: of its ExtractionCompleted. then, now: events that
    are in the one decision only."""

    position: int
    turn_id: UUID
    then: Sequence[Event]
    now: Sequence[Event]


def compared(
    services: "Services", connection: Connection, context_id: str, progress: Callable[[int], None]
) -> Iterator[Difference]:
    """Every difference, in the order of the log; nothing is changed. What was erased can't be compared."""
    log = services.log
    turns: dict[UUID, Recorded] = {}
    with connection.transaction(force_rollback=True), connection.cursor() as cursor:
        connection.execute(SNAPSHOT)
        for recorded in log.read_appends(connection, context_id):
            for append in _appends(recorded):
                for run in _runs(append):
                    first = run[0]
                    if isinstance(first.event, TurnRecorded):
                        turns[first.event.turn_id] = first
                    if isinstance(first.event, ExtractionCompleted) and all(one.event for one in run):
                        difference = _compared(services, cursor, run, turns)
                        if difference is not None:
                            yield difference
                    log.projector.project(cursor, context_id, SCRATCH_GENERATION, run)
            progress(len(recorded))


def _appends(recorded: Sequence[Recorded]) -> Iterator[list[Recorded]]:
    append: list[Recorded] = []
    for one in recorded:
        if append and append[-1].recorded_at != one.recorded_at:
            yield append
            append = []
        append.append(one)
    if append:
        yield append


def _runs(append: Sequence[Recorded]) -> Iterator[list[Recorded]]:
    """An append cut before every turn and every extraction, each with what follows from it."""
    run: list[Recorded] = []
    for one in append:
        if run and isinstance(one.event, TurnRecorded | ExtractionCompleted):
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _compared(
    services: "Services", cursor: Cursor, run: Sequence[Recorded], turns: dict[UUID, Recorded]
) -> Difference | None:
    completed, *then = run
    turn_id, scope_set_id = completed.origin.turn_id, completed.origin.scope_set_id
    told = turns.get(turn_id) if turn_id else None
    caller = _caller(cursor.connection, completed)
    if told is None or turn_id is None or scope_set_id is None or caller is None:
        return None
    event = completed.event
    assert isinstance(event, ExtractionCompleted) and isinstance(told.event, TurnRecorded)
    head = Head(completed.position, b"", SCRATCH_GENERATION, completed.recorded_at)
    writing = Writing(cursor, completed.context_id, lambda: head, services.log)
    memory = services.memory
    session_id = completed.origin.session_id
    session = memory.knowledge.session(writing, session_id, [scope_set_id]) if session_id else None
    if session is None:
        return None
    words = told.event
    turn = Turn(turn_id=turn_id, text=words.text, role=words.role, infer=words.infer, labels=words.labels)
    said = Said(turn, session, completed.origin, completed.known_at, told.position)
    statement = memory.learning.statement(caller, said, next_position=completed.position + 1)
    now = memory.learning.decide(writing, caller, said, event.candidates, statement, again=False)
    of_turn = [one.event for one in then if one.event is not None and one.origin.turn_id == turn_id]
    return _difference(completed.position, turn_id, of_turn, now)


def _difference(position: int, turn_id: UUID, then: Sequence[Event], now: Sequence[Event]) -> Difference | None:
    # Whom a caller saw at the time is not told, only what it made of it.
    left, right = [_comparable(one) for one in then], [_comparable(one) for one in now]
    only_then = [one for one, form in zip(then, left, strict=True) if form not in right]
    only_now = [one for one, form in zip(now, right, strict=True) if form not in left]
    return Difference(position, turn_id, only_then, only_now) if only_then or only_now else None


def _comparable(event: Event) -> tuple[str, bytes]:
    if isinstance(event, EntityRecognised):
        event = structs.replace(event, is_new=False)
    return event.TOPIC, msgspec.json.encode(event)


def _caller(connection: Connection, completed: Recorded) -> Caller | None:
    principal_id = completed.origin.principal_id
    return caller_of_principal(connection, completed.context_id, principal_id) if principal_id else None
