"""Reported cases: unparsed answers, failing providers, races, slowness and cost. See `test_reported_cases.py`."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from api.ids import new_id
from api.keys import digest, new_key
from memory.candidates import EntityCandidate, Mention
from memory.errors import ExtractorUnavailable
from memory.events import GrantGiven, KeyMinted, PrincipalCreated
from memory.principals import VERBS
from memory.recorded import Origin
from memory.remember import ExtractionStatus, Turn
from memory.scopes import ROOT_SET, scope_set_id
from memory.values import derived_id
from projections import provenance
from tests.heard import (
    MONDAY,
    Answer,
    Prepared,
    heard,
    history,
    kept,
    known,
    learn_pending,
    mine,
    names,
    of,
    only,
    said,
    spans,
    status,
    topics,
    with_extractor,
)
from tests.worlds import World, world_in

# --- answers that don't parse, providers that fail --------------------------------------------


def test_par_04_an_extractor_that_breaks_is_seen_in_the_answer_and_at_the_turn(world: World) -> None:
    broken = with_extractor(world, Prepared([ValueError("not JSON")]))
    learnt = only(broken.say("Next week I'm off to Narvik."))
    assert (learnt.status, learnt.error) == (ExtractionStatus.PENDING, "ValueError")
    assert status(world, learnt) == ("pending", "ValueError")
    assert kept(world, [learnt]) == ["Next week I'm off to Narvik."]


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


# --- races ------------------------------------------------------------------------------------


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


# --- slowness and cost ------------------------------------------------------------------------


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
