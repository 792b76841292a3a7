"""Keyword search: BM25 with OR semantics over postings, and over the passages that are not in them yet.

Postings and statistics are kept per context, segment and scope set, outside the append (see
`projections.recall.postings`); a caller's are the sums over the scope sets that it may see. The rarest words
are read first until POSTINGS_MAX postings are read; the others score later, among the candidates.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from projections.passages import sequence_key
from projections.reading import Reader
from projections.recall.postings import ENTRY, LENGTH_MAX
from projections.recall.question import Question

POSTINGS_MAX = 4_000
TAIL_MAX = 5_000  # passages not indexed yet that a search looks at, newest first

# Short texts repeat little, and long ones should not win by length alone; see `projections.recall.ranking`.
K1, B = 0.9, 0.35
K1_SEQUENCE = 1.2

# With all that stands for the same entity: what was said before two names were one is filed under the other.
NAMED = """
SELECT e.canonical_id FROM {entities} AS e
WHERE e.name_key = ANY(%(names)s) AND e.forgotten_at IS NULL
UNION
SELECT n.id FROM {entities} AS e JOIN {entities} AS n
    ON n.canonical_id = e.canonical_id AND n.canonical_id <> n.id
WHERE e.name_key = ANY(%(names)s) AND e.forgotten_at IS NULL
ORDER BY 1
LIMIT 50
"""

# Facts and deeds, newest first; the passages of facts say no names, so words don't find these by a name.
ABOUT = """
SELECT p.number FROM {passages} AS p
WHERE p.fact_id = ANY(ARRAY(
    (
        SELECT v.id FROM {attribute_versions} AS v
        WHERE v.entity_id = ANY(%(entity_ids)s)
        ORDER BY v.said_at DESC, v.id
        LIMIT %(limit)s
    ) UNION ALL (
        SELECT r.id FROM {relations} AS r
        WHERE r.subject_id = ANY(%(entity_ids)s) OR r.object_id = ANY(%(entity_ids)s)
        ORDER BY r.said_at DESC, r.id
        LIMIT %(limit)s
    ) UNION ALL (
        SELECT a.id FROM {actions} AS a
        WHERE a.actor_id = ANY(%(entity_ids)s)
        ORDER BY a.said_at DESC, a.id
        LIMIT %(limit)s
    )
))
ORDER BY p.number DESC
"""
ABOUT_MAX = 40

INDEXED_TO = "SELECT h.indexed_to FROM recall_heads AS h WHERE h.context_id = %(context_id)s"

STATISTICS = """
SELECT sum(s.passages)::bigint, sum(s.length)::bigint, sum(s.words)::bigint FROM recall_segments AS s
WHERE s.context_id = %(context_id)s AND s.scope_set_id = ANY(%(scope_set_ids)s)
"""

# Newer segments first among the postings of one word, so that of a very common word the newest are read.
POSTINGS = """
SELECT w.word, w.passages, CASE WHEN w.read <= %(postings_max)s THEN w.entries END
FROM (
    SELECT p.word, p.passages, p.entries,
        sum(p.passages) OVER (ORDER BY f.passages, p.word, p.last DESC, p.scope_set_id) - p.passages AS read
    FROM recall_postings AS p JOIN (
        SELECT c.word, sum(c.passages) AS passages FROM recall_postings AS c
        WHERE c.context_id = %(context_id)s AND c.word = ANY(%(words)s) AND c.scope_set_id = ANY(%(scope_set_ids)s)
        GROUP BY c.word
    ) AS f ON f.word = p.word
    WHERE p.context_id = %(context_id)s AND p.word = ANY(%(words)s) AND p.scope_set_id = ANY(%(scope_set_ids)s)
) AS w
"""

TAIL_STATISTICS = """
SELECT count(*), sum(p.length)::bigint, sum(p.word_count)::bigint FROM {passages} AS p WHERE p.number > %(indexed_to)s
"""

TAIL = """
SELECT w.word, t.number, t.sequence_id, t.length, w.count
FROM (
    SELECT p.number, p.sequence_id, p.length, p.words, p.counts FROM {passages} AS p
    WHERE p.number > %(indexed_to)s AND p.words && %(words)s::text[]
    ORDER BY p.number DESC
    LIMIT %(tail_max)s
) AS t CROSS JOIN LATERAL unnest(t.words, t.counts) AS w (word, count)
WHERE w.word = ANY(%(words)s)
"""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of all that the caller may see. mean_length: of a passage, in counted words; mean_words: as written."""

    passages: int
    mean_length: float
    mean_words: float
    frequencies: dict[str, int]

    def idf(self, word: str) -> float:
        """ln(1 + (N - n + .5) / (n + .5)), n = the passages that hold the word."""
        held = self.frequencies.get(word, 0)
        return math.log1p(max(self.passages - held + 0.5, 0.5) / (held + 0.5))


