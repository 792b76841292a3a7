"""The background task that reads documents into memory, from queued to ready or failed.

First the file is read and its words recorded, which makes it found; then facts are looked for in its chunks,
batch by batch. Long documents give way to others after SLICE_S, and go on where they were, after a crash too.
"""

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from uuid import UUID

from api.wiring import Services
from api.work.worker import Ids, Task
from memory.administration import ADMIN
from memory.documents import bytes_store, progress, sandbox
from memory.documents.blocks import Unreadable
from memory.documents.contents import own_date
from memory.documents.learning import Piece
from memory.documents.library import KnownDocument, Overtaken, chunk_id
from memory.errors import ExtractorUnavailable
from memory.events import DocumentReplaced, DocumentUploaded
from memory.principals import Caller
from projections import document_chunks, documents, shelf
from projections.access import caller_of_principal, every_scope_set
from projections.reading import Reader, snapshot

logger = logging.getLogger(__name__)

TASK = "read_document"
ATTEMPTS_MAX = 5  # a document whose reading ends the worker so often is given up
AT_ONCE = 2  # each may take the memory that a reading process is allowed
SLICE_S = 15.0
HELD_LOOK_S = 60.0
FACT_BATCH = 12  # chunks, two calls of a language model
NOTES_EVERY_S = 0.25
VECTORS_WAIT_S = 30.0
VECTORS_LOOK_S = 0.1
CONTEXTS = "SELECT context_id FROM contexts WHERE deleted_at IS NULL ORDER BY context_id"


def ids_of(context_id: str, document_id: UUID) -> dict[str, str]:
    """The arguments of the task."""
    return {"context_id": context_id, "document_id": str(document_id)}


class DocumentReading:
    """Reads documents. What waits is known by the rows of progress; once at the start, by the log itself."""

    def __init__(self) -> None:
        self._started = False
        self._turns = threading.Semaphore(AT_ONCE)
        self._resting: dict[tuple[str, str], tuple[float, int]] = {}  # until when, and after how many failures

    @property
    def task(self) -> Task:
        return Task(TASK, self.run, self.waiting)

    def waiting(self, services: Services) -> Iterator[Ids]:
        with services.pool.connection() as connection:
            found = list(progress.every(connection))
            contexts = [] if self._started else [one for (one,) in connection.execute(CONTEXTS)]
        for context_id in contexts:
            with services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
                generation, seen = every_scope_set(connection, context_id)
                found += [(context_id, one) for one in documents.waiting(Reader(cursor, context_id, generation, seen))]
        self._started = True
        for context_id, document_id in dict.fromkeys(found):
            if time.monotonic() >= self._resting.get((context_id, str(document_id)), (0.0, 0))[0]:
                yield ids_of(context_id, document_id)

    def run(self, services: Services, ids: Ids) -> None:
        # Whoever has a turn asks again for those that wait, so that none of them keeps a thread of the worker.
        if not self._turns.acquire(blocking=False):
            return
        key = ids["context_id"], ids["document_id"]
        is_done = True
        try:
            is_done = read_document(services, ids["context_id"], UUID(ids["document_id"]))
            self._resting.pop(key, None)
        except ExtractorUnavailable as error:
            logger.warning("the facts of a document wait: %s", error.kind)
            failures = self._resting.get(key, (0.0, 0))[1] + 1
            # Nobody tells when a hold ends: a limit may be raised before the day is over.
            delay_s = HELD_LOOK_S if error.is_held else services.models.server.retries.delay_s(failures, error.wait_s)
            self._resting[key] = (time.monotonic() + delay_s, failures)
        finally:
            self._turns.release()
            self._queue(services, () if is_done else (ids,), but=ids)

    def _queue(self, services: Services, first: Iterable[Ids], *, but: Ids) -> None:
        """Ask for `first` and for those that wait the longest, but not at once for one that has just been tried."""
        others = (one for one in self.waiting(services) if one != but)
        for waiting in (*islice(others, AT_ONCE), *first):
            services.queue.put(TASK, waiting)


