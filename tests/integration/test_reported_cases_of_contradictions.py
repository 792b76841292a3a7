"""Reported cases: contradictions, and the same said twice. See `test_reported_cases.py`."""

from datetime import UTC, datetime

from memory.candidates import (
    SPEAKER,
    ActionCandidate,
    EntityCandidate,
    Mention,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)
from projections import provenance
from tests.heard import (
    DAY,
    MONDAY,
    corrected,
    doubts,
    heard,
    held,
    history,
    known,
    mine,
    names,
    of,
    said,
    spans,
    topics,
)
from tests.worlds import World

# --- contradictions ---------------------------------------------------------------------------


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


# --- duplicates -------------------------------------------------------------------------------


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
