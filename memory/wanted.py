"""What deciding a turn needs to know: whom and what its candidates are about. Pure.

`decide` and its loader read candidates through this one module, so that what is loaded is what is asked.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from uuid import UUID

import msgspec

from memory.candidates import (
    CANDIDATES_PER_TURN_MAX,
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    Mention,
    NameCandidate,
    Polarity,
    RelationCandidate,
    SeparationCandidate,
    UncertaintyCandidate,
)
from memory.cardinality import is_functional, line_key, line_value
from memory.draft import CONFIDENCE_FLOOR
from memory.known import EntityName, Statement, Unit, Wanted, WantedAttribute, WantedRelation
from memory.nicknames import may_be_one
from memory.values import SourceKind, attribute_key, comparable, entity_type, folded, name_key, unit_value

SURE_OF_TYPE = 0.8  # below, the type of a bare mention is a guess
UNNAMED_USER = "user"
ASSISTANT = Mention(type="agent", name="assistant")


def wanted(candidates: Sequence[AnyCandidate], statement: Statement, named_speaker: EntityName | None) -> Wanted:
    """What `decide` will ask about. named_speaker: the name of statement.speaker_id's entity."""
    ordered = in_order(candidates)
    speaker = speaker_of(ordered, statement, named_speaker)
    resolve = resolver(speaker)
    # "My mother" is called by who says it, so that one must be known too.
    names = {speaker} if any(mention.mine for one in ordered for mention in _mentions(one)) else set[EntityName]()
    regrouped: set[EntityName] = set()
    relatives_of: set[str] = set()
    loose_names: set[str] = set()
    attributes: list[WantedAttribute] = []
    ended: list[WantedAttribute] = []
    relations: list[WantedRelation] = []
    deeds: set[tuple[EntityName, str, str]] = set()
    directives = False
    for ordinal, candidate in enumerate(ordered):
        place = statement.place(candidate.start, ordinal)
        match candidate:
            case NameCandidate():
                names.add(speaker)
                if told := told_name([candidate], statement):
                    regrouped |= _renamed(("person", name_key(told)), speaker, statement)
                    if statement.user_name is None and statement.speaker_id is None:
                        relatives_of |= {unnamed_speaker(statement)[1], speaker[1]}
            case AliasCandidate(entity=entity, name=name):
                regrouped |= {resolve(entity), resolve(name)}
            case SeparationCandidate(name=name):
                regrouped.add(resolve(name))
            case EntityCandidate(entity=entity, confidence=confidence):
                names.add(resolve(entity))
                if confidence < SURE_OF_TYPE:
                    loose_names.add(name_key(entity.name))
            case AttributeCandidate(entity=entity):
                names.add(resolve(entity))
                key = attribute_key(candidate.key)
                value = line_value(key, comparable(candidate.value))
                said = statement.said(statement.turn_id, candidate, place, value)
                attributes.append(WantedAttribute(resolve(entity), key, candidate.value, said))
                if said.ends:
                    ended.append(attributes[-1])
            case RelationCandidate(subject=subject, object=target):
                names.update((resolve(subject), resolve(target)))
                label = attribute_key(candidate.label)
                said = statement.said(statement.turn_id, candidate, place, "")
                relations.append(WantedRelation(resolve(subject), label, resolve(target), said))
            case ActionCandidate(verb=verb, object=target_text):
                actor = resolve(actor_of(candidate, statement))
                names.add(actor)
                deeds.add((actor, attribute_key(verb), comparable(target_text or "")))
            case InstructionCandidate():
                directives = True
            case UncertaintyCandidate(entity=Mention() as entity):
                names.add(resolve(entity))
            case _:
                pass
    names |= regrouped
    return Wanted(
        frozenset(names),
        frozenset(loose_names),
        tuple(attributes),
        tuple(relations),
        frozenset(deeds),
        directives,
        frozenset(regrouped),
        frozenset(relatives_of),
        tuple(ended),
        proposals(ordered),
    )


def _mentions(candidate: AnyCandidate) -> Iterator[Mention]:
    for place in ("entity", "subject", "object", "actor", "name"):
        mention = getattr(candidate, place, None)
        if isinstance(mention, Mention):
            yield mention


def _renamed(told: EntityName, speaker: EntityName, statement: Statement) -> set[EntityName]:
    """The names that the telling of a name concerns: none if the speaker is known by it already."""
    if told != speaker:
        return {told, speaker}
    if statement.user_name is None and statement.speaker_id is None:
        return {unnamed_speaker(statement), speaker}
    return set()


