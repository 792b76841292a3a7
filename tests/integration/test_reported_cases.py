"""Faults reported of comparable systems, as cases of our own: what must be stored when words are understood well,
and what must not be stored when the local extractor reads them.

A good reading is prepared (`heard`); a local one is made (`World.say`). Names carry the ids of
`tests/data/reported_cases.py`.
"""

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from unicodedata import normalize
from uuid import UUID

import msgspec
import pytest

from api.ids import new_id
from api.keys import digest, new_key
from api.work import recovery
from memory.candidates import (
    SPEAKER,
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    Extraction,
    Mention,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)
from memory.errors import ExtractorUnavailable
from memory.events import (
    ActionRecorded,
    AttributeAsserted,
    AttributeClosed,
    AttributeEnded,
    Event,
    ExtractionCompleted,
    GrantGiven,
    KeyMinted,
    PrincipalCreated,
)
from memory.extraction import Extractor
from memory.principals import VERBS
from memory.recorded import Origin, Recorded
from memory.remember import ExtractionStatus, Learnt, Memory, Remembered, Turn
from memory.scopes import ROOT_SET, scope_set_id
from memory.understanding import Understanding
from memory.values import Role, attribute_key, derived_id, entity_type, name_key
from projections import (
    attribute_versions,
    corrections,
    entities,
    instructions,
    provenance,
    rebuild,
    relations,
    turns,
    uncertainties,
)
from projections.attribute_versions import AttributeVersionRow
from projections.reading import Instant
from projections.table import READ_MODELS_SCHEMA
from tests.data.reported_cases import IDS, TOO
from tests.worlds import World, world_in

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
ALL = 10_000
TESTS = Path(__file__).parents[1]


# --- the cases themselves ----------------------------------------------------------------------


def test_every_reported_case_has_its_tests() -> None:
    cases = "".join(file.read_text() for file in TESTS.glob("*/test_reported_cases*.py"))
    named = re.findall(r"^def test_([a-z]{3})_(\d\d)_", cases, re.MULTILINE)
    tested = {f"{kind.upper()}-{number}" for kind, number in named}
    assert len(IDS) == len(set(IDS)) == 88
    assert tested == set(IDS)
    assert tested >= TOO.keys()
    for place in TOO.values():
        file, test = place.split(": ")[0].split("::")
        assert f"\ndef {test}(" in (TESTS / file).read_text(), place


# --- saying and looking ------------------------------------------------------------------------

Answer = Sequence[AnyCandidate] | Exception


@dataclass
class Prepared:
    """An extractor whose answers are given beforehand, and which notes what it is asked."""

    answers: list[Answer]
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "prepared"

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        self.asked.append((text, tuple(earlier)))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Extraction(extractor=self.name, candidates=tuple(answer))


def with_extractor(world: World, extractor: Extractor) -> World:
    memory = world.services.memory
    return replace(
        world, services=replace(world.services, memory=Memory(memory.log, memory.knowledge, Understanding(extractor)))
    )


def heard(
    world: World,
    text: str,
    *candidates: AnyCandidate,
    at: datetime | None = None,
    role: Role = Role.USER,
    session_id: UUID | None = None,
) -> Learnt:
    """Say words of which a good extractor would make these candidates."""
    prepared = with_extractor(world, Prepared([candidates]))
    return only(prepared.say(text, observed_at=at, role=role, session_id=session_id))


def only(remembered: Remembered[Learnt]) -> Learnt:
    (learnt,) = remembered.answers
    return learnt


def said(world: World, *texts: str, at: datetime | None = None, role: Role = Role.USER) -> list[Learnt]:
    """Say words, one turn each of one session, and let the local extractor read them."""
    session_id = None
    learnt = []
    for text in texts:
        remembered = world.say(text, session_id=session_id, observed_at=at, role=role)
        session_id = remembered.session_id
        learnt += remembered.answers
    assert kept(world, learnt) == list(texts)
    return learnt


def kept(world: World, learnt: Sequence[Learnt]) -> list[str]:
    with world.reading() as reader:
        rows = turns.by_ids(reader, [one.turn_id for one in learnt])
    return [rows[one.turn_id].text for one in learnt]


def mine(key: str, value: str, **more: object) -> AttributeCandidate:
    """A property of whoever speaks."""
    return AttributeCandidate(entity=SPEAKER, key=key, value=value, **more)  # type: ignore[arg-type]


def of(name: str, key: str, value: str, kind: str = "person", **more: object) -> AttributeCandidate:
    return AttributeCandidate(entity=Mention(type=kind, name=name), key=key, value=value, **more)  # type: ignore[arg-type]


def known(world: World, *, as_of: datetime | None = None) -> set[str]:
    """All that is current, or was known to be at a time: "subject key value", by normalised names."""
    with world.reading() as reader:
        reader = replace(reader, instant=Instant(known_at=as_of, moment=as_of))
        versions = attribute_versions.live(reader, limit=ALL).rows
        edges = relations.live(reader, limit=ALL).rows
        ends = [one.entity_id for one in versions] + [end for one in edges for end in (one.subject_id, one.object_id)]
        name = {key: row.name_key for key, row in entities.by_ids(reader, ends).items()}
    return {f"{name[one.entity_id]} {one.key} {one.value}" for one in versions} | {
        f"{name[one.subject_id]} {one.label} {name[one.object_id]}" for one in edges
    }


