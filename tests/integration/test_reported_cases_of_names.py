"""Reported cases: who and what is meant, and who said it. See `test_reported_cases.py`."""

import pytest

from memory.candidates import (
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    Mention,
    RelationCandidate,
    UncertaintyCandidate,
)
from memory.events import ExtractionCompleted
from memory.remember import ExtractionStatus
from memory.values import Role
from tests.heard import deeds, doubts, events, heard, history, known, mine, names, of, said, topics
from tests.worlds import World

# --- entities ---------------------------------------------------------------------------------


def test_ent_02_names_that_differ_in_a_number_are_two_things(world: World) -> None:
    heard(world, "Berth 7 is Nils's.", of("Berth 7", "owner", "Nils", "location"))
    learnt = heard(world, "Berth 8 is Tor's.", of("Berth 8", "owner", "Tor", "location"))
    assert names(world) == ["Berth 7", "Berth 8"]
    assert known(world) == {"berth_7 owner Nils", "berth_8 owner Tor"}
    assert "AttributeSuperseded" not in topics(learnt)


def test_ent_03_one_acronym_is_one_entity(world: World) -> None:
    for kind, name, verb in (
        ("organisation", "QZTA", "approved"),
        ("company", "qzta", "asked"),
        ("org", " QZTA ", "moved"),
    ):
        deed = ActionCandidate(actor=Mention(type=kind, name=name), verb=verb, summary=f"QZTA {verb}")
        heard(world, f"QZTA {verb} today.", deed)
    assert names(world) == ["QZTA"]
    assert [deed.verb for deed in deeds(world)] == ["approved", "asked", "moved"]
    assert len({deed.actor_id for deed in deeds(world)}) == 1


def test_ent_03_so_it_is_with_the_words_themselves(world: World) -> None:
    said(world, "QZTA paid the fee.", "QZTA wants a receipt.", "QZTA left for new rooms.")
    assert len(names(world)) <= 1
    assert known(world) == set()


CHINESE = "我的邻居叫欧阳澜，她在青岚书店上班。"


def test_ent_05_chinese_names_are_kept_as_they_are_written(world: World) -> None:
    person, firm = Mention(type="person", name="欧阳澜"), Mention(type="organisation", name="青岚书店")
    heard(
        world,
        CHINESE,
        mine("neighbour", "欧阳澜", start=2),
        RelationCandidate(subject=person, label="works_at", object=firm, start=9),
    )
    assert {"欧阳澜", "青岚书店"} <= set(names(world))
    assert known(world) == {"user neighbour 欧阳澜", "欧阳澜 works_at 青岚书店"}


def test_ent_05_no_english_name_is_made_of_them(world: World) -> None:
    said(world, CHINESE)
    assert all(name in CHINESE for name in names(world))
    assert known(world) == set()


@pytest.mark.parametrize(
    "text", ["List the invoices that Rufus sent.", "Find me the commits by Rufus.", "Where is Rufus?"]
)
def test_ent_08_asking_about_somebody_does_not_make_one_that_person(world: World, text: str) -> None:
    (learnt,) = said(world, text)
    assert "SpeakerNamed" not in topics(learnt)
    assert set(names(world)) <= {"Rufus"}
    assert known(world) == set()


def test_ent_06_a_nickname_is_asked_about_and_becomes_a_name_when_told(world: World) -> None:
    manager = Mention(type="person", name="Margarethe Holm")
    heard(world, "My manager is Margarethe Holm.", mine("manager", "Margarethe Holm"), EntityCandidate(entity=manager))
    marga = Mention(type="person", name="Marga")
    asked = ActionCandidate(actor=marga, verb="asked", object="for the bill", summary="asked for the bill")
    heard(world, "Marga asked me for the bill.", asked)
    ((reason, key, _),) = doubts(world)
    assert (reason, key) == ("may be the same as another", "same_as")
    heard(world, "Marga is short for Margarethe.", AliasCandidate(entity=manager, name=marga))
    assert doubts(world) == []
    assert names(world, "person").count("Marga") == 0


# --- who said it ------------------------------------------------------------------------------


def test_att_01_what_the_assistant_offers_is_not_what_the_user_does(world: World) -> None:
    said(world, "How do I sort a heap in place?")
    said(world, "Here is my quicksort; use the iterative one, since you like short code.", role=Role.ASSISTANT)
    assert known(world) == set()
    assert deeds(world) == []


def test_att_01_a_fact_from_the_assistant_is_marked_and_yields_to_the_users(world: World) -> None:
    heard(world, "I sort with heaps.", mine("algorithm", "heapsort"))
    heard(world, "You sort with quicksort.", mine("algorithm", "quicksort"), role=Role.ASSISTANT)
    assert known(world) == {"user algorithm heapsort"}
    assert [(row.value, row.source_kind, row.standing) for row in history(world, "algorithm")] == [
        ("heapsort", "user", "current"),
        ("quicksort", "assistant", "claimed"),
    ]


@pytest.mark.parametrize(
    "text", ["The deploy broke once more, trying again.", "Tests are red again, restarting.", "Done. Next one."]
)
def test_att_03_no_profile_is_made_up(world: World, text: str) -> None:
    (learnt,) = said(world, text)
    assert learnt.status is ExtractionStatus.NOTHING_FOUND
    assert topics(learnt) == []


def test_att_03_every_stored_value_stands_in_the_words_that_it_points_to(world: World) -> None:
    for text in (
        "I'm Tilda, a plumber at Norrvatten, and I live in Lund.",
        "My brother Aron is allergic to nuts. I speak Finnish and I sold my boat.",
        "I used to live in Turin. Now I live in Graz with my wife Petra.",
    ):
        (learnt,) = said(world, text)
        (completed,) = [event for event in events(learnt) if isinstance(event, ExtractionCompleted)]
        assert completed.candidates
        for candidate in completed.candidates:
            words = text[candidate.start : candidate.end]
            for value in values(candidate):
                assert value in words, candidate


def values(candidate: AnyCandidate) -> list[str]:
    """What a candidate takes from the words."""
    match candidate:
        case AttributeCandidate(value=value):
            return [value]
        case RelationCandidate(object=target):
            return [target.name]
        case EntityCandidate(entity=entity):
            return [entity.name]
    return []


@pytest.mark.parametrize(
    "text",
    [
        "The user likes opera and lives in Oulu.",
        "User profile: name: Tilda; city: Oulu. I live in Oulu. My name is Tilda.",
        "Tilda lives in Oulu and works at Norrvatten.",
    ],
)
def test_att_04_what_a_system_message_recalls_is_not_learnt_again(world: World, text: str) -> None:
    (learnt,) = said(world, text, role=Role.SYSTEM)
    (asked,) = said(world, "What's the time?")
    assert topics(learnt) == topics(asked) == []
    assert names(world) == []


def test_att_05_who_is_meant_stays_open(world: World) -> None:
    henrik, anders = Mention(type="person", name="Henrik"), Mention(type="person", name="Anders")
    doubt = UncertaintyCandidate(about="who lost the case: Henrik or Anders", reason="unclear reference")
    learnt = heard(
        world,
        "Henrik told Anders that he had lost the case.",
        EntityCandidate(entity=henrik),
        EntityCandidate(entity=anders),
        doubt,
    )
    assert doubts(world) == [("unclear reference", None, learnt.turn_id)]
    assert known(world) == set()


def test_att_05_the_words_themselves_commit_nobody(world: World) -> None:
    said(world, "Henrik told Anders that he had lost the case.")
    assert known(world) == set()
    assert not [deed for deed in deeds(world) if deed.verb in ("lose", "lost")]
