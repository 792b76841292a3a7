"""Entities: who and what memory knows by name, per scope set.

The same name in two scope sets is two rows, so that one scope's knowledge never shows in
another's; reads join what the caller may see by type and name.

A name that stands for an entity of another name is a row too: its `canonical_id` is that entity, and of an
entity its own id. All that is known hangs on canonical rows. `stands_for` is what such a name was said to
stand for, which may itself stand for another.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from msgspec.structs import replace

from memory.events import (
    EntitiesMerged,
    EntitiesSeparated,
    EntityAliased,
    EntityForgotten,
    EntityRecognised,
    MemoryRevised,
    Settled,
)
from memory.nicknames import first_word
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
    first_word: str
    canonical_id: UUID
    stands_for: UUID | None


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
    forgotten_at timestamptz,
    first_word text NOT NULL,
    canonical_id uuid NOT NULL,
    stands_for uuid
    """,
    unique_indexes={
        "one_of_a_name": """(scope_set_id, type, name_key)
            WHERE position_to IS NULL AND known_to IS NULL AND forgotten_at IS NULL"""
    },
    indexes={
        "by_name": "(name_key, type)",
        "by_first_word": """(scope_set_id, first_word text_pattern_ops)
            WHERE position_to IS NULL AND known_to IS NULL AND type = 'person'""",
        "by_canonical": "(canonical_id) WHERE canonical_id <> id",
    },
)
HANDLES = (EntityRecognised, EntityAliased, EntitiesMerged, EntitiesSeparated, EntityForgotten, MemoryRevised)

# Where the name stands for another, that other is meant, in every scope set that knows it. What goes by the
# asked name itself comes first.
NAMED = """
SELECT e.* FROM {entities} AS e
WHERE e.canonical_id = e.id AND e.forgotten_at IS NULL AND (e.type, e.name_key) IN (
    SELECT c.type, c.name_key FROM {entities} AS n JOIN {entities} AS c ON c.id = n.canonical_id
    WHERE n.name_key = %(name_key)s AND (%(type)s::text IS NULL OR n.type = %(type)s)
        AND n.forgotten_at IS NULL AND c.forgotten_at IS NULL
)
ORDER BY (e.name_key = %(name_key)s) DESC, e.created_at, e.id
"""

OTHER_NAMES = """
SELECT n.canonical_id, n.id, n.name FROM {entities} AS n
WHERE n.canonical_id = ANY(%(ids)s) AND n.canonical_id <> n.id AND n.forgotten_at IS NULL
ORDER BY n.created_at, n.id
"""

BY_IDS = "SELECT e.* FROM {entities} AS e WHERE e.id = ANY(%(ids)s)"

# One row a name: the oldest of those the caller may see.
BY_TYPE_AND_NAME = """
SELECT DISTINCT ON (e.type, e.name_key) e.* FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND e.canonical_id = e.id
    AND (%(type)s::text IS NULL OR e.type = %(type)s)
    AND (%(after_type)s::text IS NULL OR (e.type, e.name_key) > (%(after_type)s, %(after_name)s::text))
ORDER BY e.type, e.name_key, e.created_at, e.id
OFFSET %(offset)s
LIMIT %(limit)s
"""

BY_CATEGORY = """
SELECT DISTINCT ON (e.type, e.name_key) e.* FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND e.canonical_id = e.id AND e.category = %(category)s
ORDER BY e.type, e.name_key, e.created_at, e.id
LIMIT %(limit)s
"""

COUNT = """
SELECT count(DISTINCT (e.type, e.name_key)) FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND e.canonical_id = e.id AND (%(type)s::text IS NULL OR e.type = %(type)s)
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case EntityRecognised() as event:
            yield _put(recorded, event, event.entity_id, stands_for=None)
        case EntityAliased() as event:
            yield _put(recorded, event, event.alias_id, stands_for=event.entity_id)
        case EntitiesMerged(entity_id=entity_id, into_id=into_id, members=members):
            yield from _standing_for(recorded, entity_id, members, canonical_id=into_id, stands_for=into_id)
        case EntitiesSeparated(entity_id=entity_id, members=members):
            yield from _standing_for(recorded, entity_id, members, canonical_id=entity_id, stands_for=None)
        case MemoryRevised() as revised:
            for thing, end in revised.ends("entity"):
                yield Revise(TABLE, thing, recorded.known_at, partial(_ended, end))
        case EntityForgotten(entity_id=entity_id):
            forgotten_at = recorded.known_at
            yield Revise(TABLE, entity_id, forgotten_at, lambda row: replace(row, forgotten_at=forgotten_at))


def _put(
    recorded: Recorded, event: EntityRecognised | EntityAliased, row_id: UUID, *, stands_for: UUID | None
) -> Put[EntityRow]:
    """The row of a name that is known from now on, of an entity of its own or of the one that it stands for."""
    return Put(
        TABLE,
        EntityRow(
            *start(recorded, row_id),
            type=event.type,
            name=event.name,
            name_key=event.name_key,
            category=event.category,
            created_at=recorded.known_at,
            forgotten_at=None,
            first_word=first_word(event.name_key),
            canonical_id=event.entity_id,
            stands_for=stands_for,
        ),
    )


def _standing_for(
    recorded: Recorded, entity_id: UUID, members: Sequence[UUID], *, canonical_id: UUID, stands_for: UUID | None
) -> Iterator[Op]:
    """The entity is `stands_for` another or none, and its names go with it."""

    def change(row: EntityRow) -> EntityRow:
        own = row.id == entity_id
        return replace(row, canonical_id=canonical_id, stands_for=stands_for if own else row.stands_for)

    for one in (entity_id, *members):
        yield Revise(TABLE, one, recorded.known_at, change)


def _ended(end: Settled | None, row: EntityRow) -> EntityRow:
    return replace(row, forgotten_at=None if end is None else end.at)


def named(reader: Reader, entity_type: str, name_key: str) -> list[EntityRow]:
    """The entity of that name in each visible scope set, oldest first; empty if there is none.

    One of another name if this is another name of it; the ones that go by this name come first.
    """
    return reader.rows(TABLE, NAMED, {"type": entity_type, "name_key": name_key})


def named_of_any_type(reader: Reader, name_key: str) -> list[EntityRow]:
    """The entities of that name of all types, oldest first."""
    return reader.rows(TABLE, NAMED, {"type": None, "name_key": name_key})


def other_names(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """By entity, as spelt, what else it goes by, oldest first; nothing for one that has no other name."""
    found: dict[UUID, list[str]] = {}
    for entity_id, _, name in reader.tuples(OTHER_NAMES, {"ids": list(set(ids))}):
        found.setdefault(entity_id, []).append(name)
    return found


def name_ids(reader: Reader, entity_id: UUID) -> list[UUID]:
    """The ids of the entity's other names."""
    return [name_id for _, name_id, _ in reader.tuples(OTHER_NAMES, {"ids": [entity_id]})]


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
