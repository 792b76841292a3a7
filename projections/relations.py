"""Relations: directed, labelled edges between entities, with when they held.

A functional label has one line of objects a subject; any other one a line for each pair. All words
about an edge are rows here (see `projections.statements`); `unit_object` is the object of a label
that is not functional, as text, and empty for one that is.
"""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.events import (
    ContextRowsExpired,
    EntitiesMerged,
    EntitiesSeparated,
    RelationAsserted,
    RelationClosed,
    RelationEnded,
    RelationReaffirmed,
    RelationRelinked,
    RelationReopened,
    RelationSuperseded,
    SpeakerNamed,
)
from memory.recorded import Recorded
from memory.regrouping import destination, told_of_after
from memory.values import unit_value
from projections import newest_first, statements
from projections.reading import Page, Reader
from projections.statements import StatementRow
from projections.table import Op, Put, Revise, Table, start


class RelationRow(StatementRow, frozen=True):
    subject_id: UUID
    label: str
    object_id: UUID
    unit_object: str
    said_object_id: UUID


TABLE = Table(
    "relations",
    RelationRow,
    revised=True,
    revised_soon=True,
    columns=f"""
    {statements.COLUMNS}
    subject_id uuid NOT NULL,
    label text NOT NULL,
    object_id uuid NOT NULL,
    unit_object text NOT NULL,
    said_object_id uuid NOT NULL
    """,
    indexes={
        "line": """(subject_id, label, unit_object, said_at, turn_position, said_offset)
            WHERE position_to IS NULL AND known_to IS NULL""",
        "of_subject": "(subject_id, known_from)",
        "to_object": "(object_id, known_from)",
        "of_turn": "(turn_id) WHERE position_to IS NULL AND known_to IS NULL",
        "of_version": "(version_id)",
        "of_category": """(category, said_at DESC, turn_position DESC, said_offset DESC)
            WHERE standing = 'current'""",
    },
    unique_indexes={
        "one_live_edge": """(scope_set_id, subject_id, label, unit_object)
            WHERE position_to IS NULL AND known_to IS NULL AND valid_to IS NULL AND standing = 'current'"""
    },
)
HANDLES = (
    RelationAsserted,
    RelationReaffirmed,
    RelationEnded,
    RelationSuperseded,
    RelationClosed,
    RelationReopened,
    RelationRelinked,
    EntitiesMerged,
    EntitiesSeparated,
    SpeakerNamed,
    ContextRowsExpired,
)

LIVE_OF_ENTITIES = """
SELECT r.* FROM {relations} AS r
WHERE (r.subject_id = ANY(%(entity_ids)s) OR r.object_id = ANY(%(entity_ids)s))
    AND {in_force:r}
ORDER BY r.said_at DESC, r.turn_position DESC, r.said_offset DESC, r.id
LIMIT %(limit)s
"""

LIVE_BY_CATEGORY = """
SELECT r.* FROM {relations} AS r
    JOIN {entities} AS s ON s.id = r.subject_id JOIN {entities} AS o ON o.id = r.object_id
WHERE r.category = %(category)s AND {in_force:r}
    AND s.forgotten_at IS NULL AND o.forgotten_at IS NULL
ORDER BY r.said_at DESC, r.turn_position DESC, r.said_offset DESC, r.id
LIMIT %(limit)s
"""

# Of a forgotten entity nothing is live, so there is no need to look at the entities.
LIVE = """
FROM {relations} AS r
WHERE {in_force:r}
    AND (%(subject_ids)s::uuid[] IS NULL OR r.subject_id = ANY(%(subject_ids)s))
    AND (%(object_ids)s::uuid[] IS NULL OR r.object_id = ANY(%(object_ids)s))
    AND (%(label)s::text IS NULL OR r.label = %(label)s)
"""

# The far end of a relation is the object if the subject is one of the entities, else the subject.
AROUND = """
FROM {relations} AS r
WHERE {in_force:r}
    AND (r.subject_id = ANY(%(entity_ids)s) OR r.object_id = ANY(%(entity_ids)s))
    AND (%(facts_min)s::bigint IS NULL OR %(facts_min)s <= (
        SELECT count(*)
        FROM {entities} AS f JOIN {entities} AS n ON n.type = f.type AND n.name_key = f.name_key
            JOIN {attribute_versions} AS v ON v.entity_id = n.id
        WHERE f.id = CASE WHEN r.subject_id = ANY(%(entity_ids)s) THEN r.object_id ELSE r.subject_id END
            AND {in_force:v}
    ))
"""

BETWEEN = """
FROM {relations} AS r
WHERE r.subject_id = ANY(%(subject_ids)s) AND r.object_id = ANY(%(object_ids)s) AND r.label = %(label)s
    AND r.standing IN ('current', 'claimed', 'retracted')
"""

NEWEST_FIRST = f" AND {newest_first.after('r')} ORDER BY {newest_first.order('r')} LIMIT %(limit)s"

BY_IDS = "SELECT r.* FROM {relations} AS r WHERE r.id = ANY(%(ids)s)"

