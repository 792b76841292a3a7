"""Attribute versions: every value that a property of an entity ever had, as one linear chain.

A unit is what has one line of values: (scope set, entity, line key) and `unit_value` (see
`memory.cardinality` and `memory.values.unit_value`). All words about a unit are rows here (see
`projections.statements`).
"""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.cardinality import line_key
from memory.events import (
    AttributeAsserted,
    AttributeClosed,
    AttributeEnded,
    AttributeKeyDefined,
    AttributeReaffirmed,
    AttributeRelinked,
    AttributeReopened,
    AttributeSuperseded,
    ContextRowsExpired,
    EntitiesMerged,
    EntitiesSeparated,
    SpeakerNamed,
)
from memory.recorded import Recorded
from memory.regrouping import destination
from memory.values import derived_id, unit_value
from projections import newest_first, statements
from projections.reading import Page, Reader
from projections.statements import StatementRow
from projections.table import Op, Put, Revise, Row, Table, start


class AttributeVersionRow(StatementRow, frozen=True):
    entity_id: UUID
    key: str
    line_key: str
    value: str
    unit_value: str
    single_valued: bool


class AttributeKeyRow(Row, frozen=True):
    key: str
    single_valued: bool


VERSIONS = Table(
    "attribute_versions",
    AttributeVersionRow,
    revised=True,
    revised_soon=True,
    columns=f"""
    {statements.COLUMNS}
    entity_id uuid NOT NULL,
    key text NOT NULL,
    line_key text NOT NULL,
    value text NOT NULL,
    unit_value text NOT NULL,
    single_valued boolean NOT NULL
    """,
    # `decide` looks up the end of a unit's line, or all of it.
    indexes={
        "line": """(entity_id, line_key, unit_value, said_at, turn_position, said_offset)
            WHERE position_to IS NULL AND known_to IS NULL""",
        "of_turn": "(turn_id) WHERE position_to IS NULL AND known_to IS NULL",
        "of_version": "(version_id)",
        "newest": "(said_at DESC, turn_position DESC, said_offset DESC)",
        "of_category": """(category, said_at DESC, turn_position DESC, said_offset DESC)
            WHERE standing = 'current'""",
        "of_entity": "(entity_id, known_from)",
    },
    # The backstop of the linear chain: whatever went wrong above, a unit has one live value.
    unique_indexes={
        "one_live_value": """(scope_set_id, entity_id, line_key, unit_value)
            WHERE position_to IS NULL AND known_to IS NULL AND valid_to IS NULL AND standing = 'current'"""
    },
)
KEYS = Table(
    "attribute_keys",
    AttributeKeyRow,
    columns="key text NOT NULL, single_valued boolean NOT NULL",
    unique_indexes={"one_of_a_key": "(scope_set_id, key) WHERE position_to IS NULL"},
)
HANDLES = (
    AttributeKeyDefined,
    AttributeAsserted,
    AttributeReaffirmed,
    AttributeEnded,
    AttributeSuperseded,
    AttributeClosed,
    AttributeReopened,
    AttributeRelinked,
    EntitiesMerged,
    EntitiesSeparated,
    SpeakerNamed,
    ContextRowsExpired,
)

LIVE_OF_ENTITIES = """
SELECT v.* FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND {in_force:v}
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
LIMIT %(limit)s
"""

LIVE_BY_CATEGORY = """
SELECT v.* FROM {attribute_versions} AS v JOIN {entities} AS e ON e.id = v.entity_id
WHERE v.category = %(category)s AND {in_force:v} AND e.forgotten_at IS NULL
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
LIMIT %(limit)s
"""

HISTORY = """
SELECT v.* FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND v.line_key = %(line_key)s
    AND (v.standing IN ('current', 'claimed', 'retracted')
        OR (v.standing = 'withdrawn' AND v.version_id = v.id AND NOT v.ends))
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
"""

# Of a forgotten entity nothing is live, so there is no need to look at the entities.
LIVE = """
FROM {attribute_versions} AS v
WHERE {in_force:v}
    AND (%(entity_ids)s::uuid[] IS NULL OR v.entity_id = ANY(%(entity_ids)s))
    AND (%(key)s::text IS NULL OR v.key = %(key)s)
"""

ALL_HISTORY = """
FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s)
    AND (v.standing IN ('current', 'claimed', 'retracted')
        OR (v.standing = 'withdrawn' AND v.version_id = v.id AND NOT v.ends))
"""

NEWEST_FIRST = f" AND {newest_first.after('v')} ORDER BY {newest_first.order('v')} LIMIT %(limit)s"

