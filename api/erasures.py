"""Erasing on a caller's behalf: what goes is worked out first, then taken under the head's lock."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from api import ids
from api.wiring import Services
from api.work.scrubbing import SCRUB
from memory.erasing import Asked
from memory.errors import Forbidden
from memory.log import Connection, Writing
from memory.principals import Caller
from memory.values import folded
from projections.erasing.plan import Plan
from projections.erasing.planner import Planner
from projections.reading import Reader, snapshot

# How often a plan is made without the lock, while others write meanwhile, before it is made under it.
ATTEMPTS = 3

KEYED_BY = "SELECT erasure_secret FROM contexts WHERE context_id = %(context_id)s"
HEAD = "SELECT position, generation FROM contexts WHERE context_id = %(context_id)s"


@dataclass(frozen=True, slots=True)
class Erased:
    """erasure_id: None if there was nothing to erase. events: whose contents went."""

    plan: Plan
    erasure_id: UUID | None = None
    events: int = 0


def planned(services: Services, caller: Caller, make: Callable[[Planner], Plan]) -> Plan:
    """What would be erased now."""
    with services.pool.connection() as connection, snapshot(connection):
        return make(_planner(services, connection, caller))


def erased(
    services: Services,
    caller: Caller,
    make: Callable[[Planner], Plan],
    reason: str,
    *,
    query: str | None = None,
) -> Erased:
    """Erase what `make` plans, in one transaction, and ask for the disk to be scrubbed. query: that it is by."""
    services.traces.flush()
    query_digest = _digest(services, caller.context_id, query) if query is not None else None
    asked = Asked(ids.new_id(), caller.principal_id, reason, query_digest)
    for attempt in range(ATTEMPTS):
        plan = planned(services, caller, make)
        if not plan.positions:
            return Erased(plan)
        with services.log.writing(caller.context_id) as writing:
            if writing.position != plan.position:
                if attempt + 1 < ATTEMPTS:
                    writing.roll_back()
                plan = make(_planner_within(services, writing, caller))
            events = services.erasing.erase(writing, plan.positions, asked)
            done = Erased(plan, asked.erasure_id if events else None, events)
            break
    if done.erasure_id is not None:
        ask_for_scrub(services, caller.context_id, done.erasure_id)
    return done


def ask_for_scrub(services: Services, context_id: str, erasure_id: UUID) -> None:
    """Let the worker clean the disk; an own Postgres is cleaned by hand only."""
    if services.settings.database_url is None:
        services.queue.put(SCRUB, {"context_id": context_id, "erasure_id": str(erasure_id)})


def require_forget(caller: Caller) -> None:
    """Raises Forbidden for a caller who may forget nowhere."""
    if not caller.patterns("memory:forget"):
        raise Forbidden("the key's grants do not cover memory:forget anywhere")


def _digest(services: Services, context_id: str, query: str) -> str:
    """What is kept of a query that was erased by: enough to recognise it with the context's secret, not to guess it."""
    with services.pool.connection() as connection:
        row = connection.execute(KEYED_BY, {"context_id": context_id}).fetchone()
    assert row is not None, "the caller's context exists"
    return hmac.digest(row[0], folded(query).encode(), "sha256").hex()


def _planner(services: Services, connection: Connection, caller: Caller) -> Planner:
    row = connection.execute(HEAD, {"context_id": caller.context_id}).fetchone()
    assert row is not None, "the caller's context exists"
    position, generation = row
    reader = Reader(connection.cursor(), caller.context_id, generation, _scope_sets(caller))
    return Planner(services.log, reader, position)


def _planner_within(services: Services, writing: Writing, caller: Caller) -> Planner:
    reader = Reader(writing.cursor, writing.context_id, writing.generation, _scope_sets(caller))
    return Planner(services.log, reader, writing.position)


def _scope_sets(caller: Caller) -> list[UUID]:
    """Only what the caller both sees and may forget: an erasure tells what it took."""
    return sorted({*caller.visible} & {*caller.forgettable})
