"""Models that may not be asked: past the token limit of the day, or stopped by the operator. Nothing is given up."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from api.embedders.by_context import Embedders
from api.holds import BLOCKED, TOKEN_LIMIT, Hold
from api.ids import document, ulid
from api.models import Models
from api.routes import documents, turns, usage
from api.wiring import Services
from api.work import recovery
from api.work.document_reading import DocumentReading, ids_of, read_document
from api.work.recovery import PendingTurns
from memory.errors import ExtractorUnavailable
from memory.events import ExtractionAbandoned, ExtractionFailed
from memory.extraction import Utterance
from memory.extraction.offered import NOTHING_OFFERED
from memory.usage import Usage
from projections.recall.embedding import EmbeddingUnavailable
from tests.calls import Keyed, keyed_world
from tests.library import uploaded

CONFIG = {
    "models": {"extraction": "openai/gpt-4o-mini", "embedding": "openai/text-embedding-3-small"},
    "providers": {"openai": {"base_url": "http://127.0.0.1:9/v1"}},  # where nobody listens
    "token_limit": 100,
}


@pytest.fixture
def held(services: Services, monkeypatch: pytest.MonkeyPatch) -> Keyed:
    """A context whose models have taken all that they may today."""
    keyed = keyed_world(services)
    own = {keyed.world.context_id: CONFIG}
    monkeypatch.setattr(services.models, "context_overrides", lambda one: own.get(one, {}))
    monkeypatch.setattr(services.models, "spent", lambda *_: 100)
    return keyed


def state_of(keyed: Keyed, turn_id: Any) -> dict[str, Any]:
    state: dict[str, Any] = keyed.get(turns.get_turn, {"turn_id": ulid(turn_id)})["extraction"]
    return state


def test_past_the_token_limit_nothing_is_asked_until_tomorrow() -> None:
    models = Models(CONFIG, {})
    models.spent = lambda context_id, since: 100
    extractor = models.extractor("dev")
    assert extractor is not None
    with pytest.raises(ExtractorUnavailable) as refused:
        extractor.extract_all([Utterance("Hello.", "user", datetime.now(UTC))], earlier=(), offered=NOTHING_OFFERED)
    error = refused.value
    assert (error.kind, error.retryable, error.is_held, error.usage) == (TOKEN_LIMIT, True, True, Usage())
    assert error.wait_s is not None and 0 < error.wait_s <= 86_400


def test_an_operators_stop_holds_models_whatever_they_took() -> None:
    models = Models({**CONFIG, "token_limit": None}, {})
    models.is_blocked = lambda context_id: context_id == "shut"
    assert (models.extraction_hold("shut"), models.extraction_hold("dev")) == (Hold(BLOCKED), None)
    assert models.extraction_hold("shut") is not None
    local = Models({}, {})
    local.is_blocked = lambda _: True
    assert local.extraction_hold("shut") is None, "the built-in extractor costs nothing"


def test_held_turns_stay_pending_say_so_and_are_left_to_the_next_day(
    held: Keyed, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a turn that is older than any other failure would let it become
    monkeypatch.setattr(services.memory.learning, "retries", replace(services.memory.learning.retries, give_up_s=0))
    told = held.world.say("I live in Porto.")
    state = state_of(held, told.turn_ids[0])
    assert (state["status"], state["error"]) == ("pending", TOKEN_LIMIT)
    # then the worker passes it over without an event, by the clock or from an earlier run
    head = held.world.events()[-1].position
    mine = {"context_id": held.world.context_id}
    assert mine not in list(PendingTurns({held.world.context_id: head}).waiting(services))
    assert recovery.learn_pending(services, {held.world.context_id: head}) == 0
    assert held.world.events()[-1].position == head
    # and once they may be asked it is tried, and given up as any other
    monkeypatch.setattr(services.models, "spent", lambda *_: 0)
    task = PendingTurns({held.world.context_id: head})
    assert mine in list(task.waiting(services))
    task.run(services, mine)
    events = [one.event for one in held.world.events()[head:]]
    assert [one.error for one in events if isinstance(one, ExtractionFailed)] == ["connection_error"]
    assert any(isinstance(one, ExtractionAbandoned) for one in events)


def test_the_facts_of_a_held_document_wait_and_it_says_so(
    held: Keyed, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = held.world
    # given one that any other failure would have given up
    impatient = replace(services.models.server, retries=replace(services.models.server.retries, give_up_s=0))
    monkeypatch.setattr(services.models, "_server", impatient)
    document_id = uploaded(world, "The lamp in the hall is green.").document_id
    path = {"document_id": document(document_id)}
    reading, own = DocumentReading(), ids_of(world.context_id, document_id)
    reading.run(services, own)
    shown = held.get(documents.get_document, path)
    assert (shown["status"], TOKEN_LIMIT in shown["notice"]) == ("extracting_nodes", True)
    assert reading._resting[world.context_id, str(document_id)][0] > 0
    # when it may be asked again
    monkeypatch.setattr(services.models, "spent", lambda *_: 0)
    assert "notice" not in held.get(documents.get_document, path)
    read_document(services, world.context_id, document_id)
    assert held.get(documents.get_document, path)["notice"].startswith("facts were looked for in 0 of 1 chunks")


def test_a_held_provider_embeds_nothing(held: Keyed, services: Services) -> None:
    embedder = services.embedders.of(held.world.context_id)
    with pytest.raises(EmbeddingUnavailable, match=TOKEN_LIMIT):
        embedder.embed(["Hello."])
    assert Embedders(services.models.settings).of(held.world.context_id).model == embedder.model


def test_a_context_tells_how_its_models_are_and_others_nothing_of_them(
    held: Keyed, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = held.get(usage.get_usage)
    assert (told["hold"], told["models"]["extraction"]["model"]) == (TOKEN_LIMIT, "openai/gpt-4o-mini")
    monkeypatch.setattr(services.models, "spent", lambda *_: 0)
    held.world.say("I live in Porto.")
    told = held.get(usage.get_usage)
    assert (told["hold"], told["models"]["extraction"]["failing"]) == (None, "connection_error")
    assert told["models"]["response"] == {"model": "local/extractive", "failing": None}
    assert services.models.failing == {}
