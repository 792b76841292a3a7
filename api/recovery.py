"""After a start: understand the turns that a crash left recorded but not learnt from."""

import logging
import time
from collections.abc import Mapping, Sequence
from uuid import UUID

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from api.keys import ADMIN_PRINCIPAL
from api.wiring import Services
from memory.errors import PalimpsestError, Unavailable
from memory.principals import Caller, Grant
from memory.remember import Turn
from memory.scopes import ROOT_SET
from memory.values import Infer, Role
from projections import turns
from projections.access import every_scope_set
from projections.reading import Reader
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
        with services.pool.connection() as connection, connection.cursor() as cursor:
            generation, seen = every_scope_set(connection, context_id)
            reader = Reader(cursor, context_id, generation, seen)
            pending = turns.pending(reader, after=after, until=until, limit=BATCH_TURNS)
        for row in pending:
            learnt += _learn(services, context_id, row, seen)
        if len(pending) < BATCH_TURNS:
            return learnt
        after = pending[-1].position_from


def _learn(services: Services, context_id: str, row: TurnRow, seen: Sequence[UUID]) -> bool:
    caller = Caller(
        context_id=context_id,
        principal_id=row.principal_id or ADMIN_PRINCIPAL,
        display_name="",
        kind="service",
        grants=[Grant("/*", frozenset({"memory:read", "memory:write"}))],
        write_scopes=ROOT_SET,
        visible=seen,
        forgettable=(),
    )
    turn = Turn(turn_id=row.id, text=row.text, role=Role(row.role), infer=Infer.FULL, labels=tuple(row.labels))
    try:
        services.memory.learn_pending(caller, turn, row.session_id, row.said_at, row.position_from)
    except PalimpsestError:
        logger.exception("turn %s of context %s stays pending", row.id, context_id)
        return False
    return True
