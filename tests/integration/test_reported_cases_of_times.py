"""Reported cases: negations, endings, stated times and histories. See `test_reported_cases.py`."""

from datetime import UTC, datetime, timedelta, timezone

import msgspec

from memory.candidates import SPEAKER, AttributeCandidate, Mention, Polarity, RelationCandidate
from memory.errors import ExtractorUnavailable
from memory.events import AttributeAsserted, AttributeClosed, AttributeEnded, ExtractionCompleted
from memory.recorded import Recorded
from memory.remember import ExtractionStatus
from projections import corrections, entities, relations
from tests.heard import (
    ALL,
    DAY,
    HOUR,
    MONDAY,
    Prepared,
    corrected,
    deeds,
    directives,
    doubts,
    events,
    heard,
    held,
    history,
    known,
    learn_pending,
    mine,
    of,
    only,
    said,
    spans,
    with_extractor,
)
from tests.worlds import World

# --- negations and endings --------------------------------------------------------------------


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


# --- stated times -----------------------------------------------------------------------------


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


def test_tmp_07_last_tuesday_is_a_date(world: World) -> None:
    thursday = datetime(2026, 7, 23, 8, tzinfo=UTC)
    said(world, "I visited the dam last Tuesday.", "The pumps broke one by one last Tuesday.", at=thursday)
    assert deeds(world)
    assert {deed.occurred_at for deed in deeds(world)} == {datetime(2026, 7, 21, tzinfo=UTC)}
    assert not [fact for fact in known(world) if "Tuesday" in fact]


# --- histories --------------------------------------------------------------------------------


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
