"""Provenance: which turns support which entity, version, relation, action or instruction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeAsserted,
    AttributeReaffirmed,
    EntityMentioned,
    EntityRecognised,
    InstructionDetected,
    InstructionReaffirmed,
    RelationAsserted,
    RelationReaffirmed,
)
from memory.recorded import Recorded
from memory.values import derived_id
from projections.reading import Reader
from projections.table import Op, Put, Row, Table, start


class ProvenanceRow(Row, frozen=True):
    subject_id: UUID
    turn_id: UUID
    session_id: UUID | None


TABLE = Table(
    "provenance",
    ProvenanceRow,
    columns="subject_id uuid NOT NULL, turn_id uuid NOT NULL, session_id uuid",
    indexes={"of_subject": "(subject_id, known_from)", "of_turn": "(turn_id)"},
)
HANDLES = (
    EntityRecognised,
    EntityMentioned,
    AttributeAsserted,
    AttributeReaffirmed,
    RelationAsserted,
    RelationReaffirmed,
    ActionRecorded,
    ActionReaffirmed,
    InstructionDetected,
    InstructionReaffirmed,
)

EVIDENCE = """
SELECT p.subject_id, count(*), max(p.known_from)
FROM {provenance} AS p
WHERE p.subject_id = ANY(%(ids)s)
GROUP BY p.subject_id
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How many turns support a thing, and when the last of them was said."""

    turns: int
    last_said_at: datetime


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case EntityRecognised(entity_id=subject_id) | EntityMentioned(entity_id=subject_id):
            pass
        case AttributeAsserted(version_id=subject_id) | AttributeReaffirmed(version_id=subject_id):
            pass
        case RelationAsserted(relation_id=subject_id) | RelationReaffirmed(relation_id=subject_id):
            pass
        case ActionRecorded(action_id=subject_id) | ActionReaffirmed(action_id=subject_id):
            pass
        case InstructionDetected(instruction_id=subject_id) | InstructionReaffirmed(instruction_id=subject_id):
            pass
        case _:
            return
    turn_id = recorded.origin.turn_id
    assert turn_id is not None
    yield Put(
        TABLE,
        ProvenanceRow(
            *start(recorded, derived_id(subject_id, "turn", str(turn_id))),
            subject_id=subject_id,
            turn_id=turn_id,
            session_id=recorded.origin.session_id,
        ),
    )


def evidence(reader: Reader, subject_ids: Sequence[UUID]) -> dict[UUID, Evidence]:
    rows = reader.tuples(EVIDENCE, {"ids": list(set(subject_ids))})
    return {subject_id: Evidence(turns, last_said_at) for subject_id, turns, last_said_at in rows}
