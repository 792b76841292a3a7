"""Reported cases: scripts, long and odd texts. See `test_reported_cases.py`."""

from datetime import UTC, datetime
from unicodedata import normalize

from memory.candidates import EntityCandidate, Mention, RelationCandidate
from tests.heard import heard, history, known, mine, names, of, said, topics
from tests.worlds import World

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