def read_document(services: Services, context_id: str, document_id: UUID, *, slice_s: float = SLICE_S) -> bool:
    """Read a document that waits, and record it as ready or failed; any other is left as it is.

    Repeatable: what an attempt recorded before it was broken off is not recorded again. Returns False if the
    search for facts is to go on, after slice_s seconds of it. Raises ExtractorUnavailable, to be called again later.
    """
    found = _waiting(services, context_id, document_id)
    if found is None:
        _end(services, context_id, document_id)
        return True
    known, caller = found
    is_done = True
    try:
        reading = _Reading(services, known, caller)
        if known.live_version != known.version:
            reading.read()
            found = _waiting(services, context_id, document_id)
        if found is not None:
            is_done = _Learning(services, *found).learn(reading.attempt, slice_s)
    except Unreadable as error:
        reading.fail(str(error))
    except Overtaken:
        return True  # another job reads the newer version
    if is_done:
        _end(services, context_id, document_id)
    return is_done


class _Stages:
    """Shows how far a document is: each new stage, and then not more often than anybody looks."""

    def __init__(self, services: Services, known: KnownDocument, caller: Caller) -> None:
        self.services = services
        self.known = known
        self.caller = caller
        self._noted = ("", 0.0)

    def note(self, stage: str, done: int, total: int, *, counts: bool = False) -> None:
        """counts: see `progress.note`."""
        before, at = self._noted
        if progress.STAGES.index(stage) < progress.STAGES.index(before or "queued"):
            return
        if stage == before and time.monotonic() - at < NOTES_EVERY_S and not counts:
            return
        self._noted = (stage, time.monotonic())
        with self.services.pool.connection() as connection:
            key = (self.caller.context_id, self.known.document_id, self.known.version)
            progress.note(connection, *key, stage, done, total, counts=counts)


class _Reading(_Stages):
    """From the bytes of a file to words that are found."""

    def __init__(self, services: Services, known: KnownDocument, caller: Caller) -> None:
        super().__init__(services, known, caller)
        with services.pool.connection() as connection:
            self.attempt = progress.begin(connection, caller.context_id, known.document_id, known.version)

    def read(self) -> None:
        services, known, context_id = self.services, self.known, self.caller.context_id
        if self.attempt.number > ATTEMPTS_MAX:
            raise Unreadable(f"reading the document was broken off {ATTEMPTS_MAX} times")
        contents = sandbox.read(self._bytes(), known.mime_type, self.note)
        said_at = known.observed_at or known.version_at
        if known.observed_at is None and known.own_date is not None:
            said_at = own_date(contents.headers, known.own_date) or said_at
        for done in services.library.record_text(context_id, known, contents, said_at):
            self.note("chunking", done, len(contents.chunks))
        # In force as soon as its words are there: vectors and facts follow, and take longer.
        services.library.record_processed(context_id, known, contents, said_at, self.caller.visible)
        self._wait_for_vectors(len(contents.chunks))
        self.note("keywording", len(contents.keywords), len(contents.keywords))
        self.note("extracting_nodes", 0, min(len(contents.chunks), services.settings.fact_chunks), counts=True)

    def _wait_for_vectors(self, chunks: int) -> None:
        """Until the indexing thread has embedded what this scope holds, if it is at work, but not for ever: the
        words are found already, and a long document's vectors follow."""
        indexing, known = self.services.indexing, self.known
        until = time.monotonic() + VECTORS_WAIT_S
        while indexing.at_work and self.services.embedder.embedder.ready and time.monotonic() < until:
            with self.services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
                generation, _ = every_scope_set(connection, self.caller.context_id)
                reader = Reader(cursor, self.caller.context_id, generation, [known.scope_set_id])
                left = indexing.waiting(reader, limit=chunks)
            self.note("embedding", chunks - left, chunks)
            if left == 0:
                return
            indexing.poke(self.caller.context_id)
            time.sleep(VECTORS_LOOK_S)

    def fail(self, reason: str) -> None:
        try:
            self.services.library.record_failed(self.caller.context_id, self.known, reason)
        except Overtaken:
            logger.info("a document that can't be read was replaced or deleted meanwhile")

    def _bytes(self) -> bytes:
        with self.services.pool.connection() as connection:
            parts = bytes_store.parts(connection, self.caller.context_id, self.known.content_hash)
            data = b"".join(parts)
        if not data:
            raise Unreadable("the document's bytes are gone")
        return data