def history(world: World, key: str, name: str = "user", kind: str = "person") -> list[AttributeVersionRow]:
    """Every version of a key, oldest statement first."""
    with world.reading() as reader:
        owners = entities.named(reader, entity_type(kind), name_key(name))
        rows = attribute_versions.history(reader, [row.id for row in owners], attribute_key(key))
    return rows[::-1]


def spans(rows: Sequence[AttributeVersionRow]) -> list[tuple[str, datetime | None, datetime | None]]:
    return [(row.value, row.valid_from, row.valid_to) for row in rows]


def held(rows: Sequence[AttributeVersionRow], moment: datetime) -> list[str]:
    """The values that were true at a moment."""
    return [
        row.value
        for row in rows
        if row.standing == "current"
        and row.valid_from is not None
        and row.valid_from <= moment
        and (row.valid_to is None or moment < row.valid_to)
    ]


def corrected(world: World) -> list[tuple[str, str, str]]:
    """(old value, new value, reason) of every correction, oldest first."""
    with world.reading() as reader:
        rows = corrections.newest_first(reader, limit=ALL).rows[::-1]
        versions = attribute_versions.by_ids(
            reader, [one for row in rows for one in (row.old_version_id, row.new_version_id)]
        )
    return [(versions[row.old_version_id].value, versions[row.new_version_id].value, row.reason) for row in rows]


def doubts(world: World) -> list[tuple[str, str | None, UUID | None]]:
    """(reason, key, turn) of every open uncertainty."""
    with world.reading() as reader:
        return [(row.reason, row.key, row.turn_id) for row in uncertainties.unresolved(reader, limit=ALL).rows]


def names(world: World, kind: str | None = None) -> list[str]:
    with world.reading() as reader:
        return [row.name for row in entities.by_type_and_name(reader, entity_type=kind, limit=ALL).rows]


def directives(world: World) -> list[str]:
    with world.reading() as reader:
        return [row.description for row in instructions.active(reader, limit=ALL).rows]


def events(learnt: Learnt) -> list[Event]:
    return [one.event for one in learnt.recorded if one.event is not None]


def deeds(world: World) -> list[ActionRecorded]:
    return [one.event for one in world.events() if isinstance(one.event, ActionRecorded)]


def topics(learnt: Learnt) -> list[str]:
    """The kinds of what a turn led to."""
    return [event.TOPIC for event in events(learnt) if not isinstance(event, ExtractionCompleted)]


# --- contradictions ----------------------------------------------------------------------------


def test_con_01_the_contrary_of_a_liking_supersedes_it(world: World) -> None:
    heard(world, "I adore kimchi.", mine("likes", "kimchi"))
    assert known(world) == {"user likes kimchi"}
    learnt = heard(world, "Honestly, I can't stand kimchi now.", mine("dislikes", "kimchi", change=True))
    assert known(world) == {"user dislikes kimchi"}
    assert [(row.key, row.standing, row.valid_to is None) for row in history(world, "likes")] == [
        ("likes", "current", False),
        ("dislikes", "current", True),
    ]
    assert topics(learnt).count("AttributeSuperseded") == 1
    assert corrected(world) == [("kimchi", "kimchi", "moved_on")]


def test_con_01_so_it_is_with_the_words_themselves(world: World) -> None:
    said(world, "I adore liver pâté.", "Honestly, I hate liver pâté now, even the look of it.")
    assert known(world) == {"user dislikes liver pâté"}
    assert [row.key for row in history(world, "likes")] == ["likes", "dislikes"]
    assert len(corrected(world)) == 1


def test_con_03_a_deed_against_a_diet_is_an_open_doubt_about_the_diet(world: World) -> None:
    diet = heard(world, "I'm a vegetarian.", mine("diet", "vegetarian"))
    doubt = UncertaintyCandidate(
        about="vegetarian, but ate beef stew", reason="contrary deed", entity=SPEAKER, key="diet"
    )
    stew = ActionCandidate(actor=SPEAKER, verb="ate", object="beef stew", summary="ate beef stew")
    contrary = heard(world, "The beef stew on Sunday was my best meal in months.", stew, doubt)
    assert known(world) == {"user diet vegetarian"}
    assert [row.turn_id for row in history(world, "diet")] == [diet.turn_id]
    assert doubts(world) == [("contrary deed", "diet", contrary.turn_id)]


def test_con_03_the_words_themselves_leave_no_second_fact(world: World) -> None:
    said(world, "I'm a vegetarian.", "I had a beef stew on Sunday, the best in months.")
    assert known(world) == {"user diet vegetarian"}


def test_con_05_mentioning_a_thing_retires_nothing_that_is_known_of_it(world: World) -> None:
    pharos = Mention(type="project", name="Pharos")
    heard(
        world,
        "Pharos, our login service, is written in Rust.",
        of("Pharos", "description", "login service", "project"),
        of("Pharos", "written_in", "Rust", "project", start=1),
    )
    heard(world, "Pharos runs in Bergen.", of("Pharos", "runs_in", "Bergen", "project"))
    report = Mention(type="project", name="Report")
    learnt = heard(
        world,
        "We built a report that reads from Pharos.",
        RelationCandidate(subject=report, label="reads_from", object=pharos),
        EntityCandidate(entity=pharos),
    )
    assert not {"AttributeSuperseded", "AttributeClosed"} & set(topics(learnt))
    assert known(world) == {
        "pharos description login service",
        "pharos written_in Rust",
        "pharos runs_in Bergen",
        "report reads_from pharos",
    }


