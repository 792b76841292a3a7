"""Entities by name with how much is known of them: what searches, rankings and neighbourhoods answer.

A match is about a name, so it sums up what the caller may see of it in all scope sets. Its facts are
the live attribute versions.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.importance import DECAY
from memory.known import EntityName
from memory.values import name_key
from projections import entities
from projections.entities import EntityRow
from projections.likeness import likeness, words
from projections.provenance import Evidence
from projections.reading import Reader

OF_NAMES = """
SELECT e.type, e.name_key, (array_agg(e.id ORDER BY e.created_at, e.id))[1],
    sum(f.facts)::bigint, max(f.learned_at), sum(p.turns)::bigint, max(p.said_at)
FROM unnest(%(types)s::text[], %(name_keys)s::text[]) AS w (type, name_key)
    JOIN {entities} AS e ON e.type = w.type AND e.name_key = w.name_key
    CROSS JOIN LATERAL (
        SELECT count(*) AS facts, max(v.said_at) AS learned_at FROM {attribute_versions} AS v
        WHERE v.entity_id = e.id AND v.valid_to IS NULL AND v.standing = 'current'
    ) AS f
    CROSS JOIN LATERAL (
        SELECT count(*) AS turns, max(s.known_from) AS said_at FROM {provenance} AS s WHERE s.subject_id = e.id
    ) AS p
WHERE e.forgotten_at IS NULL
GROUP BY e.type, e.name_key
"""

LIKE = """
SELECT DISTINCT e.type, e.name_key FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND (%(type)s::text IS NULL OR e.type = %(type)s)
    AND (e.name_key = %(name_key)s OR e.name_key LIKE ANY(%(patterns)s::text[]))
"""

BY_COVERAGE = """
SELECT e.type, e.name_key
FROM {entities} AS e LEFT JOIN (
    SELECT v.entity_id, count(*) AS facts FROM {attribute_versions} AS v
    WHERE v.valid_to IS NULL AND v.standing = 'current' GROUP BY v.entity_id
) AS f ON f.entity_id = e.id
WHERE e.forgotten_at IS NULL AND (%(type)s::text IS NULL OR e.type = %(type)s)
GROUP BY e.type, e.name_key
ORDER BY coalesce(sum(f.facts), 0) DESC, e.name_key, e.type
LIMIT %(limit)s
"""

LAST_SAID = """
    SELECT e.type, e.name_key, (array_agg(e.category ORDER BY e.created_at, e.id))[1] AS category,
        coalesce(max(p.said_at), min(e.created_at)) AS said_at
    FROM {entities} AS e LEFT JOIN (
        SELECT s.subject_id, max(s.known_from) AS said_at FROM {provenance} AS s GROUP BY s.subject_id
    ) AS p ON p.subject_id = e.id
    WHERE e.forgotten_at IS NULL AND (%(type)s::text IS NULL OR e.type = %(type)s)
    GROUP BY e.type, e.name_key
"""

BY_RECENCY = f"""
SELECT n.type, n.name_key FROM ({LAST_SAID}) AS n
ORDER BY n.said_at DESC, n.name_key, n.type
LIMIT %(limit)s
"""

# By the logarithm of the importance, which orders the same and can't underflow for what was said long ago.
BY_IMPORTANCE = f"""
SELECT n.type, n.name_key
FROM ({LAST_SAID}) AS n
    JOIN unnest(%(categories)s::text[], %(initials)s::float8[], %(dailies)s::float8[])
        AS d (category, initial, daily) ON d.category = n.category
ORDER BY d.initial + d.daily * greatest(0, extract(epoch FROM %(now)s::timestamptz - n.said_at)::float8 / 86400) DESC,
    n.name_key, n.type
LIMIT %(limit)s
"""

# Most facts; what matters most now; what was spoken of last.
RANKINGS = {"coverage": BY_COVERAGE, "importance": BY_IMPORTANCE, "recency": BY_RECENCY}


@dataclass(frozen=True, slots=True)
class Match:
    """An entity, how many facts are live about it, when the newest of them was said, and its evidence."""

    entity: EntityRow
    facts: int
    last_learned_at: datetime | None
    evidence: Evidence | None


def of_names(reader: Reader, names: Sequence[EntityName]) -> dict[EntityName, Match]:
    """The match of each name that the caller may see, in the order of `names`."""
    wanted = list(dict.fromkeys(names))
    parameters = {"types": [kind for kind, _ in wanted], "name_keys": [key for _, key in wanted]}
    found = {(row[0], row[1]): row[2:] for row in reader.tuples(OF_NAMES, parameters)}
    oldest = entities.by_ids(reader, [row[0] for row in found.values()])
    matches = {}
    for name in wanted:
        if name in found:
            entity_id, facts, learned_at, turns, said_at = found[name]
            evidence = Evidence(turns, said_at) if said_at else None
            matches[name] = Match(oldest[entity_id], facts, learned_at, evidence)
    return matches


def like(reader: Reader, searched: str, *, entity_type: str | None, limit: int) -> list[tuple[Match, float]]:
    """Entities whose name is like `searched`, with their likeness, best first, ties by name."""
    patterns = [f"%{word}%" for word in sorted(words(searched))]
    parameters = {"type": entity_type, "name_key": name_key(searched), "patterns": patterns}
    scored = (
        (-likeness(searched, key), key, kind)
        for kind, key in reader.tuples(LIKE, parameters)
        if likeness(searched, key) > 0
    )
    best = {(kind, key): -score for score, key, kind in heapq.nsmallest(limit, scored)}
    return [(match, best[name]) for name, match in of_names(reader, list(best)).items()]


def top(reader: Reader, by: str, *, entity_type: str | None, limit: int, now: datetime) -> list[Match]:
    """The first entities by one of RANKINGS, ties by name."""
    parameters = {
        "type": entity_type,
        "limit": limit,
        "now": now,
        "categories": list(DECAY),
        "initials": [math.log(initial) for initial, _ in DECAY.values()],
        "dailies": [math.log(factor) for _, factor in DECAY.values()],
    }
    names = [(kind, key) for kind, key in reader.tuples(RANKINGS[by], parameters)]
    return list(of_names(reader, names).values())