VERSION_OF = """
SELECT r.* FROM {relations} AS w JOIN {relations} AS r ON r.id = w.version_id
    JOIN {entities} AS s ON s.id = r.subject_id JOIN {entities} AS o ON o.id = r.object_id
WHERE w.id = %(id)s AND s.forgotten_at IS NULL AND o.forgotten_at IS NULL
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case RelationAsserted() | RelationReaffirmed() | RelationEnded() as said:
            segment = said.segment
            ends = isinstance(said, RelationEnded)
            yield Put(
                TABLE,
                RelationRow(
                    *start(recorded, segment.id, valid_from=segment.valid_from, valid_to=segment.valid_until),
                    **statements.common(recorded, said, said_of=said.subject_id, ends=ends),
                    subject_id=said.subject_id,
                    label=said.label,
                    object_id=said.object_id,
                    unit_object=unit_value(str(said.object_id), single_valued=said.functional),
                    said_object_id=said.object_id,
                ),
            )
        case RelationSuperseded() | RelationClosed() | RelationReopened() | RelationRelinked() as changed:
            yield statements.revised(TABLE, changed)
        case ContextRowsExpired(relations=lapsed):
            for version_id in lapsed:
                yield statements.expired(TABLE, version_id, recorded.known_at)
        case EntitiesMerged() | EntitiesSeparated() | SpeakerNamed() as regrouping:
            known_at = recorded.known_at

            def moved(row: RelationRow) -> RelationRow:
                subject_id, object_id = row.subject_id, row.object_id
                to_object = destination(regrouping, object_id, row.said_object_id)
                row = replace(
                    row,
                    subject_id=destination(regrouping, subject_id, row.said_of),
                    object_id=to_object,
                    unit_object=row.unit_object.replace(str(object_id), str(to_object)),
                    said_object_id=told_of_after(regrouping, object_id, row.said_object_id),
                )
                return statements.regrouped(row, regrouping, subject_id, known_at)

            for statement_id in regrouping.moved.relations:
                yield Revise(TABLE, statement_id, known_at, moved)


def by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, RelationRow]:
    return {row.id: row for row in reader.rows(TABLE, BY_IDS, {"ids": list(set(ids))})}


def live_of_entities(reader: Reader, entity_ids: Sequence[UUID], *, limit: int) -> Page[RelationRow]:
    """Current relations from or to the entities, newest first."""
    return reader.page(TABLE, LIVE_OF_ENTITIES, {"entity_ids": list(entity_ids)}, limit=limit)


def live_by_category(reader: Reader, category: str, *, limit: int) -> Page[RelationRow]:
    """Current relations of one memory category, newest first."""
    return reader.page(TABLE, LIVE_BY_CATEGORY, {"category": category}, limit=limit)


def live(
    reader: Reader,
    *,
    limit: int,
    subject_ids: Sequence[UUID] | None = None,
    object_ids: Sequence[UUID] | None = None,
    label: str | None = None,
    after: newest_first.Place | None = None,
) -> Page[RelationRow]:
    """Current relations, from, to and of that label only if given, newest first, after the place `after`."""
    parameters = {**_filters(subject_ids, object_ids, label), **newest_first.bound(after)}
    return reader.page(TABLE, f"SELECT r.* {LIVE}{NEWEST_FIRST}", parameters, limit=limit)


def count_live(
    reader: Reader,
    *,
    subject_ids: Sequence[UUID] | None = None,
    object_ids: Sequence[UUID] | None = None,
    label: str | None = None,
) -> int:
    return int(reader.tuples(f"SELECT count(*) {LIVE}", _filters(subject_ids, object_ids, label))[0][0])


def around(
    reader: Reader,
    entity_ids: Sequence[UUID],
    *,
    limit: int,
    facts_min: int | None = None,
    after: newest_first.Place | None = None,
) -> Page[RelationRow]:
    """Current relations from or to the entities, newest first, after the place `after`.

    facts_min: only those whose far end has so many live facts.
    """
    parameters = {"entity_ids": list(entity_ids), "facts_min": facts_min, **newest_first.bound(after)}
    return reader.page(TABLE, f"SELECT r.* {AROUND}{NEWEST_FIRST}", parameters, limit=limit)


def count_around(reader: Reader, entity_ids: Sequence[UUID]) -> int:
    parameters = {"entity_ids": list(entity_ids), "facts_min": None}
    return int(reader.tuples(f"SELECT count(*) {AROUND}", parameters)[0][0])


def between(
    reader: Reader, subject_ids: Sequence[UUID], label: str, object_ids: Sequence[UUID], *, limit: int
) -> Page[RelationRow]:
    """Every version of the relations of that label between entities, ended ones too, newest first."""
    parameters = {**_filters(subject_ids, object_ids, label), **newest_first.bound(None)}
    return reader.page(TABLE, f"SELECT r.* {BETWEEN}{NEWEST_FIRST}", parameters, limit=limit)


def version_of(reader: Reader, statement_id: UUID) -> RelationRow | None:
    """The version that the words of this id made or are about; None if an end of it is forgotten."""
    rows = reader.rows(TABLE, VERSION_OF, {"id": statement_id})
    return rows[0] if rows else None


def _filters(
    subject_ids: Sequence[UUID] | None, object_ids: Sequence[UUID] | None, label: str | None
) -> dict[str, Any]:
    return {
        "subject_ids": None if subject_ids is None else list(subject_ids),
        "object_ids": None if object_ids is None else list(object_ids),
        "label": label,
    }
