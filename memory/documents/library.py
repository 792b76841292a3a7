"""The use cases of documents: adding, replacing, reading into memory, failing, deleting.

A document is recorded before it is read. Reading it is repeated from the start after a crash, and what an
earlier attempt recorded is not recorded again: its parts are numbered, and the ids of chunks are derived.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from memory import idempotency
from memory.documents import bytes_store, progress
from memory.documents.contents import Contents
from memory.documents.withdrawal import DocumentFacts, withdrawal
from memory.errors import Conflict, NotFound
from memory.events import (
    DocumentDeleted,
    DocumentFailed,
    DocumentLearnt,
    DocumentLinked,
    DocumentProcessed,
    DocumentReplaced,
    DocumentTextExtracted,
    DocumentUploaded,
    Retired,
)
from memory.idempotency import RequestKey
from memory.log import EventLog, Writing
from memory.principals import Caller
from memory.recorded import Origin
from memory.regions import narrowing_of
from memory.scopes import ScopeSet
from memory.sessions import Sessions
from memory.values import derived_id

PART_LENGTH = 16_000  # characters of text in one event, about; each is an append of its own


def chunk_id(document_id: UUID, version: int, ordinal: int) -> UUID:
    """The id of a chunk, and of the passage that it is found by."""
    return derived_id(derived_id(document_id, "version", version), "passage", ordinal)


class Overtaken(Exception):
    """The document was deleted or replaced while it was read: nothing more is to be done"""


@dataclass(frozen=True, slots=True)
class NewFile:
    """What is uploaded: the bytes are kept already, under their hash.

    observed_at, own_date: see `memory.events.DocumentUploaded`.
    """

    title: str
    source: str
    mime_type: str
    content_hash: str
    size_bytes: int
    labels: tuple[str, ...] = ()
    observed_at: datetime | None = None
    own_date: str | None = None


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document as a write sees it. live_version, chunk_count: of what is in force. version_at, _position: of the
    event that began the newest version. created_at: of the first one."""

    document_id: UUID
    scope_set_id: UUID
    scopes: ScopeSet
    title: str
    source: str
    mime_type: str
    content_hash: str
    size_bytes: int
    version: int
    created_at: datetime
    version_at: datetime
    version_position: int
    status: str
    observed_at: datetime | None
    own_date: str | None
    labels: tuple[str, ...]
    principal_id: UUID | None
    live_version: int | None
    chunk_count: int


@dataclass(frozen=True, slots=True)
class Uploaded:
    document_id: UUID
    status: str
    content_hash: str
    observed_at: datetime | None
    deduplicated: bool


class Shelf(Protocol):
    """Reads documents inside an open append. visible: scope sets that the caller may see, None for all."""

    def one(self, writing: Writing, document_id: UUID, visible: Sequence[UUID] | None) -> KnownDocument | None: ...

    def of_content(
        self, writing: Writing, content_hash: str, visible: Sequence[UUID] | None
    ) -> Sequence[KnownDocument]:
        """Documents of these bytes, oldest first."""
        ...

    def parts_recorded(self, writing: Writing, document_id: UUID, version: int) -> tuple[int, int]:
        """How many parts, and chunks, of a version's text are recorded."""
        ...

    def new_edges(self, writing: Writing, document_id: UUID, visible: Sequence[UUID]) -> Sequence[DocumentLinked]:
        """Links of a document that lead to another one among the visible, and are not recorded as such yet."""
        ...


