"""Facts as answers: versions of properties and relations, with the names of what they are about."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from projections import attribute_versions, documents, entities, relations
from projections.attribute_versions import AttributeVersionRow
from projections.entities import EntityRow
from projections.reading import Reader
from projections.relations import RelationRow

# What holds now of the entities, and what was only claimed of them.
TOLD_OF = """
SELECT v.id FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND (v.standing = 'claimed' OR {in_force:v})
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
LIMIT %(limit)s
"""

# Relations that were only claimed of the entities.
CLAIMED_OF = """
SELECT r.id FROM {relations} AS r
WHERE r.subject_id = ANY(%(entity_ids)s) AND r.standing = 'claimed'
ORDER BY r.said_at DESC, r.turn_position DESC, r.said_offset DESC, r.id
LIMIT %(limit)s
"""

# Versions that were or are true; what is only claimed, or was never true, answers no question.
ATTRIBUTES_OF = """
SELECT v.* FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND v.standing = 'current'
    AND (%(keys)s::text[] IS NULL OR v.key = ANY(%(keys)s))
ORDER BY v.said_at DESC, v.turn_position DESC, v.said_offset DESC, v.id
LIMIT %(limit)s
"""

RELATIONS_OF = """
SELECT r.* FROM {relations} AS r
WHERE r.subject_id = ANY(%(entity_ids)s) AND r.standing = 'current'
    AND (%(keys)s::text[] IS NULL OR r.label = ANY(%(keys)s))
ORDER BY r.said_at DESC, r.turn_position DESC, r.said_offset DESC, r.id
LIMIT %(limit)s
"""

KEYS_OF = """
SELECT DISTINCT v.key FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND v.standing = 'current'
UNION
SELECT DISTINCT r.label FROM {relations} AS r
WHERE r.subject_id = ANY(%(entity_ids)s) AND r.standing = 'current'
"""

ATTRIBUTES_BY_ID = "SELECT v.* FROM {attribute_versions} AS v WHERE v.id = ANY(%(ids)s)"
RELATIONS_BY_ID = "SELECT r.* FROM {relations} AS r WHERE r.id = ANY(%(ids)s)"

# The turns whose words made or support versions.
TURNS_OF = """
SELECT v.version_id, v.turn_id FROM {attribute_versions} AS v
WHERE v.version_id = ANY(%(ids)s) AND NOT v.ends
UNION
SELECT r.version_id, r.turn_id FROM {relations} AS r
WHERE r.version_id = ANY(%(ids)s) AND NOT r.ends
"""

FACTS_MAX = 500


@dataclass(frozen=True, slots=True)
class Fact:
    """A version of a property (`target` None) or of a relation, with its entities. document: the title of the one
    that says it, if one does."""

    row: AttributeVersionRow | RelationRow
    subject: EntityRow
    target: EntityRow | None = None
    document: str | None = None

    @property
    def id(self) -> UUID:
        return self.row.id

    @property
    def key(self) -> str:
        return self.row.label if isinstance(self.row, RelationRow) else self.row.key

    @property
    def value(self) -> str:
        return self.row.value if isinstance(self.row, AttributeVersionRow) else self.target.name if self.target else ""

    @property
    def text(self) -> str:
        """As a sentence, in the form in which facts are searched."""
        spoken = self.key.replace("_", " ")
        if self.target is not None:
            return f"{self.subject.name} {spoken} {self.target.name}"
        return f"{self.subject.name}: {spoken}: {self.value}"

    def held_within(self, start: datetime | None, end: datetime | None) -> bool:
        """Whether it held at any time of start <= time < end."""
        return (end is None or self.row.valid_from is None or self.row.valid_from < end) and (
            start is None or self.row.valid_to is None or self.row.valid_to > start
        )


def in_force(fact: Fact, reader: Reader) -> bool:
    """Whether it holds at the reader's instant, as the reader's `{in_force:v}` says in SQL."""
    row, instant = fact.row, reader.instant
    if row.standing != "current":
        return False
    if instant.is_bounded:
        began = instant.valid_from is None or (row.valid_from is not None and row.valid_from >= instant.valid_from)
        ended = instant.valid_until is None or (row.valid_to is not None and row.valid_to <= instant.valid_until)
        return began and ended
    return (row.valid_to is None or row.valid_to > reader.now) and (
        row.stated_from is None or row.stated_from <= reader.now
    )


def keys_of(reader: Reader, entity_ids: Sequence[UUID]) -> list[str]:
    """The keys and labels that anything was ever said of, in order."""
    return sorted(key for (key,) in reader.tuples(KEYS_OF, {"entity_ids": list(entity_ids)}))


def of_entities(
    reader: Reader, entity_ids: Sequence[UUID], keys: Sequence[str] | None = None, *, limit: int = FACTS_MAX
) -> list[Fact]:
    """All that was ever true of the entities under these keys and labels (None: any), newest statement first."""
    parameters = {"entity_ids": list(entity_ids), "keys": None if keys is None else list(keys), "limit": limit}
    versions = reader.rows(attribute_versions.VERSIONS, ATTRIBUTES_OF, parameters)
    edges = reader.rows(relations.TABLE, RELATIONS_OF, parameters)
    return _newest_first(_with_entities(reader, [*versions, *edges]))


def by_ids(reader: Reader, version_ids: Iterable[UUID]) -> dict[UUID, Fact]:
    """Versions of any standing, by id; those of forgotten entities are left out."""
    parameters = {"ids": sorted(set(version_ids))}
    if not parameters["ids"]:
        return {}
    versions = reader.rows(attribute_versions.VERSIONS, ATTRIBUTES_BY_ID, parameters)
    edges = reader.rows(relations.TABLE, RELATIONS_BY_ID, parameters)
    return {fact.id: fact for fact in _with_entities(reader, [*versions, *edges])}


def turns_of(reader: Reader, version_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """The turns behind each version."""
    turns: dict[UUID, list[UUID]] = {}
    if version_ids:
        for version_id, turn_id in sorted(reader.tuples(TURNS_OF, {"ids": list(version_ids)})):
            turns.setdefault(version_id, []).append(turn_id)
    return turns


def _with_entities(reader: Reader, rows: Sequence[AttributeVersionRow | RelationRow]) -> list[Fact]:
    if not rows:
        return []
    ends = [
        end
        for row in rows
        for end in ([row.subject_id, row.object_id] if isinstance(row, RelationRow) else [row.entity_id])
    ]
    known = {entity_id: row for entity_id, row in entities.by_ids(reader, ends).items() if row.forgotten_at is None}
    said_by = sorted({row.document_id for row in rows if row.document_id is not None})
    titles = {one.id: one.title for one in documents.by_ids(reader, said_by).values()} if said_by else {}
    found = []
    for row in rows:
        document = titles.get(row.document_id) if row.document_id else None
        if isinstance(row, RelationRow):
            if row.subject_id in known and row.object_id in known:
                found.append(Fact(row, known[row.subject_id], known[row.object_id], document))
        elif row.entity_id in known:
            found.append(Fact(row, known[row.entity_id], None, document))
    return found


def _newest_first(found: list[Fact]) -> list[Fact]:
    """Newest statement first, ties by id."""
    found.sort(key=lambda fact: fact.id)
    found.sort(key=lambda fact: (fact.row.said_at, fact.row.turn_position, fact.row.said_offset), reverse=True)
    return found
