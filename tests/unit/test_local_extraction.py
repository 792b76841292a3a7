"""The local extractor: exact readings of single turns, traps of polarity, and what must give nothing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.candidates import (
    CANDIDATES_PER_TURN_MAX,
    SPEAKER,
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    Extraction,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    StatementCandidate,
)
from memory.extraction import Extractor
from memory.extraction.local import TEXT_LENGTH_MAX, LocalExtractor, pieces
from memory.extraction.spelling import spelled_out
from tests.labelled import Score, add, brief, labelled

SAID_AT = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)
EXTRACTOR = LocalExtractor()


def extract(text: str, *, role: str = "user", said_at: datetime = SAID_AT, earlier: tuple[str, ...] = ()) -> Extraction:
    return EXTRACTOR.extract(text, role=role, said_at=said_at, earlier=earlier)


def facts(text: str, *, role: str = "user", earlier: tuple[str, ...] = ()) -> set[str]:
    """All that a turn gives, apart from bare entities and other names."""
    found = extract(text, role=role, earlier=earlier).candidates
    return {brief(candidate) for candidate in found if not isinstance(candidate, EntityCandidate | AliasCandidate)}


# The three turns that everything else is measured by


def test_an_introduction_gives_name_title_and_employer() -> None:
    text = "I'm Alice, Head of Platform at Acme."
    acme = Mention(type="organisation", name="Acme")
    name, title, employer, entity = extract(text).candidates
    assert name == NameCandidate(start=0, end=9, confidence=0.95, category="identity", name="Alice")
    assert title == AttributeCandidate(
        start=0, end=35, confidence=0.95, category="identity", entity=SPEAKER, key="job_title", value="Head of Platform"
    )
    assert employer == RelationCandidate(
        start=0, end=35, confidence=0.95, category="identity", subject=SPEAKER, label="works_at", object=acme
    )
    assert entity == EntityCandidate(start=31, end=35, confidence=0.95, category="knowledge", entity=acme)


def test_a_promotion_is_a_change_of_title() -> None:
    (title,) = extract("I just got promoted to CTO").candidates
    assert title == AttributeCandidate(
        start=0,
        end=26,
        confidence=0.95,
        category="identity",
        entity=SPEAKER,
        key="job_title",
        value="CTO",
        change=True,
    )


@pytest.mark.parametrize("hours", [0, 5.5, -8])
def test_a_move_is_a_change_of_location_from_the_month_on(hours: float) -> None:
    zone = timezone(timedelta(hours=hours))
    location, entity = extract(
        "Actually I moved to Berlin last month", said_at=datetime(2026, 11, 30, 15, 30, tzinfo=zone)
    ).candidates
    assert location == AttributeCandidate(
        start=0,
        end=37,
        confidence=0.95,
        category="identity",
        entity=SPEAKER,
        key="location",
        value="Berlin",
        change=True,
        valid_from=datetime(2026, 10, 1, tzinfo=zone).astimezone(UTC),
        precision="month",
    )
    assert entity == EntityCandidate(
        start=20, end=26, confidence=0.95, category="knowledge", entity=Mention(type="location", name="Berlin")
    )


# One table for each family

READ = [
    # names
    ("my name is alice", {"name alice"}),
    ("My name's Alice Smith.", {"name Alice Smith"}),
    ("Call me Al", {"name Al"}),
    ("Alice here.", {"name Alice"}),
    ("call me tomorrow", set()),
    ("I'm German.", {"I nationality German"}),
    ("I'm a Gemini", set()),
    ("My name isn't Bob.", set()),
    # jobs and employers
    ("I work for Globex as a data engineer.", {"I works_at Globex", "I job_title data engineer"}),
    ("I'm the CTO at Acme", {"I job_title CTO", "I works_at Acme"}),
    ("I'm CTO of Acme", {"I job_title CTO", "I works_at Acme"}),
    ("They hired me as a data engineer at Globex.", {"I job_title data engineer", "I works_at Globex"}),
    ("I joined Acme as a product manager.", {"I works_at Acme", "I job_title product manager"}),
    ("I started working at Globex last Monday.", {"I works_at Globex"}),
    ("I got a new job at Initech!", {"I works_at Initech"}),
    ("Alice and Bob work at Acme.", {"Alice works_at Acme", "Bob works_at Acme"}),
    ("I work from home", set()),
    # places
    ("i live in berlin and work for acme", {"I location berlin", "I works_at acme"}),
    ("I'm based in Porto.", {"I location Porto"}),
    ("I'm from Porto and grew up in Faro.", {"I hometown Porto", "I hometown Faro"}),
    ("I moved from Berlin to Munich last year.", {"ended: I location Berlin", "I location Munich"}),
    ("Alice lives in Porto. She works at Acme.", {"Alice location Porto", "Alice works_at Acme"}),
    ("He lives in Porto.", set()),
    # preferences
    ("I love hiking and cooking.", {"I likes hiking", "I likes cooking"}),
    ("I'm really into jazz and techno", {"I likes jazz", "I likes techno"}),
    ("I can't stand cilantro.", {"I dislikes cilantro"}),
    ("I don't like mushrooms.", {"not: I likes mushrooms", "I dislikes mushrooms"}),
    ("I prefer short answers", {"I preference short answers"}),
    ("My favourite colour is dark green.", {"I favourite_colour dark green"}),
    ("Sushi is my favourite food.", {"I favourite_food Sushi"}),
    ("I'd like a table for two", set()),
    ("I love it!", set()),
    ("I like your answer.", set()),
    # food
    ("I'm vegan.", {"I diet vegan"}),
    ("I'm allergic to cats, dogs and pollen", {"I allergies cats", "I allergies dogs", "I allergies pollen"}),
    ("My sister Ana is allergic to peanuts.", {"I sister Ana", "Ana allergies peanuts"}),
    # family, pets, acquaintances
    ("My dog is called Rex", {"I dog Rex"}),
    ("I have a cat named Mia.", {"I cat Mia"}),
    ("My sister's name is Ana.", {"I sister Ana"}),
    ("Alice, my wife, is a nurse.", {"I wife Alice", "Alice job_title nurse"}),
    ("My mother-in-law Rosa called.", {"I mother_in_law Rosa"}),
    ("Bob is my manager.", {"I manager Bob"}),
    ("My ex-wife Ana called.", set()),
    # ages and birthdays
    ("I'm 34 years old.", {"I age 34"}),
    ("My son Tom turned five yesterday.", {"I son Tom", "Tom age 5"}),
    ("My birthday is on March 3rd.", {"I birthday March 3rd"}),
    ("I was born on 12 May 1990.", {"I birthday 12 May 1990"}),
    ("I'm 5 minutes away.", set()),
    # things and relations
    (
        "Harbor is our billing service, written in Go.",
        {"Harbor description billing service", "Harbor written_in Go"},
    ),
    (
        "Harbor is our billing service; it is written in Go.",
        {"Harbor description billing service", "Harbor written_in Go"},
    ),
    ("We use Postgres for Harbor.", {"Harbor uses Postgres"}),
    ("Pavel leads the Kestrel team.", {"Pavel leads Kestrel"}),
    ("I'm married to Carla.", {"I married_to Carla"}),
    ("I speak French and Dutch.", {"I speaks French", "I speaks Dutch"}),
    ("Our staging database is MariaDB.", {"I staging_database MariaDB"}),
    ("I sold my Tesla.", {"ended: I owns Tesla"}),
    # directives
    ("always reply in French", {"instruction always reply in French"}),
    ("Never mention competitors by name.", {"instruction Never mention competitors by name"}),
    ("please stop using emojis", {"instruction stop using emojis"}),
    ("Could you always answer in English?", {"instruction always answer in English"}),
    ("From now on, answer in bullet points.", {"instruction From now on, answer in bullet points"}),
    ("You should always use metric units.", {"instruction always use metric units"}),
    ("Don't worry about it.", set()),
    ("Never mind.", set()),
    ("Don't give up on your dreams", set()),
    # deeds
    ("I met Bob in Paris yesterday.", {"action I meet Bob"}),
    ("I visited Tokyo last summer.", {"action I visit Tokyo"}),
    ("I'm meeting Carla on Friday about the launch.", {"action I meet Carla"}),
    ("I had a great time.", set()),
]


@pytest.mark.parametrize(("text", "expected"), READ, ids=[text for text, _ in READ])
def test_a_family_reads(text: str, expected: set[str]) -> None:
    assert facts(text) == expected


POLARITY = [
    ("I no longer work at Acme.", {"ended: I works_at Acme"}),
    ("I don't work at Acme anymore.", {"ended: I works_at Acme"}),
    ("I used to live in Porto.", {"ended: I location Porto"}),
    ("I left Acme in 2019", {"ended: I works_at Acme"}),
    ("I quit my job at Acme", {"ended: I works_at Acme"}),
    ("I'm no longer vegan.", {"ended: I diet vegan"}),
    ("I no longer like running.", {"ended: I likes running"}),
    ("I am no longer CTO at Acme.", {"ended: I job_title CTO", "ended: I works_at Acme"}),
    ("I do not live in Denver any longer.", {"ended: I location Denver"}),
    ("Lucia no longer works for Ikea.", {"ended: Lucia works_at Ikea"}),
    ("I hate not being on the court.", {"? unclear: I dislikes"}),
    ("Forget that I live in Rome.", {"ended: I location Rome"}),
    ("Don't forget that I like sushi.", {"I likes sushi"}),
    ("Please forget about my hamster.", {"ended: I pets hamster"}),
    ("I told you I live in Kyiv, but I actually live in Lviv.", {"? reported: I location", "I location Lviv"}),
    ("I'm not a fan of spicy food.", {"not: I likes spicy food", "I dislikes spicy food"}),
    ("I'm anything but a vegan.", {"? unclear: I diet"}),
    ("I'd be lying if I said I like Berlin.", {"? unclear: I likes"}),
    ("In my novel, Alice lives in Porto.", {"? hypothetical: Alice location"}),
    ("I'm a former CTO of Acme.", set()),
    ("I stopped drinking coffee.", {"ended: I drinks coffee"}),
    ("I was the CTO of Acme.", {"ended: I job_title CTO", "ended: I works_at Acme"}),
    ("I never worked at Globex.", {"not: I works_at Globex"}),
    ("I didn't move to Berlin.", {"not: I location Berlin"}),
    ("Neither Bob nor Carla works at Acme.", {"not: Bob works_at Acme", "not: Carla works_at Acme"}),
    ("I'm not a doctor, I'm a nurse.", {"not: I job_title doctor", "I job_title nurse"}),
    ("I don't live in Berlin, I live in Munich.", {"not: I location Berlin", "I location Munich"}),
    ("Not only do I live in Berlin, I also work there.", {"I location Berlin"}),
    ("I haven't quit Acme.", set()),
    ("Nobody at Acme likes me.", set()),
    ("I don't think I like sushi.", {"? hedged: I likes"}),
    ("I might move to Lisbon next year.", {"? hedged: I location"}),
    ("Maybe I should join Globex.", {"? hedged: I works_at"}),
    ("I'm not sure, but I think Bob works at Acme.", {"? hedged: Bob works_at"}),
    ("I wish I lived in Berlin", {"? hypothetical: I location"}),
    ("If I moved to Berlin, I would work at Acme.", {"? hypothetical: I location", "? hypothetical: I works_at"}),
    ("My boss said I work at Acme.", {"? reported: I works_at"}),
    ("I want to work at Google.", {"? planned: I works_at"}),
    ("I refused to move to Berlin", {"? negated: I location"}),
    ("I almost moved to Berlin.", {"? hedged: I location"}),
    ("It is not true that I live in Berlin.", {"? unclear: I location"}),
    ("There's no way I live in Berlin.", {"? unclear: I location"}),
]


@pytest.mark.parametrize(("text", "expected"), POLARITY, ids=[text for text, _ in POLARITY])
def test_a_turn_never_gives_the_opposite_of_what_it_says(text: str, expected: set[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Do you know if Bob works at Acme?",
        "Could you tell me who won the race",
        "I was wondering if Alice works at Acme",
        "What if I moved to Berlin?",
        "You live in Berlin?",
        "I live in Berlin, right?",
        "Who said I live in Berlin?",
        "Show me the tickets opened by Lionel.",
        "Write a story about Alice, who lives in Wonderland.",
        "Pretend I'm a doctor.",
        "Book me a table at Luigi's.",
        "that is cool",
        "haha nice one!",
        "Thanks so much!",
        "This is a great answer.",
        "I'm fine, how are you?",
        "I'm so happy for you!",
        "I'm at work right now.",
        "I like that idea.",
        'My friend told me "I hate my job".',
        "> I live in Berlin",
        "```\nI live in Berlin\n```",
        "Ich wohne in Berlin und arbeite bei Siemens.",
        "Je suis Alice et j'habite à Paris.",
        "Me llamo Alice y vivo en Madrid.",
        "我的同事叫钟离舒，她在云杉科技上班。",
        "",
        " \n\t",
        "🎉🎉🎉",
    ],
)
def test_questions_orders_small_talk_and_other_languages_say_nothing(text: str) -> None:
    assert extract(text).candidates == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm vegan, what can I eat for breakfast?", {"I diet vegan"}),
        ("I moved to Berlin, can you recommend a restaurant?", {"I location Berlin"}),
        ("Remember that I'm vegan.", {"I diet vegan"}),
        ("Don't forget I'm allergic to nuts.", {"I allergies nuts"}),
    ],
)
def test_a_statement_beside_a_question_or_order_is_read(text: str, expected: set[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "earlier", "expected"),
    [
        ("I live in Berlin, sorry, Munich.", (), "I location Munich"),
        ("I work at Acme. No wait, Globex.", (), "I works_at Globex"),
        ("No, I meant Munich.", ("I live in Berlin.", "Nice weather."), "I location Munich"),
        ("It's Munich, not Berlin.", ("I live in Berlin.",), "I location Munich"),
        ("Scratch that, I live in Munich.", (), "I location Munich"),
    ],
)
def test_a_repair_takes_the_earlier_value_back(text: str, earlier: tuple[str, ...], expected: str) -> None:
    told = [one for one in extract(text, earlier=earlier).candidates if isinstance(one, StatementCandidate)]
    repaired, *denied = told
    assert brief(repaired) == expected
    assert [brief(one) for one in denied] == (["not: I location Berlin"] if "not Berlin" in text else [])
    assert all(one.repair for one in told)


@pytest.mark.parametrize(
    ("earlier", "text", "expected"),
    [
        ("I'm allergic to nuts.", "No, I meant peanuts.", ["nuts"]),
        ("I like tea.", "Scratch that, I like coffee.", ["tea"]),
        ("I like tea and jazz.", "Scratch that, I like coffee.", []),
        ("I live in Rome.", "No, I meant Milan.", []),
        ("I like tea.", "I like coffee.", []),
    ],
)
def test_a_repair_among_many_values_takes_back_the_one_it_stands_for(
    earlier: str, text: str, expected: list[str]
) -> None:
    found = extract(text, earlier=(earlier,)).candidates
    denied = [one for one in found if isinstance(one, AttributeCandidate) and one.polarity is Polarity.NEGATED]
    assert [one.value for one in denied] == expected
    assert all(one.repair for one in denied)


def test_new_words_for_an_earlier_turns_move_tell_of_no_other_move() -> None:
    for text, earlier, change in (
        ("No, I meant Munich.", ("I moved to Berlin last month.",), False),
        ("I moved to Berlin, no, I meant Munich.", (), True),
    ):
        (moved,) = (one for one in extract(text, earlier=earlier).candidates if isinstance(one, AttributeCandidate))
        assert (brief(moved), moved.repair, moved.change) == ("I location Munich", True, change)


@pytest.mark.parametrize("text", ["No, thanks.", "Actually, Munich is nice.", "sorry, Globex", "No, I meant Munich."])
def test_nothing_is_repaired_without_a_cue_and_something_to_repair(text: str) -> None:
    earlier = ("I live in Berlin.",) if text != "No, I meant Munich." else ()
    assert facts(text, earlier=earlier) == set()


@pytest.mark.parametrize(
    ("role", "text", "expected"),
    [
        ("assistant", "I'm Alice, Head of Platform at Acme.", set()),
        ("assistant", "Great, so you moved to Berlin!", set()),
        ("assistant", "Always reply in French.", set()),
        ("assistant", "I'll send it by Friday.", {"action I send"}),
        ("assistant", "Bob works at Acme.", {"Bob works_at Acme"}),
        ("tool", "I live in Berlin. Alice lives in Porto.", {"Alice location Porto"}),
        ("system", "Always answer in English.", {"instruction Always answer in English"}),
        ("system", "Known about the user: likes jazz, lives in Turku.", set()),
    ],
)
def test_only_users_speak_of_themselves(role: str, text: str, expected: set[str]) -> None:
    assert facts(text, role=role) == expected


def statement(text: str) -> AttributeCandidate | RelationCandidate:
    found = extract(text).candidates
    return next(candidate for candidate in found if isinstance(candidate, AttributeCandidate | RelationCandidate))


@pytest.mark.parametrize(
    ("text", "valid_from", "valid_until", "change"),
    [
        ("I've lived in Berlin since 2019.", "2019-01-01", None, False),
        ("I lived in Porto from 2015 to 2019.", "2015-01-01", "2019-01-01", False),
        ("I've worked at Acme for three years.", "2023-01-01", None, False),
        ("I worked at Acme for three years.", None, None, False),
        ("I left Acme in 2019.", None, "2019-01-01", True),
        ("I moved to Berlin in 2019.", "2019-01-01", None, True),
        ("I used to live in Porto.", None, None, True),
        ("I live in Porto.", None, None, False),
        ("I didn't move to Berlin last month.", None, None, False),
    ],
)
def test_stated_times_bound_a_statement(
    text: str, valid_from: str | None, valid_until: str | None, change: bool
) -> None:
    found = statement(text)
    expected = [datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None for day in (valid_from, valid_until)]
    assert [found.valid_from, found.valid_until] == expected
    assert found.change is change


def test_a_deed_has_its_time() -> None:
    (action,) = (
        candidate
        for candidate in extract("I met Bob in Paris yesterday.").candidates
        if isinstance(candidate, ActionCandidate)
    )
    assert action.occurred_at == datetime(2026, 11, 29, tzinfo=UTC)
    assert action.summary == "I met Bob in Paris yesterday"


def test_offsets_count_in_the_text_as_it_was_said() -> None:
    text = "🎉 Hello\u2019s   all \u202e\n\nI\u2019m based in Porto."
    for candidate in extract(text).candidates:
        assert "Porto" in text[candidate.start : candidate.end]


# Limits


def test_it_is_an_extractor_and_loads_once() -> None:
    extractor: Extractor = LocalExtractor()
    assert isinstance(extractor, LocalExtractor)
    assert extractor.name == "local/en-3"
    assert not extractor.ready
    EXTRACTOR.load()
    EXTRACTOR.load()
    assert EXTRACTOR.ready


def test_threads_share_one_extractor() -> None:
    texts = ["I live in Berlin.", "I work at Acme.", "My dog is called Rex"] * 8
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(extract, texts)) == [extract(text) for text in texts]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "I'm " * 3_000,
        "\x00\x01I live in\x00 Berlin\ud800",
        "שלום עולם " * 300,
        "?!" * 10_000,
        "I like " + ", ".join(f"x{number}" for number in range(2_000)),
        "(" * 3_000,
    ],
)
def test_odd_texts_are_read_without_complaint(text: str) -> None:
    found = extract(text).candidates
    assert len(found) <= CANDIDATES_PER_TURN_MAX
    assert all(0 <= candidate.start <= candidate.end <= len(text) for candidate in found)


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    filler = "The weather was grey that day. " * (TEXT_LENGTH_MAX // 31 + 1)
    assert "I location Porto" in facts("I live in Porto. " + filler)
    assert facts(filler + "I live in Porto.") == set()


@given(st.text(alphabet="ab .\n", max_size=20_000))
@settings(max_examples=20)
def test_pieces_are_the_whole_text(text: str) -> None:
    cut = list(pieces(text))
    assert "".join(piece for _, piece in cut) == text
    assert all(text[offset : offset + len(piece)] == piece for offset, piece in cut)


WORDS = st.sampled_from(
    "I I'm my we not no longer never don't live lived in at work as moved to from Berlin Acme Alice CTO last month "
    "sorry meant if maybe think love hate call me name is sister dog called , . ? ! and or but 34 always reply He "
    "she".split()
)


@given(
    st.lists(WORDS | st.text(max_size=8), max_size=25).map(" ".join),
    st.sampled_from(["user", "assistant", "system", "tool", "other"]),
)
@settings(max_examples=300, deadline=None)
def test_no_text_raises_and_every_span_lies_within_it(text: str, role: str) -> None:
    found = extract(text, role=role, earlier=(text,))
    assert found == extract(text, role=role, earlier=(text,))
    for candidate in found.candidates:
        assert isinstance(candidate, get_args(AnyCandidate))
        assert 0 <= candidate.start < candidate.end <= len(text)
        assert 0 <= candidate.confidence <= 1


def test_an_assistant_that_tells_a_user_of_what_is_theirs_is_not_heard() -> None:
    text = "Your sister Elin is a nurse in Uppsala, and Biscuit is a thirteen-year-old terrier."
    assert facts(text, role="assistant") == set()
    assert facts(text.replace("Your", "My")) != set()
    (promised,) = facts("I'll send your report tomorrow.", role="assistant")
    assert promised.startswith("action")


def test_what_a_turn_tells_by_itself_takes_no_place_in_the_turn_before() -> None:
    alone = facts("Actually I moved to Berlin last month")
    assert len(alone) == 1
    for text in ("Actually I moved to Berlin last month", "I moved to Berlin on 1 June 2026"):
        assert facts(text, earlier=("I just got promoted to CTO",)) == alone


def test_the_labelled_sentences_are_read_as_well_as_ever() -> None:
    """A floor under the figures of `make bench NAME=extraction`, measured on sentences that the rules were made by."""
    score = Score()
    for turn in labelled():
        add(score, turn, extract(turn.text, earlier=turn.earlier).candidates)
    assert score.expected >= 200
    assert score.precision >= 0.97, score.wrong
    assert score.recall >= 0.85, score.missed
    assert score.polarity_errors == []
    assert score.small_talk_with_facts == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kat is short for Katherine.", {"Kat: Katherine"}),
        ("Robert, also known as Bob, works at Acme.", {"Bob: Robert"}),
        ("Everyone calls Katherine Kat.", {"Kat: Katherine"}),
        ("My sister Ana lives in Rome.", {"sister: Ana"}),
        ("Is Kat short for Katherine?", set()),
        ("Kat is not short for Katherine.", set()),
        ("We call Ana Silva.", set()),
    ],
)
def test_two_names_of_one(text: str, expected: set[str]) -> None:
    aliases = [one for one in extract(text).candidates if isinstance(one, AliasCandidate)]
    assert {f"{one.name.name}: {one.entity.name}" for one in aliases} == expected


# Spelling


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("im a nurse", "I'm a nurse"),
        ("my laptop's a ThinkPad", "my laptop is a ThinkPad"),
        ("Mum's 71 now", "my mum is 71 now"),
        ("sold the van", "I sold the van"),
        ("My son, Jo, just started at Ford.", "My son, Jo, just started at Ford."),
        ("It's Marta that plays the cello", "Marta plays the cello"),
        ("Vegan since 2018, btw", "I'm vegan since 2018"),
        ("Don't use emojis", "Don't use emojis"),
        ("He's the boss", "He's the boss"),
    ],
)
def test_what_is_left_out_is_put_back(typed: str, read: str) -> None:
    assert spelled_out(typed).text == read


@given(st.lists(WORDS | st.sampled_from(["im", "mum's", "sold", "btw", "vegan", "name's"]), max_size=15).map(" ".join))
def test_every_place_leads_back_in_order(typed: str) -> None:
    spelled = spelled_out(typed)
    places = [spelled.place(offset) for offset in range(len(spelled.text) + 1)]
    assert places == sorted(places)
    assert places[-1] == len(typed)


def test_a_change_that_was_undone_is_over() -> None:
    assert facts("I turned vegan in 2021, fell off the wagon last Christmas.") == {"ended: I diet vegan"}


def test_another_ones_deed_is_never_the_speakers() -> None:
    assert facts("My oldest, Jonas, just started at TU Delft.") == {"Jonas works_at TU Delft"}


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("I was born in 1990.", "1991, sorry", {"I birth_year 1991"}),
        ("My favourite colour is red.", "green, I mean", {"I favourite_colour green"}),
        ("I'm from Graz.", "it's actually Linz", {"I hometown Linz"}),
        ("My sister lives in Rome.", "no, Milan", {"my sister location Milan"}),
        ("I live in Bremen.", "oh wait, that's Hamburg, not Bremen", {"I location Hamburg", "not: I location Bremen"}),
        ("My birthday is May 3.", "the 4th, sorry", {"I birthday May 4th"}),
        ("I like tea.", "ok, sorry", set()),
        ("I live in Rome.", "got to go, sorry", set()),
        ("I have a cat.", "actually make that four", set()),
        ("My car is red.", "It's blue, not red.", {"I car blue", "not: I car red"}),
        ("My car is red.", "it's fine, not great", set()),
    ],
)
def test_a_turn_may_correct_the_one_before(before: str, text: str, expected: set[str]) -> None:
    assert facts(text, earlier=(before,)) == expected
    told = [one for one in extract(text, earlier=(before,)).candidates if isinstance(one, AttributeCandidate)]
    assert all(one.repair for one in told)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("quit smoking in may, 7 months clean now!", {"ended: I habit smoking"}),
        (
            "switched from windows to linux last month and honestly no regrets",
            {"ended: I uses windows", "I uses linux"},
        ),
    ],
)
def test_what_was_given_up_in_haste_ends_once(text: str, expected: set[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "earlier", "expected"),
    [
        ("the rent is 870 a month, no wait 910", (), {"I rent 910 a month"}),
        ("no wait 910", ("the rent is 870 a month",), {"I rent 910 a month"}),
        ("oops no its the 12th", ("my mums birthday is 2 june",), {"my mother birthday 12th june"}),
        ("no the 4th", ("My birthday is May 3.",), {"I birthday May 4th"}),
        ("I live in Leeds, wait, Madrid.", (), {"I location Madrid"}),
        ("wait, ozempic", ("I take aspirin.",), {"I medication ozempic"}),
        (
            "Scratch that, it's latex I react to.",
            ("I'm allergic to nickel.",),
            {"I allergies latex", "not: I allergies nickel"},
        ),
        ("not lidl i meant aldi", ("i work at lidl",), {"I works_at aldi", "not: I works_at lidl"}),
        ("wait please", ("I take aspirin.",), set()),
        ("no wait, 3 of them failed", ("I'm 34.",), set()),
    ],
)
def test_a_short_value_said_anew_takes_the_place_of_the_first(
    text: str, earlier: tuple[str, ...], expected: set[str]
) -> None:
    assert facts(text, earlier=earlier) == expected
    told = [one for one in extract(text, earlier=earlier).candidates if isinstance(one, AttributeCandidate)]
    assert all(one.repair for one in told)


def test_a_move_right_after_a_promotion_is_no_other_job() -> None:
    earlier = ("I'm Alice, Head of Platform at Acme.", "I just got promoted to CTO")
    assert facts("Actually I moved to Berlin last month", earlier=earlier) == {"I location Berlin"}


def test_the_withdrawn_day_of_an_action_never_stands() -> None:
    def days(text: str) -> list[object]:
        return [one.occurred_at for one in extract(text).candidates if isinstance(one, ActionCandidate)]

    assert days("My flight is on Tuesday, no wait, Thursday.") == days("My flight is on Thursday.") != []
