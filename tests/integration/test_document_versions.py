"""What becomes of a document's facts when a newer version or nobody states them any more."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from api import ids
from api.routes import attributes, entities, forgetting, revisions, state
from api.wiring import Services
from memory.documents.contents import contents
from memory.documents.library import NewFile
from memory.events import MemoryRevised
from tests.calls import Keyed, keyed_world
from tests.integration.test_documents import Killed, killed_at
from tests.library import FactLines, read, replaced, seeing, uploaded
from tests.worlds import fact


@pytest.fixture
def keyed(services: Services, monkeypatch: pytest.MonkeyPatch) -> Keyed:
    monkeypatch.setattr("memory.documents.sandbox.read", contents)
    monkeypatch.setattr(services.document_learning, "remote_of", lambda _: FactLines())
    return keyed_world(services)


def written(keyed: Keyed, text: str, name: str = "a.md") -> UUID:
    document_id = uploaded(keyed.world, text, name=name).document_id
    assert read(keyed.world, document_id).status == "ready"
    return document_id


def rewritten(keyed: Keyed, document_id: UUID, text: str) -> None:
    replaced(keyed.world, document_id, text)
    assert read(keyed.world, document_id).status == "ready"


def current(keyed: Keyed) -> set[str]:
    rows = keyed.get(attributes.list_attributes)["attributes"]
    return {f"{row['key']} {row['value']}" for row in rows if row["standing"] == "current"}


def versions(keyed: Keyed, key: str) -> list[dict[str, Any]]:
    path = {"entity_type": "thing", "entity_name": "lamp", "key": key}
    return list(keyed.get(entities.get_history, path)["history"])


def doubts(keyed: Keyed) -> list[str]:
    return [one["about"] for one in keyed.get(state.get_state)["unknowns"]]


def revisions_of(keyed: Keyed) -> list[MemoryRevised]:
    return [one.event for one in keyed.world.events() if isinstance(one.event, MemoryRevised)]


def is_sound(keyed: Keyed) -> bool:
    assert keyed.world.verified().problem is None
    return True


def test_what_a_newer_version_states_no_longer_is_closed_with_its_reason(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp colour: green\n\nLamp price: 30 euros\n\nLamp height: 2 m")
    rewritten(keyed, document_id, "Lamp colour: green\n\nLamp price: 45 euros")
    assert current(keyed) == {"colour green", "price 45 euros"}
    history = [row for key in ("price", "height") for row in versions(keyed, key)]
    ended = {row["value"]: (row["standing"], row["endReason"]) for row in history if row["validUntil"]}
    assert ended == {"2 m": ("withdrawn", "document_replaced"), "30 euros": ("current", "restated")}
    sources = {row["value"]: row["source"] for row in history}
    assert sources["2 m"]["kind"] == "document", "its provenance is kept"
    assert is_sound(keyed)


def test_a_value_does_not_come_back_when_the_one_that_replaced_it_goes(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp price: 30 euros")
    rewritten(keyed, document_id, "Lamp price: 45 euros")
    rewritten(keyed, document_id, "The lamp is sold out, and there is nothing more to be said of it.")
    assert current(keyed) == set()
    rewritten(keyed, document_id, "Lamp price: 50 euros")
    assert current(keyed) == {"price 50 euros"}
    assert is_sound(keyed)


def test_what_another_source_says_too_stays(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp colour: green\n\nLamp height: 2 m\n\nLamp price: 30 euros")
    other = written(keyed, "Lamp height: 2 m\n\nChair colour: red", name="b.md")
    keyed.world.given(fact("Lamp", "colour", "green", kind="thing"))
    rewritten(keyed, document_id, "Everything is said elsewhere now, of lamps and of chairs and of what they cost.")
    assert current(keyed) == {"colour green", "height 2 m", "colour red"}
    keyed.world.services.library.delete(seeing(keyed.world), other)
    assert current(keyed) == {"colour green"}
    assert is_sound(keyed)


def test_a_claim_holds_once_the_document_that_outranked_it_is_silent(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp price: 30 euros")
    other = written(keyed, "Lamp price: 60 euros", name="b.md")
    assert current(keyed) == {"price 30 euros"}
    assert doubts(keyed) == ["price: 60 euros, against 30 euros"]
    rewritten(keyed, document_id, "There is nothing more to be said of lamps, nor of anything else that we sell.")
    assert current(keyed) == {"price 60 euros"}
    assert doubts(keyed) == []
    keyed.world.services.library.delete(seeing(keyed.world), other)
    assert current(keyed) == set()
    assert is_sound(keyed)


def test_a_version_that_is_dated_back_is_the_newer_one_all_the_same(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp price: 30 euros")
    data = b"Lamp price: 45 euros"
    library = keyed.world.services.library
    content_hash = library.keep_bytes(keyed.world.context_id, data)
    observed_at = datetime(2020, 5, 1, tzinfo=UTC)
    file = NewFile("a", "a.md", "text/markdown", content_hash, len(data), observed_at=observed_at)
    library.replace(seeing(keyed.world), document_id, file)
    read(keyed.world, document_id)
    assert current(keyed) == {"price 45 euros"}
    assert is_sound(keyed)


def test_a_deleted_document_takes_along_what_it_alone_said(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp colour: green\n\nChair colour: red")
    rewritten(keyed, document_id, "Lamp colour: blue\n\nChair colour: red")
    keyed.world.given(fact("Chair", "weight", "4 kg", kind="thing"))
    keyed.world.services.library.delete(seeing(keyed.world), document_id)
    assert current(keyed) == {"weight 4 kg"}
    assert [row["name"] for row in keyed.get(entities.list_entities)["entities"]] == ["Chair"]
    (revised,) = revisions_of(keyed)
    assert (revised.what, revised.target) == ("document_deleted", document_id)
    assert is_sound(keyed)


def test_reading_the_same_file_again_changes_no_fact(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp colour: green\n\nLamp price: 30 euros")
    keyed.world.services.library.replace(seeing(keyed.world), document_id, None)
    read(keyed.world, document_id)
    assert current(keyed) == {"colour green", "price 30 euros"}
    assert revisions_of(keyed) == []


def test_a_revision_of_a_document_can_be_undone(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp colour: green")
    rewritten(keyed, document_id, "There is nothing more to be said of lamps, nor of anything else that we sell.")
    (revised,) = revisions_of(keyed)
    keyed.post(revisions.undo_correction, {"correction_id": ids.ulid(revised.revision_id)})
    assert current(keyed) == {"colour green"}
    assert is_sound(keyed)


def test_a_purge_after_a_newer_version_leaves_a_log_that_can_be_replayed(keyed: Keyed) -> None:
    document_id = written(keyed, "Lamp colour: green\n\nLamp price: 30 euros")
    rewritten(keyed, document_id, "Lamp colour: green")
    assert keyed.post(forgetting.forget, query="Lamp colour green", purge=True)["deleted"] > 0
    assert current(keyed) == set()
    assert is_sound(keyed)


# --- all of a long document ----------------------------------------------------------------------

WORDS = "Many words stand here, so that each part is a chunk. " * 3
LONG = "\n\n".join(f"# Part {n}\n\n{WORDS}\n\nThing{n} size: {n} m" for n in range(40))


def test_facts_are_looked_for_in_all_of_a_document_however_often_it_is_broken_off(
    keyed: Keyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = FactLines()
    monkeypatch.setattr(keyed.world.services.document_learning, "remote_of", lambda _: model)
    document_id = uploaded(keyed.world, LONG).document_id
    with killed_at(monkeypatch, 20), pytest.raises(Killed):
        read(keyed.world, document_id)
    while (row := read(keyed.world, document_id, slice_s=0.0)).status == "queued":
        pass
    assert (row.status, row.unread_chunks) == ("ready", 0)
    assert len(current(keyed)) == 40
    assert len(model.asked) <= row.chunk_count + 6, "what was recorded is not asked again"
    assert is_sound(keyed)


def test_what_was_not_read_for_facts_is_told_and_not_taken_back(keyed: Keyed, monkeypatch: pytest.MonkeyPatch) -> None:
    document_id = written(keyed, LONG)
    monkeypatch.setattr("api.settings.config.FACT_CHUNKS", 10)
    replaced(keyed.world, document_id, LONG + "\n\nOne more line.")
    row = read(keyed.world, document_id)
    assert row.unread_chunks == row.chunk_count - 10
    assert len(current(keyed)) == 40
