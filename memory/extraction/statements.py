"""Candidates, compared apart from where they stand: of whom, of what, with which value."""

from collections.abc import Iterator

from msgspec.structs import replace

from memory.candidates import (
    ActionCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    Mention,
    NameCandidate,
    RelationCandidate,
)

Statement = AttributeCandidate | RelationCandidate


def texts_of(one: AnyCandidate) -> Iterator[str]:
    match one:
        case AttributeCandidate():
            yield from (one.entity.name, one.value, one.key)
        case RelationCandidate():
            yield from (one.subject.name, one.object.name)
        case ActionCandidate():
            yield from (one.actor.name, one.object or "", one.summary)
        case InstructionCandidate():
            yield one.description
        case NameCandidate():
            yield one.name
        case EntityCandidate():
            yield one.entity.name
        case _:
            return


def value_of(one: Statement) -> str:
    return one.value if isinstance(one, AttributeCandidate) else one.object.name


def slot_of(one: Statement) -> tuple[Mention, str] | tuple[str, str]:
    """Of whom and what; where the value stays, another may be told to have it."""
    return (one.entity, one.key) if isinstance(one, AttributeCandidate) else (one.subject, one.label)


def bare_of(one: AnyCandidate) -> AnyCandidate:
    """Apart from where it stands, and of an action from its words."""
    bare = replace(one, start=0, end=0, confidence=1.0)
    if isinstance(bare, ActionCandidate):
        return replace(bare, summary="")
    return bare
