"""A new read model is added and filled by replay beside live writes: nobody waits, nothing else changes."""

import threading
from collections.abc import Iterator

import pytest

from api.wiring import Services
from memory.events import TurnRecorded
from memory.recorded import Recorded
from projections import projector, read_models, rebuild, verification
from projections.table import READ_MODELS_SCHEMA, Op, Put, Row, Table, start
from tests.calls import keyed_world
from tests.worlds import fact


class TurnLengthRow(Row, frozen=True):
    characters: int


TURN_LENGTHS = Table("turn_lengths", TurnLengthRow, columns="characters integer NOT NULL")
HANDLES = (TurnRecorded,)


def fold(recorded: Recorded) -> Iterator[Op]:
    if isinstance(recorded.event, TurnRecorded):
        yield Put(TURN_LENGTHS, TurnLengthRow(*start(recorded, recorded.event.turn_id), len(recorded.event.text)))


@pytest.fixture
def added(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The read models with a new one, as a server of the next version has them."""
    tables = (*read_models.READ_MODELS, TURN_LENGTHS)
    folds_of = read_models.folds_of

    def folds_with_it(event_type: type) -> tuple[object, ...]:
        return (*folds_of(event_type), *((fold,) if event_type in HANDLES else ()))

    for module in (read_models, projector, rebuild, verification):
        monkeypatch.setattr(module, "READ_MODELS", tables)
    for module in (read_models, projector, verification):
        monkeypatch.setattr(module, "folds_of", folds_with_it)
    with services.database.connect() as connection:
        connection.execute("RESET ROLE")
        connection.execute(f"SET search_path = {READ_MODELS_SCHEMA}".encode())
        for statement in TURN_LENGTHS.ddl():
            connection.execute(statement.encode())
        connection.execute("GRANT ALL ON turn_lengths TO PUBLIC")
        yield
        connection.execute("DROP TABLE turn_lengths")


def test_a_new_read_model_is_filled_beside_live_writes(services: Services, request: pytest.FixtureRequest) -> None:
    world = keyed_world(services).world
    for number in range(60):
        world.given(fact("Ana", "city", f"city {number}"), text="x" * number)
    request.getfixturevalue("added")
    failed: list[Exception] = []
    done = threading.Event()

    def write() -> None:
        number = 60
        while not done.is_set():
            try:
                world.given(fact("Ana", "city", f"city {number}"), text="x" * number)
            except Exception as error:
                failed.append(error)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    with services.database.connect() as connection:
        rebuild.rebuild(services.log, connection, world.context_id)
        done.set()
        writer.join()
        lengths = connection.execute(
            "SELECT characters FROM turn_lengths WHERE context_id = %s ORDER BY position_from", [world.context_id]
        ).fetchall()
    assert not failed
    turns = [one.event for one in world.events() if isinstance(one.event, TurnRecorded)]
    assert [length for (length,) in lengths] == [len(turn.text) for turn in turns]
    assert world.verified().problem is None
