"""What is erased is in no event, read model or other store; the rest is as if it had never been said."""

import os
import secrets
import string
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api import ids
from api.ids import ulid
from api.routes import attributes, entities, facts, forgetting, turns
from api.wiring import Services
from api.work.scrubbing import scrub, tables
from memory.candidates import AliasCandidate, Mention, RelationCandidate
from memory.erasing import Asked
from memory.events import Citation, ContentErased, TurnRecorded
from memory.turns import Turn
from memory.values import Infer, Role
from projections.rebuild import rebuild
from tests.calls import Keyed, keyed_world
from tests.integration.test_replay_properties import HOUR, NOON, History, histories
from tests.integration.test_revisions import concluded, source_of
from tests.integration.test_time_travel import READS, lived, plain_histories
from tests.worlds import World, fact

SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@pytest.fixture
def keyed(services: Services) -> Keyed:
    return keyed_world(services)


def dumped(services: Services) -> str:
    """Every row of every table that may hold content, as text."""
    with services.database.connect() as connection:
        rows = [
            row for table in tables() for (row,) in connection.execute(f"SELECT t::text FROM {table} AS t".encode())
        ]
    return "\n".join(rows)


def is_sound(world: World) -> bool:
    assert world.verified().problem is None
    assert world.verified(quick=True).problem is None
    return True


def values(answer: dict[str, Any]) -> list[str]:
    return [row["value"] for row in answer["attributes"]]


def test_a_purge_takes_the_fact_its_words_and_all_that_repeats_it(keyed: Keyed) -> None:
    world = keyed.world
    session = world.given(fact("Alice", "city", "Zorbagrad"), text="I moved to Zorbagrad.").session_id
    world.given(fact("Alice", "likes", "tea"), session_id=session, text="I like tea.")
    world.given(fact("Alice", "city", "zorbagrad"), text="Alice told us again that she lives in Zorbagrad.")
    world.say("Zorbagrad is where Alice lives, you know.", infer=Infer.NONE)
    assert "orbagrad" in dumped(world.services)

    told = keyed.post(forgetting.forget, query="Alice Zorbagrad", purge=True, dryRun=True)
    assert told["deleted"] > 0
    assert all("orbagrad" in match["text"] for match in told["matches"])
    assert ("turn", "I moved to Zorbagrad.") in {(one["kind"], one["text"]) for one in told["also"]}
    assert not {one["id"] for one in told["also"]} & {one["id"] for one in told["matches"]}
    assert "orbagrad" in dumped(world.services), "a dry run changes nothing"

    done = keyed.post(forgetting.forget, query="Alice Zorbagrad", purge=True)
    assert done["deleted"] == told["deleted"]
    assert done["residual"] == []
    assert "orbagrad" not in dumped(world.services)
    assert "tea" in values(keyed.get(attributes.list_attributes))
    assert is_sound(world)
    with world.services.database.connect() as connection:
        rebuild(world.services.log, connection, world.context_id)
    assert is_sound(world)

    shown = keyed.get(forgetting.get_erasure, {"erasure_id": done["erasureId"]})
    assert (shown["reason"], shown["status"], shown["events"]) == ("query", "erased", done["events"])
    history = keyed.get(attributes.list_history, {"entity_type": "person", "entity_name": "alice"})
    assert [one["id"] for one in history["erasures"]] == [done["erasureId"]]

    world.given(fact("Alice", "city", "Zorbagrad"), session_id=session)
    assert "Zorbagrad" in values(keyed.get(attributes.list_attributes)), "forgetting does not stop learning it again"
    assert is_sound(world)


