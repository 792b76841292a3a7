"""Reported cases: filters, starts and uncertainty. See `test_reported_cases.py`."""

from datetime import UTC, datetime

import pytest

from projections import rebuild
from projections.table import READ_MODELS_SCHEMA
from tests.heard import MONDAY, doubts, heard, held, history, known, mine, names, of, said, spans
from tests.worlds import World


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
