"""What is noted of every request once it is answered: a row of the audit, and the counters of `/metrics`.

Labels and rows hold names of operations, numbers and ids; nothing that a caller wrote.
"""

from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.responses import Response
from ulid import ULID

from api.http.calls import Call
from api.ids import new_id
from api.settings.config import CONTEXT_ID_LENGTH_MAX
from projections.audit import AuditBuffer, AuditRow

RETRIEVALS = ("/query", "/context", "/lookup")
RESPONSES = ("/chat", "/reflect", "/consolidate", "/elaborate")
BUCKETS_S = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Observation:
    """Of one application. Shared by all threads."""

    def __init__(self, audit: AuditBuffer) -> None:
        self.registry = CollectorRegistry()
        self._audit = audit
        self._requests = Counter(
            "palimpsest_requests", "Requests by operation and status.", ("operation", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "palimpsest_request_seconds",
            "Time until the answer was ready.",
            ("operation",),
            registry=self.registry,
            buckets=BUCKETS_S,
        )

    def answered(self, method: str, path: str, call: Call, response: Response, seconds: float) -> None:
        """path: with its placeholders."""
        operation = f"{method} {path}"
        self._requests.labels(operation, str(response.status_code)).inc()
        self._seconds.labels(operation).observe(seconds)
        context_id = _context_of(path, call)
        if context_id is None:
            return
        note = call.note
        caller = note.caller
        key = caller.key if caller else None
        trace_id = response.headers.get("x-trace-id")
        self._audit.add(
            AuditRow(
                context_id=context_id,
                id=ULID.from_str(trace_id.upper()).to_uuid() if trace_id else new_id(),
                at=datetime.now(UTC),
                kind=_kind(path),
                operation=operation,
                status=response.status_code,
                principal_id=caller.principal_id if caller else None,
                holder_id=key.principal_id if key else None,
                key_id=key.key_id if key else None,
                key_name=key.name if key else None,
                latency_ms=round(seconds * 1000),
                rows_touched=note.rows,
                cost=note.cost,
                model=note.model,
            )
        )


def _context_of(path: str, call: Call) -> str | None:
    """The context that was asked for, if its id could be one."""
    if "{context_id}" not in path:
        return None
    context_id = call.path.get("context_id", "")
    return context_id if context_id.isprintable() and 0 < len(context_id) <= CONTEXT_ID_LENGTH_MAX else None


def _kind(path: str) -> str:
    if path.endswith(RETRIEVALS):
        return "retrieval"
    return "response" if path.endswith(RESPONSES) else "decision"
