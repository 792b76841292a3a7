"""Turns that were recorded but are not yet learnt from: after a crash, or because the extractor failed."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone

from api.wiring import Services
from api.work.worker import Ids, Task
from memory.administration import ADMIN
from memory.errors import SessionUnavailable
from memory.events import TurnRecorded
from memory.principals import Caller
from memory.remember import ExtractionStatus, PendingTurn, Turn
from memory.values import Infer, Role
from projections import turns
from projections.access import caller_of_principal, every_scope_set
from projections.reading import Reader, snapshot
from projections.turns import TurnRow

logger = logging.getLogger(__name__)

BATCH_TURNS = 100
# A turn that nobody has tried for so long is nobody's work: its server died, or lost the database.
LOST_AFTER = timedelta(seconds=90)
# Contexts where nothing happened for longer than any retry lasts have nothing that is due.
IDLE_AFTER = timedelta(days=2)
HEADS = "SELECT context_id, position FROM contexts WHERE deleted_at IS NULL ORDER BY context_id"
ACTIVE = """
SELECT context_id FROM contexts WHERE deleted_at IS NULL AND recorded_at > %(since)s ORDER BY context_id
"""


def heads(services: Services) -> dict[str, int]:
    """The position of every context: what lies up to here was recorded by an earlier run of the server."""
    with services.pool.connection() as connection:
        return dict(connection.execute(HEADS).fetchall())


def learn_pending(services: Services, until: Mapping[str, int], *, given_up: bool = False) -> int:
    """Extract the turns that are pending up to a position of each context, each at its own time.

    given_up: those too that are no more tried by themselves. Contexts whose models may not be asked now are left.
    Returns how many were learnt from.
    """
    services.extractor.load()
    learnt = sum(
        _learn_context(services, context_id, position, given_up)
        for context_id, position in until.items()
        if not services.models.extraction_hold(context_id)
    )
    if learnt and not given_up:
        logger.warning("learnt from %d turns that an earlier run left pending", learnt)
    return learnt


class PendingTurns:
    """The background task that tries them again.

    earlier: positions up to which turns were left by an earlier run, and are tried whether due or not.
    """

    def __init__(self, earlier: Mapping[str, int]) -> None:
        self._earlier = dict(earlier)

    @property
    def task(self) -> Task:
        return Task("learn_pending", self.run, self.waiting)

    def waiting(self, services: Services) -> Iterator[Ids]:
        with services.pool.connection() as connection:
            since = {"since": datetime.now(UTC) - IDLE_AFTER}
            active = [context_id for (context_id,) in connection.execute(ACTIVE, since)]
            there = {one for one, _ in connection.execute(HEADS)} if self._earlier else set()
        for context_id in [*self._earlier]:
            if context_id not in there:  # deleted since the start
                self._earlier.pop(context_id, None)
        for context_id in {*self._earlier, *active}:
            is_due = context_id in self._earlier or _due(services, context_id, limit=1)
            if is_due and not services.models.extraction_hold(context_id):
                yield {"context_id": context_id}

    def run(self, services: Services, ids: Ids) -> None:
        """Learn from the context's turns, oldest first, until one fails: its provider is likely to fail for all."""
        context_id = ids["context_id"]
        services.extractor.load()
        until = self._earlier.get(context_id)
        if until is not None:
            learn_pending(services, {context_id: until})
            self._earlier.pop(context_id, None)
        while True:
            batch = _due(services, context_id, limit=BATCH_TURNS)
            for row in batch:
                if not _learn(services, context_id, row):
                    return
            if len(batch) < BATCH_TURNS:
                return


def _due(services: Services, context_id: str, *, limit: int) -> list[TurnRow]:
    now = datetime.now(UTC)
    abandon_before = now - timedelta(seconds=services.memory.learning.retries.give_up_s)
    with reading(services, context_id) as reader:
        return turns.due(reader, now=now, lost_before=now - LOST_AFTER, abandon_before=abandon_before, limit=limit)


def _learn_context(services: Services, context_id: str, until: int, given_up: bool) -> int:
    after = learnt = 0
    while True:
        with reading(services, context_id) as reader:
            pending = turns.pending(reader, after=after, until=until, limit=BATCH_TURNS, given_up=given_up)
        for row in pending:
            learnt += _learn(services, context_id, row)
        if len(pending) < BATCH_TURNS:
            return learnt
        after = pending[-1].position_from


@contextmanager
def reading(services: Services, context_id: str) -> Iterator[Reader]:
    """A reader of everything in the context, for the server's own work on behalf of nobody."""
    with services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
        generation, seen = every_scope_set(connection, context_id)
        yield Reader(cursor, context_id, generation, seen)


def _learn(services: Services, context_id: str, row: TurnRow) -> bool:
    """Learn from a turn as its own principal, so that nothing differs from learning at once.

    Returns whether it is understood now.
    """
    found = turn_of(services, context_id, row)
    if found is None:
        return False
    caller, pending = found
    try:
        learnt = services.memory.learn_pending(caller, pending)
    except SessionUnavailable:
        logger.warning("turn %s of context %s stays pending: its principal lost the session", row.id, context_id)
        return False
    return learnt.status in (ExtractionStatus.COMPLETE, ExtractionStatus.NOTHING_FOUND)


def turn_of(services: Services, context_id: str, row: TurnRow) -> tuple[Caller, PendingTurn] | None:
    """A turn with the principal that said it, which reads no more than it might then; None if it is no more."""
    log = services.log
    with services.pool.connection() as connection, connection.cursor() as cursor:
        said = [one.event for one in log.at(cursor, context_id, [row.position_from])]
        region = next((event.region for event in said if isinstance(event, TurnRecorded)), None)
        caller = caller_of_principal(connection, context_id, row.principal_id or ADMIN, region=region)
    if caller is None:
        return None
    turn = Turn(
        turn_id=row.id,
        text=row.text,
        role=Role(row.role),
        infer=Infer.FULL,
        labels=tuple(row.labels),
        memory_category=row.memory_category,
    )
    said_at = row.said_at.astimezone(timezone(timedelta(seconds=row.utc_offset_s)))
    return caller, PendingTurn(turn, row.session_id, said_at, row.position_from, row.seq)
