"""The hybrid search: words at once, vectors right after, postings when there is much, each within its scopes."""

import time
from collections.abc import Sequence
from uuid import UUID

import pytest

from api import ids
from api.embedders.hashing import Hashing
from api.embedders.minilm import MiniLM
from api.routes import forgetting
from api.wiring import Services
from api.work.indexing import Indexing
from memory.remember import Turn
from memory.values import Infer
from projections.passages import Kind
from projections.recall import keyword, postings
from projections.recall.embedding import EmbeddingUnavailable, Vector
from projections.recall.filters import Filters
from projections.recall.question import Question, parsed
from projections.recall.search import Found, Mode, search
from tests.calls import keyed_world
from tests.worlds import World, fact

VECTORS_OF = "SELECT 1 FROM recall_vectors WHERE context_id = %s LIMIT 1"


class Counting(Hashing):
    """Counts the texts that are embedded."""

    def __init__(self, model: str = "local/hashing") -> None:
        self.model = model
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        return super().embed(texts)


def said(world: World, *texts: str) -> list[UUID]:
    turns = [Turn(turn_id=ids.new_id(), text=text, infer=Infer.NONE) for text in texts]
    world.remember(*turns)
    return [turn.turn_id for turn in turns]


def wait_for_vectors(world: World) -> None:
    deadline = time.monotonic() + 20
    with world.services.pool.connection() as connection:
        while not connection.execute(VECTORS_OF, [world.context_id]).fetchone():
            assert time.monotonic() < deadline
            time.sleep(0.05)


def found(world: World, question: Question | str, **options: object) -> Found:
    with world.reading() as reader:
        return search(reader, parsed(question) if isinstance(question, str) else question, **options)  # type: ignore[arg-type]


def test_words_are_found_as_soon_as_they_are_written(world: World) -> None:
    bakery, _ = said(world, "Ana: My sister runs a bakery in Porto.", "Ben: I bought a new bicycle.")
    hits = found(world, "Who has a bakery?").hits
    assert hits[0].id == bakery
    assert hits[0].signals.covered == 1


def test_a_fact_is_found_as_a_sentence_with_the_name(world: World) -> None:
    world.given(fact("Alice", "city", "Berlin"), fact("Bob", "city", "Porto"))
    filters = Filters(kinds=frozenset({Kind.ATTRIBUTE}))
    hits = found(world, "In which city does Alice live?", filters=filters).hits
    assert hits[0].text == "Alice: city: Berlin"
    assert hits[0].signals.named == 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Meine Schwester heißt Zoë Müller", "Zoe MULLER"),
        ("昨日、田中さんと京都に行きました", "田中"),
        ("Вчера я встретил Анну Каренину", "анну каренину"),
        ("قابلت محمد في القاهرة", "محمد"),
        ("김철수는 서울에 산다", "김철수"),
    ],
)
def test_a_name_in_any_script_is_found_by_it(world: World, text: str, question: str) -> None:
    turn, *_ = said(world, text, "Something else entirely")
    assert [hit.id for hit in found(world, question).hits][:1] == [turn]


def test_a_search_finds_the_same_in_the_tail_and_in_postings(world: World) -> None:
    # given more turns than one segment takes, of which few hold the words
    texts = [f"Ana: note {number} about the {'harbour' if number % 50 == 0 else 'garden'}" for number in range(600)]
    said(world, *texts)
    before = found(world, "Which harbour?", limit=50)
    # when the index has caught up
    Indexing(world.services.pool, lambda _: Hashing()).catch_up(world.context_id)
    # then the same turns come back in the same order with the same scores
    after = found(world, "Which harbour?", limit=50)
    with world.reading() as reader:
        assert reader.tuples("SELECT count(*) FROM recall_segments AS s WHERE s.context_id = %(context_id)s", {}) == [
            (2,)
        ]
    assert [hit.id for hit in after.hits] == [hit.id for hit in before.hits]
    assert [hit.score for hit in after.hits] == pytest.approx([hit.score for hit in before.hits])


