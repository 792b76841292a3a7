"""Documents: their files, and how far each is read."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.events import (
    DocumentDeleted,
    DocumentFailed,
    DocumentLearnt,
    DocumentProcessed,
    DocumentReplaced,
    DocumentUploaded,
)
from memory.recorded import Recorded
from projections.reading import Page, Reader
from projections.table import Op, Put, Revise, Row, Table, start


class DocumentRow(Row, frozen=True):
    """status: queued, ready or failed (with `error`) of the newest version, whose event is at `version_position`.
    live_version: the one in force, None before the first. observed_at: as stated, then as found out. unread_chunks:
    in which no facts were looked for."""

    title: str
    source: str
    mime_type: str
    content_hash: str
    size_bytes: int
    version: int
    version_position: int
    version_at: datetime
    status: str
    error: str | None
    labels: list[str]
    observed_at: datetime | None
    own_date: str | None
    principal_id: UUID | None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    live_version: int | None
    text_length: int
    chunk_count: int
    keyword_count: int
    language: str | None
    unread_chunks: int
    deleted_at: datetime | None


TABLE = Table(
    "documents",
    DocumentRow,
    revised=True,
    columns="""
    title text NOT NULL,
    source text NOT NULL,
    mime_type text NOT NULL,
    content_hash text NOT NULL,
    size_bytes bigint NOT NULL,
    version integer NOT NULL,
    version_position bigint NOT NULL,
    version_at timestamptz NOT NULL,
    status text NOT NULL CHECK (status IN ('queued', 'ready', 'failed')),
    error text,
    labels text[] NOT NULL,
    observed_at timestamptz,
    own_date text,
    principal_id uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    completed_at timestamptz,
    live_version integer,
    text_length bigint NOT NULL,
    chunk_count bigint NOT NULL,
    keyword_count bigint NOT NULL,
    language text,
    unread_chunks bigint NOT NULL,
    deleted_at timestamptz
    """,
    indexes={
        "by_time": "(created_at, id) WHERE position_to IS NULL",
        "of_content": "(content_hash) WHERE position_to IS NULL",
        "waiting": "(version_position) WHERE position_to IS NULL AND status = 'queued'",
    },
)
HANDLES = (
    DocumentUploaded,
    DocumentReplaced,
    DocumentProcessed,
    DocumentLearnt,
    DocumentFailed,
    DocumentDeleted,
)

ONE = "SELECT d.* FROM {documents} AS d WHERE d.id = %(id)s AND d.deleted_at IS NULL"
BY_IDS = "SELECT d.* FROM {documents} AS d WHERE d.id = ANY(%(ids)s) AND d.deleted_at IS NULL"

FILTERED = """
d.deleted_at IS NULL
    AND (%(mime_type)s::text IS NULL OR lower(d.mime_type) = %(mime_type)s)
    AND (%(statuses)s::text[] IS NULL OR d.status = ANY(%(statuses)s))
    AND (%(ids)s::uuid[] IS NULL OR d.id = ANY(%(ids)s))
"""

NEWEST_FIRST = (
    "SELECT d.* FROM {documents} AS d WHERE"
    + FILTERED
    + """
    AND (%(before_time)s::timestamptz IS NULL OR (d.created_at, d.id) < (%(before_time)s, %(before_id)s::uuid))