def test_con_05_nor_do_the_words_themselves(world: World) -> None:
    *_, last = said(
        world,
        "Pharos is our login service; it is written in Rust.",
        "Pharos runs in the Bergen zone.",
        "We have just built a report that reads from Pharos.",
    )
    assert topics(last) in ([], ["EntityMentioned"])
    assert {"pharos description login service", "pharos written_in Rust"} <= known(world)
    assert names(world).count("Pharos") == 1
    assert corrected(world) == []


def test_con_07_from_disliking_to_liking_state_and_correction_agree(world: World) -> None:
    _, second = said(world, "I don't like Ida Norr's films.", "I like Ida Norr's films.")
    assert known(world) == {"user likes Ida Norr's films"}
    old, new = history(world, "likes")
    assert (old.key, old.superseded_by, new.key, new.supersedes) == ("dislikes", new.id, "likes", old.id)
    assert topics(second).count("AttributeSuperseded") == 1
    assert len(corrected(world)) == 1
    assert doubts(world) == []


def test_con_08_a_move_told_with_its_week_closes_the_former_value_in_that_week(world: World) -> None:
    week = datetime(2026, 2, 23, tzinfo=UTC)
    heard(world, "Our test database is MySQL.", mine("test_database", "MySQL"), at=MONDAY - 60 * DAY)
    moved = mine("test_database", "Postgres", valid_from=week, precision="week", change=True)
    heard(world, "Last week we went from MySQL to Postgres in test.", moved, at=MONDAY)
    assert known(world) == {"user test_database Postgres"}
    rows = history(world, "test_database")
    assert spans(rows) == [("MySQL", MONDAY - 60 * DAY, week), ("Postgres", week, None)]
    assert rows[1].precision == "week"
    assert corrected(world) == [("MySQL", "Postgres", "moved_on")]


def test_con_08_a_database_that_moved_is_not_where_the_speaker_lives(world: World) -> None:
    said(
        world, "Our test database is MySQL.", "We moved the test database from MySQL to Postgres last week.", at=MONDAY
    )
    assert known(world) <= {"user test_database MySQL", "user test_database Postgres", "user uses Postgres"}
    assert not names(world, "location")


def test_con_10_a_second_year_of_birth_is_a_correction(world: World) -> None:
    said(world, "Bertil was born in 1972.", "Bertil was born in 1975.")
    assert known(world) == {"bertil birth_year 1975"}
    assert [(old, new) for old, new, _ in corrected(world)] == [("1972", "1975")]


def test_con_12_an_unrelated_statement_replaces_nothing(world: World) -> None:
    heard(world, "I want to sail across the Atlantic.", mine("wish", "to sail across the Atlantic"))
    (wish,) = history(world, "wish")
    learnt = heard(world, "I drink cold coffee in the evening.", mine("habit", "cold coffee in the evening"))
    assert known(world) == {"user wish to sail across the Atlantic", "user habit cold coffee in the evening"}
    assert [row.id for row in history(world, "wish")] == [wish.id]
    assert [row.id for row in history(world, "habit")] != [wish.id]
    assert "AttributeSuperseded" not in topics(learnt)


def test_con_12_nor_does_one_in_the_words_themselves(world: World) -> None:
    said(world, "I want to sail across the Atlantic.", "I drink cold coffee in the evening.")
    assert known(world) == {"user drinks cold coffee"}
    assert corrected(world) == []


def test_con_13_a_new_occupation_is_current_and_both_are_in_the_history(world: World) -> None:
    first, second, _ = said(world, "I work as a baker.", "I quit. I'm a law student now.", "So what am I?")
    assert known(world) == {"user job_title law student"}
    assert [(row.value, row.turn_id) for row in history(world, "job_title")] == [
        ("baker", first.turn_id),
        ("law student", second.turn_id),
    ]


def test_con_14_a_thing_that_is_gone_has_an_end_and_no_successor(world: World) -> None:
    gone = datetime(2026, 2, 10, tzinfo=UTC)
    heard(world, "Our print server is fog-2.", mine("print_server", "fog-2"), at=datetime(2026, 1, 5, tzinfo=UTC))
    ending = mine("print_server", "fog-2", polarity=Polarity.ENDED, valid_until=gone, precision="day", change=True)
    heard(world, "fog-2 went on 10 February and nothing took its place.", ending, at=MONDAY)
    assert known(world) == set()
    (row,) = history(world, "print_server")
    assert (row.valid_to, row.superseded_by, row.end_reason) == (gone, None, "ended")
    assert held([row], datetime(2026, 2, 1, tzinfo=UTC)) == ["fog-2"]
    assert held([row], gone) == []
    assert doubts(world) == []


# --- duplicates --------------------------------------------------------------------------------


def test_dup_01_saying_it_again_keeps_the_one_record_and_its_age(world: World) -> None:
    key = of("shed key", "place", "behind the clock", "other")
    heard(world, "The shed key hangs behind the clock.", key, at=MONDAY)
    (first,) = history(world, "place", "shed key", "other")
    again = heard(world, "The shed key hangs behind the clock.", key, at=MONDAY + DAY)
    assert topics(again) == ["EntityMentioned", "AttributeReaffirmed"]
    (row,) = history(world, "place", "shed key", "other")
    assert (row.id, row.said_at, row.valid_from, row.valid_to) == (first.id, MONDAY, MONDAY, None)
    assert known(world) == {"shed_key place behind the clock"}


