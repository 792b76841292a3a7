"""Keyword search: BM25 with OR semantics over postings, and over the passages that are not in them yet.

Postings and statistics are kept per context, segment and scope set, outside the append (see
`projections.recall.postings`); a caller's are the sums over the scope sets that it may see. The rarest words
are read first until POSTINGS_MAX postings are read; the others score later, among the candidates.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from projections.passages import sequence_key
from projections.reading import Reader
from projections.recall.postings import ENTRY, ENTRY_BYTES, LENGTH_MAX
from projections.recall.question import Question

POSTINGS_MAX = 4_000
POSTINGS_MAX_THEN = 20_000  # at an instant in the past, as many of the newest may be of later
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

# Up to where passages are indexed, and the sums over those.
INDEXED = """
SELECT coalesce((SELECT h.indexed_to FROM recall_heads AS h WHERE h.context_id = %(context_id)s), 0),
    coalesce(sum(s.passages), 0)::bigint, coalesce(sum(s.length), 0)::bigint, coalesce(sum(s.words), 0)::bigint
FROM recall_segments AS s
WHERE s.context_id = %(context_id)s AND s.scope_set_id = ANY(%(scope_set_ids)s)
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

# What is not indexed yet, newest first, each row with the sums over all of it. It begins at a number that comes as a
# parameter: of one that it has to look up, the planner takes a third of the table to lie beyond.
TAIL = """
SELECT p.number, p.sequence_id, p.length, p.words, p.counts,
    count(*) OVER (), sum(p.length) OVER (), sum(p.word_count) OVER ()
FROM {passages} AS p
WHERE p.number > %(indexed_to)s
ORDER BY p.number DESC
LIMIT %(tail_max)s
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
class Held:
    """What is held of a question's words, as far as it was read. statistics: with the frequencies of these words.
    entries: as `projections.recall.postings.ENTRY`, of all words. places: of each entry's word in the question; idf:
    of each word there."""

    statistics: Statistics
    entries: Any
    places: Any
    idf: Any

    def best(self, limit: int) -> list[int]:
        """The numbers of the `limit` passages with the highest BM25, best first; equal ones newest first."""
        import numpy as np

        count = self.entries["count"].astype(np.float64)
        norm = K1 * (1 - B + B * self.entries["length"] / self.statistics.mean_length)
        distinct, places = np.unique(self.entries["number"], return_inverse=True)
        sums = np.bincount(places, self.idf[self.places] * count * (K1 + 1) / (count + norm))
        numbers: list[int] = distinct[np.lexsort((-distinct, -sums.round(9)))[:limit]].tolist()
        return numbers

    def of_sequences(self, keys: Collection[int]) -> dict[int, float]:
        """BM25 of sessions and documents by their keys, each as one text whose length does not count."""
        import numpy as np

        wanted = np.array(sorted(set(keys) - {0}), np.int64)
        if not len(wanted):
            return {}
        places = np.searchsorted(wanted, self.entries["sequence"]).clip(max=len(wanted) - 1)
        held = wanted[places] == self.entries["sequence"]
        cells = places[held] * len(self.idf) + self.places[held]
        counts = np.bincount(cells, self.entries["count"][held], minlength=len(wanted) * len(self.idf))
        counts = counts.reshape(len(wanted), len(self.idf))
        scores = (counts * (K1_SEQUENCE + 1) / (counts + K1_SEQUENCE)) @ self.idf
        return dict(zip(wanted.tolist(), scores.tolist(), strict=True))


class WordSearch:
    """The words of a question: asked for at once, fetched when they are wanted."""

    def __init__(self, reader: Reader, question: Question) -> None:
        self._reader, self._words = reader, list(question.words)
        self._indexed = reader.ask(INDEXED, {})
        most = POSTINGS_MAX if reader.instant.is_now else POSTINGS_MAX_THEN
        self._postings = reader.ask(POSTINGS, {"words": self._words, "postings_max": most})

    def held(self) -> Held:
        """What is held of the words: of those indexed, and of passages that are not yet."""
        import numpy as np  # here, as few commands need it

        ((indexed_to, *sums),) = self._indexed.fetchall()
        of_tail = self._reader.ask(TAIL, {"tail_max": TAIL_MAX, "indexed_to": indexed_to})
        places = {word: place for place, word in enumerate(self._words)}
        frequencies = dict.fromkeys(self._words, 0)
        packed, packed_places = [], []
        for word, passages, entries in self._postings.fetchall():
            frequencies[word] += passages
            if entries is not None:
                packed.append(entries)
                packed_places.append(places[word])
        tail: list[tuple[int, int, int, int]] = []
        tail_places = []
        rows = of_tail.fetchall()
        for number, sequence_id, length, words, counts, *_ in rows:
            for word in places.keys() & words:
                frequencies[word] += 1
                count = counts[words.index(word)]
                tail.append((number, sequence_key(sequence_id), min(length, LENGTH_MAX), count))
                tail_places.append(places[word])
        beyond = rows[0][-len(sums) :] if rows else (0, 0, 0)
        passages, length, written = (int(had + more) for had, more in zip(sums, beyond, strict=True))
        present = max(passages, 1)
        statistics = Statistics(passages, length / present or 1.0, written / present, frequencies)
        entries_of = [len(one) // ENTRY_BYTES for one in packed]
        return Held(
            statistics,
            np.concatenate([np.frombuffer(b"".join(packed), ENTRY), np.array(tail, ENTRY)]),
            np.concatenate([np.repeat(np.array(packed_places, np.intp), entries_of), np.array(tail_places, np.intp)]),
            np.array([statistics.idf(word) for word in self._words]),
        )