def test_small_segments_become_one_and_nothing_is_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "SEGMENT_PASSAGES", 4)
    monkeypatch.setattr(postings, "SEGMENTS_MERGED", 3)
    monkeypatch.setattr(postings, "SEGMENT_PASSAGES_MAX", 12)
    indexing = Indexing(world.services.pool, lambda _: Hashing())
    turns = []
    for number in range(13):
        turns += said(world, f"Word{number} stands beside lantern", "filler words only")
        indexing.catch_up(world.context_id)
    with world.reading() as reader:
        counted = reader.tuples(
            "SELECT sum(s.passages)::int, count(*) FROM recall_segments AS s WHERE s.context_id = %(context_id)s", {}
        )
    assert counted == [(24, 2)]
    assert {hit.id for hit in found(world, "lantern", limit=13).hits} == set(turns[::2])
    assert found(world, "word7").hits[0].id == turns[14]


def test_an_erasure_takes_only_the_segments_that_held_it_and_they_are_made_anew(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given three segments and a tail, of which a search sees one passage
    monkeypatch.setattr(postings, "SEGMENT_PASSAGES", 4)
    monkeypatch.setattr(postings, "SEGMENT_PASSAGES_MAX", 4)
    monkeypatch.setattr(keyword, "TAIL_MAX", 1)
    keyed = keyed_world(services)
    world, indexing = keyed.world, Indexing(services.pool, lambda _: Hashing())
    monkeypatch.setattr(services.indexing, "poke", lambda context_id: None)
    turns = said(world, *(f"Word{number} stands beside lantern" for number in range(14)))
    indexing.catch_up(world.context_id)
    # when a turn in the middle is erased
    assert keyed.get(forgetting.erase_turn, {"turn_id": ids.ulid(turns[5])})["deleted"] == 1
    # then no posting tells of it, and what other segments hold is found at once
    assert segments_of(world, "word5") == 0
    assert len(held(world, "lantern").best(14)) == 4 + 4 + 1
    assert found(world, "word11").hits[0].id == turns[11]
    # and all that is left, when its segment was made anew
    indexing.catch_up(world.context_id)
    assert len(held(world, "lantern").best(14)) == 4 + 3 + 4 + 1
    assert found(world, "word6").hits[0].id == turns[6]
    # with the sums over what is left: 11 in segments, and the tail
    assert held(world, "lantern").statistics.passages == 13
    with world.reading() as reader:
        assert not postings.is_pending(reader)


def held(world: World, words: str) -> keyword.Held:
    with world.reading() as reader:
        return keyword.WordSearch(reader, parsed(words)).held()


def segments_of(world: World, word: str) -> int:
    """How many segments hold the word."""
    count = "SELECT count(*) FROM recall_postings WHERE context_id = %s AND word = %s"
    with world.services.pool.connection() as connection:
        row = connection.execute(count, [world.context_id, word]).fetchone()
    assert row is not None
    return int(row[0])


def test_meaning_finds_what_no_word_does(world: World) -> None:
    embedder = MiniLM(threads=1)
    dog, *_ = said(world, "Rex, our puppy, chewed my slippers again", "The invoice is due in March", "I like jazz")
    Indexing(world.services.pool, lambda _: embedder).catch_up(world.context_id)
    (vector,) = embedder.embed(["Do I have a dog?"])
    question = parsed("Do I have a dog?", vector=vector, model=embedder.model)
    hits = found(world, question, mode=Mode.VECTOR).hits
    assert hits[0].id == dog
    assert hits[0].signals.cosine is not None and hits[0].signals.cosine > 0.2


def test_the_same_text_is_embedded_once_and_another_model_makes_its_own(world: World) -> None:
    embedder = Counting()
    said(world, "the same words", "the same words", "other words")
    Indexing(world.services.pool, lambda _: embedder).catch_up(world.context_id)
    said(world, "the same words")
    Indexing(world.services.pool, lambda _: embedder).catch_up(world.context_id)
    assert sorted(embedder.embedded) == ["other words", "the same words"]
    # a question of a model whose vectors are not there yet is answered by words
    other = Counting("another/model")
    question = parsed("same words", vector=[1.0, 0.0, 0.0], model="another/model")
    assert len(found(world, question).hits) == 4
    Indexing(world.services.pool, lambda _: other).catch_up(world.context_id)
    assert len(other.embedded) == 2


def test_a_context_whose_model_fails_holds_up_no_other(services: Services) -> None:
    class Failing(Hashing):
        model = "refusing/model"

        def embed(self, texts: Sequence[str]) -> list[Vector]:
            raise EmbeddingUnavailable("not now", retry_after_s=600)

    failing, well = keyed_world(services).world, keyed_world(services).world
    indexing = Indexing(services.pool, lambda one: Failing() if one == failing.context_id else Hashing())
    indexing.start()
    try:
        for world in (failing, well):
            said(world, "some words")
            indexing.poke(world.context_id)
        wait_for_vectors(well)
    finally:
        indexing.close()


def test_what_was_written_a_moment_ago_is_embedded_at_once_for_who_asks(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given words that would be looked at much later
    monkeypatch.setattr("api.work.indexing.GATHER_S", 60.0)
    monkeypatch.setattr("api.work.indexing.SETTLE_S", 20.0)
    indexing = Indexing(world.services.pool, lambda _: Hashing())
    indexing.start()
    try:
        said(world, "some words")
        indexing.poke(world.context_id)
        # when somebody waits for them, then they are there
        assert indexing.settle(world.context_id)
        with world.reading() as reader:
            assert indexing.waiting(reader) == 0
        # and nothing is left to wait for
        assert not indexing.settle(world.context_id)
    finally:
        indexing.close()


def test_what_is_written_in_quick_succession_is_embedded_together(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a thread that was told before there was anything
    monkeypatch.setattr("api.work.indexing.GATHER_S", 1.0)
    embedder = Counting()
    indexing = Indexing(world.services.pool, lambda one: embedder if one == world.context_id else Hashing())
    indexing.start()
    try:
        indexing.poke(world.context_id)
        # when words come right after
        said(world, "some words", "some more")
        # then it finds all of them
        wait_for_vectors(world)
        assert embedder.embedded == ["some words", "some more"]
    finally:
        indexing.close()


def test_a_question_of_another_dimension_is_no_error(world: World) -> None:
    said(world, "some words")
    Indexing(world.services.pool, lambda _: Hashing()).catch_up(world.context_id)
    hits = found(world, parsed("some words", vector=[0.6, 0.8], model="local/hashing")).hits
    assert len(hits) == 1


def test_what_is_erased_while_it_is_embedded_gets_no_vector(world: World) -> None:
    # given an embedder during whose work the passages are erased
    turns = said(world, "secret handshake", "open secret")

    class Slow(Hashing):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            with world.services.pool.connection() as connection:
                connection.execute(
                    "DELETE FROM passages WHERE context_id = %s AND turn_id = %s",
                    [world.context_id, turns[0]],
                )
            return super().embed(texts)

    Indexing(world.services.pool, lambda _: Slow()).catch_up(world.context_id)
    with world.reading() as reader:
        vectors = reader.tuples("SELECT count(*) FROM recall_vectors AS v WHERE v.context_id = %(context_id)s", {})
    assert vectors == [(1,)]


def test_a_filter_is_filled_from_what_passes_it(world: World) -> None:
    said(world, *(f"Ana: the harbour again, {number}" for number in range(150)))
    session = world.say("Ben: there was a harbour too", infer=Infer.NONE).session_id
    hits = found(world, "the harbour of Ana", filters=Filters(session_id=session), limit=5).hits
    assert [hit.session_id for hit in hits] == [session]


def test_equal_scores_come_newest_first_every_time(world: World) -> None:
    turns = [turn for _ in range(5) for turn in said(world, "exactly the same sentence")]
    orders = [[hit.id for hit in found(world, "same sentence").hits] for _ in range(3)]
    assert orders == [turns[::-1]] * 3