VERSION_OF = """
SELECT v.* FROM {attribute_versions} AS w JOIN {attribute_versions} AS v ON v.id = w.version_id
    JOIN {entities} AS e ON e.id = v.entity_id
WHERE w.id = %(id)s AND e.forgotten_at IS NULL
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
        case AttributeAsserted() | AttributeReaffirmed() | AttributeEnded() as said:
            segment = said.segment
            ends = isinstance(said, AttributeEnded)
            yield Put(
                VERSIONS,
                AttributeVersionRow(
                    *start(recorded, segment.id, valid_from=segment.valid_from, valid_to=segment.valid_until),
                    **statements.common(recorded, said, said_of=said.entity_id, ends=ends),
                    entity_id=said.entity_id,
                    key=said.key,
                    line_key=line_key(said.key),
                    value=said.value,
                    unit_value=unit_value(said.value, single_valued=said.single_valued),
                    single_valued=said.single_valued,
                ),
            )
        case AttributeSuperseded() | AttributeClosed() | AttributeReopened() | AttributeRelinked() as changed:
            yield statements.revised(VERSIONS, changed)
        case ContextRowsExpired(attributes=lapsed):
            for version_id in lapsed:
                yield statements.expired(VERSIONS, version_id, recorded.known_at)
        case EntitiesMerged() | EntitiesSeparated() | SpeakerNamed() as regrouping:
            known_at = recorded.known_at

            def moved(row: AttributeVersionRow) -> AttributeVersionRow:
                holder = row.entity_id
                row = replace(row, entity_id=destination(regrouping, holder, row.said_of))
                return statements.regrouped(row, regrouping, holder, known_at)

            for statement_id in regrouping.moved.attributes:
                yield Revise(VERSIONS, statement_id, known_at, moved)


def live_of_entities(reader: Reader, entity_ids: Sequence[UUID], *, limit: int) -> Page[AttributeVersionRow]:
    """Current values of the entities, newest first."""
    return reader.page(VERSIONS, LIVE_OF_ENTITIES, {"entity_ids": list(entity_ids)}, limit=limit)


def live_by_category(reader: Reader, category: str, *, limit: int) -> Page[AttributeVersionRow]:
    """Current values of one memory category, newest first."""
    return reader.page(VERSIONS, LIVE_BY_CATEGORY, {"category": category}, limit=limit)


def history(reader: Reader, entity_ids: Sequence[UUID], key: str) -> list[AttributeVersionRow]:
    """Every version of a key, and of the key that says its contrary, newest statement first."""
    return reader.rows(VERSIONS, HISTORY, {"entity_ids": list(entity_ids), "line_key": line_key(key)})


def by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, AttributeVersionRow]:
    return {row.id: row for row in reader.rows(VERSIONS, BY_IDS, {"ids": list(set(ids))})}


def live(
    reader: Reader,
    *,
    limit: int,
    entity_ids: Sequence[UUID] | None = None,
    key: str | None = None,
    after: newest_first.Place | None = None,
) -> Page[AttributeVersionRow]:
    """Current values, of these entities or this key only if given, newest first, after the place `after`."""
    parameters = {**_filters(entity_ids, key), **newest_first.bound(after)}
    return reader.page(VERSIONS, f"SELECT v.* {LIVE}{NEWEST_FIRST}", parameters, limit=limit)


def count_live(reader: Reader, *, entity_ids: Sequence[UUID] | None = None, key: str | None = None) -> int:
    return int(reader.tuples(f"SELECT count(*) {LIVE}", _filters(entity_ids, key))[0][0])


def all_history(
    reader: Reader, entity_ids: Sequence[UUID], *, limit: int, after: newest_first.Place | None = None
) -> Page[AttributeVersionRow]:
    """Every version of every key of the entities, newest statement first, after the place `after`."""
    parameters = {"entity_ids": list(entity_ids), **newest_first.bound(after)}
    return reader.page(VERSIONS, f"SELECT v.* {ALL_HISTORY}{NEWEST_FIRST}", parameters, limit=limit)


def count_all_history(reader: Reader, entity_ids: Sequence[UUID]) -> int:
    return int(reader.tuples(f"SELECT count(*) {ALL_HISTORY}", {"entity_ids": list(entity_ids)})[0][0])


def version_of(reader: Reader, statement_id: UUID) -> AttributeVersionRow | None:
    """The version that the words of this id made or are about; None if its entity is forgotten."""
    rows = reader.rows(VERSIONS, VERSION_OF, {"id": statement_id})
    return rows[0] if rows else None


def _filters(entity_ids: Sequence[UUID] | None, key: str | None) -> dict[str, Any]:
    return {"entity_ids": None if entity_ids is None else list(entity_ids), "key": key}