def test_dup_03_a_part_of_what_was_said_before_is_a_second_source_of_it(world: World) -> None:
    leads = RelationCandidate(
        subject=Mention(type="person", name="Ravn"), label="leads", object=Mention(type="project", name="Osprey")
    )
    call = of("Ravn", "on_call", "Fridays")
    heard(world, "Ravn leads Osprey and has the pager on Fridays.", leads, call)
    heard(world, "Ravn has the pager on Fridays.", call)
    assert known(world) == {"ravn leads osprey", "ravn on_call Fridays"}
    (row,) = history(world, "on_call", "Ravn")
    with world.reading() as reader:
        assert provenance.evidence(reader, [row.id])[row.id].turns == 2


def test_dup_05_facts_alike_in_their_words_stay_apart(world: World) -> None:
    told = (
        ("I fenced at school.", mine("school_sport", "fencing")),
        ("I mended the fence for an hour.", mine("chore", "mending the fence for an hour")),
        ("I ate little because of the heat.", mine("appetite", "small because of the heat")),
    )
    learnt = [heard(world, text, candidate) for text, candidate in told]
    rows = [history(world, candidate.key) for _, candidate in told]
    assert [[(row.value, row.turn_id) for row in one] for one in rows] == [
        [(candidate.value, one.turn_id)] for (_, candidate), one in zip(told, learnt, strict=True)
    ]


# --- entities ----------------------------------------------------------------------------------


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


# --- who said it -------------------------------------------------------------------------------


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


# --- negations and endings ---------------------------------------------------------------------


def test_neg_01_stopping_closes_and_starting_opens(world: World) -> None:
    start = datetime(2025, 5, 1, 9, tzinfo=UTC)
    cider, mead = of("Sigrun", "drinks", "cider"), of("Sigrun", "drinks", "mead", change=True)
    heard(world, "Sigrun drinks cider these days.", cider, at=start)
    stopped = msgspec.structs.replace(cider, polarity=Polarity.ENDED, change=True)
    heard(world, "Sigrun stopped drinking cider.", stopped, at=start + DAY)
    assert known(world) == set()
    heard(world, "Sigrun has started drinking mead.", mead, at=start + 2 * DAY)
    assert known(world) == {"sigrun drinks mead"}
    rows = history(world, "drinks", "Sigrun")
    assert spans(rows) == [("cider", start, start + DAY), ("mead", start + 2 * DAY, None)]
    assert held(rows, start + timedelta(hours=2)) == ["cider"]
    assert held(rows, start + DAY + timedelta(hours=2)) == []
    assert held(rows, start + 3 * DAY) == ["mead"]
    assert [known(world, as_of=start + hours * HOUR) for hours in (2, 26, 50)] == [
        {"sigrun drinks cider"},
        set(),
        {"sigrun drinks mead"},
    ]


def test_neg_01_of_the_words_themselves_nothing_that_stopped_is_current(world: World) -> None:
    said(
        world,
        "Sigrun drinks cider these days.",
        "Sigrun stopped drinking cider.",
        "Sigrun has started drinking mead.",
        "What does Sigrun drink now?",
    )
    assert known(world) <= {"sigrun drinks mead"}


def test_neg_03_no_longer_liking_closes_the_liking_and_is_no_directive(world: World) -> None:
    first, second = said(world, "I love mountain biking.", "I no longer like mountain biking.")
    assert known(world) == set()
    (row,) = history(world, "likes")
    assert (row.turn_id, row.end_reason, row.superseded_by) == (first.turn_id, "ended", None)
    assert row.valid_to == next(one.known_at for one in second.recorded)
    assert directives(world) == []


def test_neg_03_no_longer_liking_the_wider_kind_closes_the_liking_of_its_kinds(world: World) -> None:
    heard(
        world,
        "I love trail running and running shoes.",
        mine("likes", "trail running"),
        mine("likes", "running shoes", start=9),
    )
    ending = mine("likes", "running", polarity=Polarity.ENDED)
    second = heard(world, "I no longer like running.", ending)
    assert known(world) == {"user likes running shoes"}
    row = history(world, "likes")[0]
    assert (row.value, row.end_reason, row.valid_to) == ("trail running", "ended", second.recorded[0].known_at)
    assert doubts(world) == []
    assert world.verified().problem is None


def test_neg_05_a_divorce_ends_the_marriage_in_its_month(world: World) -> None:
    month = datetime(2026, 3, 1, tzinfo=UTC)
    married = RelationCandidate(subject=SPEAKER, label="married_to", object=Mention(type="person", name="Signe"))
    heard(world, "I'm married to Signe.", married, mine("marital_status", "married", start=1), at=month - 300 * DAY)
    ended = msgspec.structs.replace(married, polarity=Polarity.ENDED, valid_until=month, precision="month", change=True)
    divorced = mine("marital_status", "divorced", start=1, valid_from=month, precision="month", change=True)
    heard(world, "Signe and I got divorced in March 2026.", ended, divorced, at=month + 60 * DAY)
    assert known(world) == {"user marital_status divorced"}
    assert spans(history(world, "marital_status")) == [
        ("married", month - 300 * DAY, month),
        ("divorced", month, None),
    ]
    with world.reading() as reader:
        ends = [row.id for row in entities.by_type_and_name(reader, entity_type="person", limit=ALL).rows]
        (edge,) = relations.between(reader, ends, "married_to", ends, limit=ALL).rows
    assert (edge.valid_from, edge.valid_to, edge.end_reason) == (month - 300 * DAY, month, "ended")


