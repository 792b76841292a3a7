"""After a start: understand the turns that a crash left recorded but not learnt from."""

import logging
import time
from collections.abc import Mapping
from datetime import timedelta, timezone

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from api.keys import ADMIN_PRINCIPAL
from api.wiring import Services
from memory.errors import SessionUnavailable, Unavailable
from memory.remember import PendingTurn, Turn
from memory.values import Infer, Role
from projections import turns
from projections.access import caller_of_principal, every_scope_set
from projections.reading import Reader, snapshot
from projections.turns import TurnRow

logger = logging.getLogger(__name__)

BATCH_TURNS = 100
RETRY_PAUSE_S = 2
HEADS = "SELECT context_id, position FROM contexts WHERE deleted_at IS NULL ORDER BY context_id"


def heads(services: Services) -> dict[str, int]:
    """The position of every context: what lies up to here was recorded by an earlier run of the server."""
    with services.pool.connection() as connection:
        return dict(connection.execute(HEADS).fetchall())


def keep_learning(services: Services, until: Mapping[str, int]) -> None:
    """`learn_pending`, again after a pause while the database can't be reached, until it is done.

    For a thread of its own; ends silently when the server stops.
    """
    while True:
        try:
            learn_pending(services, until)
        except PoolClosed:
            return
        except (PoolTimeout, psycopg.OperationalError, Unavailable):
            time.sleep(RETRY_PAUSE_S)
        else:
            return


def learn_pending(services: Services, until: Mapping[str, int]) -> int:
    """Extract the turns that are pending up to a position of each context, each at its own time.

    Returns how many were learnt from.
    """
    services.extractor.load()
    learnt = sum(_learn_context(services, context_id, position) for context_id, position in until.items())
    if learnt:
        logger.warning("learnt from %d turns that an earlier run left pending", learnt)
    return learnt


def _learn_context(services: Services, context_id: str, until: int) -> int:
    after = learnt = 0
    while True:
        with services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
            generation, seen = every_scope_set(connection, context_id)
            reader = Reader(cursor, context_id, generation, seen)
            pending = turns.pending(reader, after=after, until=until, limit=BATCH_TURNS)
        for row in pending:
            learnt += _learn(services, context_id, row)
        if len(pending) < BATCH_TURNS:
            return learnt
        after = pending[-1].position_from


def _learn(services: Services, context_id: str, row: TurnRow) -> bool:
    """Learn from a turn as its own principal, so that nothing differs from learning at once."""
    with services.pool.connection() as connection:
        caller = caller_of_principal(connection, context_id, row.principal_id or ADMIN_PRINCIPAL)
    if caller is None:
        return False
    turn = Turn(
        turn_id=row.id,
        text=row.text,
        role=Role(row.role),
        infer=Infer.FULL,
        labels=tuple(row.labels),
        memory_category=row.memory_category,
    )
    said_at = row.said_at.astimezone(timezone(timedelta(seconds=row.utc_offset_s)))
    try:
        services.memory.learn_pending(caller, PendingTurn(turn, row.session_id, said_at, row.position_from, row.seq))
    except SessionUnavailable:
        logger.warning("turn %s of context %s stays pending: its principal lost the session", row.id, context_id)
        return False
    return True
