"""Vector search: the passages whose embeddings are nearest to the question's.

Up to EXACT_MAX vectors that the caller may see, each is compared; so are more, where they are less than SHARE_MIN of
the graph of near neighbours, which all contexts share: a walk through it finds few of them, slowly. Else those that
are in the graph are searched there, and the others, which are few, one by one. Only vectors of the question's own model
and dimension count.
"""

from collections.abc import Sequence
from typing import Any

from memory.log import Cursor
from projections.reading import Reader
from projections.recall.question import Question

EXACT_MAX = 20_000
GRAPH_DIMENSIONS = (384, 512, 768, 1024, 1536, 3072)
SHARE_MIN = 0.04
SEARCHED_IN_GRAPH = 200  # hnsw.ef_search
WALKED_MIN = 100  # vectors that a walk goes on for; wanting fewer, it ends before the nearest of a narrow scope

EXACT = """
SELECT v.number, 1 - (v.embedding <=> %(vector)s::halfvec) AS cosine FROM recall_vectors AS v
WHERE v.context_id = %(context_id)s AND v.model = %(model)s AND v.scope_set_id = ANY(%(scope_set_ids)s)
    AND v.dimension = %(dimension)s {outside}
ORDER BY v.embedding <=> %(vector)s::halfvec, v.number DESC
LIMIT %(limit)s
"""

IN_GRAPH = """
SELECT v.number, 1 - (v.embedding <=> %(vector)s::halfvec) AS cosine FROM recall_vectors AS v
WHERE v.in_graph AND v.dimension = {dimension} AND v.context_id = %(context_id)s AND v.model = %(model)s
    AND v.scope_set_id = ANY(%(scope_set_ids)s)
ORDER BY v.embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension})
LIMIT %(limit)s
"""

# With the question, of the passage aliased p, if it has a vector. A subquery for each row: whatever the planner
# knows of the tables, each takes one probe of an index.
COSINE = """(
    SELECT 1 - (v.embedding <=> %(vector)s::halfvec) FROM recall_vectors AS v
    WHERE v.context_id = %(context_id)s AND v.model = %(model)s AND v.scope_set_id = p.scope_set_id
        AND v.number = p.number AND v.dimension = %(dimension)s
)"""

# How near other passages are to one.
LIKENESS = """
SELECT o.number, 1 - (o.embedding <=> v.embedding) FROM recall_vectors AS v JOIN recall_vectors AS o
    ON o.context_id = v.context_id AND o.model = v.model AND o.dimension = v.dimension
WHERE v.context_id = %(context_id)s AND v.model = %(model)s AND v.scope_set_id = ANY(%(scope_set_ids)s)
    AND v.number = %(number)s AND o.scope_set_id = ANY(%(scope_set_ids)s) AND o.number = ANY(%(numbers)s)
"""

# Filters may leave few of the nearest, so the graph is walked on until enough are found. How few vectors of a context
# are outside the graph is more than the planner can know where other contexts have none in it: it would
# read them all, by several processes. With it the size of the graph, as vacuum last counted it.
WALK_ON = f"""
SELECT c.reltuples, set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.ef_search', '{SEARCHED_IN_GRAPH}', true), set_config('enable_seqscan', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)
FROM pg_class AS c WHERE c.oid = to_regclass(%(graph)s)
"""
BEFORE_WALK = "SAVEPOINT before_walk"
AFTER_WALK = "ROLLBACK TO SAVEPOINT before_walk"


class Nearest:
    """The passages that are nearest to a question: asked for at once, fetched when they are wanted.

    held: how many passages the caller may see. limit: how many are wanted.
    """

    def __init__(self, reader: Reader, question: Question, *, held: int, limit: int) -> None:
        self._limit = limit
        self._asked: list[Cursor] = []
        if question.vector is None:
            return
        if held <= EXACT_MAX or len(question.vector) not in GRAPH_DIMENSIONS:
            self._asked = [exact(reader, question, limit=limit)]
        else:
            self._asked = _beyond(reader, question, held=held, limit=limit)

    def numbers(self) -> list[int]:
        """Their numbers, nearest first; equal ones newest first."""
        found = [row for cursor in self._asked for row in cursor.fetchall()]
        return [number for number, _ in sorted(found, key=lambda one: (-one[1], -one[0]))[: self._limit]]


def exact(reader: Reader, question: Question, *, limit: int, outside: bool = False) -> Cursor:
    """Number and cosine of the nearest, each vector compared. outside: only those that are not in the graph."""
    statement = EXACT.format(outside="AND NOT v.in_graph" if outside else "")
    return reader.ask(statement, bound(question) | {"limit": limit})


def _beyond(reader: Reader, question: Question, *, held: int, limit: int) -> list[Cursor]:
    """Of more than EXACT_MAX: nearly all of the true ones, in no strict order."""
    dimension = len(question.vector or ())
    reader.cursor.execute(BEFORE_WALK)
    ((in_graph, *_),) = reader.tuples(WALK_ON, {"graph": f"recall_vectors_graph_{dimension}"})
    if held < in_graph * SHARE_MIN:
        asked = [exact(reader, question, limit=limit)]
    else:
        walked = bound(question) | {"limit": max(limit, WALKED_MIN)}
        asked = [
            reader.ask(IN_GRAPH.format(dimension=dimension), walked),
            exact(reader, question, limit=limit, outside=True),
        ]
    reader.cursor.execute(AFTER_WALK)
    return asked


def bound(question: Question) -> dict[str, Any]:
    """What the statements here say of the question; without a vector, nothing has a cosine."""
    if question.vector is None:
        return {"model": None, "vector": None, "dimension": None}
    return {"model": question.model, "vector": question.vector_text, "dimension": len(question.vector)}


def likeness(reader: Reader, model: str, number: int, numbers: Sequence[int]) -> dict[int, float]:
    """The cosine of the passages `numbers` with the passage `number`, of those that have vectors of the model."""
    return dict(reader.tuples(LIKENESS, {"model": model, "number": number, "numbers": list(numbers)}))