# --- stated times ------------------------------------------------------------------------------


def test_tmp_01_last_week_is_the_week_before_the_turn_and_not_before_today(world: World) -> None:
    said(world, "Last week I started a weaving course.", at=datetime(2021, 4, 14, 10, tzinfo=UTC))
    (deed,) = deeds(world)
    assert deed.occurred_at is not None
    assert datetime(2021, 4, 5, tzinfo=UTC) <= deed.occurred_at < datetime(2021, 4, 12, tzinfo=UTC)


def test_tmp_03_a_year_is_kept_as_a_year(world: World) -> None:
    year = datetime(2019, 1, 1, tzinfo=UTC)
    heard(
        world, "I've lived in Lund since 2019.", mine("location", "Lund", valid_from=year, precision="year"), at=MONDAY
    )
    (row,) = history(world, "location")
    assert (row.valid_from, row.stated_from, row.precision) == (year, year, "year")


def test_tmp_03_a_deed_of_a_year_is_no_instant_on_its_first_of_january(world: World) -> None:
    said(world, "In 2019 I visited Lisbon.", at=MONDAY)
    (deed,) = deeds(world)
    assert deed.occurred_at == datetime(2019, 1, 1, tzinfo=UTC)
    assert deed.precision == "year"


EAST = timezone(timedelta(hours=8))
NIGHT = datetime(2026, 9, 15, 2, tzinfo=EAST)  # still the 14th in UTC
TODAY = datetime(2026, 9, 15, tzinfo=EAST)


def test_tmp_05_today_is_a_day_where_it_was_said(world: World) -> None:
    said(world, "I visited the dentist today.", at=NIGHT)
    (deed,) = deeds(world)
    assert deed.occurred_at == TODAY
    assert "18:00" not in deed.summary


def test_tmp_05_also_when_the_turn_is_understood_later(world: World) -> None:
    down = with_extractor(world, Prepared([ExtractorUnavailable()]))
    assert only(down.say("I visited the dentist today.", observed_at=NIGHT)).status is ExtractionStatus.PENDING
    learn_pending(world)
    (deed,) = deeds(world)
    assert deed.occurred_at == TODAY


def learn_pending(world: World) -> None:
    """What the server does after a start."""
    position = world.events()[-1].position
    recovery.learn_pending(world.services, {world.context_id: position})


def test_tmp_07_last_tuesday_is_a_date(world: World) -> None:
    thursday = datetime(2026, 7, 23, 8, tzinfo=UTC)
    said(world, "I visited the dam last Tuesday.", "The pumps broke one by one last Tuesday.", at=thursday)
    assert deeds(world)
    assert {deed.occurred_at for deed in deeds(world)} == {datetime(2026, 7, 21, tzinfo=UTC)}
    assert not [fact for fact in known(world) if "Tuesday" in fact]


# --- histories ---------------------------------------------------------------------------------


def test_his_01_beginning_and_end_have_time_actor_and_turn_in_order(world: World) -> None:
    pet = mine("pets", "hamster")
    begun = heard(world, "I keep a hamster.", pet, at=MONDAY)
    over = heard(world, "Forget the hamster.", msgspec.structs.replace(pet, polarity=Polarity.ENDED), at=MONDAY + DAY)
    about = (AttributeAsserted, AttributeEnded, AttributeClosed)
    told = [one for one in world.events() if isinstance(one.event, about)]
    assert [(one.event and one.event.TOPIC, one.known_at, one.origin.turn_id) for one in told] == [
        ("AttributeAsserted", MONDAY, begun.turn_id),
        ("AttributeEnded", MONDAY + DAY, over.turn_id),
        ("AttributeClosed", MONDAY + DAY, over.turn_id),
    ]
    assert {one.origin.principal_id for one in told} == {world.caller.principal_id}
    assert [one.recorded_at for one in told] == sorted(one.recorded_at for one in told)
    assert spans(history(world, "pets")) == [("hamster", MONDAY, MONDAY + DAY)]
    assert known(world) == set()


def test_his_01_the_words_themselves_say_no_new_fact_and_give_no_directive(world: World) -> None:
    said(world, "I have a hamster.", "Please forget about my hamster.")
    assert not [fact for fact in known(world) if "hamster" in fact]
    assert directives(world) == []


def test_his_03_a_fact_leads_back_to_its_turn_and_words_and_a_turn_to_its_facts(world: World) -> None:
    text = "Hi! My brother Aron got a place at the customs office."
    (learnt,) = said(world, text)
    assert known(world) == {"user brother Aron"}
    (row,) = history(world, "brother")
    assert row.turn_id == learnt.turn_id
    (completed,) = [event for event in events(learnt) if isinstance(event, ExtractionCompleted)]
    (candidate,) = [one for one in completed.candidates if isinstance(one, AttributeCandidate)]
    assert "brother Aron" in text[candidate.start : candidate.end]
    with world.services.pool.connection() as connection, connection.cursor() as cursor:
        derived: list[Recorded] = world.services.log.of_turn(cursor, world.context_id, learnt.turn_id)
    assert [one.position for one in derived[-len(learnt.recorded) :]] == [one.position for one in learnt.recorded]
    assert row.id in [one.event.segment.id for one in derived if isinstance(one.event, AttributeAsserted)]


