"""The nearest vectors where there are too many to compare each: by the graph, or one by one in a narrow scope."""

from collections.abc import Iterator
from uuid import UUID, uuid5

import numpy as np
import psycopg
import pytest

from api import keys
from api.ids import new_id
from api.wiring import Services
from projections.access import every_scope_set
from projections.reading import Reader
from projections.recall import vectors
from projections.recall.embedding import literal
from projections.recall.question import parsed
from projections.table import READ_MODELS_SCHEMA

MODEL, DIMENSION, ROWS = "test/model", 384, 300
MANY = vectors.EXACT_MAX + 1
INSERT = """
INSERT INTO recall_vectors (context_id, model, scope_set_id, number, digest, dimension, in_graph, embedding)
VALUES (%s, %s, %s, %s, sha256('x'), %s, %s, %s::halfvec)
"""
RANDOM = np.random.default_rng(7)
VECTORS = RANDOM.normal(size=(ROWS + 1, DIMENSION))
QUESTION = parsed("where?", vector=VECTORS[ROWS].tolist(), model=MODEL)


@pytest.fixture(scope="module")
def nearest(services: Services) -> Iterator[tuple[Reader, UUID]]:
    """A reader that sees every other vector, and the scope set of the rest; every third vector is not in the graph."""
    context_id = f"nearest-{new_id()}"
    keys.ensure_context(services.log, context_id, keys.new_key())
    with psycopg.connect(services.database.url) as connection, connection.cursor() as cursor:
        cursor.execute(f"SET search_path = palimpsest, {READ_MODELS_SCHEMA}, public")
        generation, (seen, *_) = every_scope_set(connection, context_id)
        hidden = uuid5(seen, "hidden")
        for number in range(ROWS):
            scope, is_in_graph = (seen, hidden)[number % 2], number % 3 != 0
            cursor.execute(
                INSERT, [context_id, MODEL, scope, number, DIMENSION, is_in_graph, literal(VECTORS[number].tolist())]
            )
        cursor.execute("ANALYZE recall_vectors")
        yield Reader(cursor, context_id, generation, [seen]), hidden
        connection.rollback()


def truly_nearest(limit: int) -> list[int]:
    lengths = np.linalg.norm(VECTORS[:ROWS], axis=1)
    cosines = VECTORS[:ROWS] @ VECTORS[ROWS] / lengths
    return sorted(range(0, ROWS, 2), key=lambda number: -cosines[number])[:limit]


def test_the_graph_and_what_is_outside_of_it_are_searched_together(nearest: tuple[Reader, UUID]) -> None:
    reader, _ = nearest
    found = vectors.Nearest(reader, QUESTION, held=MANY, limit=20).numbers()
    assert found == truly_nearest(20)
    assert any(number % 3 == 0 for number in found)
    assert any(number % 3 != 0 for number in found)


def test_in_a_narrow_scope_each_vector_is_compared(
    nearest: tuple[Reader, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, _ = nearest
    monkeypatch.setattr(vectors, "SHARE_MIN", float(MANY))
    monkeypatch.setattr(vectors, "IN_GRAPH", "the graph is not asked")
    assert vectors.Nearest(reader, QUESTION, held=MANY, limit=20).numbers() == truly_nearest(20)


def test_what_helps_a_walk_through_the_graph_holds_for_nothing_else(nearest: tuple[Reader, UUID]) -> None:
    reader, _ = nearest
    settings = "SELECT name, setting FROM pg_settings WHERE name ~ '^(enable_|max_parallel|hnsw)' ORDER BY name"
    vectors.Nearest(reader, QUESTION, held=1, limit=1).numbers()  # loads the extension, and with it its settings
    before = reader.cursor.execute(settings).fetchall()
    vectors.Nearest(reader, QUESTION, held=MANY, limit=20).numbers()
    assert reader.cursor.execute(settings).fetchall() == before
