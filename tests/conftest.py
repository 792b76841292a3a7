"""A real Postgres once, a fresh context per test, and a real server process for the end-to-end tests."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from api import keys, wiring
from api.ids import new_id
from api.settings.config import from_env
from api.wiring import Services
from tests.servers import ServerProcess, public_folder
from tests.worlds import World, world_in

LONG_TIMEOUT_S = 1800


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests may take long on a busy machine: the usual time-out would break off a statement halfway."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONG_TIMEOUT_S))


# As in the server: dateparser turns every logger off that it finds where the root has no handler.
logging.getLogger().addHandler(logging.NullHandler())


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A home folder that the embedded Postgres may use as root and as a user."""
    with public_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def services(home: Path) -> Iterator[Services]:
    """In-process services over one embedded Postgres for the whole run."""
    with wiring.services(from_env({"PALIMPSEST_HOME": str(home)})) as ready:
        yield ready


@pytest.fixture
def world(services: Services) -> World:
    """A fresh context with an administrator."""
    context_id = f"test-{new_id()}"
    key = keys.new_key()
    keys.ensure_context(services.log, context_id, key)
    return world_in(services, context_id, key)


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    """A running `palimpsest serve` on an embedded Postgres of its own."""
    with public_folder() as folder, ServerProcess(folder) as running:
        yield running
