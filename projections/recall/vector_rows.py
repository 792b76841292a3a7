"""Vectors of passages: which are missing, and their rows. They are made outside the append.

A vector is of its passage's text alone, so it is gone with that passage. The same text under the same model
and in the same context is never embedded twice: rows are found by the digest of the text.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from uuid import UUID

from memory.log import Cursor
from projections.passages import TABLE, PassageRow, sentence
from projections.reading import Reader
from projections.recall.pool import names_of
from projections.recall.vectors import EXACT_MAX

EMBEDDED_TO = """
SELECT m.embedded_to FROM recall_models AS m WHERE m.context_id = %(context_id)s AND m.model = %(model)s
"""

WAITING = """
SELECT p.* FROM {passages} AS p
WHERE p.number > %(embedded_to)s
ORDER BY p.number
LIMIT %(limit)s
"""

WAITING_COUNT = """
SELECT count(*) FROM (
    SELECT 1 FROM {passages} AS p
    WHERE p.number > coalesce((
        SELECT m.embedded_to FROM recall_models AS m
        WHERE m.context_id = %(context_id)s AND m.model = %(model)s
    ), 0)
    LIMIT %(limit)s
) AS w
"""

KNOWN = """
SELECT DISTINCT ON (v.digest) v.digest, v.embedding::text FROM recall_vectors AS v
WHERE v.context_id = %(context_id)s AND v.model = %(model)s AND v.digest = ANY(%(digests)s)
"""

# Writers of what recall searches queue here, never at the head row of the log.
MAKE_HEAD = """
INSERT INTO recall_heads (context_id, indexed_to)
SELECT c.context_id, 0 FROM contexts AS c WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL
ON CONFLICT DO NOTHING
"""
LOCK_HEAD = "SELECT 1 FROM recall_heads WHERE context_id = %(context_id)s FOR UPDATE"

# A passage that was erased meanwhile gets no vector.
INSERT = """
INSERT INTO recall_vectors (context_id, model, scope_set_id, number, digest, dimension, embedding)
SELECT %(context_id)s, %(model)s, p.scope_set_id, w.number, w.digest, %(dimension)s, w.embedding::halfvec
FROM unnest(%(numbers)s::bigint[], %(digests)s::bytea[], %(embeddings)s::text[]) AS w (number, digest, embedding)
    JOIN {passages} AS p ON p.number = w.number
ON CONFLICT DO NOTHING
"""

ADVANCE = """
INSERT INTO recall_models (context_id, model, embedded_to) VALUES (%(context_id)s, %(model)s, %(embedded_to)s)
ON CONFLICT (context_id, model) DO UPDATE SET embedded_to = greatest(recall_models.embedded_to, excluded.embedded_to)
"""

COUNT = """
SELECT count(*) FROM (
    SELECT 1 FROM recall_vectors WHERE context_id = %(context_id)s AND model = %(model)s LIMIT %(exact_max)s + 1
) AS c
"""

# The graph is kept for contexts that need it: putting a vector into it costs some hundred times an insert.
INTO_GRAPH = """
UPDATE recall_vectors SET in_graph = true
WHERE ctid = ANY(ARRAY(
    SELECT v.ctid FROM recall_vectors AS v
    WHERE v.context_id = %(context_id)s AND v.model = %(model)s AND NOT v.in_graph
    LIMIT %(limit)s
))
"""


def lock(cursor: Cursor, context_id: str) -> bool:
    """Until the end of the transaction nobody else writes what recall searches in this context. False: it was
    deleted, so that nothing may be written any more."""
    cursor.execute(MAKE_HEAD.encode(), {"context_id": context_id})
    return cursor.execute(LOCK_HEAD.encode(), {"context_id": context_id}).fetchone() is not None


def waiting(reader: Reader, model: str, *, limit: int) -> list[PassageRow]:
    """The oldest passages that have no vector of this model yet. reader: sees all scope sets."""
    found = reader.tuples(EMBEDDED_TO, {"model": model})
    return reader.rows(TABLE, WAITING, {"embedded_to": found[0][0] if found else 0, "limit": limit})


def waiting_count(reader: Reader, model: str, *, limit: int) -> int:
    """How many passages wait for a vector of this model, counted up to `limit`."""
    return int(reader.tuples(WAITING_COUNT, {"model": model, "limit": limit})[0][0])


def texts(reader: Reader, rows: Sequence[PassageRow]) -> list[str]:
    """What is embedded of each passage: who says it, or what document it is from, stands before the words."""
    names = names_of(reader, {entity_id for row in rows for entity_id in row.entity_ids})
    return [_text(row, names) for row in rows]


def digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def known(reader: Reader, model: str, digests: Sequence[bytes]) -> dict[bytes, str]:
    """Vectors of this model that the context has already, by the digest of their text, as Postgres writes them."""
    return dict(reader.tuples(KNOWN, {"model": model, "digests": list(digests)}))


def put(
    reader: Reader,
    model: str,
    rows: Sequence[PassageRow],
    digests: Sequence[bytes],
    vectors: Sequence[str],
    *,
    seen_to: int,
) -> None:
    """Store the vectors of passages inside a transaction that holds `lock`; no passage up to `seen_to` waits then.

    vectors: as Postgres reads them.
    """
    if rows:
        bound = {
            "model": model,
            "numbers": [row.number for row in rows],
            "digests": list(digests),
            "embeddings": list(vectors),
            "dimension": vectors[0].count(",") + 1,
        }
        reader.ask(INSERT, bound)
    advanced = {"context_id": reader.context_id, "model": model, "embedded_to": seen_to}
    reader.cursor.execute(ADVANCE.encode(), advanced)


def extend_graph(cursor: Cursor, context_id: str, model: str, *, limit: int) -> int:
    """Put up to `limit` vectors into the graph, if the context has so many that it pays. Returns how many."""
    bound = {"context_id": context_id, "model": model, "limit": limit, "exact_max": EXACT_MAX}
    counted = cursor.execute(COUNT.encode(), bound).fetchone()
    if counted is None or counted[0] <= EXACT_MAX:
        return 0
    return cursor.execute(INTO_GRAPH.encode(), bound).rowcount


def _text(row: PassageRow, names: Mapping[UUID, str]) -> str:
    heading = " > ".join(part for part in (row.title, row.section) if part)
    text = sentence(row.kind, row.text, row.entity_ids, names)
    return f"{heading}: {text}" if heading else text
