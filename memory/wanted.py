"""What deciding a turn needs to know: whom and what its candidates are about. Pure.

`decide` and its loader read candidates through this one module, so that what is loaded is what is asked.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from uuid import UUID

import msgspec

from memory.candidates import (
    CANDIDATES_PER_TURN_MAX,
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    UncertaintyCandidate,
)
from memory.cardinality import is_functional, line_key, line_value
from memory.known import EntityName, Statement, Unit, Wanted, WantedAttribute, WantedRelation
from memory.values import attribute_key, comparable, entity_type, folded, name_key, unit_value

SURE_OF_TYPE = 0.8  # below, the type of a bare mention is a guess
UNNAMED_USER = "user"


def wanted(candidates: Sequence[AnyCandidate], statement: Statement, named_speaker: str | None) -> Wanted:
    """What `decide` will ask about. named_speaker: the name of statement.speaker_id's entity."""
    ordered = in_order(candidates)
    resolve = resolver(speaker_of(ordered, statement, named_speaker))
    names: set[EntityName] = set()
    loose_names: set[str] = set()
    attributes: list[WantedAttribute] = []
    relations: list[WantedRelation] = []
    deeds: set[tuple[EntityName, str, str]] = set()
    directives = False
    for ordinal, candidate in enumerate(ordered):
        place = statement.place(candidate.start, ordinal)
        match candidate:
            case NameCandidate():
                names.add(resolve(Mention(speaker=True)))
            case EntityCandidate(entity=entity, confidence=confidence):
                names.add(resolve(entity))
                if confidence < SURE_OF_TYPE:
                    loose_names.add(name_key(entity.name))
            case AttributeCandidate(entity=entity):
                names.add(resolve(entity))
                key = attribute_key(candidate.key)
                value = line_value(key, comparable(candidate.value))
                for past in readings(candidate):
                    said = statement.said(statement.turn_id, candidate, place, value, past=past)
                    attributes.append(WantedAttribute(resolve(entity), key, candidate.value, said, past))
            case RelationCandidate(subject=subject, object=target):
                names.update((resolve(subject), resolve(target)))
                label = attribute_key(candidate.label)
                for past in readings(candidate):
                    said = statement.said(statement.turn_id, candidate, place, "", past=past)
                    relations.append(WantedRelation(resolve(subject), label, resolve(target), said, past))
            case ActionCandidate(actor=actor, verb=verb, object=target_text):
                names.add(resolve(actor))
                deeds.add((resolve(actor), attribute_key(verb), comparable(target_text or "")))
            case InstructionCandidate():
                directives = True
            case UncertaintyCandidate(entity=Mention() as entity):
                names.add(resolve(entity))
            case _:
                pass
    return Wanted(
        frozenset(names),
        frozenset(loose_names),
        tuple(attributes),
        tuple(relations),
        frozenset(deeds),
        directives,
    )


def relation_unit(subject_id: UUID, label: str, object_id: UUID, *, past: bool) -> Unit:
    """A functional label has one line a subject, any other one a pair of subject and object."""
    return subject_id, label, unit_value(str(object_id), single_valued=is_functional(label), past=past)


def readings(candidate: AttributeCandidate | RelationCandidate) -> tuple[bool, ...]:
    """Whether the words may assert a time that is over (True), speak of what holds or ends (False), or both:
    "I worked there from 2019 to 2021" ends what is known to hold, and is news of the past otherwise."""
    if candidate.valid_until is None:
        return (False,)
    if candidate.polarity is Polarity.ENDED:
        return (False, True) if candidate.valid_from else (False,)
    return (True,)


def in_order(candidates: Iterable[AnyCandidate]) -> list[AnyCandidate]:
    """In the order of the words, ties broken by content: a total order, so that none is arbitrary.

    Without negations that only prepare the contrary: "I don't like X" says that X is disliked.
    """
    kept = sorted(candidates, key=_span)
    if any(_span(one) == _span(other) for one, other in pairwise(kept)):
        kept.sort(key=lambda one: (_span(one), msgspec.json.encode(one)))
    contrary = {
        (one.entity, line_key(attribute_key(one.key)), folded(one.value), attribute_key(one.key))
        for one in kept
        if isinstance(one, AttributeCandidate) and one.polarity is Polarity.AFFIRMED
    }
    kept = [one for one in kept if not _is_said_by(one, contrary)]
    return kept[:CANDIDATES_PER_TURN_MAX]


def _span(candidate: AnyCandidate) -> tuple[int, int]:
    return candidate.start, candidate.end


def _is_said_by(candidate: AnyCandidate, affirmed: set[tuple[Mention, str, str, str]]) -> bool:
    """Whether it negates what one of `affirmed` says to the contrary."""
    if not isinstance(candidate, AttributeCandidate) or candidate.polarity is not Polarity.NEGATED:
        return False
    key = attribute_key(candidate.key)
    said = candidate.entity, line_key(key), folded(candidate.value)
    return any(one[:3] == said and one[3] != key for one in affirmed)


def speaker_of(candidates: Sequence[AnyCandidate], statement: Statement, session_name: str | None) -> EntityName:
    """Who "I" is. In this order: the scope's user; the name told in this turn; `session_name`, told before
    in this session; the principal, if a human; else an unnamed user."""
    told = [one.name for one in candidates if isinstance(one, NameCandidate)]
    name = statement.user_name or (told[0] if told else session_name) or statement.principal_name
    return "person", name_key(name or UNNAMED_USER)


def resolver(speaker: EntityName) -> Callable[[Mention], EntityName]:
    def resolve(mention: Mention) -> EntityName:
        return speaker if mention.speaker else (entity_type(mention.type), name_key(mention.name))

    return resolve
