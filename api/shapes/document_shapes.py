"""Documents, chunks and keywords in the wire's shapes."""

from typing import Any

from api import ids
from api.holds import Hold
from memory.documents.library import Uploaded
from memory.documents.progress import STAGES, Progress
from projections.document_chunks import ChunkRow
from projections.document_keywords import KeywordRow
from projections.document_search import Found
from projections.document_ties import Tie
from projections.documents import DocumentRow

Json = dict[str, Any]


def uploaded(one: Uploaded, status: str) -> Json:
    return {
        "id": ids.document(one.document_id),
        "status": status,
        "contentHash": one.content_hash,
        "deduplicated": one.deduplicated,
        "observedAt": ids.moment(one.observed_at),
    }


def status_of(row: DocumentRow, progress: Progress | None) -> str:
    """The wire's status: the stage of what waits or is being read."""
    if row.status == "queued" and progress is not None and progress.version == row.version:
        return progress.stage
    return row.status


def document(row: DocumentRow, progress: Progress | None, scope: list[list[str]], hold: Hold | None = None) -> Json:
    """hold: why facts can't be looked for now."""
    current = progress if progress is not None and progress.version == row.version else None
    shown: Json = {
        "id": ids.document(row.id),
        "title": row.title,
        "mimeType": row.mime_type,
        "source": row.source,
        "contentHash": row.content_hash,
        "sizeBytes": row.size_bytes,
        "version": row.version,
        "status": status_of(row, progress),
        "error": row.error,
        "createdAt": ids.moment(row.created_at),
        "updatedAt": ids.moment(row.updated_at),
        "processingStartedAt": ids.moment(current.started_at if current else None),
        "processingCompletedAt": ids.moment(row.completed_at),
        "observedAt": ids.moment(row.observed_at),
        "chunkCount": row.chunk_count if row.live_version is not None else None,
        "keywordCount": row.keyword_count if row.live_version is not None else None,
        "language": row.language if row.live_version is not None else None,
        "labels": row.labels,
        "scope": scope,
    }
    if row.status == "ready" and row.unread_chunks:
        shown["notice"] = (
            f"facts were looked for in {row.chunk_count - row.unread_chunks} of {row.chunk_count} chunks; "
            "the words of all of them are found"
        )
    if row.status == "queued":
        done, of = (current.done, current.total) if current else (0, 0)
        shown["progress"] = {"done": done, "of": of or None}
        if hold is not None and shown["status"] == STAGES[-1]:
            shown["notice"] = f"the words are found; the search for facts waits ({hold})"
    return shown


def chunk(row: ChunkRow, text: str) -> Json:
    return {
        "id": ids.chunk(row.id),
        "document": ids.document(row.document_id),
        "position": row.ordinal,
        "charStart": row.char_start,
        "charEnd": row.char_end,
        "section": row.section,
        "text": text,
        "tokenCount": row.tokens,
        "duplicateOf": row.duplicate_of,
    }


def keyword_of_document(row: KeywordRow) -> Json:
    return {**keyword(row.normalised, row.text), "score": row.score}


def keyword(normalised: str, text: str) -> Json:
    return {"id": ids.keyword(normalised), "text": text, "normalised": normalised}


def found(one: Found) -> Json:
    row, owner = one.chunk, one.document
    shown: Json = {
        "score": one.score,
        "chunk": {**chunk(row, one.hit.text), "positionPercent": percent(row.char_start, owner.text_length)},
        "document": {"id": ids.document(owner.id), "title": owner.title, "source": owner.source},
    }
    if one.ties:
        shown["graphEvidence"] = [_tie(tie) for tie in one.ties]
    if one.expanded:
        shown["graphExpansion"] = {"via": sorted({tie.kind for tie in one.ties})}
    return shown


def _tie(tie: Tie) -> Json:
    return {"neighbourLabel": tie.label, "edgeKind": tie.kind, "weight": tie.weight}


def percent(char_start: int, length: int) -> int:
    """How far through a text of that length something begins: 0 to 100."""
    return min(100, round(100 * char_start / max(length, 1)))
