"""What is understood in the background sees what its writer might see, not all that the writer's principal may."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from api import keys
from api.ids import new_id
from api.keys import digest
from api.wiring import Services
from api.work import recovery
from memory.administration import ADMIN, Administration
from memory.candidates import Extraction
from memory.errors import ExtractorUnavailable
from memory.events import EntityRecognised, TurnRecorded
from memory.principals import Caller, Grants, grants_of
from memory.remember import Turn
from memory.scopes import scope_set
from projections.access import caller_of
from projections.directory import directory_of
from tests.library import read, uploaded
from tests.worlds import World, fact

OPEN, SECRET = scope_set([["org/open"]]), scope_set([["org/secret"]])
NARROW = {"memory:read": ["org/open"], "memory:write": ["org/open"]}


class Broken:
    name = "broken/1"

    def extract(self, text: str, **_: Any) -> Extraction:
        raise ExtractorUnavailable(kind="server_error")


@pytest.fixture
def world(world: World) -> World:
    """Zed is known in a scope that the narrowed key does not cover."""
    world.given(fact("Zed", "city", "Oslo"), scopes=SECRET)
    return world


@pytest.fixture
def broken(services: Services) -> Iterator[None]:
    understanding = services.memory.understanding
    built_in, understanding.built_in = understanding.built_in, Broken()
    yield
    understanding.built_in = built_in


def narrowed(world: World, grants: dict[str, list[str]] | None) -> Caller:
    """The administrator, by a key with this narrowing."""
    key = keys.new_key()
    canonical: Grants | None = None if grants is None else grants_of(grants)
    with world.services.log.writing(world.context_id) as writing:
        Administration(writing, directory_of, by=ADMIN).mint(
            new_id(), f"key {new_id()}", ADMIN, digest(key), grants=canonical, expires_at=None
        )
    with world.services.pool.connection() as connection:
        found = caller_of(connection, world.context_id, digest(key))
    assert found is not None
    return found[0]


def said_while_broken(world: World, caller: Caller) -> None:
    """A turn about Zed that nobody can understand yet."""
    world.services.memory.remember(
        caller,
        [Turn(turn_id=new_id(), text="Zed lives in Porto.")],
        session_id=None,
        new_session_id=new_id(),
        scopes=OPEN,
        answer=lambda _, learnt: learnt,
    )


def zeds(world: World) -> list[bool]:
    """Whether Zed was new to whoever recognised him, time by time."""
    events = [one.event for one in world.events()]
    return [one.is_new for one in events if isinstance(one, EntityRecognised) and one.name == "Zed"]


@pytest.mark.parametrize(("grants", "is_new"), [(NARROW, True), (None, False)], ids=["narrowed", "whole"])
def test_a_turn_that_is_tried_again_is_read_as_its_key_would_have(
    world: World, services: Services, request: pytest.FixtureRequest, grants: Any, is_new: bool
) -> None:
    request.getfixturevalue("broken")
    said_while_broken(world, narrowed(world, grants))
    services.memory.understanding.built_in = services.extractor
    recovery.learn_pending(services, {world.context_id: world.events()[-1].position})
    assert zeds(world) == [True, is_new]


@pytest.mark.parametrize(("grants", "is_new"), [(NARROW, True), (None, False)], ids=["narrowed", "whole"])
def test_a_document_is_read_as_its_uploaders_key_would_have(world: World, grants: Any, is_new: bool) -> None:
    document = uploaded(world, "Zed lives in Porto.", caller=narrowed(world, grants), scopes=OPEN)
    read(world, document.document_id)
    assert zeds(world) == [True, is_new]


def test_only_what_narrows_is_recorded(world: World) -> None:
    for caller in (narrowed(world, None), narrowed(world, NARROW), replace(world.caller, key=None)):
        said_while_broken(world, caller)
    regions = [one.event.region for one in world.events() if isinstance(one.event, TurnRecorded)]
    assert regions[1:] == [None, ("org/open",), None]
