"""Keyword search: BM25 with OR semantics over postings, and over the passages that are not in them yet.

Postings and statistics are kept per context, segment and scope set, outside the append (see
`projections.recall.postings`); a caller's are the sums over the scope sets that it may see. The rarest words
are read first until POSTINGS_MAX postings are read; the others score later, among the candidates.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.log import Cursor
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

# What was said at some time, newest first.
SAID_WITHIN = """
SELECT p.number FROM {passages} AS p
WHERE p.said_at >= coalesce(%(start)s::timestamptz, '-infinity')
    AND p.said_at < coalesce(%(end)s::timestamptz, 'infinity')
ORDER BY p.said_at DESC, p.number DESC
LIMIT %(limit)s
"""

INDEXED_TO = "SELECT h.indexed_to FROM recall_heads AS h WHERE h.context_id = %(context_id)s"

# What is not indexed yet begins at a number that comes as a parameter: of one that it has to look up, the planner
# takes a third of the table to lie beyond.
STATISTICS = """
SELECT sum(s.passages)::bigint, sum(s.length)::bigint, sum(s.words)::bigint
FROM (
    SELECT s.passages, s.length, s.words FROM recall_segments AS s
    WHERE s.context_id = %(context_id)s AND s.scope_set_id = ANY(%(scope_set_ids)s)
    UNION ALL
    SELECT count(*), sum(p.length), sum(p.word_count) FROM {passages} AS p
    WHERE p.number > %(indexed_to)s
) AS s
"""

# Newer segments first among the postings of one word, so that of a very common word the newest are read. All but the
# entries stand in the index, so that those of no segment but the ones to read are looked up.
POSTINGS = """
SELECT w.word, w.passages, CASE WHEN w.read <= %(postings_max)s THEN (
    SELECT e.entries FROM recall_postings AS e
    WHERE e.context_id = %(context_id)s AND e.word = w.word AND e.scope_set_id = w.scope_set_id AND e.last = w.last
) END
FROM (
    SELECT c.word, c.scope_set_id, c.last, c.passages,
        sum(c.passages) OVER (ORDER BY c.total, c.word, c.last DESC, c.scope_set_id) - c.passages AS read
    FROM (
        SELECT p.word, p.scope_set_id, p.last, p.passages, sum(p.passages) OVER (PARTITION BY p.word) AS total
        FROM recall_postings AS p
        WHERE p.context_id = %(context_id)s AND p.word = ANY(%(words)s) AND p.scope_set_id = ANY(%(scope_set_ids)s)
    ) AS c
) AS w
"""

# One row a word, its passages side by side in four lists.
TAIL = """
SELECT w.word, array_agg(t.number), array_agg(t.sequence_id), array_agg(t.length), array_agg(w.count)
FROM (
    SELECT p.number, p.sequence_id, p.length, p.words, p.counts FROM {passages} AS p
    WHERE p.number > %(indexed_to)s AND p.words && %(words)s::text[]
    ORDER BY p.number DESC
    LIMIT %(tail_max)s
) AS t CROSS JOIN LATERAL unnest(t.words, t.counts) AS w (word, count)
WHERE w.word = ANY(%(words)s)
GROUP BY w.word
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
    """numbers: of passages, best first. statistics: with the frequencies of the question's words. postings: those
    that were read; None for none."""

    statistics: Statistics
    numbers: list[int]
    postings: "_Postings | None" = None

    def of_sequences(self, keys: Collection[int]) -> dict[int, float]:
        """BM25 of sessions and documents by their keys, each as one text whose length does not count."""
        import numpy as np

        read, wanted = self.postings, np.array(sorted(set(keys) - {0}), np.int64)
        if read is None or not len(wanted):
            return {}
        places = np.searchsorted(wanted, read.entries["sequence"]).clip(max=len(wanted) - 1)
        held = wanted[places] == read.entries["sequence"]
        cells = places[held] * len(read.idf) + read.places[held]
        counts = np.bincount(cells, read.entries["count"][held], minlength=len(wanted) * len(read.idf))
        counts = counts.reshape(len(wanted), len(read.idf))
        scores = (counts * (K1_SEQUENCE + 1) / (counts + K1_SEQUENCE)) @ read.idf
        return dict(zip(wanted.tolist(), scores.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Postings:
    """entries: of all words that were read, one word after the other. places: of each entry's word among them;
    idf: of each of them."""

    entries: Any
    places: Any
    idf: Any


class WordSearch:
    """The words of a question: asked for at once, fetched when the scores are wanted."""

    def __init__(self, reader: Reader, question: Question) -> None:
        self._reader, self._words = reader, list(question.words)
        self._head = reader.ask(INDEXED_TO, {})
        bound = {"words": self._words, "postings_max": POSTINGS_MAX}
        self._postings = reader.ask(POSTINGS, bound) if self._words else None

    def scored(self, *, limit: int) -> Scored:
        """The `limit` passages with the highest BM25 over the words that were read; equal ones newest first."""
        import numpy as np  # here, as few commands need it

        head = self._head.fetchone()
        bound = {"words": self._words, "tail_max": TAIL_MAX, "indexed_to": head[0] if head else 0}
        statistics_cursor = self._reader.ask(STATISTICS, bound)
        tail = self._reader.ask(TAIL, bound) if self._words else None
        frequencies: dict[str, int] = defaultdict(int)
        entries: dict[str, list[Any]] = defaultdict(list)
        for word, passages, packed in self._postings or ():
            frequencies[word] += int(passages)
            if packed is not None:
                entries[word].append(np.frombuffer(packed, ENTRY))
        for word, *columns in tail or ():
            recent = _entries(*columns)
            frequencies[word] += len(recent)
            entries[word].append(recent)
        statistics = _statistics(statistics_cursor, frequencies)
        words = [word for word in self._words if word in entries]
        if not words:
            return Scored(statistics, [])
        places = np.repeat(np.arange(len(words)), [sum(map(len, entries[word])) for word in words])
        read = _Postings(
            np.concatenate([part for word in words for part in entries[word]]),
            places,
            np.array([statistics.idf(word) for word in words]),
        )
        return Scored(statistics, _best(statistics, read, limit), read)


def _statistics(sums: Cursor, frequencies: Mapping[str, int]) -> Statistics:
    ((passages, length, words),) = ((int(one or 0) for one in row) for row in sums.fetchall())
    held = max(passages, 1)
    return Statistics(passages, length / held or 1.0, words / held, dict(frequencies))


def _entries(
    numbers: Sequence[int], sequence_ids: Sequence[UUID | None], lengths: Sequence[int], counts: Sequence[int]
) -> Any:
    import numpy as np

    entries = np.empty(len(numbers), ENTRY)
    entries["number"] = numbers
    entries["sequence"] = [sequence_key(sequence_id) for sequence_id in sequence_ids]
    entries["length"] = np.minimum(lengths, LENGTH_MAX)
    entries["count"] = counts
    return entries


def _best(statistics: Statistics, read: _Postings, limit: int) -> list[int]:
    import numpy as np

    count = read.entries["count"].astype(np.float64)
    norm = K1 * (1 - B + B * read.entries["length"] / statistics.mean_length)
    distinct, places = np.unique(read.entries["number"], return_inverse=True)
    sums = np.bincount(places, read.idf[read.places] * count * (K1 + 1) / (count + norm))
    best: list[int] = distinct[np.lexsort((-distinct, -sums.round(9)))[:limit]].tolist()
    return best
