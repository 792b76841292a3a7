"""Attribute versions: every value that a property of an entity ever had, as one linear chain.

A unit is what has one line of values: (scope set, entity, key) and `unit_value`
(see `memory.values.unit_value`).
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import AttributeAsserted, AttributeClosed, AttributeKeyDefined, AttributeSuperseded
from memory.recorded import Recorded
from memory.values import derived_id, unit_value
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class AttributeVersionRow(Row, frozen=True):
    entity_id: UUID
    key: str
    value: str
    unit_value: str
    category: str
    confidence: float
    source_kind: str
    standing: str
    single_valued: bool
    turn_id: UUID
    session_id: UUID | None
    said_at: datetime
    turn_position: int
    said_offset: int
    stated: bool
    precision: str
    supersedes: UUID | None
    superseded_by: UUID | None
    end_reason: str | None
    labels: list[str]


class AttributeKeyRow(Row, frozen=True):
    key: str
    single_valued: bool


VERSIONS = Table(
    "attribute_versions",
    AttributeVersionRow,
    columns="""
    entity_id uuid NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    unit_value text NOT NULL,
    category text NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source_kind text NOT NULL,
    standing text NOT NULL CHECK (standing IN ('current', 'claimed', 'retracted')),
    single_valued boolean NOT NULL,
    turn_id uuid NOT NULL,
    session_id uuid,
    said_at timestamptz NOT NULL,
    turn_position bigint NOT NULL,
    said_offset integer NOT NULL,
    stated boolean NOT NULL,
    precision text NOT NULL,
    supersedes uuid,
    superseded_by uuid,
    end_reason text,
    labels text[] NOT NULL
    """,
    # `decide` looks up the neighbours of a statement in the line of its unit.
    indexes={
        "line": """(entity_id, key, unit_value, said_at, turn_position, said_offset)
            WHERE position_to IS NULL AND known_to IS NULL"""
    },
    # The backstop of the linear chain: whatever went wrong above, a unit has one live value.
    unique_indexes={
        "one_live_value": """(scope_set_id, entity_id, key, unit_value)
            WHERE position_to IS NULL AND known_to IS NULL AND valid_to IS NULL AND standing = 'current'"""
    },
)
KEYS = Table(
    "attribute_keys",
    AttributeKeyRow,
    columns="key text NOT NULL, single_valued boolean NOT NULL",
    unique_indexes={"one_of_a_key": "(scope_set_id, key) WHERE position_to IS NULL"},
)
HANDLES = (AttributeKeyDefined, AttributeAsserted, AttributeSuperseded, AttributeClosed)

LIVE_OF_ENTITIES = """
SELECT v.* FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND v.valid_to IS NULL AND v.standing = 'current'
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
LIMIT %(limit)s
"""

LIVE_BY_CATEGORY = """
SELECT v.* FROM {attribute_versions} AS v JOIN {entities} AS e ON e.id = v.entity_id
WHERE v.category = %(category)s AND v.valid_to IS NULL AND v.standing = 'current' AND e.forgotten_at IS NULL
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
LIMIT %(limit)s
"""

HISTORY = """
SELECT v.* FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND v.key = %(key)s
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
"""

BY_IDS = "SELECT v.* FROM {attribute_versions} AS v WHERE v.id = ANY(%(ids)s)"


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case AttributeKeyDefined() as event:
            scope_set_id = recorded.origin.scope_set_id
            assert scope_set_id is not None
            key_id = derived_id(scope_set_id, "attribute_key", recorded.position)
            yield Put(
                KEYS,
                AttributeKeyRow(*start(recorded, key_id), key=event.key, single_valued=event.single_valued),
            )
        case AttributeAsserted() as event:
            turn_id = recorded.origin.turn_id
            assert turn_id is not None
            past = event.valid_until is not None
            yield Put(
                VERSIONS,
                AttributeVersionRow(
                    *start(recorded, event.version_id, valid_from=event.valid_from, valid_to=event.valid_until),
                    entity_id=event.entity_id,
                    key=event.key,
                    value=event.value,
                    unit_value=unit_value(event.value, single_valued=event.single_valued, past=past),
                    category=event.category,
                    confidence=event.confidence,
                    source_kind=event.source_kind,
                    standing="current",
                    single_valued=event.single_valued,
                    turn_id=turn_id,
                    session_id=recorded.origin.session_id,
                    said_at=recorded.known_at,
                    turn_position=event.turn_position,
                    said_offset=event.offset,
                    stated=event.stated,
                    precision=event.precision,
                    supersedes=None,
                    superseded_by=None,
                    end_reason="past" if past else None,
                    labels=list(event.labels),
                ),
            )
        case AttributeSuperseded(old_version_id=old_id, new_version_id=new_id) as superseded:
            until, reason = superseded.valid_until, superseded.reason
            yield Revise(
                VERSIONS,
                old_id,
                superseded.known_at,
                lambda row: replace(row, valid_to=until, superseded_by=new_id, end_reason=reason),
            )
            yield Revise(VERSIONS, new_id, superseded.known_at, lambda row: replace(row, supersedes=old_id))
        case AttributeClosed(version_id=version_id, valid_until=ended_at, reason=end_reason):
            yield Revise(
                VERSIONS,
                version_id,
                recorded.known_at,
                lambda row: replace(row, valid_to=ended_at, end_reason=end_reason),
            )


def live_of_entities(reader: Reader, entity_ids: Sequence[UUID], *, limit: int) -> Page[AttributeVersionRow]:
    """Current values of the entities, newest first."""
    return reader.page(VERSIONS, LIVE_OF_ENTITIES, {"entity_ids": list(entity_ids)}, limit=limit)


def live_by_category(reader: Reader, category: str, *, limit: int) -> Page[AttributeVersionRow]:
    """Current values of one memory category, newest first."""
    return reader.page(VERSIONS, LIVE_BY_CATEGORY, {"category": category}, limit=limit)


def history(reader: Reader, entity_ids: Sequence[UUID], key: str) -> list[AttributeVersionRow]:
    """Every version of a key, newest statement first."""
    return reader.rows(VERSIONS, HISTORY, {"entity_ids": list(entity_ids), "key": key})


def by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, AttributeVersionRow]:
    return {row.id: row for row in reader.rows(VERSIONS, BY_IDS, {"ids": list(set(ids))})}