@dataclass(frozen=True, slots=True)
class Scored:
    """numbers: of passages, best first. statistics: with the frequencies of the question's words. sequences: BM25
    of sessions and documents by their keys, each as one text whose length does not count."""

    statistics: Statistics
    numbers: list[int]
    sequences: dict[int, float] = field(default_factory=dict)


def named_entities(reader: Reader, names: Sequence[str]) -> list[UUID]:
    """The entities whose normalised names are among `names`, of those that the caller may see."""
    if not names:
        return []
    return [entity_id for (entity_id,) in reader.tuples(NAMED, {"names": list(names)})]


def facts_about(reader: Reader, entity_ids: Sequence[UUID]) -> list[int]:
    """The numbers of the newest facts about the entities, newest first: some ABOUT_MAX of each kind."""
    if not entity_ids:
        return []
    return [number for (number,) in reader.tuples(ABOUT, {"entity_ids": list(entity_ids), "limit": ABOUT_MAX})]


def scored(reader: Reader, question: Question, *, limit: int) -> Scored:
    """The `limit` passages with the highest BM25 over the words that were read; equal ones newest first."""
    import numpy as np  # here, as few commands need it

    head = reader.tuples(INDEXED_TO, {})
    bound = {
        "indexed_to": head[0][0] if head else 0,
        "words": list(question.words),
        "postings_max": POSTINGS_MAX,
        "tail_max": TAIL_MAX,
    }
    frequencies: dict[str, int] = defaultdict(int)
    entries: dict[str, list[Any]] = defaultdict(list)
    for word, passages, packed in reader.tuples(POSTINGS, bound) if head and question.words else []:
        frequencies[word] += int(passages)
        if packed is not None:
            entries[word].append(np.frombuffer(packed, ENTRY))
    tail: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
    for word, number, sequence_id, length, count in reader.tuples(TAIL, bound) if question.words else []:
        tail[word].append((number, sequence_key(sequence_id), min(length, LENGTH_MAX), count))
    for word, recent in tail.items():
        frequencies[word] += len(recent)
        entries[word].append(np.array(recent, ENTRY))
    statistics = _statistics(reader, bound, frequencies)
    found = {word: np.concatenate(parts) for word, parts in entries.items()}
    return Scored(statistics, _best(statistics, found, limit), _of_sequences(statistics, found))


def _statistics(reader: Reader, bound: dict[str, Any], frequencies: dict[str, int]) -> Statistics:
    sums = [*reader.tuples(STATISTICS, bound), *reader.tuples(TAIL_STATISTICS, bound)]
    passages, length, words = (sum(int(column or 0) for column in columns) for columns in zip(*sums, strict=True))
    held = max(passages, 1)
    return Statistics(passages, length / held or 1.0, words / held, dict(frequencies))


def _best(statistics: Statistics, entries: Mapping[str, Any], limit: int) -> list[int]:
    import numpy as np

    if not entries:
        return []
    numbers, scores = [], []
    for word, found in entries.items():
        count = found["count"].astype(np.float64)
        norm = K1 * (1 - B + B * found["length"] / statistics.mean_length)
        numbers.append(found["number"])
        scores.append(statistics.idf(word) * count * (K1 + 1) / (count + norm))
    distinct, places = np.unique(np.concatenate(numbers), return_inverse=True)
    sums = np.bincount(places, np.concatenate(scores))
    best = np.lexsort((-distinct, -sums.round(9)))[:limit]
    return [int(number) for number in distinct[best]]


def _of_sequences(statistics: Statistics, entries: Mapping[str, Any]) -> dict[int, float]:
    import numpy as np

    scores: dict[int, float] = defaultdict(float)
    for word, found in entries.items():
        keys, places = np.unique(found["sequence"], return_inverse=True)
        counts = np.bincount(places, found["count"])
        gains = statistics.idf(word) * counts * (K1_SEQUENCE + 1) / (counts + K1_SEQUENCE)
        for key, gain in zip(keys.tolist(), gains.tolist(), strict=True):
            scores[key] += gain
    scores.pop(0, None)
    return dict(scores)
