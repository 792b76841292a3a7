"""Sources of versions: the words that say each of them last, and those that ended it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from projections.reading import Reader


@dataclass(frozen=True, slots=True)
class Source:
    """Words, and their place. position: of their turn in the log. said_at: since when they are known."""

    kind: str
    turn_id: UUID
    session_id: UUID | None
    position: int
    said_at: datetime


COLUMNS = "e.source_kind, e.turn_id, e.session_id, e.turn_position, e.said_at"

LATEST = f"""
SELECT DISTINCT ON (e.version_id) e.version_id, {COLUMNS}
FROM {{attribute_versions}} AS e
WHERE e.version_id = ANY(%(ids)s) AND NOT e.ends AND e.standing <> 'withdrawn'
ORDER BY e.version_id, e.said_at DESC, e.turn_position DESC, e.said_offset DESC
"""

# Its successor; or words about it that tell of an end; or those that ended what it is a kind of.
ENDED_BY = f"""
SELECT DISTINCT ON (b.id) b.id, {COLUMNS}
FROM (
    SELECT v.id, v.superseded_by AS by, 1 AS place FROM {{attribute_versions}} AS v
    WHERE v.id = ANY(%(ids)s) AND v.superseded_by IS NOT NULL
    UNION ALL
    SELECT v.id, w.id, 2 FROM {{attribute_versions}} AS v JOIN {{attribute_versions}} AS w ON w.version_id = v.id
    WHERE v.id = ANY(%(ids)s) AND v.end_reason IN ('ended', 'explicit_correction') AND w.id <> v.id
        AND (w.standing = 'ending' OR (w.standing = 'supporting' AND w.stated_until >= v.valid_to))
    UNION ALL
    SELECT v.id, w.id, 3 FROM {{attribute_versions}} AS v JOIN {{attribute_versions}} AS w
        ON w.entity_id = v.entity_id AND w.line_key = v.line_key AND w.key = v.key
        AND right(v.unit_value, length(w.unit_value) + 1) = ' ' || w.unit_value
    WHERE v.id = ANY(%(ids)s) AND v.end_reason = 'ended' AND w.ends AND w.unit_value <> ''
        AND w.standing <> 'withdrawn' AND w.said_at >= v.said_at
) AS b JOIN {{attribute_versions}} AS e ON e.id = b.by
ORDER BY b.id, b.place, e.said_at, e.turn_position, e.said_offset
"""


def latest(reader: Reader, version_ids: Sequence[UUID]) -> dict[UUID, Source]:
    """Of each version the words that said it last."""
    return _sources(reader, LATEST, version_ids)


def ended_by(reader: Reader, version_ids: Sequence[UUID]) -> dict[UUID, Source]:
    """Of each version that words ended, these words; none for what lapsed, was forgotten or withdrawn."""
    return _sources(reader, ENDED_BY, version_ids)


def _sources(reader: Reader, sql: str, version_ids: Sequence[UUID]) -> dict[UUID, Source]:
    if not version_ids:
        return {}
    return {version_id: Source(*columns) for version_id, *columns in reader.tuples(sql, {"ids": list(version_ids)})}
