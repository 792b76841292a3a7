"""Keeps what recall searches up with the log: vectors soon after a write, postings when a tail has grown.

One thread a process. It is told of every append of its own process, and looks for others' every LOOK_AROUND_S.
No connection is held while a model is asked, and no lock that an append waits for is ever taken.
"""

import logging
import math
import threading
import time
from collections.abc import Callable

import psycopg
import psycopg_pool

from memory.log import Connection, Pool
from projections.access import every_scope_set
from projections.passages import ORDINAL_BITS, number_of
from projections.reading import Reader, snapshot
from projections.recall import postings, vector_rows
from projections.recall.embedding import Embedder, EmbeddingUnavailable, literal

logger = logging.getLogger(__name__)

BATCH_PASSAGES = 64
GRAPH_BATCH = 200
GATHER_S = 0.2  # what is written meanwhile is embedded together, which takes little more than half the time
AT_ONCE = -math.inf
SETTLE_S = 0.25  # longest that a question waits for what was written just before it
LOOK_AROUND_S = 30.0
PAUSE_AFTER_FAILURE_S = (1.0, 60.0)  # doubled from one to the other

# How far each context has been looked at for each model.
LOOKED_AT = """
SELECT c.context_id, c.position, m.model, m.embedded_to, EXISTS (
    SELECT 1 FROM recall_segments AS s WHERE s.context_id = c.context_id AND s.scope_set_id = %(mark)s
)
FROM contexts AS c
    LEFT JOIN recall_models AS m ON m.context_id = c.context_id
WHERE c.deleted_at IS NULL
ORDER BY c.context_id
"""
HEAD = "SELECT position FROM contexts WHERE context_id = %(context_id)s AND deleted_at IS NULL"


