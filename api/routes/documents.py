"""Documents: uploading, replacing, deleting, and looking at what was read."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

import anyio
from starlette.responses import Response, StreamingResponse

from api import ids
from api.http import uploads
from api.http.calls import Call
from api.http.exchanges import Exchange, answer
from api.http.problems import trace_header
from api.http.repeats import request_key
from api.http.uploads import Upload
from api.shapes import answers, document_shapes
from api.shapes.pages import pages_of
from api.shapes.paging import cursor_of, place_of
from api.shapes.wire import Json
from api.work.document_reading import TASK, ids_of
from memory.documents import bytes_store, formats, progress
from memory.documents.library import NewFile, Uploaded
from memory.errors import Conflict, InvalidRequest, NotFound, UnsupportedType
from memory.events import DocumentTextExtracted
from memory.idempotency import RequestKey
from memory.principals import Caller
from projections import document_chunks, documents
from projections.documents import DocumentRow
from projections.reading import Reader

STATUSES = (*progress.STAGES, "ready", "failed")
BYTES_ATTEMPTS = 3

PARTS_AT = """
SELECT DISTINCT c.position_from FROM {document_chunks} AS c
    JOIN {documents} AS d ON d.id = c.document_id AND d.live_version = c.version
WHERE c.document_id = %(id)s AND d.deleted_at IS NULL
ORDER BY c.position_from
"""

# Records a file whose bytes are kept, None for those that the document has.
Record = Callable[[NewFile | None], Uploaded]

# Each upload may hold its whole file in memory.
_uploading = anyio.Semaphore(3)


async def upload_document(exchange: Exchange) -> Response:
    call = exchange.call
    caller = await exchange.read(call.caller)  # nobody without a key fills the disk
    async with _uploading:
        upload = await uploads.received(exchange.request)
        if upload is None:
            raise InvalidRequest("file: send the file as a part of that name of multipart/form-data")
        scopes = upload.metadata.scopes
        caller.require("memory:write", scopes or caller.write_scopes)
        document_id = ids.new_id()
        request = request_key(call, caller, "documents", upload.digest)

        def record(file: NewFile | None) -> Uploaded:
            assert file is not None
            return call.services.library.upload(caller, file, scopes, document_id, request)

        return answer(202, await exchange.write(lambda: _uploaded(call, caller, upload, request, record)))


async def replace_document(exchange: Exchange) -> Response:
    call = exchange.call
    caller = await exchange.read(call.caller)
    document_id = ids.parse_document(call.path["document_id"])
    await exchange.read(lambda: _require_seen(call, document_id))
    async with _uploading:
        upload = await uploads.received(exchange.request)
        request = request_key(call, caller, f"documents/{document_id}", upload.digest if upload else b"")

        def record(file: NewFile | None) -> Uploaded:
            return call.services.library.replace(caller, document_id, file, request)

        return answer(202, await exchange.write(lambda: _uploaded(call, caller, upload, request, record)))


def _uploaded(
    call: Call,
    caller: Caller,
    upload: Upload | None,
    request: RequestKey | None,
    record: Record,
) -> Json:
    """The answer to an upload, or to the first one with its Idempotency-Key. upload: None = read it again."""
    done = call.services.library.repeated(caller, request)  # before bytes are kept that nobody needs
    if done is None:
        done = record(None) if upload is None else _kept_and(call, caller, upload, record)
    if not done.deduplicated:
        call.services.queue.put(TASK, ids_of(caller.context_id, done.document_id))
    return document_shapes.uploaded(done, _status(call, done))


def _kept_and(call: Call, caller: Caller, upload: Upload, record: Record) -> Uploaded:
    """Keep the bytes, then record: again if they were deleted in between, as the last document of them was."""
    kind = formats.recognised(upload.data, upload.filename, upload.claimed)
    if kind is None:
        raise UnsupportedType("no document is made of files of this type")
    metadata = upload.metadata
    for attempt in range(1, BYTES_ATTEMPTS + 1):
        file = NewFile(
            title=upload.title,
            source=upload.source,
            mime_type=kind,
            content_hash=call.services.library.keep_bytes(caller.context_id, upload.data),
            size_bytes=len(upload.data),
            labels=tuple(metadata.labels),
            observed_at=metadata.observed_at,
            own_date=metadata.observed_at_header,
        )
        try:
            return record(file)
        except Conflict:
            if attempt == BYTES_ATTEMPTS:
                raise
    raise AssertionError("unreachable")


def _status(call: Call, done: Uploaded) -> str:
    with call.services.pool.connection() as connection, connection.cursor() as cursor:
        found = progress.of(cursor, call.context_id, [done.document_id]).get(done.document_id)
    return found.stage if found is not None and done.status == "queued" else done.status


def _require_seen(call: Call, document_id: UUID) -> DocumentRow:
    with call.reading() as reader:
        return _seen(reader, document_id)


def _seen(reader: Reader, document_id: UUID) -> DocumentRow:
    row = documents.one(reader, document_id)
    if row is None:
        raise NotFound("there is no such document")
    return row


def delete_document(call: Call) -> tuple[int, Any]:
    call.services.library.delete(call.caller(), ids.parse_document(call.path["document_id"]))
    return 204, None


def get_document(call: Call) -> tuple[int, Any]:
    hold = call.services.models.extraction_hold(call.context_id)
    with call.reading(call.asked()) as reader:
        row = _seen(reader, ids.parse_document(call.path["document_id"]))
        return 200, answers.document_list(reader, [row], hold)[0]


def list_documents(call: Call) -> tuple[int, Any]:
    """Newest first. By `limit` and `cursor`, or by `page` (from 0) and `pageSize`; `status` and `mimeType` in any
    case."""
    status = (call.query.get("status") or "").strip().lower()
    if status and status not in STATUSES:
        raise InvalidRequest(f"status: must be one of {', '.join(STATUSES)}")
    mime_type = (call.query.get("mimeType") or call.query.get("mime_type") or "").strip().lower() or None
    place = place_of(call.query.get("cursor"), datetime, UUID)
    paged = pages_of(call)
    hold = call.services.models.extraction_hold(call.context_id)
    with call.reading() as reader:
        statuses = [status] if status in ("ready", "failed") else ["queued"] if status else None
        chosen = _at_stage(reader, status) if statuses == ["queued"] else None
        filters: dict[str, Any] = {"mime_type": mime_type, "statuses": statuses, "ids": chosen}
        found = documents.newest_first(
            reader,
            limit=paged.size,
            offset=paged.offset,
            before=(place[0], place[1]) if place else None,
            **filters,
        )
        total = documents.count(reader, **filters)
        shown = answers.document_list(reader, found.rows, hold)
    last = found.rows[-1] if found.has_more else None
    next_cursor = cursor_of(last.created_at, last.id) if last else None
    return 200, {"documents": shown, **paged.block(next_cursor, total)}


def _at_stage(reader: Reader, status: str) -> list[UUID]:
    """The waiting documents that are at this stage."""
    waiting = documents.waiting(reader)
    found = progress.of(reader.cursor, reader.context_id, waiting)
    return [one for one in waiting if (found[one].stage if one in found else "queued") == status]


def list_chunks(call: Call) -> tuple[int, Any]:
    """In the order of the text. Paged as `list_documents` is."""
    document_id = ids.parse_document(call.path["document_id"])
    place = place_of(call.query.get("cursor"), int)
    paged = pages_of(call)
    first = place[0] + 1 if place else paged.offset
    with call.reading(call.asked()) as reader:
        row = _seen(reader, document_id)
        found = document_chunks.of_document(reader, document_id, first=first, limit=paged.size)
        texts = document_chunks.texts(reader, [one.id for one in found.rows])
    next_cursor = cursor_of(found.rows[-1].ordinal) if found.has_more else None
    chunks = [document_shapes.chunk(one, texts.get(one.id, "")) for one in found.rows]
    return 200, {"chunks": chunks, **paged.block(next_cursor, row.chunk_count if row.live_version else 0)}


async def get_raw(exchange: Exchange) -> Response:
    """The bytes as they were uploaded."""
    call = exchange.call
    row = await exchange.read(lambda: _require_seen(call, ids.parse_document(call.path["document_id"])))
    data = await exchange.read(lambda: _bytes_of(call, row))
    headers = {
        **trace_header(),
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(row.title)}",
        # What somebody uploaded must not run in a reader's browser.
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox",
        "Content-Length": str(row.size_bytes),
    }
    return StreamingResponse(_each(data), 200, headers, row.mime_type)


def _bytes_of(call: Call, row: DocumentRow) -> list[bytes]:
    with call.services.pool.connection() as connection:
        data = list(bytes_store.parts(connection, call.context_id, row.content_hash))
    if not data:
        raise NotFound("the document's bytes are gone")
    return data


async def _each(parts: list[bytes]) -> Any:
    for part in parts:
        yield part


async def get_text(exchange: Exchange) -> Response:
    """The extracted text, into which the offsets of chunks point."""
    call = exchange.call
    text = await exchange.read(lambda: _text_of(call, ids.parse_document(call.path["document_id"])))
    return Response(text, 200, trace_header(), "text/plain; charset=utf-8")


def _text_of(call: Call, document_id: UUID) -> str:
    log = call.services.log
    with call.reading() as reader:
        _seen(reader, document_id)
        positions = [position for (position,) in reader.tuples(PARTS_AT, {"id": document_id})]
        parts: list[str] = []
        for position in positions:
            (rows,) = log.read(reader.cursor.connection, reader.context_id, after=position - 1, until=position)
            parts += [one.event.text for one in log.decoded(rows) if isinstance(one.event, DocumentTextExtracted)]
    return "".join(parts)