class _Learning(_Stages):
    """Looks for facts in the chunks of a document whose words are found."""

    def learn(self, attempt: progress.Attempt, slice_s: float) -> bool:
        """Go on where an earlier attempt was. Returns False if there is more to do after slice_s seconds.

        Raises Overtaken, ExtractorUnavailable.
        """
        services, known, context_id = self.services, self.known, self.caller.context_id
        until = time.monotonic() + slice_s
        done = attempt.done if attempt.stage == "extracting_nodes" else 0
        total = min(known.chunk_count, services.settings.fact_chunks)
        if attempt.number > ATTEMPTS_MAX:
            logger.warning("the search for a document's facts was broken off %d times", ATTEMPTS_MAX)
            total = done
        while done < total:
            batch = self._pieces(done, min(done + FACT_BATCH, total))
            try:
                services.document_learning.learn(self.caller, known, batch, known.observed_at or known.version_at)
            except ExtractorUnavailable as error:
                age_s = (datetime.now(UTC) - known.version_at).total_seconds()
                if error.is_held or age_s < services.models.server.retries.give_up_s:
                    self.note("extracting_nodes", done, total, counts=True)
                    raise
                total = done
                break
            done = min(done + FACT_BATCH, total)
            self.note("extracting_nodes", done, total, counts=True)
            if time.monotonic() > until and done < total:
                return False
        services.library.record_learnt(context_id, known, unread=known.chunk_count - total)
        return True

    def _pieces(self, begin: int, end: int) -> list[Piece]:
        """Chunks begin <= ordinal < end, without those that were forgotten and those that only repeat another."""
        with self.services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
            generation, _ = every_scope_set(connection, self.caller.context_id)
            reader = Reader(cursor, self.caller.context_id, generation, [self.known.scope_set_id])
            document_id, version = self.known.document_id, self.known.version
            rows = document_chunks.of_document(reader, document_id, first=begin, last=end - 1, limit=end - begin).rows
            like = {
                row.id: chunk_id(document_id, version, row.duplicate_of) for row in rows if row.duplicate_of is not None
            }
            texts = document_chunks.texts(reader, [*(row.id for row in rows), *like.values()])
        return [
            Piece(row.ordinal, row.char_start, texts[row.id])
            for row in rows
            if row.id in texts and (row.id not in like or texts[row.id] != texts.get(like[row.id]))
        ]


def _waiting(services: Services, context_id: str, document_id: UUID) -> tuple[KnownDocument, Caller] | None:
    """The document if it waits to be read, and its uploader, or the administrator if there is none any more."""
    with services.pool.connection() as connection:
        with snapshot(connection), connection.cursor() as cursor:
            generation, seen = every_scope_set(connection, context_id)
            reader = Reader(cursor, context_id, generation, seen)
            row = documents.one(reader, document_id)
            known = shelf.known(reader, row) if row and row.status == "queued" else None
            uploaded = services.log.at(cursor, context_id, [known.version_position]) if known else []
        if known is None:
            return None
        events = [one.event for one in uploaded]
        region = next((one.region for one in events if isinstance(one, DocumentUploaded | DocumentReplaced)), None)
        caller = None
        if known.principal_id is not None:
            caller = caller_of_principal(connection, context_id, known.principal_id, region=region)
        caller = caller or caller_of_principal(connection, context_id, ADMIN, region=region)
    return (known, caller) if caller else None


def _end(services: Services, context_id: str, document_id: UUID) -> None:
    with services.pool.connection() as connection, connection.cursor() as cursor:
        progress.end(cursor, context_id, document_id)