ORDER BY d.created_at DESC, d.id DESC
OFFSET %(offset)s
LIMIT %(limit)s
"""
)
COUNT = "SELECT count(*) FROM {documents} AS d WHERE" + FILTERED

OF_CONTENT = """
SELECT d.* FROM {documents} AS d
WHERE d.content_hash = %(content_hash)s AND d.deleted_at IS NULL
ORDER BY d.created_at, d.id
"""

CONTENT_HASHES = "SELECT DISTINCT d.content_hash FROM {documents} AS d WHERE d.deleted_at IS NULL"

WAITING = (
    "SELECT d.id FROM {documents} AS d WHERE d.status = 'queued' AND d.deleted_at IS NULL ORDER BY d.version_position"
)

NAMES = "SELECT d.id, d.title, d.source FROM {documents} AS d WHERE d.deleted_at IS NULL"


def fold(recorded: Recorded) -> Iterator[Op]:
    at = recorded.recorded_at
    match recorded.event:
        case DocumentUploaded() as event:
            yield Put(
                TABLE,
                DocumentRow(
                    *start(recorded, event.document_id),
                    title=event.title,
                    source=event.source,
                    mime_type=event.mime_type,
                    content_hash=event.content_hash,
                    size_bytes=event.size_bytes,
                    version=event.version,
                    version_position=recorded.position,
                    version_at=at,
                    status="queued",
                    error=None,
                    labels=list(event.labels),
                    observed_at=event.observed_at,
                    own_date=event.own_date,
                    principal_id=recorded.origin.principal_id,
                    created_at=at,
                    updated_at=at,
                    completed_at=None,
                    live_version=None,
                    text_length=0,
                    chunk_count=0,
                    keyword_count=0,
                    language=None,
                    unread_chunks=0,
                    deleted_at=None,
                ),
            )
        case DocumentReplaced() as event:
            yield _revised(recorded, event.document_id, **_replacing(event, recorded))
        case DocumentProcessed() as event:
            yield _processed(recorded, event)
        case DocumentLearnt(document_id=document_id, unread=unread):
            yield _revised(recorded, document_id, status="ready", error=None, completed_at=at, unread_chunks=unread)
        case DocumentFailed() as event:
            yield _revised(recorded, event.document_id, status="failed", error=event.reason, completed_at=at)
        case DocumentDeleted(document_id=document_id):
            yield _revised(recorded, document_id, deleted_at=at)


def _replacing(event: DocumentReplaced, recorded: Recorded) -> dict[str, Any]:
    return {
        "title": event.title,
        "source": event.source,
        "mime_type": event.mime_type,
        "content_hash": event.content_hash,
        "size_bytes": event.size_bytes,
        "version": event.version,
        "version_position": recorded.position,
        "version_at": recorded.recorded_at,
        "status": "queued",
        "error": None,
        "observed_at": event.observed_at,
        "own_date": event.own_date,
        "completed_at": None,
    }


def _processed(recorded: Recorded, event: DocumentProcessed) -> Op:
    return _revised(
        recorded,
        event.document_id,
        observed_at=event.observed_at,
        live_version=event.version,
        text_length=event.text_length,
        chunk_count=event.chunk_count,
        keyword_count=len(event.keywords),
        language=event.language,
    )


def _revised(recorded: Recorded, document_id: UUID, **changes: Any) -> Revise[DocumentRow]:
    changes["updated_at"] = recorded.recorded_at
    return Revise(TABLE, document_id, recorded.recorded_at, lambda row: replace(row, **changes))


def one(reader: Reader, document_id: UUID) -> DocumentRow | None:
    rows = reader.rows(TABLE, ONE, {"id": document_id})
    return rows[0] if rows else None


def by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, DocumentRow]:
    return {row.id: row for row in reader.rows(TABLE, BY_IDS, {"ids": list(ids)})}


def lengths(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, int]:
    """How many characters of text the documents have."""
    return {row.id: row.text_length for row in by_ids(reader, ids).values()}


def of_content(reader: Reader, content_hash: str) -> list[DocumentRow]:
    """Documents of these bytes, oldest first."""
    return reader.rows(TABLE, OF_CONTENT, {"content_hash": content_hash})


def content_hashes(reader: Reader) -> set[str]:
    """Of the files that documents have."""
    return {content_hash for (content_hash,) in reader.tuples(CONTENT_HASHES, {})}


def newest_first(
    reader: Reader,
    *,
    limit: int,
    offset: int = 0,
    before: tuple[datetime, UUID] | None = None,
    mime_type: str | None = None,
    statuses: Sequence[str] | None = None,
    ids: Sequence[UUID] | None = None,
) -> Page[DocumentRow]:
    """Documents by upload time, newest first. mime_type: in lower case. statuses: as in DocumentRow."""
    before_time, before_id = before or (None, None)
    parameters = {**_filters(mime_type, statuses, ids), "offset": offset}
    parameters |= {"before_time": before_time, "before_id": before_id}
    return reader.page(TABLE, NEWEST_FIRST, parameters, limit=limit)


def count(
    reader: Reader,
    *,
    mime_type: str | None = None,
    statuses: Sequence[str] | None = None,
    ids: Sequence[UUID] | None = None,
) -> int:
    return int(reader.tuples(COUNT, _filters(mime_type, statuses, ids))[0][0])


def _filters(mime_type: str | None, statuses: Sequence[str] | None, ids: Sequence[UUID] | None) -> dict[str, Any]:
    return {
        "mime_type": mime_type,
        "statuses": None if statuses is None else list(statuses),
        "ids": None if ids is None else list(ids),
    }


def waiting(reader: Reader) -> list[UUID]:
    """Documents that wait to be read, oldest first."""
    return [document_id for (document_id,) in reader.tuples(WAITING, {})]