def test_his_05_a_correction_tells_old_new_turn_time_and_reason_and_links_both_ways(world: World) -> None:
    heard(world, "The fair is on 3 May.", of("fair", "date", "3 May", "event"), at=MONDAY)
    sorry = heard(
        world, "Sorry, the fair is on 10 May.", of("fair", "date", "10 May", "event", repair=True), at=MONDAY + DAY
    )
    old, new = history(world, "date", "fair", "event")
    assert (old.superseded_by, new.supersedes, old.standing) == (new.id, old.id, "retracted")
    assert corrected(world) == [("3 May", "10 May", "explicit_correction")]
    with world.reading() as reader:
        (row,) = corrections.newest_first(reader, limit=ALL).rows
    assert (row.old_version_id, row.new_version_id, row.turn_id, row.said_at) == (
        *(old.id, new.id, sorry.turn_id, MONDAY + DAY),
    )
    assert known(world) == {"fair date 10 May"}


# --- scripts, long and odd texts ---------------------------------------------------------------

GERMAN = "Ich wohne seit 2015 in Linz und spiele Geige."


def test_txt_02_values_stay_in_the_language_they_were_said_in(world: World) -> None:
    since = datetime(2015, 1, 1, tzinfo=UTC)
    heard(
        world,
        GERMAN,
        mine("location", "Linz", valid_from=since, precision="year"),
        mine("plays", "Geige", start=32),
    )
    assert known(world) == {"user location Linz", "user plays Geige"}


def test_txt_02_the_words_themselves_become_nothing_english(world: World) -> None:
    (learnt,) = said(world, GERMAN)
    assert topics(learnt) == []


def test_txt_04_one_korean_name_is_one_entity_and_another_is_another(world: World) -> None:
    in_letters = normalize("NFD", "별빛상사")
    assert in_letters != "별빛상사"
    for name in ("별빛상사", in_letters, "별빛상서"):
        heard(world, f"저는 {name}에서 일해요.", EntityCandidate(entity=Mention(type="organisation", name=name)))
    assert names(world) == ["별빛상사", "별빛상서"]


def test_txt_04_the_space_in_a_korean_name_makes_no_second_entity(world: World) -> None:
    for name in ("별빛 상사", "별빛상사"):
        heard(world, f"저는 {name}에서 일해요.", of(name, "city", "서울", "organisation"))
    assert names(world) == ["별빛 상사"]
    assert len(history(world, "city", "별빛상사", "organisation")) == 1


PARAGRAPH = (
    "Marta is a surveyor from Split. She moved to Turin in 2019. She has twins, Ivo and Pia. She plays the lute. "
    "She is afraid of dogs. She works for Delta Maps. Her boss is Carlo. She plans to stop at 62."
)


def test_txt_07_a_paragraph_of_eight_facts_is_eight_facts_of_one_person(world: World) -> None:
    moved = datetime(2019, 1, 1, tzinfo=UTC)
    marta, firm = Mention(type="person", name="Marta"), Mention(type="organisation", name="Delta Maps")
    heard(
        world,
        PARAGRAPH,
        of("Marta", "job_title", "surveyor", start=0),
        of("Marta", "hometown", "Split", start=11),
        of("Marta", "location", "Turin", start=32, valid_from=moved, precision="year", change=True),
        of("Marta", "children", "Ivo", start=60),
        of("Marta", "children", "Pia", start=80),
        of("Marta", "plays", "lute", start=90),
        of("Marta", "fear", "dogs", start=110),
        RelationCandidate(subject=marta, label="works_at", object=firm, start=130),
        of("Marta", "boss", "Carlo", start=150),
        of("Marta", "plan", "to stop at 62", start=170),
    )
    assert known(world) == {
        "marta job_title surveyor",
        "marta hometown Split",
        "marta location Turin",
        "marta children Ivo",
        "marta children Pia",
        "marta plays lute",
        "marta fear dogs",
        "marta works_at delta_maps",
        "marta boss Carlo",
        "marta plan to stop at 62",
    }


def test_txt_07_what_she_did_after_a_place_was_named_is_hers(world: World) -> None:
    said(world, PARAGRAPH)
    assert {"marta location Turin", "marta works_at delta_maps"} <= known(world)
    assert {fact.partition(" ")[0] for fact in known(world)} == {"marta"}


# --- answers that don't parse, providers that fail ---------------------------------------------


def test_par_04_an_extractor_that_breaks_is_seen_in_the_answer_and_at_the_turn(world: World) -> None:
    broken = with_extractor(world, Prepared([ValueError("not JSON")]))
    learnt = only(broken.say("Next week I'm off to Narvik."))
    assert (learnt.status, learnt.error) == (ExtractionStatus.PENDING, "ValueError")
    assert status(world, learnt) == ("pending", "ValueError")
    assert kept(world, [learnt]) == ["Next week I'm off to Narvik."]


def status(world: World, learnt: Learnt) -> tuple[str, str | None]:
    with world.reading() as reader:
        row = turns.extraction(reader, learnt.turn_id)
    assert row is not None
    return row.status, row.error


