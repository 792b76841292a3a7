"""Names over the real read models: reads by any name, whom a scope shows, and a session's name."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID

import pytest

from api import ids
from memory.candidates import (
    SPEAKER,
    ActionCandidate,
    AliasCandidate,
    AttributeCandidate,
    EntityCandidate,
    Mention,
    NameCandidate,
    RelationCandidate,
    SeparationCandidate,
)
from memory.curation import Words
from memory.errors import Conflict, NotFound
from memory.events import EntityAliased, EntityRecognised
from memory.remember import Turn
from memory.scopes import scope_set
from memory.values import Infer
from projections import attribute_versions, corrections, entities, matches, provenance, relations
from projections.reading import Reader
from tests.worlds import World, fact

KAT = Mention(type="person", name="Kat")
KATHERINE = Mention(type="person", name="Katherine")
SHORT = AliasCandidate(entity=KATHERINE, name=KAT)


def rows_of(reader: Reader, name: str, key: str) -> list[tuple[str, bool, str | None]]:
    """(value, in force, why it ended) of every version under a name, oldest first."""
    owners = [row.id for row in entities.named(reader, "person", name)]
    return [
        (row.value, row.valid_to is None, row.end_reason)
        for row in attribute_versions.history(reader, owners, key)[::-1]
    ]


def spoken(world: World, *candidates: object, scopes: Sequence[str] = ("/",), session: UUID | None = None) -> UUID:
    """Give candidates in a scope of its own. Returns the session."""
    turn = Turn(turn_id=ids.new_id(), text="", infer=Infer.TRIPLES, candidates=tuple(candidates))  # type: ignore[arg-type]
    return world.services.memory.remember(
        replace(world.caller, visible=world.scope_sets(), writable=world.scope_sets()),
        [turn],
        session_id=session,
        new_session_id=ids.new_id(),
        scopes=None if session else scope_set([scopes]),
        answer=lambda _, learnt: learnt,
    ).session_id


def words() -> Words:
    return Words(turn_id=ids.new_id(), session_id=ids.new_id(), text="they are one")


def test_reads_by_any_name_reach_the_entity(world: World) -> None:
    world.given(fact("Katherine", "city", "Porto"))
    world.given(SHORT)
    world.given(fact("Kat", "city", "Lyon"))
    with world.reading() as reader:
        assert rows_of(reader, "kat", "city") == rows_of(reader, "katherine", "city")
        (entity,) = entities.named(reader, "person", "kat")
        assert entities.other_names(reader, [entity.id]) == {entity.id: ["Kat"]}
        assert [row.name for row in entities.by_type_and_name(reader, entity_type=None, limit=9).rows] == ["Katherine"]
        (match, _), *_ = matches.like(reader, "kat", entity_type=None, limit=3)
        assert (match.entity.name, match.alias) == ("Katherine", "kat")
    assert world.verified().problem is None


def test_a_merge_keeps_provenance_and_a_separation_gives_everything_back(world: World) -> None:
    met = ActionCandidate(actor=KAT, verb="met", object="Bo", summary="met Bo")
    knows = RelationCandidate(subject=Mention(type="person", name="Bo"), label="knows", object=KAT)
    world.given(fact("Kat", "city", "Porto"), met, knows)
    world.given(fact("Katherine", "city", "Lyon"))
    with world.reading() as reader:
        (before,) = attribute_versions.history(reader, [entities.named(reader, "person", "kat")[0].id], "city")
    world.given(SHORT)
    with world.reading() as reader:
        assert rows_of(reader, "kat", "city") == [("Porto", False, "merged"), ("Lyon", True, None)]
        (katherine,) = entities.named(reader, "person", "katherine")
        moved, _ = attribute_versions.history(reader, [katherine.id], "city")[::-1]
        assert (moved.id, moved.turn_id, moved.said_at) == (before.id, before.turn_id, before.said_at)
        assert [row.reason for row in corrections.newest_first(reader, limit=9).rows] == ["merged"]
        assert len(relations.live_of_entities(reader, [katherine.id], limit=9).rows) == 1
        assert provenance.evidence(reader, [katherine.id])[katherine.id].turns == 3
    world.given(SeparationCandidate(name=KAT))
    with world.reading() as reader:
        (after,) = attribute_versions.history(reader, [entities.named(reader, "person", "kat")[0].id], "city")
        common = ("valid_from", "valid_to", "standing", "superseded_by", "entity_id", "said_of", "joined_at")
        assert [getattr(after, name) for name in common] == [getattr(before, name) for name in common]
        assert rows_of(reader, "katherine", "city") == [("Lyon", True, None)]
        assert corrections.newest_first(reader, limit=9).rows == []
    assert world.verified().problem is None


def test_by_hand_in_every_scope_and_never_twice(world: World) -> None:
    spoken(world, fact("Kat", "city", "Porto"), scopes=["one"])
    spoken(world, fact("Katherine", "city", "Lyon"), scopes=["two"])
    caller = replace(world.caller, visible=world.scope_sets(), writable=world.scope_sets())
    curation = world.services.curation
    kat, katherine = ("person", "kat"), ("person", "katherine")
    with pytest.raises(NotFound):
        curation.merge(caller, kat, ("person", "nobody"), words())
    curation.merge(caller, kat, katherine, words())
    with world.reading() as reader:
        assert sorted(value for value, *_ in rows_of(reader, "kat", "city")) == ["Lyon", "Porto"]
    with pytest.raises(Conflict):
        curation.merge(caller, kat, katherine, words())
    curation.separate(caller, kat, words())
    with world.reading() as reader:
        assert [value for value, *_ in rows_of(reader, "kat", "city")] == ["Porto"]
        assert [value for value, *_ in rows_of(reader, "katherine", "city")] == ["Lyon"]
    with pytest.raises(Conflict):
        curation.separate(caller, kat, words())
    assert world.verified().problem is None


def test_who_does_not_see_the_scope_of_an_alias_sees_no_alias(world: World) -> None:
    spoken(world, fact("Katherine", "city", "Porto"), scopes=["open"])
    spoken(world, EntityCandidate(entity=KATHERINE), SHORT, scopes=["closed"])
    with world.services.pool.connection() as connection, connection.cursor() as cursor:
        visible = [one for one in world.scope_sets() if one not in _scope_sets_with(world, "kat", entity_type="person")]
        reader = Reader(cursor, world.context_id, 1, visible)
        assert entities.named(reader, "person", "kat") == []
        (katherine,) = entities.named(reader, "person", "katherine")
        assert entities.other_names(reader, [katherine.id]) == {}
    with world.reading() as reader:
        assert [value for value, *_ in rows_of(reader, "kat", "city")] == ["Porto"]


def _scope_sets_with(world: World, name_key: str, *, entity_type: str) -> set[UUID]:
    with world.services.pool.connection() as connection:
        rows = connection.execute(
            b"SELECT scope_set_id FROM entities WHERE context_id = %s AND type = %s AND name_key = %s",
            [world.context_id, entity_type, name_key],
        )
        return {scope_set_id for (scope_set_id,) in rows}


def test_a_name_binds_to_the_session_and_not_to_the_scope(world: World) -> None:
    city = AttributeCandidate(entity=SPEAKER, key="city", value="Porto")
    likes = AttributeCandidate(entity=SPEAKER, key="likes", value="tea")
    first = spoken(world, city)
    second = spoken(world, likes)
    spoken(world, NameCandidate(name="Alice"), session=first)
    with world.reading() as reader:
        assert rows_of(reader, "alice", "city") == [("Porto", True, None)]
        assert rows_of(reader, "alice", "likes") == []
        assert rows_of(reader, "user", "likes") == [("tea", True, None)]
    spoken(world, replace_value(city, "Lyon"), session=first)
    spoken(world, replace_value(city, "Oslo"), session=second)
    with world.reading() as reader:
        assert rows_of(reader, "alice", "city") == [("Porto", False, "restated"), ("Lyon", True, None)]
        assert rows_of(reader, "user", "city") == [("Oslo", True, None)]
    assert world.verified().problem is None


def replace_value(candidate: AttributeCandidate, value: str) -> AttributeCandidate:
    return AttributeCandidate(entity=candidate.entity, key=candidate.key, value=value)


def test_a_value_that_another_session_took_from_the_unnamed_user_is_given_back(world: World) -> None:
    """Two people who have told no name share one line until one of them tells it."""
    porto, lyon = (AttributeCandidate(entity=SPEAKER, key="city", value=value) for value in ("Porto", "Lyon"))
    spoken(world, porto)
    second = spoken(world, lyon)
    spoken(world, NameCandidate(name="Bo"), session=second)
    with world.reading() as reader:
        assert rows_of(reader, "user", "city") == [("Porto", True, None)]
        assert rows_of(reader, "bo", "city") == [("Lyon", True, None)]
        assert corrections.newest_first(reader, limit=9).rows == []
    assert world.verified().problem is None


def test_the_scopes_user_gets_the_name_that_is_told(world: World) -> None:
    session = spoken(world, AttributeCandidate(entity=SPEAKER, key="city", value="Porto"), scopes=["user/u-17"])
    spoken(world, NameCandidate(name="Alice"), session=session)
    with world.reading() as reader:
        assert rows_of(reader, "alice", "city") == rows_of(reader, "u-17", "city") == [("Porto", True, None)]


def test_ent_06_a_nickname_is_asked_about_and_not_silently_a_second_person(world: World) -> None:
    world.given(EntityCandidate(entity=Mention(type="person", name="Katherine Obi")))
    learnt = world.given(EntityCandidate(entity=KAT)).answers[0]
    flagged = [one.event for one in learnt.recorded if one.event and one.event.TOPIC == "UncertaintyFlagged"]
    assert [getattr(one, "about", None) for one in flagged] == ["Kat: perhaps Katherine Obi"]


def test_names_told_by_many_writers_at_once_are_one_alias_of_one_entity(world: World) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: world.given(SHORT, fact("Kat", "likes", f"tea {number}")), range(12)))
    events = [one.event for one in world.events()]
    assert sum(isinstance(event, EntityRecognised) and event.name == "Katherine" for event in events) == 1
    assert sum(isinstance(event, EntityAliased) for event in events) == 1
    with world.reading() as reader:
        assert len(rows_of(reader, "katherine", "likes")) == 12


def test_a_forgotten_entity_takes_its_names_along(world: World) -> None:
    world.given(fact("Katherine", "city", "Porto"), SHORT)
    caller = replace(world.caller, forgettable=world.scope_sets())
    assert world.services.forgetting.forget_entity(caller, ("person", "kat"), session_id=ids.new_id()) == 1
    with world.reading() as reader:
        assert entities.named(reader, "person", "kat") == entities.named(reader, "person", "katherine") == []
    world.given(fact("Kat", "city", "Lyon"))
    with world.reading() as reader:
        assert rows_of(reader, "kat", "city") == [("Lyon", True, None)]
    assert world.verified().problem is None
