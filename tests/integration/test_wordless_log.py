"""A failure in the middle of a write is logged without a word of what was written."""

import io
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from api import logs
from api.wiring import Services
from memory import log as event_log
from tests.calls import keyed_world
from tests.integration.test_requests import asked

WORD = "Squirrelword"


@pytest.fixture
def printed() -> Iterator[io.StringIO]:
    """What the server prints at its default level."""
    stream = io.StringIO()
    handler = logs.handler(stream, verbose=False)
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def test_a_row_that_the_database_refuses_is_not_quoted(
    services: Services, printed: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyed = keyed_world(services)
    columns = event_log.to_columns
    hashless = {"TurnRecorded"}
    monkeypatch.setattr(
        event_log, "to_columns", lambda row: (*columns(row)[:-1], None if row.topic in hashless else row.hash)
    )
    response = asked(keyed.world, "POST", "/facts", keyed.key, json={"text": f"I live in {WORD}.", "infer": "none"})
    assert response.status_code == 500
    assert "NotNullViolation" in printed.getvalue() and "column hash" in printed.getvalue()
    assert WORD not in printed.getvalue() + response.text


def test_a_turn_that_an_extractor_breaks_on_is_not_quoted(
    services: Services, printed: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: str, **_: Any) -> None:
        raise ValueError(f"can't make sense of {text!r}")

    monkeypatch.setattr(services.extractor, "extract", broken)
    keyed = keyed_world(services)
    response = asked(keyed.world, "POST", "/facts", keyed.key, json={"text": f"I live in {WORD}."})
    assert response.status_code == 202
    assert "ValueError" in printed.getvalue()
    assert WORD not in printed.getvalue()
