"""Chunks of documents, and the passages that they are found by."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from memory.documents.library import chunk_id
from memory.events import (
    DocumentDeleted,
    DocumentFailed,
    DocumentProcessed,
    DocumentReplaced,
    DocumentTextExtracted,
    Retired,
)
from memory.recorded import Recorded
from projections import passages
from projections.passages import Kind
from projections.reading import Page, Reader
from projections.table import Close, Op, Put, Row, Table, start


class ChunkRow(Row, frozen=True):
    """A range of a version's text; see `memory.documents.chunks.Chunk`. part: the event that holds its words."""

    document_id: UUID
    version: int
    part: int
    ordinal: int
    char_start: int
    char_end: int
    section: str | None
    tokens: int
    fingerprint: int
    duplicate_of: int | None


TABLE = Table(
    "document_chunks",
    ChunkRow,
    columns="""
    document_id uuid NOT NULL,
    version integer NOT NULL,
    part integer NOT NULL,
    ordinal integer NOT NULL,
    char_start bigint NOT NULL,
    char_end bigint NOT NULL,
    section text,
    tokens integer NOT NULL,
    fingerprint bigint NOT NULL,
    duplicate_of integer
    """,
    indexes={"of_document": "(document_id, version, ordinal)"},
)
HANDLES = (DocumentTextExtracted, DocumentReplaced, DocumentProcessed, DocumentFailed, DocumentDeleted)

LIVE_CHUNKS = "{document_chunks} AS c JOIN {documents} AS d ON d.id = c.document_id AND d.live_version = c.version"

OF_DOCUMENT = (
    f"SELECT c.* FROM {LIVE_CHUNKS}"
    """
WHERE c.document_id = %(document_id)s AND d.deleted_at IS NULL AND c.ordinal >= %(first)s AND c.ordinal <= %(last)s
ORDER BY c.ordinal
LIMIT %(limit)s
"""
)

TEXTS = "SELECT p.id, p.text FROM {passages} AS p WHERE p.id = ANY(%(ids)s)"

BY_IDS = f"SELECT c.* FROM {LIVE_CHUNKS} WHERE c.id = ANY(%(ids)s) AND d.deleted_at IS NULL"

PARTS_RECORDED = """
SELECT count(DISTINCT c.part), count(*) FROM {document_chunks} AS c
WHERE c.document_id = %(document_id)s AND c.version = %(version)s
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case DocumentTextExtracted() as event:
            yield from _chunks(recorded, event)
        case DocumentReplaced() | DocumentProcessed() | DocumentFailed() | DocumentDeleted() as event:
            yield from _closed(event.document_id, event.retired)


def _chunks(recorded: Recorded, event: DocumentTextExtracted) -> Iterator[Op]:
    for chunk in event.chunks:
        yield Put(
            TABLE,
            ChunkRow(
                *start(recorded, chunk_id(event.document_id, event.version, chunk.ordinal)),
                document_id=event.document_id,
                version=event.version,
                part=event.part,
                ordinal=chunk.ordinal,
                char_start=chunk.char_start,
                char_end=chunk.char_end,
                section=chunk.section,
                tokens=chunk.tokens,
                fingerprint=chunk.fingerprint,
                duplicate_of=chunk.duplicate_of,
            ),
        )
        begin, end = chunk.char_start - event.char_start, chunk.char_end - event.char_start
        yield Put(
            passages.TABLE,
            passages.passage(
                recorded,
                chunk_id(event.document_id, event.version, chunk.ordinal),
                Kind.DOCUMENT,
                text=event.text[begin:end],
                role="document",
                labels=event.labels,
                ordinal=chunk.ordinal,
                chars=(chunk.char_start, chunk.char_end),
                document_id=event.document_id,
                title=event.title,
                section=chunk.section or "",
            ),
        )


def _closed(document_id: UUID, retired: Retired) -> Iterator[Op]:
    """The passages of versions that are found no more. Their chunks stay: no read shows any but a live version's."""
    for version, chunk_count in retired:
        for ordinal in range(chunk_count):
            yield Close(passages.TABLE, chunk_id(document_id, version, ordinal))


def of_document(
    reader: Reader, document_id: UUID, *, first: int = 0, last: int = 2**31 - 1, limit: int
) -> Page[ChunkRow]:
    """Chunks in force of a document, first <= ordinal <= last, in order."""
    parameters = {"document_id": document_id, "first": first, "last": last}
    return reader.page(TABLE, OF_DOCUMENT, parameters, limit=limit)


def by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, ChunkRow]:
    """Those that are in force."""
    return {row.id: row for row in reader.rows(TABLE, BY_IDS, {"ids": list(ids)})}


def texts(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, str]:
    """The words of chunks, of those that are found."""
    return dict(reader.tuples(TEXTS, {"ids": list(ids)}))


def parts_recorded(reader: Reader, document_id: UUID, version: int) -> tuple[int, int]:
    """How many parts, and chunks, of a version's text are recorded."""
    parts, rows = reader.tuples(PARTS_RECORDED, {"document_id": document_id, "version": version})[0]
    return int(parts), int(rows)
