"""GET /traces: what questions brought back, and why."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from api import ids
from api.http.calls import Call
from api.shapes import trace_shapes
from api.shapes.paging import cursor_of, page, place_of
from memory.errors import NotFound
from memory.regions import region_of
from projections import superseded, turns
from projections.reading import Reader
from projections.traces import TraceReader


def list_traces(call: Call) -> tuple[int, dict[str, Any]]:
    """Traces of the caller's region, newest first."""
    place = place_of(call.query.get("cursor"), UUID)
    limit = call.limit(default=50)
    with _reading(call) as (reader, traces):
        found = traces.newest_first(limit=limit, before=place[0] if place else None)
        words = turns.by_ids(reader, [turn_id for one in found.rows for turn_id in trace_shapes.turn_ids(one)])
        total = traces.count() if call.flag("count") else None
    next_cursor = cursor_of(found.rows[-1].id) if found.has_more else None
    return 200, {
        "traces": [trace_shapes.trace(one, words) for one in found.rows],
        "page": page(next_cursor=next_cursor, total=total),
    }


def get_trace(call: Call) -> tuple[int, dict[str, Any]]:
    return 200, trace_in_full(call, ids.parse_trace(call.path["trace_id"]))


def trace_in_full(call: Call, trace_id: UUID) -> dict[str, Any]:
    """TraceRecordJson with what came back. Raises NotFound for one outside the caller's region."""
    with _reading(call) as (reader, traces):
        found = traces.one(trace_id)
        if found is None:
            raise NotFound("there is no such trace")
        words = turns.by_ids(reader, trace_shapes.turn_ids(found))
    return trace_shapes.trace_in_full(found, words)


def get_stats(call: Call) -> tuple[int, dict[str, Any]]:
    """Numbers over the last day, of the caller's region alone."""
    with _reading(call) as (reader, traces):
        return 200, trace_shapes.stats(traces.stats(datetime.now(UTC)), superseded.churn(reader))


@contextmanager
def _reading(call: Call) -> Iterator[tuple[Reader, TraceReader]]:
    """Readers that see every trace made before this call, in one snapshot."""
    call.services.traces.flush()
    with call.reading_as() as (caller, reader):
        yield reader, TraceReader(reader.cursor, reader.context_id, region_of(caller.grants))
