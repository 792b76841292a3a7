"""Postings: which passages hold a word, how often, and the statistics that BM25 needs.

They are made outside the append, from passages that are there already, in segments of consecutive numbers; what
is newer than the last segment is the tail, which a search looks through passage by passage. A row is one word in
one segment and scope set, its entries packed in the order of numbers. When there are SEGMENTS_MERGED segments of
the small kind, they become one; no row gets longer than SEGMENT_PASSAGES_MAX entries, so that of a very common
word a search can read the newest part.

Of an erasure, the segments that held an erased passage are dropped and marked; they are made anew, newest first, from
the passages that are left.
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

PENDING = """
SELECT count(*), EXISTS (
    SELECT 1 FROM recall_segments AS s WHERE s.context_id = %(context_id)s AND s.scope_set_id = %(mark)s
)
FROM (
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

# The newest segments, and how many passages each has in all scope sets.
NEWEST = """
SELECT s.last, sum(s.passages) FROM recall_segments AS s
WHERE s.context_id = %(context_id)s
GROUP BY s.last
ORDER BY s.last DESC
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


# A segment that waits to be made anew has a row of this scope set, which nobody sees.
MARK = UUID(int=0)

SEGMENTS_OF = """
SELECT DISTINCT o.last FROM unnest(%(numbers)s::bigint[]) AS n (number) CROSS JOIN LATERAL (
    SELECT s.last FROM recall_segments AS s
    WHERE s.context_id = %(context_id)s AND s.last >= n.number
    ORDER BY s.last
    LIMIT 1
) AS o
"""
DROP_POSTINGS = "DELETE FROM recall_postings WHERE context_id = %(context_id)s AND last = ANY(%(lasts)s)"
DROP_SEGMENTS = "DELETE FROM recall_segments WHERE context_id = %(context_id)s AND last = ANY(%(lasts)s)"
MARK_SEGMENTS = """
INSERT INTO recall_segments (context_id, scope_set_id, last, passages, length, words)
SELECT %(context_id)s, %(mark)s, l.last, 0, 0, 0 FROM unnest(%(lasts)s::bigint[]) AS l (last)
"""

MARKED = """
SELECT s.last, coalesce((
    SELECT max(b.last) FROM recall_segments AS b WHERE b.context_id = s.context_id AND b.last < s.last
), 0)
FROM recall_segments AS s
WHERE s.context_id = %(context_id)s AND s.scope_set_id = %(mark)s
ORDER BY s.last DESC
LIMIT 1
"""
BETWEEN = "SELECT p.* FROM {passages} AS p WHERE p.number > %(after)s AND p.number <= %(last)s ORDER BY p.number"


def drop(cursor: Cursor, context_id: str, numbers: Iterable[int]) -> None:
    """Drop the segments that hold these passages, and mark them to be made anew. The caller holds
    `projections.recall.vector_rows.lock`."""
    bound: dict[str, Any] = {"context_id": context_id, "numbers": list(numbers), "mark": MARK}
    bound["lasts"] = [last for (last,) in cursor.execute(SEGMENTS_OF.encode(), bound).fetchall()]
    for statement in (DROP_POSTINGS, DROP_SEGMENTS, MARK_SEGMENTS) if bound["lasts"] else ():
        cursor.execute(statement.encode(), bound)


def is_pending(reader: Reader) -> bool:
    """Whether enough new passages wait for a segment, or a segment to be made anew. reader: sees all scope sets."""
    ((count, is_marked),) = reader.tuples(PENDING, {"limit": SEGMENT_PASSAGES, "mark": MARK})
    return is_marked or int(count) == SEGMENT_PASSAGES


def index_again(reader: Reader) -> bool:
    """Make the newest marked segment anew. Returns whether there was one. reader: as for `index_tail`."""
    marked = reader.tuples(MARKED, {"mark": MARK})
    for last, after in marked:
        bound = {"context_id": reader.context_id, "lasts": [last]}
        for statement in (DROP_POSTINGS, DROP_SEGMENTS):
            reader.cursor.execute(statement.encode(), bound)
        _write(reader, reader.rows(TABLE, BETWEEN, {"after": after, "last": last}), last)
    return bool(marked)


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
    _write(reader, rows, rows[-1].number)
    parameters = {"context_id": reader.context_id, "indexed_to": rows[-1].number}
    reader.cursor.execute(ADVANCE.encode(), parameters)
    _merge(reader)
    return True


def _write(reader: Reader, rows: Sequence[PassageRow], last: int) -> None:
    names = names_of(reader, {entity_id for row in rows for entity_id in row.entity_ids})
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
    """Make one segment of the newest ones, if so many are small."""
    newest = reader.tuples(NEWEST, {"limit": SEGMENTS_MERGED})
    if len(newest) == SEGMENTS_MERGED and all(passages < SEGMENT_PASSAGES_MAX // 2 for _, passages in newest):
        lasts = [last for last, _ in newest]
        bound = {"context_id": reader.context_id, "lasts": lasts, "last": max(lasts)}
        for statement in (MERGE_SEGMENTS, MERGE_POSTINGS):
            # The merged rows take the key of one that they replace, so the old ones must be gone first.
            reader.cursor.execute(statement.encode(), bound)
