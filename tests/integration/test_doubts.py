"""Which doubts are open after what was said, over what the read models tell of the past."""

from api.ids import new_id
from memory.candidates import AnyCandidate, Mention, RelationCandidate
from memory.turns import Turn
from memory.values import Infer, SourceKind
from projections import uncertainties
from tests.worlds import World, fact

ANA = Mention(type="person", name="Ana")


def works_at(company: str) -> RelationCandidate:
    return RelationCandidate(subject=ANA, label="works_at", object=Mention(type="company", name=company))


def told(world: World, *candidates: AnyCandidate, source: SourceKind) -> None:
    turn = Turn(turn_id=new_id(), text="", infer=Infer.TRIPLES, candidates=candidates, source_kind=source)
    world.remember(turn)


def open_doubts(world: World) -> list[str]:
    with world.reading() as reader:
        return [row.about for row in uncertainties.unresolved(reader, limit=9).rows]


def test_a_contradiction_names_what_is_claimed_and_what_is_in_force_as_they_were_spelt(world: World) -> None:
    world.given(works_at("Acme GmbH"), fact("Ana", "city", "Porto"))
    told(world, works_at("Beta"), fact("Ana", "city", "Lyon"), source=SourceKind.USER)
    assert sorted(open_doubts(world)) == ["city: Lyon, against Porto", "works_at: Beta, against Acme GmbH"]
    told(world, works_at("Acme GmbH"), source=SourceKind.USER)
    assert open_doubts(world) == ["city: Lyon, against Porto"]
    assert world.verified().problem is None


def test_claims_that_are_not_the_last_words_count_too(world: World) -> None:
    world.given(fact("Ana", "city", "Porto"))
    told(world, fact("Ana", "city", "Lyon"), source=SourceKind.DOCUMENT)
    for _ in range(2):
        told(world, fact("Ana", "city", "Porto"), source=SourceKind.USER)
        assert open_doubts(world) == ["city: Lyon, against Porto"]
    world.given(fact("Ana", "city", "Porto"))
    assert open_doubts(world) == []


def test_who_repeats_what_was_known_is_in_no_doubt_any_more(world: World) -> None:
    session = world.say("I live in Porto.").session_id
    world.say("I might move to Lyon next year.", session_id=session)
    assert len(open_doubts(world)) == 1
    world.say("I live in Porto.", session_id=session)
    assert open_doubts(world) == []


def test_a_relation_of_dislike_is_recognised_when_it_is_said_again(world: World) -> None:
    dislikes = RelationCandidate(subject=ANA, label="dislikes", object=Mention(type="topic", name="Golf"))
    for _ in range(2):
        told(world, dislikes, source=SourceKind.USER)
    topics = [one.event.TOPIC for one in world.events() if one.event]
    assert (topics.count("RelationAsserted"), topics.count("RelationReaffirmed")) == (1, 1)
