"""A session's lock between processes: each has its own connection to the one database."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from uuid import UUID

import pytest

from api.chat.locks import SessionLocks
from api.ids import new_id
from api.wiring import Services

CONTEXT = "locks"
A_MOMENT_S = 0.1


@pytest.fixture
def ours(services: Services) -> Iterator[SessionLocks]:
    with closing(SessionLocks(services.database.connect)) as locks:
        yield locks


@pytest.fixture
def theirs(services: Services) -> Iterator[SessionLocks]:
    with closing(SessionLocks(services.database.connect)) as locks:
        yield locks


async def held(locks: SessionLocks, session_id: UUID) -> None:
    async with locks.holding(CONTEXT, session_id):
        pass


def test_another_process_waits_for_this_session_and_for_no_other(ours: SessionLocks, theirs: SessionLocks) -> None:
    async def conversation() -> None:
        session_id = new_id()
        async with ours.holding(CONTEXT, session_id):
            await asyncio.wait_for(held(theirs, new_id()), 5)
            waiting = asyncio.ensure_future(held(theirs, session_id))
            await asyncio.sleep(A_MOMENT_S)
            assert not waiting.done()
        await asyncio.wait_for(waiting, 5)

    asyncio.run(conversation())


def test_a_process_that_dies_gives_its_locks_back(ours: SessionLocks, theirs: SessionLocks) -> None:
    async def conversation() -> None:
        session_id = new_id()
        async with ours.holding(CONTEXT, session_id):
            ours.close()
            await asyncio.wait_for(held(theirs, session_id), 5)

    asyncio.run(conversation())


def test_a_caller_that_goes_while_it_waits_leaves_nothing_held(ours: SessionLocks, theirs: SessionLocks) -> None:
    async def conversation() -> None:
        session_id = new_id()
        async with ours.holding(CONTEXT, session_id):
            waiting = asyncio.ensure_future(held(theirs, session_id))
            await asyncio.sleep(A_MOMENT_S)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(held(ours, session_id), 5)

    asyncio.run(conversation())


def test_a_connection_that_the_database_has_ended_is_replaced(ours: SessionLocks, services: Services) -> None:
    async def conversation() -> None:
        await held(ours, new_id())
        assert ours._connection is not None
        with services.database.connect() as connection:
            connection.execute("RESET ROLE")
            connection.execute("SELECT pg_terminate_backend(%s)", [ours._connection.info.backend_pid])
        await asyncio.wait_for(held(ours, new_id()), 5)

    asyncio.run(conversation())