def test_prv_01_a_turn_is_pending_until_the_provider_is_back_and_then_learnt_once(world: World) -> None:
    landlord = [mine("landlord", "Mr. Baptiste")]
    back = with_extractor(world, Prepared([*(ExtractorUnavailable() for _ in range(3)), landlord]))
    learnt = only(back.say("My landlord is Mr. Baptiste.", observed_at=MONDAY))
    for _ in range(2):
        assert learnt.status is ExtractionStatus.PENDING
        assert status(world, learnt) == ("pending", "ExtractorUnavailable")
        assert known(world) == set()
        learn_pending(back)
    for _ in range(2):  # the second time there is nothing left to do
        learn_pending(back)
        assert status(world, learnt) == ("complete", None)
        assert spans(history(world, "landlord")) == [("Mr. Baptiste", MONDAY, None)]
    assert kept(world, [learnt]) == ["My landlord is Mr. Baptiste."]


def test_prv_01_a_turn_that_is_learnt_later_is_read_with_the_turns_before_it(world: World) -> None:
    extractor = Prepared([[], ExtractorUnavailable(), []])
    back = with_extractor(world, extractor)
    session_id = back.say("Guess who my landlord is.").session_id
    back.say("It's Mr. Baptiste.", session_id=session_id)
    learn_pending(back)
    _, at_once, later = extractor.asked
    assert later == at_once == ("It's Mr. Baptiste.", ("Guess who my landlord is.",))


def test_prv_01_a_turn_that_is_learnt_later_is_filed_as_its_caller_asked(world: World) -> None:
    back = with_extractor(world, Prepared([ExtractorUnavailable(), [mine("landlord", "Mr. Baptiste")]]))
    back.remember(Turn(turn_id=new_id(), text="My landlord is Mr. Baptiste.", memory_category="context"))
    learn_pending(back)
    (row,) = history(world, "landlord")
    assert row.category == "context"


def test_prv_01_who_speaks_is_the_same_when_it_is_learnt_later(world: World) -> None:
    tea, landlord = [mine("likes", "tea")], [mine("landlord", "Mr. Baptiste")]
    back = with_extractor(human(world, "Tilda"), Prepared([tea, ExtractorUnavailable(), landlord]))
    back.say("I like tea.")
    back.say("My landlord is Mr. Baptiste.")
    learn_pending(back)
    assert known(world) == {"tilda likes tea", "tilda landlord Mr. Baptiste"}


def human(world: World, name: str) -> World:
    """The same context, as a human who may do everything in it."""
    principal_id, key = new_id(), new_key()
    made = (
        PrincipalCreated(principal_id=principal_id, display_name=name, kind="human", write_scopes=ROOT_SET),
        GrantGiven(principal_id=principal_id, path="/*", verbs=VERBS),
        KeyMinted(key_id=derived_id(principal_id, "key", 1), name=name, principal_id=principal_id, digest=digest(key)),
    )
    origin = Origin(principal_id=world.caller.principal_id, scope_set_id=scope_set_id(ROOT_SET))
    with world.services.log.writing(world.context_id) as writing:
        writing.record(list(made), origin)
    return world_in(world.services, world.context_id, key)


def test_prv_03_each_turn_of_a_batch_has_its_status_and_sending_all_again_adds_nothing(world: World) -> None:
    told = {
        "Part 1: the mast is 9 m high.": of("mast", "height", "9 m", "other"),
        "Part 2: the sail is new.": of("sail", "age", "new", "other"),
        "Part 3: the bilge holds 80 l.": of("bilge", "volume", "80 l", "other"),
    }
    readings: list[Answer] = [[candidate] for candidate in told.values()]
    limited = with_extractor(
        world, Prepared([readings[0], ExtractorUnavailable(), ExtractorUnavailable(), *readings[1:], *readings])
    )
    first = limited.remember(*parts(told)).answers
    assert [one.status for one in first] == ["complete", "pending", "pending"]
    assert [status(world, one)[0] for one in first] == ["complete", "pending", "pending"]
    learn_pending(limited)
    facts = {"mast height 9 m", "sail age new", "bilge volume 80 l"}
    assert known(world) == facts
    again = limited.remember(*parts(told)).answers
    assert [one.status for one in again] == ["complete"] * 3
    assert {topic for one in again for topic in topics(one)} == {"EntityMentioned", "AttributeReaffirmed"}
    assert known(world) == facts


def parts(texts: Iterable[str]) -> list[Turn]:
    return [Turn(turn_id=new_id(), text=text) for text in texts]


def test_prv_04_a_fact_in_the_last_sentence_of_long_prose_is_stored(world: World) -> None:
    weather = "The wind blew over the harbour and the gulls sat on the roofs. "
    prose = weather * (4096 // len(weather) + 1) + "My landlord is Mr. Baptiste."
    (learnt,) = said(world, prose)
    assert learnt.status is ExtractionStatus.COMPLETE
    assert known(world) == {"user landlord Mr. Baptiste"}


# --- races -------------------------------------------------------------------------------------


def test_cnc_01_the_same_words_at_once_are_one_fact(world: World) -> None:
    text, tea = "I drink my tea with salt.", mine("tea", "with salt")
    with ThreadPoolExecutor(4) as pool:
        learnt = list(pool.map(lambda _: heard(world, text, tea), range(4)))
    assert [one.status for one in learnt] == ["complete"] * 4
    (row,) = history(world, "tea")
    assert known(world) == {"user tea with salt"}
    with world.reading() as reader:
        assert provenance.evidence(reader, [row.id])[row.id].turns == 4
    assert world.verified().problem is None


def test_cnc_04_languages_told_at_once_all_stay_with_one_person(world: World) -> None:
    languages = ("Sami", "Breton", "Sorbian", "Ladin")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda one: heard(world, f"Runa speaks {one}.", of("Runa", "speaks", one)), languages))
    assert names(world) == ["Runa"]
    assert known(world) == {f"runa speaks {one}" for one in languages}