class Library:
    """Use cases over documents. Shared by all threads."""

    def __init__(self, log: EventLog, shelf: Shelf, facts: DocumentFacts, sessions: Sessions) -> None:
        self.log = log
        self.sessions = sessions
        self.shelf = shelf
        self.facts = facts

    def keep_bytes(self, context_id: str, data: bytes) -> str:
        """Keep a file's bytes. Returns their hash."""
        with self.log.pool.connection() as connection:
            return bytes_store.put(connection, context_id, data)

    def repeated(self, caller: Caller, request: RequestKey | None) -> Uploaded | None:
        """What an earlier request of this key uploaded, as it is now, None if there is none.

        Raises Conflict if it had another body, or its document can't be seen any more.
        """
        if request is None:
            return None
        with self.log.writing(caller.context_id) as writing:
            return self._repeated(writing, caller, request)

    def upload(
        self,
        caller: Caller,
        file: NewFile,
        scopes: ScopeSet | None,
        document_id: UUID,
        request: RequestKey | None = None,
    ) -> Uploaded:
        """Add a document, or find the one of the same bytes that the caller may read.

        Stated scopes other than that one's make a document of their own: who may see it is part of it.
        request: if one of the same key was done before, nothing is recorded; see `repeated`.
        Raises Forbidden outside the grants, Conflict if the bytes went away meanwhile, or as `repeated` does.
        """
        with self.log.writing(caller.context_id) as writing:
            if repeated := self._repeated(writing, caller, request):
                return repeated
            _, scope_id, events = self.sessions.landing(writing, caller, scopes)
            for same in self.shelf.of_content(writing, file.content_hash, caller.visible):
                if scopes is None or same.scope_set_id == scope_id:
                    if request:
                        idempotency.keep(writing, request, None, [same.document_id])
                    return _uploaded(same, deduplicated=True)
            self._require_bytes(writing, file.content_hash)
            events.append(
                DocumentUploaded(
                    document_id=document_id,
                    title=file.title,
                    source=file.source,
                    mime_type=file.mime_type,
                    content_hash=file.content_hash,
                    size_bytes=file.size_bytes,
                    labels=file.labels,
                    observed_at=file.observed_at,
                    own_date=file.own_date,
                    region=narrowing_of(caller),
                )
            )
            writing.record(events, Origin(principal_id=caller.principal_id, scope_set_id=scope_id))
            progress.wait(writing.cursor, caller.context_id, document_id, 1)
            if request:
                idempotency.keep(writing, request, None, [document_id])
        return Uploaded(document_id, "queued", file.content_hash, file.observed_at, deduplicated=False)

    def replace(
        self, caller: Caller, document_id: UUID, file: NewFile | None, request: RequestKey | None = None
    ) -> Uploaded:
        """Give a document new bytes, or have it read again. Its scopes and labels stay. request: as for `upload`.

        Raises NotFound, Forbidden, Conflict.
        """
        with self.log.writing(caller.context_id) as writing:
            if repeated := self._repeated(writing, caller, request):
                return repeated
            known = self._to_change(writing, caller, document_id)
            content_hash = file.content_hash if file else known.content_hash
            self._require_bytes(writing, content_hash)
            event = DocumentReplaced(
                document_id=document_id,
                version=known.version + 1,
                title=(file and file.title) or known.title,
                source=(file and file.source) or known.source,
                mime_type=file.mime_type if file else known.mime_type,
                content_hash=content_hash,
                size_bytes=file.size_bytes if file else known.size_bytes,
                observed_at=file.observed_at if file else known.observed_at,
                own_date=file.own_date if file else known.own_date,
                retired=self._unfinished(writing, known),
                region=narrowing_of(caller),
            )
            writing.record([event], _origin(known, caller.principal_id))
            progress.wait(writing.cursor, caller.context_id, document_id, event.version)
            if request:
                idempotency.keep(writing, request, None, [document_id])
            if content_hash != known.content_hash:
                self._drop_unused(writing, known)
        return Uploaded(document_id, "queued", content_hash, event.observed_at, deduplicated=False)

    def delete(self, caller: Caller, document_id: UUID) -> None:
        """Nobody finds the document any more, what it alone says counts no more, and its bytes are gone unless
        another one has the same. Raises NotFound, Forbidden.
        """
        with self.log.writing(caller.context_id) as writing:
            known = self._to_change(writing, caller, document_id)
            live = () if known.live_version is None else ((known.live_version, known.chunk_count),)
            retired = (*live, *self._unfinished(writing, known))
            event = DocumentDeleted(document_id=document_id, retired=retired)
            origin = _origin(known, caller.principal_id)
            writing.record([event], origin)
            writing.record(withdrawal(self.facts, writing, known.scope_set_id, document_id, None), origin)
            self._drop_unused(writing, known)
            progress.end(writing.cursor, caller.context_id, document_id)

    # --- reading a document into memory ---

    def record_text(
        self, context_id: str, known: KnownDocument, contents: Contents, said_at: datetime
    ) -> Iterator[int]:
        """Record the text, part by part; yields the number of chunks recorded so far. Raises Overtaken."""
        for event in parts(known, contents):
            with self.log.writing(context_id) as writing:
                self._require_current(writing, known)
                if event.part >= self.shelf.parts_recorded(writing, known.document_id, known.version)[0]:
                    origin = Origin(
                        principal_id=known.principal_id,
                        scope_set_id=known.scope_set_id,
                        observed_at=said_at,
                    )
                    writing.record([event], origin)
            yield event.chunks[-1].ordinal + 1

    def record_processed(
        self, context_id: str, known: KnownDocument, contents: Contents, said_at: datetime, visible: Sequence[UUID]
    ) -> None:
        """The version is read and in force, if an earlier attempt did not get so far. visible: where its links may
        lead. Raises Overtaken."""
        with self.log.writing(context_id) as writing:
            now = self._require_current(writing, known)
            if now.live_version == known.version:
                return
            event = DocumentProcessed(
                document_id=known.document_id,
                version=known.version,
                chunk_count=len(contents.chunks),
                text_length=len(contents.text),
                keywords=contents.keywords,
                links=contents.links,
                observed_at=said_at,
                language=contents.language,
                retired=() if now.live_version is None else ((now.live_version, now.chunk_count),),
            )
            origin = _origin(known, known.principal_id)
            writing.record([event], origin)
            writing.flush()
            writing.record(self.shelf.new_edges(writing, known.document_id, visible), origin)

    def record_learnt(self, context_id: str, known: KnownDocument, *, unread: int = 0) -> None:
        """Its facts were looked for, so it is ready, and what only its former versions said counts no more.

        unread: chunks in which none were looked for; what they may say still is not taken back. Raises Overtaken.
        """
        with self.log.writing(context_id) as writing:
            self._require_current(writing, known)
            origin = _origin(known, known.principal_id)
            writing.record(
                [DocumentLearnt(document_id=known.document_id, version=known.version, unread=unread)], origin
            )
            if not unread:
                gone = withdrawal(self.facts, writing, known.scope_set_id, known.document_id, known.version)
                writing.record(gone, origin)

    def record_failed(self, context_id: str, known: KnownDocument, reason: str) -> None:
        """The version can't be read. Raises Overtaken."""
        with self.log.writing(context_id) as writing:
            self._require_current(writing, known)
            event = DocumentFailed(
                document_id=known.document_id,
                version=known.version,
                reason=reason,
                retired=self._unfinished(writing, known),
            )
            writing.record([event], _origin(known, known.principal_id))

    def drop_orphan(self, context_id: str, content_hash: str, age_s: float) -> None:
        """Delete bytes that no document has and that were last sent longer ago than age_s seconds."""
        with self.log.writing(context_id) as writing:
            if not self.shelf.of_content(writing, content_hash, None):
                bytes_store.drop_older(writing.cursor, context_id, content_hash, age_s)

    def link_again(self, caller: Caller, document_ids: Sequence[UUID]) -> int:
        """Find where the links of documents lead by now, of those that the caller may write to. Returns how many were
        found; those known stay."""
        found = 0
        for document_id in document_ids:
            with self.log.writing(caller.context_id) as writing:
                known = self.shelf.one(writing, document_id, caller.visible)
                if known is not None and caller.may("memory:write", known.scopes):
                    edges = self.shelf.new_edges(writing, document_id, caller.visible)
                    found += len(writing.record(edges, _origin(known, caller.principal_id)))
        return found

    def _repeated(self, writing: Writing, caller: Caller, request: RequestKey | None) -> Uploaded | None:
        done = idempotency.find(writing, request) if request else None
        if done is None:
            return None
        known = self.shelf.one(writing, done.turn_ids[0], caller.visible)
        if known is None:
            raise Conflict("the document of this Idempotency-Key is out of reach")
        # What one append records has one time, which no other append has.
        return _uploaded(known, deduplicated=done.at not in (known.created_at, known.version_at))

    def _to_change(self, writing: Writing, caller: Caller, document_id: UUID) -> KnownDocument:
        known = self.shelf.one(writing, document_id, caller.visible)
        if known is None:
            raise NotFound("there is no such document")
        caller.require("memory:write", known.scopes)
        return known

    def _require_current(self, writing: Writing, known: KnownDocument) -> KnownDocument:
        now = self.shelf.one(writing, known.document_id, None)
        if now is None or now.version != known.version or now.status != "queued":
            raise Overtaken
        return now

    def _unfinished(self, writing: Writing, known: KnownDocument) -> Retired:
        """The newest version, if it is not in force but parts of it are recorded."""
        if known.version == known.live_version:
            return ()
        _, chunk_count = self.shelf.parts_recorded(writing, known.document_id, known.version)
        return ((known.version, chunk_count),) if chunk_count else ()

    def _require_bytes(self, writing: Writing, content_hash: str) -> None:
        if not bytes_store.are_held(writing.cursor_before, writing.context_id, content_hash):
            raise Conflict("the bytes of this document were deleted meanwhile; send it again")

    def _drop_unused(self, writing: Writing, known: KnownDocument) -> None:
        if not self.shelf.of_content(writing, known.content_hash, None):
            bytes_store.drop(writing.cursor, writing.context_id, known.content_hash)


def parts(known: KnownDocument, contents: Contents) -> Iterator[DocumentTextExtracted]:
    """The text in parts of about PART_LENGTH, cut before a chunk; together they are all of it."""
    begin = first = 0
    number = 0
    for place, chunk in enumerate(contents.chunks, start=1):
        is_last = place == len(contents.chunks)
        if not is_last and contents.chunks[place].char_end - begin <= PART_LENGTH:
            continue
        end = len(contents.text) if is_last else contents.chunks[place].char_start
        yield DocumentTextExtracted(
            document_id=known.document_id,
            version=known.version,
            part=number,
            char_start=begin,
            text=contents.text[begin:end],
            chunks=contents.chunks[first : chunk.ordinal + 1],
            title=known.title,
            labels=known.labels,
        )
        begin, first, number = end, place, number + 1


def _origin(known: KnownDocument, principal_id: UUID | None) -> Origin:
    return Origin(principal_id=principal_id, scope_set_id=known.scope_set_id)


def _uploaded(known: KnownDocument, *, deduplicated: bool) -> Uploaded:
    return Uploaded(known.document_id, known.status, known.content_hash, known.observed_at, deduplicated)
