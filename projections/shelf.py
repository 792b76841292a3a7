"""Reads documents for the write side: `memory.documents.library.Shelf` over the read models."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote, urldefrag
from uuid import UUID

from memory.documents.library import KnownDocument
from memory.events import DocumentLinked
from memory.log import Writing
from memory.values import folded
from projections import document_chunks, documents, scope_sets
from projections.access import every_scope_set
from projections.document_links import EVERY_EDGE, EVERY_LINK
from projections.documents import NAMES, DocumentRow
from projections.reading import Reader
from projections.scope_sets import clauses_of

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class ReadModelShelf:
    """See `Shelf`."""

    def one(self, writing: Writing, document_id: UUID, visible: Sequence[UUID] | None) -> KnownDocument | None:
        reader = _reader(writing, visible)
        row = documents.one(reader, document_id)
        return known(reader, row) if row else None

    def of_content(
        self, writing: Writing, content_hash: str, visible: Sequence[UUID] | None
    ) -> Sequence[KnownDocument]:
        reader = _reader(writing, visible)
        return [known(reader, row) for row in documents.of_content(reader, content_hash)]

    def parts_recorded(self, writing: Writing, document_id: UUID, version: int) -> tuple[int, int]:
        return document_chunks.parts_recorded(_reader(writing, None), document_id, version)

    def new_edges(self, writing: Writing, document_id: UUID, visible: Sequence[UUID]) -> Sequence[DocumentLinked]:
        return edges_of(_reader(writing, visible), document_id)


def edges_of(reader: Reader, document_id: UUID) -> list[DocumentLinked]:
    """Links of a document that lead to another visible one, by its address, file name or title; none known already."""
    links = reader.tuples(EVERY_LINK, {"ids": [document_id]})
    if not links:
        return []
    named: dict[str, UUID] = {}
    for other_id, title, source in reader.tuples(NAMES, {}):
        if other_id != document_id:
            for name in (source, _file_name(source), title):
                named.setdefault(folded(name), other_id)
    named.pop("", None)
    seen = {
        (target, kind)
        for origin, target, kind in reader.tuples(EVERY_EDGE, {"ids": [document_id]})
        if origin == document_id
    }
    found = []
    for _, kind, target in links:
        address = unquote(urldefrag(target).url)
        other = named.get(folded(address))
        if other is None and not _ADDRESS.match(address):
            other = named.get(folded(_file_name(address)))
        if other is not None and (other, kind) not in seen:
            seen.add((other, kind))
            found.append(DocumentLinked(document_id=document_id, target_id=other, kind=kind))
    return found


def known(reader: Reader, row: DocumentRow) -> KnownDocument:
    """The row as the write side sees it."""
    clauses = {one.id: clauses_of(one.clauses) for one in reader.rows(scope_sets.TABLE, scope_sets.ALL, {})}
    return KnownDocument(
        document_id=row.id,
        scope_set_id=row.scope_set_id,
        scopes=clauses[row.scope_set_id],
        title=row.title,
        source=row.source,
        mime_type=row.mime_type,
        content_hash=row.content_hash,
        size_bytes=row.size_bytes,
        version=row.version,
        created_at=row.created_at,
        version_at=row.version_at,
        version_position=row.version_position,
        status=row.status,
        observed_at=row.observed_at,
        own_date=row.own_date,
        labels=tuple(row.labels),
        principal_id=row.principal_id,
        live_version=row.live_version,
        chunk_count=row.chunk_count if row.live_version is not None else 0,
    )


def _file_name(address: str) -> str:
    return PurePosixPath(address.partition("?")[0].rstrip("/")).name


def _reader(writing: Writing, scope_set_ids: Sequence[UUID] | None) -> Reader:
    if scope_set_ids is None:
        _, scope_set_ids = every_scope_set(writing.cursor.connection, writing.context_id)
    return Reader(writing.cursor, writing.context_id, writing.generation, list(scope_set_ids))
