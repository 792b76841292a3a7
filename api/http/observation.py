"""What is noted of every request once it is answered: a row of the audit, and the counters of `/metrics`.

Labels and rows hold names of operations, numbers and ids; nothing that a caller wrote.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.responses import Response
from ulid import ULID

from api.http.calls import Call, is_context_id
from api.ids import new_id
from projections.audit import OPERATOR, AuditBuffer, AuditRow

MANAGED = "/contexts/{id}"
OPERATOR_ONLY = ("/contexts", "/audit", "/migrations", "/verbs")
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
        self._replies = Counter(
            "palimpsest_replies",
            "Replies of chats by whether the response cache had them.",
            ("cache",),
            registry=self.registry,
        )

    def answered(self, method: str, path: str, call: Call, response: Response, seconds: float) -> None:
        """path: with its placeholders."""
        operation = f"{method} {path}"
        self._requests.labels(operation, str(response.status_code)).inc()
        self._seconds.labels(operation).observe(seconds)
        note = call.note
        if note.cached is not None:
            self._replies.labels("hit" if note.cached else "miss").inc()
        caller = note.caller
        key = caller.key if caller else None
        trace_id = response.headers.get("x-trace-id")
        row_id, at = ULID.from_str(trace_id.upper()).to_uuid() if trace_id else new_id(), datetime.now(UTC)
        for context_id, about in _ledgers(path, call):
            row = AuditRow(
                context_id=context_id,
                id=row_id,
                at=at,
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
                about=about,
            )
            self._audit.add(row)


def _ledgers(path: str, call: Call) -> Iterator[tuple[str, str | None]]:
    """Whose audit the request stands in, each with the context that an operator's call is about.

    A context's own has what operators did to it too; the operator's has all of their calls, also those about
    contexts that are no more.
    """
    if "{context_id}" in path:
        if (context_id := _plausible(call.path.get("context_id", ""))) is not None:
            yield context_id, None
    elif path.startswith(MANAGED):
        about = _plausible(call.path.get("id", ""))
        yield OPERATOR, about
        if about is not None:
            yield about, None
    elif path in OPERATOR_ONLY:
        yield OPERATOR, None


def _plausible(context_id: str) -> str | None:
    """The id, if a context could have it."""
    return context_id if is_context_id(context_id) else None


def _kind(path: str) -> str:
    if path.endswith(RETRIEVALS):
        return "retrieval"
    return "response" if path.endswith(RESPONSES) else "decision"
