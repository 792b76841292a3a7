"""What recall brought back, in the wire's shapes."""

from typing import Any

from api import ids
from api.shapes import wire
from api.shapes.wire import Json
from projections.passages import Kind
from projections.retrieval.asked import Window
from projections.retrieval.context_block import date_notes
from projections.retrieval.wanted import DIRECT, ESCALATED, Recalled, Retrieved

# The wire has no kind for relations; what a hit really is stands in its `resource`.
SOURCES = {
    Kind.TURN: "turn",
    Kind.DOCUMENT: "chunk",
    Kind.ATTRIBUTE: "attribute",
    Kind.RELATION: "attribute",
    Kind.ACTION: "action",
}
TOP_SCORES = 5
EARLIEST = "0001-01-01T00:00:00.000000Z"


def query(retrieved: Retrieved, *, now: str) -> Json:
    """QueryMemoryResponseJson. now: where a window without an end ends."""
    kinds = {DIRECT: "direct_lookup", ESCALATED: "full_context"}
    return {
        "hits": [hit(one) for one in retrieved.hits],
        "contextHits": [hit(one) for one in retrieved.beside],
        "tier": retrieved.tier,
        "classificationKind": kinds.get(retrieved.tier, "hybrid"),
        "seedEntities": [f"entity:{kind}/{name}" for kind, name in retrieved.seeds],
        "queryMs": retrieved.latency_ms,
        "queryWindow": retrieved.window and _window(retrieved.window, now),
        "tierReason": retrieved.reason,
        "degraded": retrieved.degraded,
        "trace": {
            "traceId": ids.ulid(retrieved.trace_id),
            "resolutionTier": retrieved.tier,
            "tierReason": retrieved.reason,
            "latencyMs": retrieved.latency_ms,
            "retrievedCount": len(retrieved.hits),
            "topScores": [one.score for one in retrieved.hits[:TOP_SCORES]],
        },
    }


def hit(one: Recalled) -> Json:
    """MemoryHitJson, with who said it and what it replaced."""
    return {
        "id": _id(one),
        "text": one.text,
        "source": SOURCES[one.kind],
        "score": one.score,
        "occurredAt": ids.moment(_occurred_at(one)),
        "dateNotes": date_notes(one.fact) if one.fact else None,
        "resource": _resource(one),
        "role": one.role,
        "turnId": one.turn_id and ids.ulid(one.turn_id),
        "sessionId": one.session_id and ids.ulid(one.session_id),
        "labels": list(one.labels),
        "duplicates": len(one.folded),
        **(_lifetime(one) if one.fact else {}),
        **({"documentTitle": one.title, "section": one.section} if one.document_id else {}),
    }


def passage(one: Recalled) -> Json:
    """PassageJson."""
    return {
        "text": one.text,
        "score": one.score,
        "documentId": one.document_id and ids.ulid(one.document_id),
        "position": one.ordinal if one.document_id else None,
        "occurredAt": ids.moment(one.said_at),
    }


def _id(one: Recalled) -> str:
    if one.kind is Kind.ATTRIBUTE:
        return ids.attribute(one.id)
    if one.kind is Kind.RELATION:
        return ids.relation(one.id)
    return ids.action(one.id) if one.kind is Kind.ACTION else ids.chunk(one.passage_id)


def _occurred_at(one: Recalled) -> Any:
    return one.fact.row.valid_from or one.said_at if one.fact else one.said_at


def _lifetime(one: Recalled) -> Json:
    assert one.fact is not None
    as_id = ids.relation if one.kind is Kind.RELATION else ids.attribute
    row = one.fact.row
    return {
        "standing": row.standing,
        "validFrom": ids.moment(row.valid_from),
        "validUntil": ids.moment(row.valid_to),
        "supersedes": one.supersedes and as_id(one.supersedes),
        "supersededBy": one.superseded_by and as_id(one.superseded_by),
        "source_turn": ids.ulid(row.turn_id),
        "entity": wire.entity_ref(one.fact.subject),
    }


def _resource(one: Recalled) -> Json | None:
    """ResourceRef."""
    if one.fact is not None and one.fact.target is not None:
        return {
            "kind": "relation",
            "label": one.fact.key,
            "subjectType": one.fact.subject.type,
            "subjectName": one.fact.subject.name,
            "objectType": one.fact.target.type,
            "objectName": one.fact.target.name,
        }
    if one.fact is not None:
        subject = one.fact.subject
        return {"kind": "attribute", "entityType": subject.type, "name": subject.name, "key": one.fact.key}
    if one.actor is not None:
        return {"kind": "action", "actorType": one.actor.type, "actorName": one.actor.name}
    if one.document_id is not None:
        return {"kind": "document", "documentId": ids.ulid(one.document_id), "position": one.ordinal}
    if one.session_id is None:
        return None
    return {
        "kind": "session",
        "sessionId": ids.ulid(one.session_id),
        "turnId": one.turn_id and ids.ulid(one.turn_id),
        "position": one.ordinal,
    }


def _window(window: Window, now: str) -> Json:
    """QueryWindowJson, an open side as far as it goes."""
    return {
        "start": ids.moment(window.start) or EARLIEST,
        "end": ids.moment(window.end) or now,
        "phrase": window.phrase,
        "precision": window.precision,
    }
