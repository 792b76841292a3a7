"""What fades and what has lapsed: memories by how long ago anybody said them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.importance import DECAY
from memory.ports import Lapsed
from projections.reading import Reader

# Words that only support a version are rows of their own, and keep it fresh.
LAPSED = """
SELECT v.id FROM {{{table}}} AS v
WHERE v.category = 'context' AND {{in_force:v}} AND v.valid_to IS NULL
    AND greatest(v.said_at, v.valid_from) < %(before)s
    AND NOT EXISTS (
        SELECT 1 FROM {{{table}}} AS s
        WHERE s.version_id = v.id AND s.standing = 'supporting' AND s.said_at >= %(before)s
    )
ORDER BY v.id
"""
LAPSED_ATTRIBUTES = LAPSED.format(table="attribute_versions")
LAPSED_RELATIONS = LAPSED.format(table="relations")

LAPSED_ACTIONS = """
SELECT a.id FROM {actions} AS a
WHERE a.category = 'context' AND a.valid_to IS NULL
    AND greatest(a.said_at, a.occurred_at) < %(before)s
    AND NOT EXISTS (
        SELECT 1 FROM {provenance} AS p WHERE p.subject_id = a.id AND p.known_from >= %(before)s
    )
ORDER BY a.id
"""

FADED = """
SELECT count(*) FROM {attribute_versions} AS v
WHERE v.category = ANY(%(categories)s) AND {in_force:v} AND v.said_at < %(before)s
"""


def lapsed(reader: Reader, before: datetime) -> Lapsed:
    """Rows of the category `context` in force that were last said before a time."""

    def ids(sql: str) -> Sequence[UUID]:
        return [row_id for (row_id,) in reader.tuples(sql, {"before": before})]

    return Lapsed(ids(LAPSED_ATTRIBUTES), ids(LAPSED_RELATIONS), ids(LAPSED_ACTIONS))


def faded(reader: Reader, before: datetime) -> int:
    """How many values in force matter less by now than when they were said, before a time."""
    parameters: dict[str, Any] = {
        "categories": [category for category, (_, daily) in DECAY.items() if daily < 1],
        "before": before,
    }
    return int(reader.tuples(FADED, parameters)[0][0])
