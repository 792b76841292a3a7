"""Entities by name with how much is known of them: what searches, rankings and neighbourhoods answer.

A match is about a name, so it sums up what the caller may see of it in all scope sets. Its facts are
the live attribute versions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.importance import DECAY
from memory.known import EntityName
from memory.values import name_key
from projections import entities, provenance
from projections.entities import EntityRow
from projections.likeness import likeness, words
from projections.provenance import Evidence
from projections.reading import Reader

# A superset of the names, which one index answers: the pairs are sorted out afterwards.
OF_TYPES_AND_NAMES = """
SELECT e.* FROM {entities} AS e
WHERE e.type = ANY(%(types)s) AND e.name_key = ANY(%(name_keys)s) AND e.forgotten_at IS NULL
    AND e.canonical_id = e.id
ORDER BY e.created_at, e.id
"""

FACTS = """
SELECT v.entity_id, count(*), max(v.said_at) FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND {in_force:v}
GROUP BY v.entity_id
"""

# Of very many names, those with the most of the searched words, and then the shortest, are compared.
LIKE = """
SELECT e.type, e.name_key, coalesce(bool_or(e.canonical_id = e.id), false),
    array_agg(e.canonical_id) FILTER (WHERE e.canonical_id <> e.id)
FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND (%(type)s::text IS NULL OR e.type = %(type)s)
    AND (e.name_key = %(name_key)s OR e.name_key LIKE ANY(%(patterns)s::text[]))
GROUP BY e.type, e.name_key
ORDER BY e.name_key = %(name_key)s DESC,
    (SELECT count(*) FROM unnest(%(patterns)s::text[]) AS w (pattern) WHERE e.name_key LIKE w.pattern) DESC,
    length(e.name_key), e.name_key, e.type
LIMIT %(compared_max)s
"""
COMPARED_MAX = 5_000

# These gather rows of two tables by grouping. A join of them could become a loop inside a loop while
# the planner does not know yet how many there are, as after a rebuild.
BY_COVERAGE = """
SELECT n.type, n.name_key
FROM (
    SELECT min(u.type) AS type, min(u.name_key) AS name_key, sum(u.facts) AS facts
    FROM (
        SELECT e.id, e.type, e.name_key, 0 AS facts FROM {entities} AS e
        WHERE e.forgotten_at IS NULL AND e.canonical_id = e.id AND (%(type)s::text IS NULL OR e.type = %(type)s)
        UNION ALL
        SELECT v.entity_id, NULL, NULL, 1 FROM {attribute_versions} AS v
        WHERE {in_force:v}
    ) AS u
    GROUP BY u.id
) AS n
WHERE n.type IS NOT NULL
GROUP BY n.type, n.name_key
ORDER BY sum(n.facts) DESC, n.name_key, n.type
LIMIT %(limit)s
"""

LAST_SAID = """
    SELECT n.type, n.name_key, (array_agg(n.category ORDER BY n.created_at, n.id))[1] AS category,
        coalesce(max(n.said_at), min(n.created_at)) AS said_at
    FROM (
        SELECT u.id, min(u.type) AS type, min(u.name_key) AS name_key, min(u.category) AS category,
            min(u.created_at) AS created_at, max(u.said_at) AS said_at
        FROM (
            SELECT e.id, e.type, e.name_key, e.category, e.created_at, NULL::timestamptz AS said_at
            FROM {entities} AS e
            WHERE e.forgotten_at IS NULL AND e.canonical_id = e.id AND (%(type)s::text IS NULL OR e.type = %(type)s)
            UNION ALL
            SELECT s.subject_id, NULL, NULL, NULL, NULL, s.known_from FROM {provenance} AS s
        ) AS u
        GROUP BY u.id
    ) AS n
    WHERE n.type IS NOT NULL
    GROUP BY n.type, n.name_key
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
    """An entity, how many facts are live about it, when the newest of them was said, and its evidence.

    alias: the other name of it, normalised, by which a search found it.
    """

    entity: EntityRow
    facts: int
    last_learned_at: datetime | None
    evidence: Evidence | None
    alias: str | None = None


def of_names(reader: Reader, names: Sequence[EntityName]) -> dict[EntityName, Match]:
    """The match of each name that the caller may see, in the order of `names`."""
    rows: dict[EntityName, list[EntityRow]] = {name: [] for name in names}
    parameters = {"types": sorted({kind for kind, _ in rows}), "name_keys": sorted({key for _, key in rows})}
    for row in reader.rows(entities.TABLE, OF_TYPES_AND_NAMES, parameters):
        if (row.type, row.name_key) in rows:
            rows[row.type, row.name_key].append(row)
    entity_ids = [row.id for found in rows.values() for row in found]
    facts = {
        entity_id: (count, learned_at)
        for entity_id, count, learned_at in reader.tuples(FACTS, {"entity_ids": entity_ids})
    }
    evidence = provenance.evidence(reader, entity_ids)
    return {name: _match(found, facts, evidence) for name, found in rows.items() if found}


def _match(
    rows: Sequence[EntityRow], facts: Mapping[UUID, tuple[int, datetime]], evidence: Mapping[UUID, Evidence]
) -> Match:
    """The sum of what is known of the rows of one name, the oldest of which stands for all."""
    of_rows = [facts[row.id] for row in rows if row.id in facts]
    said = [evidence[row.id] for row in rows if row.id in evidence]
    return Match(
        entity=rows[0],
        facts=sum(count for count, _ in of_rows),
        last_learned_at=max((learned_at for _, learned_at in of_rows), default=None),
        evidence=Evidence(sum(one.turns for one in said), max(one.last_said_at for one in said)) if said else None,
    )


def like(reader: Reader, searched: str, *, entity_type: str | None, limit: int) -> list[tuple[Match, float]]:
    """Entities whose name is like `searched`, with their likeness, best first, ties by name."""
    parameters = {
        "type": entity_type,
        "name_key": name_key(searched),
        "patterns": [f"%{word}%" for word in sorted(words(searched))],
        "compared_max": COMPARED_MAX,
    }
    found = reader.tuples(LIKE, parameters)
    canonical = entities.by_ids(reader, [one for *_, ids in found for one in ids or ()])
    scored = []
    for kind, key, is_entity, canonical_ids in found:
        score = -likeness(searched, key)
        if is_entity:
            scored.append((score, key, kind, ""))
        known = [canonical[one] for one in canonical_ids or () if one in canonical]
        scored += [(score, entity.name_key, entity.type, key) for entity in known]
    best: dict[EntityName, tuple[float, str]] = {}
    for score, key, kind, alias in sorted(scored):
        if score and len(best) < limit:
            best.setdefault((kind, key), (-score, alias))
    return [
        (replace(match, alias=best[name][1] or None), best[name][0])
        for name, match in of_names(reader, list(best)).items()
    ]


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