def test_somebody_elses_same_value_stays_and_is_told_as_residual(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Alice", "city", "Berlin"), text="Alice lives in Berlin")
    world.given(fact("Bob", "city", "Berlin"), text="Bob lives in Berlin")
    done = keyed.post(forgetting.forget, query="Alice Berlin", purge=True)
    assert [row["entity"] for row in keyed.get(attributes.list_attributes)["attributes"]] == ["entity:person/bob"]
    assert {one["kind"] for one in done["residual"]} >= {"TurnRecorded", "AttributeAsserted"}
    assert "Alice lives in Berlin" not in dumped(world.services)
    assert "Bob lives in Berlin" in dumped(world.services)
    assert is_sound(world)


def test_a_purge_of_an_entity_leaves_no_trace_of_its_name(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Quibblesworth", "city", "Oslo"), fact("Bob", "city", "Rome"), text="Quibblesworth likes Oslo")
    world.given(
        RelationCandidate(
            subject=Mention(type="person", name="Bob"),
            label="knows",
            object=Mention(type="person", name="Quibblesworth"),
        )
    )
    world.say("I met Quibblesworth.", infer=Infer.NONE)
    path = {"entity_type": "person", "entity_name": "quibblesworth"}
    keyed_call = keyed.call(path, {"purge": "true"})
    assert entities.forget_entity(keyed_call) == (204, None)
    assert "uibblesworth" not in dumped(world.services)
    assert keyed.get(entities.get_entity, path) == {"absent": True}
    for handler, where, query in READS:
        keyed.get(handler, where, **query)
    assert is_sound(world)


def replied(keyed: Keyed, text: str, source: Citation) -> None:
    turn = Turn(turn_id=ids.new_id(), text=text, role=Role.ASSISTANT, infer=Infer.NONE, citations=(source,))
    keyed.world.remember(turn)


def test_the_query_of_an_erasure_can_neither_be_read_nor_guessed(services: Services) -> None:
    digests = []
    for _ in range(2):
        keyed = keyed_world(services)
        for _ in range(2):
            keyed.world.given(fact("Alice", "city", "Zorbagrad"), text="Alice lives in Zorbagrad.")
            keyed.post(forgetting.forget, query="Zorbagrad", purge=True)
        told = [one.event for one in keyed.world.events() if isinstance(one.event, ContentErased)]
        digests.append({one.query_digest for one in told})
    first, second = digests
    assert (len(first), len(second)) == (1, 1), "the same query is recognised"
    assert first.isdisjoint(second), "another context has another secret"
    assert not {sha256(word.encode()).hexdigest() for word in ("zorbagrad", "Zorbagrad")} & (first | second)


def test_what_quotes_or_was_concluded_from_it_goes_wherever_it_stands(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Bob", "city", "Zorbagrad"), text="Bob lives in Zorbagrad.")
    world.given(fact("Alice", "city", "Zorbagrad"), text="Alice lives in Zorbagrad.")
    source = source_of(keyed, "city", entity="alice")
    world.remember(concluded("climate", "Quuxish", source), scopes=(("org/other",),))
    world.remember(concluded("habitat", "Blorpish", source_of(keyed, "climate")))
    replied(keyed, "You told me that it is Zorbagrad.", source)
    replied(keyed, "A fine day.", source_of(keyed, "city", entity="bob"))
    done = keyed.post(forgetting.forget, query="Alice Zorbagrad", purge=True)
    left = dumped(world.services)
    assert "Bob lives in Zorbagrad." in left
    assert "A fine day." in left
    for gone in ("Alice lives in Zorbagrad", "uuxish", "lorpish", "You told me"):
        assert gone not in left
    assert "You told me" not in str(done["residual"]), "what goes is no residual"
    assert is_sound(world)


def test_soft_forgetting_ends_what_was_concluded(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Alice", "city", "Lyon"), text="Alice lives in Lyon.")
    world.remember(concluded("country", "France", source_of(keyed, "city")))
    world.remember(concluded("continent", "Europe", source_of(keyed, "country")))
    keyed.post(forgetting.forget, query="Alice city Lyon")
    assert values(keyed.get(attributes.list_attributes)) == []
    assert is_sound(world)


def test_a_forgotten_entity_takes_what_was_concluded_of_others(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Alice", "city", "Lyon"))
    world.remember(concluded("country", "France", source_of(keyed, "city")))
    path = {"entity_type": "person", "entity_name": "alice"}
    listed = entities.forget_entity(keyed.call(path, {"dryRun": "true"}))
    assert listed[0] == 200
    assert sorted(values(keyed.get(attributes.list_attributes))) == ["France", "Lyon"], "a dry run changes nothing"
    entities.forget_entity(keyed.call(path, {}))
    assert values(keyed.get(attributes.list_attributes)) == []
    assert is_sound(world)


def test_the_name_of_an_entity_that_others_facts_hang_on_stays(keyed: Keyed) -> None:
    world = keyed.world
    session = world.given(fact("Ana", "city", "Porto"), text="Ana lives in Porto.").session_id
    joined = world.given(
        AliasCandidate(entity=Mention(type="person", name="Cy"), name=Mention(type="person", name="Ana")),
        fact("Cy", "likes", "tea"),
        session_id=session,
        text="Cy is also known as Ana.",
    )
    keyed.get(forgetting.erase_turn, {"turn_id": ulid(joined.turn_ids[0])})
    assert values(keyed.get(attributes.list_attributes)) == ["Porto"]
    assert "Cy is also known" not in dumped(world.services)
    assert is_sound(world)


def test_a_deleted_turn_goes_with_what_only_it_supports(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Porto"), fact("Ana", "likes", "tea"), observed_at=NOON)
    moved = world.given(fact("Ana", "city", "Lyon"), fact("Ana", "likes", "tea"), observed_at=NOON + HOUR)
    world.given(fact("Ana", "city", "Lyon"), observed_at=NOON + 2 * HOUR)
    turn = {"turn_id": ulid(moved.turn_ids[0])}
    assert keyed.get(forgetting.erase_turn, turn)["deleted"] == 1
    assert keyed.get(turns.get_turn, turn) == {"absent": True}
    path = {"entity_type": "person", "entity_name": "ana", "key": "city"}
    rows = keyed.get(entities.get_history, path)["history"]
    assert [(row["value"], row["validFrom"][11:13], row["validUntil"]) for row in rows] == [
        ("Lyon", "14", None),
        ("Porto", "12", "2026-03-01T14:00:00.000000Z"),
    ]
    assert keyed.get(forgetting.erase_turn, turn) == {"absent": True}
    assert is_sound(world)


def as_if_never_said(services: Services, history: History, pick: int) -> None:
    """Erasing a turn leaves what the others alone would have made of it, but for ids."""
    said = [(hours, ones) for hours, ones in history if ones]
    if not said:
        return
    left_out = pick % len(said)
    whole = lived(services, said)
    rest = lived(services, said[:left_out] + said[left_out + 1 :])
    turn_ids = [one.event.turn_id for one in whole.world.events() if isinstance(one.event, TurnRecorded)]
    keyed_turn = {"turn_id": ulid(turn_ids[1 + left_out])}
    assert whole.get(forgetting.erase_turn, keyed_turn)["deleted"] == 1
    assert is_sound(whole.world)
    for name in ("ana", "bo"):
        path = {"entity_type": "person", "entity_name": name}
        assert lines(whole.get(attributes.list_history, path)) == lines(rest.get(attributes.list_history, path))
    for handler, path, query in READS:
        whole.get(handler, path, **query)


def lines(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    names = ("key", "value", "standing", "validFrom", "validUntil", "evidenceCount")
    # Two rows may differ only in an end that one of them does not have.
    return sorted((tuple(row[name] for name in names) for row in answer.get("history", [])), key=repr)


@settings(max_examples=10, **SETTINGS)
@given(history=plain_histories, pick=st.integers(0, 7))
def test_erasing_a_turn_is_as_if_it_had_never_been_said(services: Services, history: History, pick: int) -> None:
    as_if_never_said(services, history, pick)


@settings(max_examples=6, **SETTINGS)
@given(history=histories, pick=st.integers(0, 7))
def test_erasing_a_turn_is_sound_whatever_names_it_joined(services: Services, history: History, pick: int) -> None:
    whole = lived(services, history)
    turn_ids = [one.event.turn_id for one in whole.world.events() if isinstance(one.event, TurnRecorded)]
    whole.get(forgetting.erase_turn, {"turn_id": ulid(turn_ids[pick % len(turn_ids)])})
    assert is_sound(whole.world)
    for handler, path, query in READS:
        whole.get(handler, path, **query)


@pytest.mark.long
@settings(max_examples=200, **SETTINGS)
@given(history=plain_histories, pick=st.integers(0, 7))
def test_erasing_a_turn_at_length(services: Services, history: History, pick: int) -> None:
    as_if_never_said(services, history, pick)


def test_soft_forgetting_ends_a_fact_and_lets_it_be_learnt_again(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Porto"), text="Ana lives in Porto")
    world.given(fact("Ana", "city", "Lyon"), text="Ana moved to Lyon")
    assert keyed.post(forgetting.forget, query="Lyon", dryRun=True)["deleted"] > 0
    assert keyed.post(forgetting.forget, query="Lyon")["deleted"] > 0
    assert values(keyed.get(attributes.list_attributes)) == []
    assert keyed.post(forgetting.forget, query="Lyon")["deleted"] == 0
    world.given(fact("Ana", "city", "Lyon"))
    assert values(keyed.get(attributes.list_attributes)) == ["Lyon"]
    assert is_sound(world)


def test_a_scope_is_forgotten_with_all_below_it(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Porto"), text="in the root")
    triple = {"entity": {"type": "person", "name": "Ana"}, "key": "city", "value": "Blorptown"}
    keyed.post(
        facts.create_fact, infer="triples", triples=[triple], text="Blorptown it is", scopes=["org/acme/user/ana"]
    )
    assert len(values(keyed.get(attributes.list_attributes))) == 2
    assert keyed.post(forgetting.forget_scope, path="org/acme")["forgotten"] > 0
    assert "lorptown" not in dumped(world.services)
    assert values(keyed.get(attributes.list_attributes)) == ["Porto"]
    assert is_sound(world)


def test_a_deleted_context_keeps_an_empty_log(keyed: Keyed) -> None:
    world = keyed.world
    world.given(fact("Ana", "city", "Snarfville"), text="Snarfville")
    world.services.erasing.erase_context(world.context_id, Asked(ids.new_id(), world.caller.principal_id, "context"))
    assert "narfville" not in dumped(world.services)
    with world.services.database.connect() as connection:
        left = connection.execute(
            "SELECT DISTINCT topic FROM events WHERE context_id = %s AND payload IS NOT NULL", [world.context_id]
        ).fetchall()
    assert left == [("ContentErased",)]


def test_an_erasure_during_a_rebuild_is_not_undone_by_it(keyed: Keyed) -> None:
    world = keyed.world
    for number in range(60):
        world.given(fact("Ana", "city", f"Flumville {number}"), text=f"Flumville {number}")
    erased_at: list[int] = []

    def progress(events: int) -> None:
        if not erased_at:
            erased_at.append(events)
            keyed.post(forgetting.forget, query="Flumville 7", purge=True)

    with world.services.database.connect() as connection:
        rebuild(world.services.log, connection, world.context_id, progress=progress)
    assert erased_at
    assert "Flumville 7 " not in dumped(world.services)
    assert is_sound(world)


def found_on_disk(folder: Path, word: bytes) -> list[str]:
    """The files under a folder, links followed, that hold the word."""
    return [
        str(Path(place, name))
        for place, _, names in os.walk(os.path.realpath(folder / "pgdata"))
        for name in names
        if word in Path(place, name).read_bytes()
    ]


def test_nothing_of_it_is_left_on_the_disk_once_scrubbed(keyed: Keyed, home: Path) -> None:
    word = "".join(secrets.choice(string.ascii_lowercase) for _ in range(16)).capitalize()
    services = keyed.world.services
    for number in range(40):  # so often that it is among the most common values of a column
        keyed.world.given(fact(f"Ana {number}", "city", word), text=f"{number}: I moved to {word}.")
    with services.database.connect() as connection:
        connection.execute("SET ROLE NONE")
        connection.execute("ANALYZE")
        connection.execute("CHECKPOINT")
    assert found_on_disk(home, word.encode())
    done = keyed.post(forgetting.forget, query=word, purge=True, limit=1000)
    assert done["deleted"] >= 80
    erased_of = {"erasure_id": done["erasureId"]}
    assert keyed.get(forgetting.get_erasure, erased_of)["status"] == "erased"
    scrub(services.database.url)
    shown = keyed.get(forgetting.get_erasure, erased_of)
    assert (shown["status"], shown["scrubbedAt"] is not None) == ("scrubbed", True)
    for spelling in (word, word.lower()):
        assert found_on_disk(home, spelling.encode()) == []
    assert scrub(services.database.url) == [], "there is nothing left to do"
    assert is_sound(keyed.world)
