"""What a check of memory finds: likely duplicates, open contradictions, injected instructions, content without a
scope. Reports only; whatever is to be done about it is done by hand.
"""

import difflib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from uuid import UUID

from memory.nicknames import may_be_one
from memory.scopes import ROOT_SET, scope_set_id
from projections import entities
from projections.entities import EntityRow
from projections.injections import PREFILTER, Injection, injections
from projections.reading import Reader

NAMES_MAX = 20_000
COMPARED_TOGETHER_MAX = 200  # names that begin alike
LIKELY_NICKNAME = 0.95
SAMPLES = 5
TEXTS_MAX = 5_000
_DIGITS = re.compile(r"\d+")
_SEPARATORS = re.compile(r"[\W_]+")

NAMES = """
SELECT DISTINCT ON (e.type, e.name_key) e.* FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND e.canonical_id = e.id AND e.name_key <> ''
ORDER BY e.type, e.name_key, e.created_at, e.id
LIMIT %(limit)s
"""

CONTRADICTIONS = """
SELECT v.entity_id, v.key,
    array_agg(DISTINCT v.value) FILTER (WHERE {in_force:v}),
    array_agg(DISTINCT v.value) FILTER (WHERE v.standing = 'claimed')
FROM {attribute_versions} AS v JOIN {entities} AS e ON e.id = v.entity_id
WHERE e.forgotten_at IS NULL AND (v.standing = 'claimed' OR {in_force:v})
    AND EXISTS (
        SELECT 1 FROM {attribute_versions} AS c
        WHERE c.entity_id = v.entity_id AND c.key = v.key AND c.standing = 'claimed'
    )
GROUP BY v.entity_id, v.key
HAVING bool_or({in_force:v}) AND bool_or(v.standing = 'claimed')
ORDER BY v.entity_id, v.key
LIMIT %(limit)s
"""

SUSPECTS = """
SELECT p.kind, coalesce(p.fact_id, p.turn_id, p.id), p.text FROM {passages} AS p
WHERE p.text ~* %(prefilter)s
ORDER BY p.said_at DESC, p.id
LIMIT %(limit)s
"""

TABLES = ("turns", "entities", "attribute_versions", "relations", "actions", "instructions")
IN_ROOT = """
SELECT count(*) OVER (), t.id FROM {{{table}}} AS t
WHERE t.scope_set_id = %(root)s
ORDER BY t.id
LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two entities of one type that may be one. similarity: 0 to 1."""

    one: EntityRow
    other: EntityRow
    similarity: float


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A fact of which sources disagree: the value in force first, then what others claim."""

    entity: EntityRow
    key: str
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Suspect:
    """Stored words that look like an injection. kind: of passage. row_id: the turn, fact or chunk."""

    kind: str
    row_id: UUID
    injection: Injection


@dataclass(frozen=True, slots=True)
class Unscoped:
    """Rows of a table that lie in the root scope, where whoever may read the root sees them."""

    table: str
    count: int
    samples: Sequence[UUID]


def duplicates(reader: Reader, *, threshold: float, limit: int) -> list[Duplicate]:
    """Pairs at least as alike as `threshold`, most alike first, ties by name.

    Only names of one type that begin with the same letters are compared, and of very many such only the first.
    """
    blocks: dict[tuple[str, str], list[EntityRow]] = defaultdict(list)
    for row in reader.rows(entities.TABLE, NAMES, {"limit": NAMES_MAX}):
        blocks[row.type, _compact(row.name_key)[:3]].append(row)
    found = [
        Duplicate(one, other, similarity)
        for block in blocks.values()
        for one, other in combinations(block[:COMPARED_TOGETHER_MAX], 2)
        if (similarity := alike(one.type, one.name_key, other.name_key)) >= threshold
    ]
    return sorted(found, key=lambda pair: (-pair.similarity, pair.one.type, pair.one.name_key, pair.other.name_key))[
        :limit
    ]


def alike(entity_type: str, one: str, other: str) -> float:
    """How alike two normalised names are: 1 if only spaces and punctuation differ, 0 if a number does."""
    if _DIGITS.findall(one) != _DIGITS.findall(other):
        return 0.0
    first, second = _compact(one), _compact(other)
    if first and first == second:
        return 1.0
    score = difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()
    return max(score, LIKELY_NICKNAME) if entity_type == "person" and may_be_one(one, other) else score


def contradictions(reader: Reader, *, limit: int) -> list[Contradiction]:
    """Facts of which a source of lower rank, or another document, says otherwise."""
    rows = reader.tuples(CONTRADICTIONS, {"limit": limit})
    owners = entities.by_ids(reader, [entity_id for entity_id, *_ in rows])
    return [
        Contradiction(owners[entity_id], key, [*current, *(one for one in claimed if one not in current)])
        for entity_id, key, current, claimed in rows
    ]


def suspects(reader: Reader, *, limit: int) -> list[Suspect]:
    """Stored words that look like an injection, newest first."""
    rows = reader.tuples(SUSPECTS, {"prefilter": PREFILTER, "limit": TEXTS_MAX})
    found = [Suspect(kind, row_id, one) for kind, row_id, text in rows for one in injections(text)]
    return found[:limit]


def unscoped(reader: Reader) -> list[Unscoped]:
    """Per table, what lies in the root scope."""
    found = []
    for table in TABLES:
        parameters: dict[str, Any] = {"root": scope_set_id(ROOT_SET), "limit": SAMPLES}
        rows = reader.tuples(IN_ROOT.format(table=table), parameters)
        if rows:
            found.append(Unscoped(table, rows[0][0], [row_id for _, row_id in rows]))
    return found


def _compact(name: str) -> str:
    return _SEPARATORS.sub("", name)