class Indexing:
    """The index of all contexts; told of appends by `poke`. embedder_of: the embedder of a context."""

    def __init__(self, pool: Pool, embedder_of: Callable[[str], Embedder]) -> None:
        self._embedder_of = embedder_of
        self._pool = pool
        self._due: dict[str, float] = {}  # when to look at each context that may hold something new
        self._pauses: dict[str, float] = {}  # how long each that failed was left alone
        self._extending: set[str] = set()
        self._at = ""  # the context that is being looked at
        self._changed = threading.Condition()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to work, if that has not been done. Without it, only `catch_up` does."""
        if self._thread is not None:
            return
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="indexing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the batch at hand; what is left is found at the next start."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(5)
            self._thread = None

    @property
    def at_work(self) -> bool:
        """Whether what is written now will be indexed by itself."""
        return self._thread is not None

    def poke(self, context_id: str) -> None:
        """There may be something new in this context; it is looked at soon. Neither waits nor fails."""
        if self._thread is not None:
            with self._changed:
                self._due.setdefault(context_id, time.monotonic() + GATHER_S)
                self._changed.notify_all()

    def settle(self, context_id: str) -> bool:
        """Index what this process wrote in the context a moment ago, at once, and wait for it, SETTLE_S at most.

        Returns whether something was awaited and is there: never for a backlog, or while the model fails. Never fails.
        """
        with self._changed:
            if context_id in self._pauses:
                return False
            if self._due.get(context_id, 0.0) > time.monotonic():
                self._due[context_id] = AT_ONCE
                self._changed.notify_all()
            elif self._at != context_id:
                return False
            return self._changed.wait_for(
                lambda: self._at != context_id and self._due.get(context_id) != AT_ONCE, SETTLE_S
            )

    def catch_up(self, context_id: str) -> None:
        """Index all that is there now, here and at once. Raises EmbeddingUnavailable."""
        while self._index(context_id):
            pass
        while self._embed(context_id):
            pass
        while self._extend_graph(context_id):
            pass

    def waiting(self, reader: Reader, *, limit: int = 10_000) -> int:
        """How many of the passages that the reader sees have no vector yet, counted up to `limit`."""
        return vector_rows.waiting_count(reader, self._embedder_of(reader.context_id).model, limit=limit)

    # --- the thread ---

    def _run(self) -> None:
        look_around_at = 0.0
        while True:
            if time.monotonic() >= look_around_at:
                self._look_around()
                look_around_at = time.monotonic() + LOOK_AROUND_S
            with self._changed:
                if self._stopped:
                    return
                now = time.monotonic()
                context_id, due_at = min(self._due.items(), key=lambda one: one[1], default=("", math.inf))
                if due_at > now:
                    self._changed.wait(min(look_around_at, due_at) - now)
                    continue
                del self._due[context_id]
                self._at = context_id
            try:
                if self._step(context_id):
                    self._look_at(context_id, now)
                self._pauses.pop(context_id, None)
            except EmbeddingUnavailable as error:
                logger.warning("embedding waits: %s", error)
                self._rest(context_id, error.retry_after_s)
            except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed) as error:
                logger.warning("indexing waits for the database: %s", type(error).__name__)
                self._rest(context_id, PAUSE_AFTER_FAILURE_S[0])
            except Exception:
                logger.exception("indexing of context %s failed", context_id)
            with self._changed:
                self._at = ""
                self._changed.notify_all()

    def _step(self, context_id: str) -> bool:
        """One batch of each kind. Returns whether there may be more. Words need no model, so they come first."""
        grown = self._index(context_id)
        more = self._embed(context_id)
        # Counting what is there is not free, so the graph is looked at only when much has come.
        if grown or context_id in self._extending:
            if self._extend_graph(context_id):
                self._extending.add(context_id)
            else:
                self._extending.discard(context_id)
        return grown or more or context_id in self._extending

    def _look_at(self, context_id: str, at: float) -> None:
        with self._changed:
            self._due[context_id] = at

    def _rest(self, context_id: str, pause_s: float | None) -> None:
        """Leave this context for a while, and only this one: others may ask another model. None: longer each time."""
        shortest, longest = PAUSE_AFTER_FAILURE_S
        if pause_s is None:
            pause_s = min(2 * self._pauses.get(context_id, shortest / 2), longest)
        self._pauses[context_id] = pause_s
        self._look_at(context_id, time.monotonic() + pause_s)

    def _look_around(self) -> None:
        try:
            with self._pool.connection() as connection:
                looked_at = connection.execute(LOOKED_AT, {"mark": postings.MARK}).fetchall()
        except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed):
            return
        done = {(context_id, model): embedded_to for context_id, _, model, embedded_to, _ in looked_at}
        for context_id, position, is_marked in {(one[0], one[1], one[-1]): None for one in looked_at}:
            if is_marked or position > done.get((context_id, self._embedder_of(context_id).model), 0) >> ORDINAL_BITS:
                self.poke(context_id)

    # --- what is done in a context ---

    def _embed(self, context_id: str) -> bool:
        """Make and store one batch of vectors. Returns whether there may be more to do."""
        embedder = self._embedder_of(context_id)
        model = embedder.model
        with self._pool.connection() as connection, snapshot(connection):
            head = connection.execute(HEAD, {"context_id": context_id}).fetchone()
            if head is None:
                return False
            reader = _reader(connection, context_id)
            rows = vector_rows.waiting(reader, model, limit=BATCH_PASSAGES)
            texts = vector_rows.texts(reader, rows)
            digests = [vector_rows.digest(text) for text in texts]
            known = vector_rows.known(reader, model, digests)
        seen_to = rows[-1].number if len(rows) == BATCH_PASSAGES else number_of(head[0] + 1, 0) - 1
        unknown = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        made = [literal(vector) for vector in embedder.embed(list(unknown.values()))]
        known |= dict(zip(unknown, made, strict=True))
        with self._pool.connection() as connection, connection.transaction():
            reader = _reader(connection, context_id)
            if not vector_rows.lock(reader.cursor, context_id):
                return False
            vector_rows.put(reader, model, rows, digests, [known[digest] for digest in digests], seen_to=seen_to)
        return len(rows) == BATCH_PASSAGES

    def _index(self, context_id: str) -> bool:
        """Put what there is of the tail, or one segment of which something was erased, into postings. Returns whether
        there may be more to do."""
        with self._pool.connection() as connection:
            if not postings.is_pending(_reader(connection, context_id)):
                return False
            with connection.transaction():
                reader = _reader(connection, context_id)
                if not vector_rows.lock(reader.cursor, context_id):
                    return False
                return postings.index_tail(reader) or postings.index_again(reader)

    def _extend_graph(self, context_id: str) -> bool:
        with self._pool.connection() as connection, connection.transaction():
            model = self._embedder_of(context_id).model
            return vector_rows.extend_graph(connection.cursor(), context_id, model, limit=GRAPH_BATCH) == GRAPH_BATCH


def _reader(connection: Connection, context_id: str) -> Reader:
    """A reader of everything, for the server's own work."""
    generation, scope_set_ids = every_scope_set(connection, context_id)
    return Reader(connection.cursor(), context_id, generation, scope_set_ids)
