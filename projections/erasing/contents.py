"""What events hold: whether it is anybody's words, what they make known, and which texts stand in them. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

import msgspec

from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeStatement,
    DocumentProcessed,
    DocumentReplaced,
    DocumentTextExtracted,
    DocumentUploaded,
    EntityAliased,
    EntityMentioned,
    EntityRecognised,
    Event,
    ExtractionCompleted,
    InstructionDetected,
    InstructionReaffirmed,
    RelationStatement,
    StatementEvent,
    TurnRecorded,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from projections.recall.words import tokens

Words = tuple[str, ...]  # folded, in order

_MARKED = re.compile("[acdegilnorstuyz]")

_WITH_WORDS = (
    TurnRecorded,
    ExtractionCompleted,
    EntityRecognised,
    EntityAliased,
    StatementEvent,
    ActionRecorded,
    InstructionDetected,
    UncertaintyFlagged,
    UncertaintyResolved,
    DocumentUploaded,
    DocumentReplaced,
    DocumentTextExtracted,
    DocumentProcessed,
)


def has_words(event: Event | None) -> bool:
    """Whether its payload holds what somebody said, and not only ids, times and settings."""
    return isinstance(event, _WITH_WORDS)


def brought_by(event: Event | None) -> set[UUID]:
    """The things that an event makes known or tells of: rows that go if it goes."""
    match event:
        case StatementEvent():
            return {event.segment.id}
        case ActionRecorded() | ActionReaffirmed():
            return {event.action_id}
        case InstructionDetected() | InstructionReaffirmed():
            return {event.instruction_id}
        case UncertaintyFlagged() | UncertaintyResolved():
            return {event.uncertainty_id}
        case EntityRecognised() | EntityMentioned():
            return {event.entity_id}
        case EntityAliased():
            return {event.alias_id}
        case _:
            return set()


def about(event: Event | None) -> set[UUID]:
    """The entities that an event tells something of."""
    match event:
        case AttributeStatement():
            return {event.entity_id}
        case RelationStatement():
            return {event.subject_id, event.object_id}
        case ActionRecorded():
            return {event.actor_id}
        case UncertaintyFlagged(entity_id=UUID() as entity_id):
            return {entity_id}
        case _:
            return set()


def told_of(event: Event | None) -> tuple[str, UUID, str] | None:
    """What an event says, as one who knows what was said would recognise it: its kind, id and text. None for what
    only repeats others."""
    match event:
        case TurnRecorded(turn_id=turn_id, text=text):
            return "turn", turn_id, text
        case EntityRecognised(entity_id=entity_id, name=name):
            return "entity", entity_id, name
        case AttributeStatement():
            return "attribute", event.segment.id, f"{event.key.replace('_', ' ')} {event.value}"
        case RelationStatement():
            return "relation", event.segment.id, event.label.replace("_", " ")
        case ActionRecorded(action_id=action_id, summary=summary):
            return "action", action_id, summary
        case InstructionDetected(instruction_id=instruction_id, description=description):
            return "instruction", instruction_id, description
        case UncertaintyFlagged(uncertainty_id=uncertainty_id, about=doubt):
            return "uncertainty", uncertainty_id, doubt
        case DocumentUploaded(document_id=document_id, title=title):
            return "document", document_id, title
        case _:
            return None


def texts(event: Event | None) -> Iterator[str]:
    """All texts of a payload."""
    return _strings(msgspec.to_builtins(event))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, Iterable):
        for part in value:
            yield from _strings(part)


def words_of(text: str) -> Words:
    return tuple(tokens(text.replace("_", " ")))


def holds(text: str, wanted: Words) -> bool:
    """Whether the words of `wanted` stand in the text, side by side and in order."""
    there = words_of(text)
    return any(there[begin : begin + len(wanted)] == wanted for begin in range(len(there) - len(wanted) + 1))


def pattern(word: str) -> str:
    """What a text that holds the folded word is LIKE; letters that may wear a mark there, as in Łódź, stand open."""
    return "%" + _MARKED.sub("_", word.replace("ss", "%")) + "%"