def proposals(ordered: Iterable[AnyCandidate]) -> dict[str, bool]:
    """Of each key, whether it has one value at a time, as the extractor first proposes."""
    found: dict[str, bool] = {}
    for candidate in ordered:
        if isinstance(candidate, AttributeCandidate) and candidate.single_valued is not None:
            found.setdefault(attribute_key(candidate.key), candidate.single_valued)
    return found


def actor_of(candidate: ActionCandidate, statement: Statement) -> Mention:
    """What an assistant says that it will do, it does itself."""
    if candidate.actor.speaker and statement.source_kind is SourceKind.ASSISTANT:
        return ASSISTANT
    return candidate.actor


def relation_unit(subject_id: UUID, label: str, object_id: UUID) -> Unit:
    """A functional label has one line a subject, any other one a pair of subject and object."""
    return subject_id, label, unit_value(str(object_id), single_valued=is_functional(label))


def in_order(candidates: Iterable[AnyCandidate]) -> list[AnyCandidate]:
    """In the order of the words, ties broken by content: a total order, so that none is arbitrary.

    Without negations that only prepare the contrary: "I don't like X" says that X is disliked. A turn that takes
    names apart joins none: what it says of names together could never be settled.
    """
    kept = sorted(candidates, key=_span)
    if any(_span(one) == _span(other) for one, other in pairwise(kept)):
        kept.sort(key=lambda one: (_span(one), msgspec.json.encode(one)))
    if any(isinstance(one, AttributeCandidate) and one.polarity is Polarity.NEGATED for one in kept):
        contrary = {
            (one.entity, line_key(attribute_key(one.key)), folded(one.value), attribute_key(one.key))
            for one in kept
            if isinstance(one, AttributeCandidate) and one.polarity is Polarity.AFFIRMED
        }
        kept = [one for one in kept if not _is_said_by(one, contrary)]
    if any(isinstance(one, SeparationCandidate) for one in kept):
        kept = [one for one in kept if not isinstance(one, AliasCandidate | NameCandidate)]
    # A doubt whether two names are one is about whom the sure words make of them.
    kept.sort(key=_is_unsure_alias)
    return kept[:CANDIDATES_PER_TURN_MAX]


def _is_unsure_alias(candidate: AnyCandidate) -> bool:
    return isinstance(candidate, AliasCandidate) and candidate.confidence < CONFIDENCE_FLOOR


def _span(candidate: AnyCandidate) -> tuple[int, int]:
    return candidate.start, candidate.end


def _is_said_by(candidate: AnyCandidate, affirmed: set[tuple[Mention, str, str, str]]) -> bool:
    """Whether it negates what one of `affirmed` says to the contrary."""
    if not isinstance(candidate, AttributeCandidate) or candidate.polarity is not Polarity.NEGATED:
        return False
    key = attribute_key(candidate.key)
    said = candidate.entity, line_key(key), folded(candidate.value)
    return any(one[:3] == said and one[3] != key for one in affirmed)


def speaker_of(candidates: Sequence[AnyCandidate], statement: Statement, session_user: EntityName | None) -> EntityName:
    """Who "I" is. In this order: the scope's user; the name told in this turn; `session_user`, told before
    in this session; the principal, if a human; else an unnamed user."""
    told = told_name(candidates, statement)
    if session_user and not statement.user_name and (told is None or may_be_one(told, session_user[1])):
        return session_user  # another form of the name is not another person
    name = statement.user_name or told
    return ("person", name_key(name)) if name else unnamed_speaker(statement)


def unnamed_speaker(statement: Statement) -> EntityName:
    """Who "I" is in a session whose user has told no name, in a scope that names none."""
    return "person", name_key(statement.principal_name or UNNAMED_USER)


def told_name(candidates: Iterable[AnyCandidate], statement: Statement) -> str | None:
    """The speaker's own name, if a user tells it and it is sure enough."""
    if statement.source_kind.rank < SourceKind.USER.rank:
        return None
    names = (one for one in candidates if isinstance(one, NameCandidate) and one.confidence >= CONFIDENCE_FLOOR)
    return next((one.name for one in names), None)


def called_by(name: str, what: str) -> str:
    """The name of whom somebody calls by what they are: "alice's_sister"."""
    return f"{name}'s_{what}"


def resolver(speaker: EntityName) -> Callable[[Mention], EntityName]:
    @cache
    def resolve(mention: Mention) -> EntityName:
        if mention.speaker:
            return speaker
        if mention.mine:
            return entity_type(mention.type), called_by(speaker[1], name_key(mention.name))
        return entity_type(mention.type), name_key(mention.name)

    return resolve
