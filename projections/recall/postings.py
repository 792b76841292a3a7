"""Postings: which passages hold a word, how often, and the statistics that BM25 needs.

They are made outside the append, from passages that are there already, in segments of consecutive numbers; what
is newer than the last segment is the tail, which a search looks through passage by passage. A row is one word in
one segment and scope set, its entries packed in the order of numbers. When there are SEGMENTS_MERGED segments of
the small kind, they become one; no row gets longer than SEGMENT_PASSAGES_MAX entries, so that of a very common
word a search can read the newest part.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from memory.log import Cursor
from projections.passages import TABLE, PassageRow, sequence_key
from projections.reading import Reader
from projections.recall.pool import names_of
from projections.recall.words import words

SEGMENT_PASSAGES = 256
SEGMENTS_MERGED = 16
SEGMENT_PASSAGES_MAX = SEGMENT_PASSAGES * SEGMENTS_MERGED

# An entry: the passage's number, its session or document, its length in counted words, and how often it holds
# the word.
ENTRY = [("number", "<i8"), ("sequence", "<i8"), ("length", "<u2"), ("count", "u1")]
ENTRY_BYTES = 19
LENGTH_MAX = 65_535

INDEXED_TO = "SELECT h.indexed_to FROM recall_heads AS h WHERE h.context_id = %(context_id)s"

TAIL = """
SELECT p.* FROM {passages} AS p
WHERE p.number > %(indexed_to)s
ORDER BY p.number
LIMIT %(limit)s
"""

TAIL_COUNT = """
SELECT count(*) FROM (
    SELECT 1 FROM {passages} AS p
    WHERE p.number > coalesce((SELECT h.indexed_to FROM recall_heads AS h WHERE h.context_id = %(context_id)s), 0)
    LIMIT %(limit)s
) AS t
"""

ADVANCE = """
INSERT INTO recall_heads (context_id, indexed_to) VALUES (%(context_id)s, %(indexed_to)s)
ON CONFLICT (context_id) DO UPDATE SET indexed_to = excluded.indexed_to
"""

COPY_SEGMENTS = """
COPY recall_segments (context_id, scope_set_id, last, passages, length, words) FROM STDIN (FORMAT BINARY)
"""
COPY_POSTINGS = """
COPY recall_postings (context_id, word, scope_set_id, last, passages, entries) FROM STDIN (FORMAT BINARY)
"""

# Segments that are still small, oldest first: those with fewer passages, in all scope sets, than a merged one.
SMALL = """
SELECT s.last FROM recall_segments AS s
WHERE s.context_id = %(context_id)s
GROUP BY s.last
HAVING sum(s.passages) < %(merged_min)s
ORDER BY s.last
LIMIT %(limit)s
"""

MERGE_SEGMENTS = """
WITH merged AS (
    DELETE FROM recall_segments WHERE context_id = %(context_id)s AND last = ANY(%(lasts)s) RETURNING *
)
INSERT INTO recall_segments (context_id, scope_set_id, last, passages, length, words)
SELECT context_id, scope_set_id, %(last)s, sum(passages), sum(length), sum(words) FROM merged
GROUP BY context_id, scope_set_id
"""

MERGE_POSTINGS = """
WITH merged AS (
    DELETE FROM recall_postings WHERE context_id = %(context_id)s AND last = ANY(%(lasts)s) RETURNING *
)
INSERT INTO recall_postings (context_id, word, scope_set_id, last, passages, entries)
SELECT context_id, word, scope_set_id, %(last)s, sum(passages), string_agg(entries, ''::bytea ORDER BY last)
FROM merged
GROUP BY context_id, word, scope_set_id
"""


def has_long_tail(reader: Reader) -> bool:
    """Whether there are enough new passages for a segment. reader: sees all scope sets."""
    return int(reader.tuples(TAIL_COUNT, {"limit": SEGMENT_PASSAGES})[0][0]) == SEGMENT_PASSAGES


def index_tail(reader: Reader) -> bool:
    """Put the oldest passages of the tail into a segment. Returns whether there were enough to do so.

    reader: sees all scope sets, in a transaction that may write and that no other process does the same in.
    """
    head = reader.tuples(INDEXED_TO, {})
    bound = {"indexed_to": head[0][0] if head else 0, "limit": SEGMENT_PASSAGES_MAX}
    rows = reader.rows(TABLE, TAIL, bound)
    if len(rows) < SEGMENT_PASSAGES:
        return False
    # Whole segments of the large kind need no merging, and the small kind stays small.
    if len(rows) < SEGMENT_PASSAGES_MAX:
        rows = rows[:SEGMENT_PASSAGES]
    _write(reader, rows)
    parameters = {"context_id": reader.context_id, "indexed_to": rows[-1].number}
    reader.cursor.execute(ADVANCE.encode(), parameters)
    _merge(reader)
    return True


def _write(reader: Reader, rows: Sequence[PassageRow]) -> None:
    names = names_of(reader, {entity_id for row in rows for entity_id in row.entity_ids})
    last = rows[-1].number
    sums: dict[UUID, list[int]] = defaultdict(lambda: [0, 0, 0])
    entries: dict[tuple[str, UUID], list[tuple[int, int, int, int]]] = defaultdict(list)
    for row in rows:
        sums[row.scope_set_id] = [
            had + more for had, more in zip(sums[row.scope_set_id], (1, row.length, row.word_count), strict=True)
        ]
        for word, count in _counts(row, names).items():
            entry = (row.number, sequence_key(row.sequence_id), min(row.length, LENGTH_MAX), min(count, 255))
            entries[word, row.scope_set_id].append(entry)
    context_id = reader.context_id
    segments = ((context_id, scope_set_id, last, *counted) for scope_set_id, counted in sums.items())
    _copy(reader.cursor, COPY_SEGMENTS, ["text", "uuid", "bigint", "integer", "bigint", "bigint"], segments)
    postings = (
        (context_id, word, scope_set_id, last, len(found), _packed(found))
        for (word, scope_set_id), found in sorted(entries.items())
    )
    _copy(reader.cursor, COPY_POSTINGS, ["text", "text", "uuid", "bigint", "integer", "bytea"], postings)


def _counts(row: PassageRow, names: dict[UUID, str]) -> dict[str, int]:
    """How often the passage holds each of its words, those of the names of what it is about among them."""
    counts = dict(zip(row.words, row.counts, strict=True))
    for entity_id in row.entity_ids:
        for word in words(names.get(entity_id, "")):
            counts[word] = counts.get(word, 0) + 1
    return counts


def _packed(entries: Sequence[tuple[int, int, int, int]]) -> bytes:
    import numpy as np  # here, as few commands need it

    return np.array(entries, ENTRY).tobytes()


def _copy(cursor: Cursor, statement: str, types: list[str], rows: Iterable[tuple[Any, ...]]) -> None:
    with cursor.copy(statement.encode()) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)


def _merge(reader: Reader) -> None:
    """Make one segment of the oldest small ones, if there are enough of them."""
    bound = {"merged_min": SEGMENT_PASSAGES_MAX // 2, "limit": SEGMENTS_MERGED, "context_id": reader.context_id}
    lasts = [last for (last,) in reader.cursor.execute(SMALL.encode(), bound).fetchall()]
    if len(lasts) == SEGMENTS_MERGED:
        for statement in (MERGE_SEGMENTS, MERGE_POSTINGS):
            # The merged rows take the key of one that they replace, so the old ones must be gone first.
            reader.cursor.execute(statement.encode(), bound | {"lasts": lasts, "last": lasts[-1]})
