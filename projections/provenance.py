"""Provenance: which turns support which entity, action or instruction, and how well anything is supported.

Words about properties and relations are rows of their own (see `projections.statements`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    EntityMentioned,
    EntityRecognised,
    InstructionDetected,
    InstructionReaffirmed,
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
    ActionRecorded,
    ActionReaffirmed,
    InstructionDetected,
    InstructionReaffirmed,
)

SUPPORTERS = """
SELECT p.turn_id FROM {provenance} AS p WHERE p.subject_id = %(id)s
UNION
SELECT v.turn_id FROM {attribute_versions} AS v WHERE v.version_id = %(id)s AND NOT v.ends
UNION
SELECT r.turn_id FROM {relations} AS r WHERE r.version_id = %(id)s AND NOT r.ends
"""

EVIDENCE = """
SELECT e.subject_id, count(DISTINCT e.turn_id), max(e.said_at)
FROM (
    SELECT p.subject_id, p.turn_id, p.known_from AS said_at FROM {provenance} AS p
    WHERE p.subject_id = ANY(%(ids)s)
    UNION ALL
    SELECT n.canonical_id, q.turn_id, q.known_from FROM {entities} AS n JOIN {provenance} AS q ON q.subject_id = n.id
    WHERE n.canonical_id = ANY(%(ids)s) AND n.canonical_id <> n.id
    UNION ALL
    SELECT v.version_id, v.turn_id, v.said_at FROM {attribute_versions} AS v
    WHERE v.version_id = ANY(%(ids)s) AND NOT v.ends AND v.standing <> 'withdrawn'
    UNION ALL
    SELECT r.version_id, r.turn_id, r.said_at FROM {relations} AS r
    WHERE r.version_id = ANY(%(ids)s) AND NOT r.ends AND r.standing <> 'withdrawn'
) AS e
GROUP BY e.subject_id
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


def supporters(reader: Reader, thing_id: UUID) -> set[UUID]:
    """Ids of the turns that say a version, an action or an instruction."""
    return {turn_id for (turn_id,) in reader.tuples(SUPPORTERS, {"id": thing_id}) if turn_id}
