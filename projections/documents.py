"""Documents: their files, how far each is read, and the chunks, keywords and links of what is in force."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.documents.library import chunk_id
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
from memory.recorded import Recorded
from memory.values import derived_id
from projections import passages
from projections.passages import Kind
from projections.reading import Page, Reader
from projections.table import Close, Op, Put, Revise, Row, Table, start


class DocumentRow(Row, frozen=True):
    """status: queued, ready or failed (with `error`) of the newest version, whose event is at `version_position`.
    live_version: the one in force, None before the first. observed_at: as stated, then as found out."""

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
    deleted_at: datetime | None


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


class KeywordRow(Row, frozen=True):
    document_id: UUID
    version: int
    ordinal: int
    text: str
    normalised: str
    score: float


class LinkRow(Row, frozen=True):
    """A link as it stands in a document."""

    document_id: UUID
    version: int
    ordinal: int
    kind: str
    target: str
    label: str
    char_start: int


class EdgeRow(Row, frozen=True):
    """A link of a document that leads to another one."""

    document_id: UUID
    target_id: UUID
    kind: str


DOCUMENTS = Table(
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
    deleted_at timestamptz
    """,
    indexes={
        "by_time": "(created_at, id) WHERE position_to IS NULL",
        "of_content": "(content_hash) WHERE position_to IS NULL",
        "waiting": "(version_position) WHERE position_to IS NULL AND status = 'queued'",
    },
)
CHUNKS = Table(
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
KEYWORDS = Table(
    "document_keywords",
    KeywordRow,
    columns="""
    document_id uuid NOT NULL,
    version integer NOT NULL,
    ordinal integer NOT NULL,
    text text NOT NULL,
    normalised text NOT NULL,
    score double precision NOT NULL
    """,
    indexes={"of_document": "(document_id, version)", "named": "(normalised)"},
)
LINKS = Table(
    "document_links",
    LinkRow,
    columns="""
    document_id uuid NOT NULL,
    version integer NOT NULL,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    target text NOT NULL,
    label text NOT NULL,
    char_start bigint NOT NULL
    """,
    indexes={"of_document": "(document_id, version)"},
)
EDGES = Table(
    "document_edges",
    EdgeRow,
    columns="document_id uuid NOT NULL, target_id uuid NOT NULL, kind text NOT NULL",
    indexes={"of_document": "(document_id)", "to_document": "(target_id)"},
)
HANDLES = (
    DocumentUploaded,
    DocumentReplaced,
    DocumentTextExtracted,
    DocumentProcessed,
    DocumentLearnt,
    DocumentFailed,
    DocumentLinked,
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

WAITING = (
    "SELECT d.id FROM {documents} AS d WHERE d.status = 'queued' AND d.deleted_at IS NULL ORDER BY d.version_position"
)

LIVE_CHUNKS = "{document_chunks} AS c JOIN {documents} AS d ON d.id = c.document_id AND d.live_version = c.version"

CHUNKS_OF = (
    f"SELECT c.* FROM {LIVE_CHUNKS}"
    """
WHERE c.document_id = %(document_id)s AND d.deleted_at IS NULL AND c.ordinal >= %(first)s AND c.ordinal <= %(last)s
ORDER BY c.ordinal
LIMIT %(limit)s
"""
)

CHUNKS_BY_IDS = f"SELECT c.* FROM {LIVE_CHUNKS} WHERE c.id = ANY(%(ids)s) AND d.deleted_at IS NULL"

PARTS_RECORDED = """
SELECT count(DISTINCT c.part), count(*) FROM {document_chunks} AS c
WHERE c.document_id = %(document_id)s AND c.version = %(version)s
"""

KEYWORDS_OF = """
SELECT k.* FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
WHERE k.document_id = ANY(%(ids)s) AND d.deleted_at IS NULL
ORDER BY k.ordinal
"""

EVERY_KEYWORD = """
SELECT k.normalised, min(k.text), count(DISTINCT k.document_id), max(k.score)
FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
WHERE d.deleted_at IS NULL
GROUP BY k.normalised
"""

DOCUMENTS_OF_KEYWORD = """
SELECT d.id, d.title, k.score, k.text
FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
WHERE k.normalised = %(normalised)s AND d.deleted_at IS NULL
ORDER BY k.score DESC, d.id
"""

SHARED_KEYWORDS = """
SELECT k.document_id, o.document_id, k.text, least(k.score, o.score)
FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
    JOIN {document_keywords} AS o ON o.normalised = k.normalised AND o.document_id <> k.document_id
    JOIN {documents} AS e ON e.id = o.document_id AND e.live_version = o.version
WHERE k.document_id = ANY(%(ids)s) AND d.deleted_at IS NULL AND e.deleted_at IS NULL
"""

EVERY_LINK = """
SELECT l.document_id, l.kind, l.target
FROM {document_links} AS l JOIN {documents} AS d ON d.id = l.document_id AND d.live_version = l.version
WHERE d.deleted_at IS NULL AND (%(ids)s::uuid[] IS NULL OR l.document_id = ANY(%(ids)s))
"""

NAMES = "SELECT d.id, d.title, d.source FROM {documents} AS d WHERE d.deleted_at IS NULL"

EVERY_EDGE = """
SELECT e.document_id, e.target_id, e.kind
FROM {document_edges} AS e JOIN {documents} AS d ON d.id = e.document_id JOIN {documents} AS t ON t.id = e.target_id
WHERE d.deleted_at IS NULL AND t.deleted_at IS NULL
    AND (%(ids)s::uuid[] IS NULL OR e.document_id = ANY(%(ids)s) OR e.target_id = ANY(%(ids)s))
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    at = recorded.recorded_at
    match recorded.event:
        case DocumentUploaded() as event:
            yield Put(
                DOCUMENTS,
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
                    deleted_at=None,
                ),
            )
        case DocumentReplaced() as event:
            yield _revised(recorded, event.document_id, **_replacing(event, recorded))
            yield from _closed(event.document_id, event.retired)
        case DocumentTextExtracted() as event:
            yield from _chunks(recorded, event)
        case DocumentProcessed() as event:
            yield from _processed(recorded, event)
        case DocumentLearnt(document_id=document_id):
            yield _revised(recorded, document_id, status="ready", error=None, completed_at=at)
        case DocumentFailed() as event:
            yield _revised(recorded, event.document_id, status="failed", error=event.reason, completed_at=at)
            yield from _closed(event.document_id, event.retired)
        case DocumentLinked(document_id=document_id, target_id=target_id, kind=kind):
            edge_id = derived_id(document_id, f"edge {kind}", str(target_id))
            yield Put(EDGES, EdgeRow(*start(recorded, edge_id), document_id, target_id, kind))
        case DocumentDeleted(document_id=document_id) as event:
            yield _revised(recorded, document_id, deleted_at=at)
            yield from _closed(document_id, event.retired)


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


def _chunks(recorded: Recorded, event: DocumentTextExtracted) -> Iterator[Op]:
    for chunk in event.chunks:
        yield Put(
            CHUNKS,
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


def _processed(recorded: Recorded, event: DocumentProcessed) -> Iterator[Op]:
    document_id, version = event.document_id, event.version
    yield from _closed(document_id, event.retired)
    yield _revised(
        recorded,
        document_id,
        observed_at=event.observed_at,
        live_version=version,
        text_length=event.text_length,
        chunk_count=event.chunk_count,
        keyword_count=len(event.keywords),
    )
    for ordinal, keyword in enumerate(event.keywords):
        row = start(recorded, derived_id(document_id, f"keyword {version}", ordinal))
        yield Put(
            KEYWORDS, KeywordRow(*row, document_id, version, ordinal, keyword.text, keyword.normalised, keyword.score)
        )
    for ordinal, link in enumerate(event.links):
        row = start(recorded, derived_id(document_id, f"link {version}", ordinal))
        yield Put(
            LINKS, LinkRow(*row, document_id, version, ordinal, link.kind, link.target, link.label, link.char_start)
        )


def _revised(recorded: Recorded, document_id: UUID, **changes: Any) -> Revise[DocumentRow]:
    changes["updated_at"] = recorded.recorded_at
    return Revise(DOCUMENTS, document_id, recorded.recorded_at, lambda row: replace(row, **changes))


def one(reader: Reader, document_id: UUID) -> DocumentRow | None:
    rows = reader.rows(DOCUMENTS, ONE, {"id": document_id})
    return rows[0] if rows else None


def by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, DocumentRow]:
    return {row.id: row for row in reader.rows(DOCUMENTS, BY_IDS, {"ids": list(ids)})}


def of_content(reader: Reader, content_hash: str) -> list[DocumentRow]:
    """Documents of these bytes, oldest first."""
    return reader.rows(DOCUMENTS, OF_CONTENT, {"content_hash": content_hash})


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
    return reader.page(DOCUMENTS, NEWEST_FIRST, parameters, limit=limit)


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


def chunks_of(
    reader: Reader, document_id: UUID, *, first: int = 0, last: int = 2**31 - 1, limit: int
) -> Page[ChunkRow]:
    """Chunks in force of a document, first <= ordinal <= last, in order."""
    parameters = {"document_id": document_id, "first": first, "last": last}
    return reader.page(CHUNKS, CHUNKS_OF, parameters, limit=limit)


def chunks_by_ids(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, ChunkRow]:
    """Those that are in force."""
    return {row.id: row for row in reader.rows(CHUNKS, CHUNKS_BY_IDS, {"ids": list(ids)})}


def parts_recorded(reader: Reader, document_id: UUID, version: int) -> tuple[int, int]:
    """How many parts, and chunks, of a version's text are recorded."""
    parts, rows = reader.tuples(PARTS_RECORDED, {"document_id": document_id, "version": version})[0]
    return int(parts), int(rows)
