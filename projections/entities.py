"""Entities: who and what memory knows by name, per scope set.

The same name in two scope sets is two rows, so that one scope's knowledge never shows in
another's; reads join what the caller may see by type and name.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import EntityForgotten, EntityRecognised
from memory.recorded import Recorded
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class EntityRow(Row, frozen=True):
    type: str
    name: str
    name_key: str
    category: str
    created_at: datetime
    forgotten_at: datetime | None


TABLE = Table(
    "entities",
    EntityRow,
    revised=True,
    columns="""
    type text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    category text NOT NULL,
    created_at timestamptz NOT NULL,
    forgotten_at timestamptz
    """,
    unique_indexes={
        "one_of_a_name": """(scope_set_id, type, name_key)
            WHERE position_to IS NULL AND known_to IS NULL AND forgotten_at IS NULL"""
    },
    indexes={"by_name": "(name_key, type)"},
)
HANDLES = (EntityRecognised, EntityForgotten)

NAMED = """
SELECT e.* FROM {entities} AS e
WHERE e.type = %(type)s AND e.name_key = %(name_key)s AND e.forgotten_at IS NULL
ORDER BY e.created_at, e.id
"""

NAMED_OF_ANY_TYPE = """
SELECT e.* FROM {entities} AS e
WHERE e.name_key = %(name_key)s AND e.forgotten_at IS NULL
ORDER BY e.created_at, e.id
"""

BY_IDS = "SELECT e.* FROM {entities} AS e WHERE e.id = ANY(%(ids)s)"

# One row a name: the oldest of those the caller may see.
BY_TYPE_AND_NAME = """
SELECT DISTINCT ON (e.type, e.name_key) e.* FROM {entities} AS e
WHERE e.forgotten_at IS NULL
    AND (%(type)s::text IS NULL OR e.type = %(type)s)
    AND (%(after_type)s::text IS NULL OR (e.type, e.name_key) > (%(after_type)s, %(after_name)s::text))
ORDER BY e.type, e.name_key, e.created_at, e.id
OFFSET %(offset)s
LIMIT %(limit)s
"""

BY_CATEGORY = """
SELECT DISTINCT ON (e.type, e.name_key) e.* FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND e.category = %(category)s
ORDER BY e.type, e.name_key, e.created_at, e.id
LIMIT %(limit)s
"""

COUNT = """
SELECT count(DISTINCT (e.type, e.name_key)) FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND (%(type)s::text IS NULL OR e.type = %(type)s)
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case EntityRecognised() as event:
            yield Put(
                TABLE,
                EntityRow(
                    *start(recorded, event.entity_id),
                    type=event.type,
                    name=event.name,
                    name_key=event.name_key,
                    category=event.category,
                    created_at=recorded.known_at,
                    forgotten_at=None,
                ),
            )
        case EntityForgotten(entity_id=entity_id):
            forgotten_at = recorded.known_at
            yield Revise(TABLE, entity_id, forgotten_at, lambda row: replace(row, forgotten_at=forgotten_at))


def named(reader: Reader, entity_type: str, name_key: str) -> list[EntityRow]:
    """The entity of that name in each visible scope set, oldest first; empty if there is none."""
    return reader.rows(TABLE, NAMED, {"type": entity_type, "name_key": name_key})


def named_of_any_type(reader: Reader, name_key: str) -> list[EntityRow]:
    """The entities of that name of all types, oldest first."""
    return reader.rows(TABLE, NAMED_OF_ANY_TYPE, {"name_key": name_key})


def by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, EntityRow]:
    return {row.id: row for row in reader.rows(TABLE, BY_IDS, {"ids": list(set(ids))})}


def by_type_and_name(
    reader: Reader,
    *,
    entity_type: str | None,
    limit: int,
    offset: int = 0,
    after: tuple[str, str] | None = None,
) -> Page[EntityRow]:
    """Entities ordered by type and name, one per name, after the cursor `after` = (type, name key)."""
    after_type, after_name = after or (None, None)
    parameters = {"type": entity_type, "offset": offset, "after_type": after_type, "after_name": after_name}
    return reader.page(TABLE, BY_TYPE_AND_NAME, parameters, limit=limit)


def by_category(reader: Reader, category: str, *, limit: int) -> Page[EntityRow]:
    """Entities of one memory category, one per name, ordered by type and name."""
    return reader.page(TABLE, BY_CATEGORY, {"category": category}, limit=limit)


def count(reader: Reader, *, entity_type: str | None) -> int:
    return int(reader.tuples(COUNT, {"type": entity_type})[0][0])
