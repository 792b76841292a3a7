"""POST /fsck: what seems wrong in memory. Reports, never repairs."""

from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import wire
from api.shapes.schemas import FsckBody
from memory.errors import InvalidRequest
from projections import findings

CHECKS = ("duplicates", "contradictions", "injection", "unscopedContent")
SPELLINGS = {"unscoped": "unscopedContent", "unscoped_content": "unscopedContent", "all": None}
MOST = 500


def check(call: Call) -> tuple[int, dict[str, Any]]:
    """All four checks, or the one asked for. Raises InvalidRequest for an unknown one."""
    body = call.parsed(FsckBody)
    asked = SPELLINGS.get(body.check, body.check) if body.check else None
    if asked is not None and asked not in CHECKS:
        raise InvalidRequest(f"check: must be one of {', '.join(CHECKS)}")
    limit = min(body.max_results, MOST)
    report: dict[str, list[dict[str, Any]]] = {name: [] for name in CHECKS}
    with call.reading() as reader:
        if asked in (None, "duplicates"):
            found = findings.duplicates(reader, threshold=body.duplicate_threshold, limit=limit)
            report["duplicates"] = [
                {
                    "entityA": wire.entity_ref(pair.one),
                    "entityB": wire.entity_ref(pair.other),
                    "similarity": round(pair.similarity, 4),
                }
                for pair in found
            ]
        if asked in (None, "contradictions"):
            report["contradictions"] = [
                {"entity": wire.entity_ref(one.entity), "key": one.key, "values": list(one.values)}
                for one in findings.contradictions(reader, limit=limit)
            ]
        if asked in (None, "injection"):
            report["injection"] = [
                {"rowId": _row_id(one.kind, one.row_id), "kind": one.injection.kind, "snippet": one.injection.snippet}
                for one in findings.suspects(reader, limit=limit)
            ]
        if asked in (None, "unscopedContent"):
            report["unscopedContent"] = [
                {"table": one.table, "count": one.count, "sampleIds": [ids.ulid(row_id) for row_id in one.samples]}
                for one in findings.unscoped(reader)
            ]
    return 200, {**report, "total": sum(map(len, report.values()))}


def _row_id(kind: str, row_id: Any) -> str:
    prefix = {"turn": "turn:", "attribute": "attr_", "relation": "rel_", "action": "act_", "document": "chunk:"}[kind]
    return f"{prefix}{ids.ulid(row_id)}"
