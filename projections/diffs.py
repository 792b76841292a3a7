"""What one turn changed, rebuilt from the events it left."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from msgspec import structs

from memory.events import (
    ActionRecorded,
    AttributeAsserted,
    AttributeSuperseded,
    DocumentReplaced,
    DocumentUploaded,
    EntityMentioned,
    EntityRecognised,
    InstructionDetected,
    RelationAsserted,
    TurnRecorded,
    UncertaintyFlagged,
)
from memory.recorded import Recorded
from projections import attribute_versions, entities
from projections.attribute_versions import AttributeVersionRow
from projections.entities import EntityRow
from projections.reading import Reader


@dataclass(frozen=True, slots=True)
class Correction:
    """`old` gave way to `new`."""

    correction_id: UUID
    old: AttributeVersionRow
    new: AttributeVersionRow
    reason: str


@dataclass(frozen=True, slots=True)
class TurnDiff:
    """All that a turn brought; `entity` resolves the ids that the rest refers to."""

    entity: dict[UUID, EntityRow]
    mentioned: list[tuple[EntityRow, bool]]  # with: was it new to the caller
    attributes: list[AttributeAsserted]
    relations: list[RelationAsserted]
    actions: list[ActionRecorded]
    instructions: list[InstructionDetected]
    uncertainties: list[UncertaintyFlagged]
    corrections: list[Correction]


def for_anybody(one: Recorded) -> Recorded:
    """The event without what its writer might see elsewhere: in its own scope set, what it recognises is new."""
    if isinstance(one.event, EntityRecognised) and not one.event.is_new:
        return structs.replace(one, event=structs.replace(one.event, is_new=True))
    if isinstance(one.event, TurnRecorded | DocumentUploaded | DocumentReplaced) and one.event.region is not None:
        return structs.replace(one, event=structs.replace(one.event, region=None))
    return one


def turn_diff(reader: Reader, recorded: Sequence[Recorded]) -> TurnDiff:
    """The diff of a turn from its events, in their order."""
    events = [one.event for one in recorded if one.event is not None]
    mentions = {
        event.entity_id: isinstance(event, EntityRecognised) and event.is_new
        for event in events
        if isinstance(event, EntityRecognised | EntityMentioned)
    }
    replaced = [
        (event.correction_id, event.segment.id, event.segment.superseded_by, event.segment.reason)
        for event in events
        if isinstance(event, AttributeSuperseded) and event.correction_id and event.segment.superseded_by
    ]
    versions = {}
    if replaced:
        versions = attribute_versions.by_ids(reader, [one for _, old, new, _ in replaced for one in (old, new)])
    owners = {version.entity_id for version in versions.values()}
    entity = entities.by_ids(reader, [*mentions, *owners]) if mentions or owners else {}
    return TurnDiff(
        entity=entity,
        mentioned=[(entity[entity_id], is_new) for entity_id, is_new in mentions.items() if entity_id in entity],
        attributes=[event for event in events if isinstance(event, AttributeAsserted)],
        relations=[event for event in events if isinstance(event, RelationAsserted)],
        actions=[event for event in events if isinstance(event, ActionRecorded)],
        instructions=[event for event in events if isinstance(event, InstructionDetected)],
        uncertainties=[event for event in events if isinstance(event, UncertaintyFlagged)],
        corrections=[
            Correction(correction_id, versions[old], versions[new], reason)
            for correction_id, old, new, reason in replaced
            if old in versions and new in versions  # neither was erased since
        ],
    )