# --- slowness and cost -------------------------------------------------------------------------


def test_slo_01_a_plain_turn_asks_the_extractor_once(world: World) -> None:
    extractor = Prepared([[mine("shift", "early")]])
    with_extractor(world, extractor).say("Tomorrow I have the early shift.")
    assert [text for text, _ in extractor.asked] == ["Tomorrow I have the early shift."]


def test_slo_03_what_the_extractor_reads_does_not_grow_with_what_is_known(world: World) -> None:
    told = []
    for number, count in ((0, 50), (1, 4950)):
        people = [EntityCandidate(entity=Mention(type="person", name=f"Person {number}-{one}")) for one in range(count)]
        for start in range(0, count, 250):
            world.given(*people[start : start + 250])
        extractor = Prepared([[of("Ylva", "owns", "loom")]])
        assert only(with_extractor(world, extractor).say("Ylva bought a loom.")).status is ExtractionStatus.COMPLETE
        told.append(extractor.asked)
    assert told[0] == told[1] == [("Ylva bought a loom.", ())]
    assert len(names(world)) == 5001


def test_cos_01_the_extractor_is_asked_once_however_many_are_named(world: World) -> None:
    people = [EntityCandidate(entity=Mention(type="person", name=name)) for name in ("Asta", "Bo", "Cai", "Dag", "Eir")]
    for count in (1, 5):
        extractor = Prepared([people[:count]])
        with_extractor(world, extractor).say("Asta, Bo, Cai and Dag met at Eir's.")
        assert len(extractor.asked) == 1


# --- filters, starts, uncertainty --------------------------------------------------------------


def test_fil_03_a_time_that_is_over_is_stored_with_both_its_ends(world: World) -> None:
    begin, end = datetime(2023, 2, 1, tzinfo=UTC), datetime(2023, 5, 1, tzinfo=UTC)
    heard(
        world,
        "From February to April 2023 I lived in Turin.",
        mine("location", "Turin", valid_from=begin, valid_until=end, precision="month"),
        at=MONDAY,
    )
    rows = history(world, "location")
    assert spans(rows) == [("Turin", begin, end)]
    assert held(rows, datetime(2023, 3, 15, tzinfo=UTC)) == ["Turin"]
    assert held(rows, MONDAY) == []
    assert known(world) == set()


def test_fil_03_so_it_is_with_the_words_themselves(world: World) -> None:
    said(world, "I lived in Turin from February to April 2023.", at=MONDAY)
    rows = history(world, "location")
    assert held(rows, datetime(2023, 3, 15, tzinfo=UTC)) == ["Turin"]
    assert held(rows, datetime(2022, 6, 1, tzinfo=UTC)) == held(rows, MONDAY) == []
    assert known(world) == set()


def test_sta_04_a_rebuild_changes_no_count_and_a_lost_row_is_reported(world: World) -> None:
    said(world, "I grow beans.", "I sold my boat.", "I live in Lund.", "I moved to Graz.", "I might move to Rome.")
    log, context_id = world.services.log, world.context_id
    before = counts(world)
    assert before["attribute_versions current"] >= 2
    with world.services.database.connect() as connection:
        rebuild.rebuild(log, connection, context_id)
        assert counts(world) == before
        assert world.verified().problem is None
        lost = f"DELETE FROM {READ_MODELS_SCHEMA}.attribute_versions WHERE context_id = %s AND value = 'Graz'"
        assert connection.execute(lost.encode(), (context_id,)).rowcount
        assert "attribute_versions" in (world.verified().problem or "")
        rebuild.rebuild(log, connection, context_id)
    assert counts(world) == before
    assert world.verified().problem is None


def counts(world: World) -> dict[str, int]:
    """How many rows there are of each status."""
    found: dict[str, int] = {"facts": len(known(world)), "entities": len(names(world)), "doubts": len(doubts(world))}
    with world.reading() as reader:
        sql = "SELECT v.standing, count(*) FROM {attribute_versions} AS v GROUP BY v.standing"
        found |= {f"attribute_versions {standing}": number for standing, number in reader.tuples(sql, {})}
    return found


def test_unc_01_a_guess_is_an_uncertainty_and_no_fact(world: World) -> None:
    text = "I think the noise might be the fan, but I haven't looked."
    learnt = heard(world, text, of("noise", "cause", "fan", "other", confidence=0.4))
    assert doubts(world) == [("low confidence", "cause", learnt.turn_id)]
    assert known(world) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I think the noise might be the fan, but I haven't looked.",
        "Maybe the noise is the fan.",
        "I think my printer is a Canon, but I'm not sure.",
        "I might move to Rome.",
    ],
)
def test_unc_01_the_words_themselves_assert_no_guess(world: World, text: str) -> None:
    said(world, text)
    assert known(world) == set()
    assert {reason for reason, _, _ in doubts(world)} <= {"hedged"}


def test_unc_01_a_guess_about_a_known_fact_leaves_it_and_is_open(world: World) -> None:
    said(world, "My printer is a Brother.", "I think my printer is a Canon, but I'm not sure.")
    assert known(world) == {"user printer Brother"}
    assert [(reason, key) for reason, key, _ in doubts(world)] == [("hedged", "printer")]
