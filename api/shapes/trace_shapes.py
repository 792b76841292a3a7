"""Traces in the wire's shapes."""

from collections.abc import Mapping
from uuid import UUID

from api import ids
from api.shapes.wire import Json
from projections.superseded import Churn
from projections.traces import RESPONSE, WINDOW_H, Retrieval, Returned, Trace, TraceStats
from projections.turns import TurnRow

_ID_OF = {"attribute": ids.attribute, "relation": ids.relation, "action": ids.action, "chunk": ids.chunk}

Words = Mapping[UUID, TurnRow]  # of turns, by id


def turn_ids(row: Trace) -> list[UUID]:
    """The turns that hold the words of a trace."""
    return [turn_id for turn_id in (row.user_turn_id, row.reply_turn_id) if turn_id]


def trace(row: Trace, words: Words) -> Json:
    """A trace without what came back. words: of its `turn_ids`; of those erased since there are none."""
    return {
        "id": ids.ulid(row.id),
        "queryText": _question(row, words),
        "resolutionTier": row.tier,
        "tierReason": row.tier_reason,
        "latencyMs": row.latency_ms,
        "cached": row.cached,
        "createdAt": ids.moment(row.created_at),
        "kind": row.kind,
        "source": row.source,
        "sessionId": row.session_id and ids.ulid(row.session_id),
        "retrievedCount": row.returned,
    }


def trace_in_full(row: Trace, words: Words) -> Json:
    """A trace with what came back in each pass over memory, and the reply that was made from it."""
    return {
        **trace(row, words),
        "parent": _response(row, words) if row.kind == RESPONSE else None,
        "retrievals": [_retrieval(one) for one in row.retrievals],
    }


def stats(found: TraceStats, churn: Churn) -> Json:
    return {
        "totalQueries": found.queries,
        "cacheHits": found.cached,
        "cacheHitRate": _share(found.cached, found.queries),
        "avgLatencyMs": round(found.avg_latency_ms, 3),
        "tierCounts": {
            "direct": found.direct,
            "hybrid": found.hybrid,
            "fullContext": found.escalated,
            "escalated": found.escalated,
        },
        "responseTracesTotal": found.responses,
        "responseTracesCached": found.responses_cached,
        "windowHours": WINDOW_H,
        "sourceKindDistribution": [{"kind": kind, "count": count} for kind, count in found.sources],
        "contradiction": {
            "reconciliations": churn.statements,
            "contradictions": churn.contradictions,
            "contradictionRate": _share(churn.contradictions, churn.statements),
        },
        "supersession": {
            "supersessionEvents": churn.supersessions,
            "entitiesChurned": churn.entities,
            "churnPerEntity": _share(churn.supersessions, churn.entities),
        },
        "retrieval": {
            "traces": found.queries,
            "avgCandidateSet": round(found.avg_candidates, 3),
            "maxCandidateSet": found.max_candidates,
        },
    }


def _question(row: Trace, words: Words) -> str:
    if row.query_text is not None:
        return row.query_text
    return _text(row.user_turn_id, words)


def _text(turn_id: UUID | None, words: Words) -> str:
    return words[turn_id].text if turn_id and turn_id in words else ""


def _response(row: Trace, words: Words) -> Json:
    return {
        "id": ids.ulid(row.id),
        "sessionId": row.session_id and ids.ulid(row.session_id),
        "userMessage": _question(row, words),
        "responseText": _text(row.reply_turn_id, words),
        "source": row.source or "chat",
        "cached": row.cached,
        "reusedFrom": row.reused_from and ids.ulid(row.reused_from),
        "latencyMs": row.latency_ms,
        "createdAt": ids.moment(row.created_at),
    }


def _retrieval(one: Retrieval) -> Json:
    return {
        "id": ids.ulid(one.id),
        "mode": one.mode,
        "tierEntered": one.tier,
        "tierReason": one.reason,
        "retrievedIds": [_id(returned) for returned in one.returned],
        "scores": [returned.score for returned in one.returned],
        "latencyMs": one.latency_ms,
        "createdAt": ids.moment(one.created_at),
        "asOf": one.as_of and ids.moment(one.as_of),
        "returned": [
            {"id": _id(returned), "table": returned.table, "rank": rank, "score": returned.score, "ref": _id(returned)}
            for rank, returned in enumerate(one.returned, start=1)
        ],
    }


def _id(returned: Returned) -> str:
    return _ID_OF.get(returned.table, ids.ulid)(returned.id)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
