"""The background task that reads documents into memory, from queued to ready or failed."""

import logging
import threading
import time
from collections.abc import Iterator
from uuid import UUID

from api.wiring import Services
from api.work.worker import Ids, Task
from memory.administration import ADMIN
from memory.documents import bytes_store, progress, sandbox
from memory.documents.blocks import Unreadable
from memory.documents.contents import own_date
from memory.documents.library import KnownDocument, Overtaken
from memory.errors import ExtractorUnavailable
from memory.events import DocumentReplaced, DocumentUploaded
from memory.principals import Caller
from projections import documents, shelf
from projections.access import caller_of_principal, every_scope_set
from projections.reading import Reader, snapshot

logger = logging.getLogger(__name__)

TASK = "read_document"
ATTEMPTS_MAX = 5  # a document whose reading ends the worker so often is given up
AT_ONCE = 2  # each may take the memory that a reading process is allowed
NOTES_EVERY_S = 0.25
VECTORS_WAIT_S = 30.0
VECTORS_LOOK_S = 0.1
CONTEXTS = "SELECT context_id FROM contexts WHERE deleted_at IS NULL ORDER BY context_id"

_turns = threading.BoundedSemaphore(AT_ONCE)


def ids_of(context_id: str, document_id: UUID) -> dict[str, str]:
    """The arguments of the task."""
    return {"context_id": context_id, "document_id": str(document_id)}


class DocumentReading:
    """Reads documents. What waits is known by the rows of progress; once at the start, by the log itself."""

    def __init__(self) -> None:
        self._started = False

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
            yield ids_of(context_id, document_id)

    def run(self, services: Services, ids: Ids) -> None:
        with _turns:
            read_document(services, ids["context_id"], UUID(ids["document_id"]))


def read_document(services: Services, context_id: str, document_id: UUID) -> None:
    """Read a document that waits, and record it as ready or failed; any other is left as it is.

    Repeatable: what an attempt recorded before it was broken off is not recorded again.
    """
    found = _waiting(services, context_id, document_id)
    if found is None:
        _end(services, context_id, document_id)
        return
    known, caller = found
    reading = _Reading(services, known, caller)
    try:
        reading.read()
    except Unreadable as error:
        reading.fail(str(error))
    except Overtaken:
        return  # another job reads the newer version
    except ExtractorUnavailable as error:
        logger.warning("the facts of a document wait: %s", error.kind)
        return  # found again by the next sweep
    _end(services, context_id, document_id)


class _Reading:
    def __init__(self, services: Services, known: KnownDocument, caller: Caller) -> None:
        self.services = services
        self.known = known
        self.caller = caller
        self._noted = ("", 0.0)

    def read(self) -> None:
        services, known, context_id = self.services, self.known, self.caller.context_id
        with services.pool.connection() as connection:
            attempt = progress.begin(connection, context_id, known.document_id, known.version)
        if attempt > ATTEMPTS_MAX and known.live_version == known.version:
            logger.warning("a document's facts could not be looked for in %d attempts", ATTEMPTS_MAX)
            services.library.record_learnt(context_id, known)
            return
        if attempt > ATTEMPTS_MAX:
            raise Unreadable(f"reading the document was broken off {ATTEMPTS_MAX} times")
        contents = sandbox.read(self._bytes(), known.mime_type, self._note)
        said_at = known.observed_at or known.version_at
        if known.observed_at is None and known.own_date is not None:
            said_at = own_date(contents.headers, known.own_date) or said_at
        for done in services.library.record_text(context_id, known, contents, said_at):
            self._note("chunking", done, len(contents.chunks))
        # In force as soon as its words are there: vectors and facts follow, and take longer.
        services.library.record_processed(context_id, known, contents, said_at, self.caller.visible)
        self._wait_for_vectors(len(contents.chunks))
        self._note("keywording", len(contents.keywords), len(contents.keywords))
        services.document_learning.learn(
            self.caller, known, contents, said_at, lambda done, of: self._note("extracting_nodes", done, of)
        )
        services.library.record_learnt(context_id, known)

    def _wait_for_vectors(self, chunks: int) -> None:
        """Until the indexing thread has embedded what this scope holds, if it is at work, but not for ever: the
        words are found already, and a long document's vectors follow."""
        indexing, known = self.services.indexing, self.known
        until = time.monotonic() + VECTORS_WAIT_S
        while self.services.embedder.embedder.ready and time.monotonic() < until:
            with self.services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
                generation, _ = every_scope_set(connection, self.caller.context_id)
                reader = Reader(cursor, self.caller.context_id, generation, [known.scope_set_id])
                left = indexing.waiting(reader, limit=chunks)
            self._note("embedding", chunks - left, chunks)
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

    def _note(self, stage: str, done: int, total: int) -> None:
        """Show how far it is: each new stage, and then not more often than anybody looks."""
        before, at = self._noted
        if progress.STAGES.index(stage) < progress.STAGES.index(before or "queued"):
            return
        if stage == before and time.monotonic() - at < NOTES_EVERY_S:
            return
        self._noted = (stage, time.monotonic())
        with self.services.pool.connection() as connection:
            key = (self.caller.context_id, self.known.document_id, self.known.version)
            progress.note(connection, *key, stage, done, total)


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
