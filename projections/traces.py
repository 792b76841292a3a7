"""Traces: what each question brought back, and why. A control table, no read model: it is no function of the log.

A trace belongs to the region that the asking principal might read (see `memory.regions`). Of words it
holds the question alone, and not even that where a turn holds it; what came back is named by ids.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from memory.log import Connection, Cursor
from memory.regions import Region, includes
from projections.reading import Page

RETRIEVAL, RESPONSE = "retrieval", "response"
WINDOW_H = 24  # hours that the statistics are about

COLUMNS = (
    "context_id, id, kind, created_at, region, principal_id, session_id, query_text, tier, tier_reason, latency_ms, "
    "candidates, returned, retrievals, source, cached, reused_from, user_turn_id, reply_turn_id, model, cost"
)

# Of contexts that are still there: one may be written after its context, and all words of it, were deleted.
INSERT = f"""
INSERT INTO traces ({COLUMNS})
SELECT %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s
WHERE EXISTS (SELECT 1 FROM contexts AS c WHERE c.context_id = %s AND c.deleted_at IS NULL)
ON CONFLICT DO NOTHING
"""

# The distinct regions of a context, one index probe each.
REGIONS = """
WITH RECURSIVE walked (region) AS (
    (SELECT t.region FROM traces AS t WHERE t.context_id = %(context_id)s ORDER BY t.region LIMIT 1)
    UNION ALL
    SELECT (SELECT t.region FROM traces AS t
        WHERE t.context_id = %(context_id)s AND t.region > w.region ORDER BY t.region LIMIT 1)
    FROM walked AS w WHERE w.region IS NOT NULL
)
SELECT region FROM walked WHERE region IS NOT NULL
"""

VISIBLE = "FROM traces AS t WHERE t.context_id = %(context_id)s AND t.region = ANY(%(regions)s)"

# Ids sort by time, and no trace ever changes: a walk by pages meets each once, whatever is asked meanwhile.
NEWEST_FIRST = f"""
SELECT {COLUMNS} {VISIBLE}
    AND (%(before)s::uuid IS NULL OR t.id < %(before)s)
    AND (%(kind)s::text IS NULL OR t.kind = %(kind)s)
    AND (%(principal_id)s::uuid IS NULL OR t.principal_id = %(principal_id)s)
    AND (%(since)s::timestamptz IS NULL OR t.created_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR t.created_at < %(until)s)
ORDER BY t.id DESC
LIMIT %(limit)s
"""

ONE = f"SELECT {COLUMNS} {VISIBLE} AND t.id = %(id)s"

COUNT = f"SELECT count(*) {VISIBLE}"

STATS = f"""
SELECT count(*), coalesce(avg(t.latency_ms), 0)::float8, count(*) FILTER (WHERE t.cached),
    count(*) FILTER (WHERE t.tier = 'direct'), count(*) FILTER (WHERE t.tier = 'hybrid'),
    count(*) FILTER (WHERE t.tier = 'escalated'), count(*) FILTER (WHERE t.kind = 'response'),
    count(*) FILTER (WHERE t.kind = 'response' AND t.cached),
    coalesce(avg(t.candidates), 0)::float8, coalesce(max(t.candidates), 0)
{VISIBLE} AND t.created_at >= %(since)s
"""

SOURCES = f"""
SELECT r.value ->> 'table', count(*)
FROM (SELECT t.retrievals {VISIBLE} AND t.created_at >= %(since)s) AS t,
    jsonb_array_elements(t.retrievals::jsonb) AS s, jsonb_array_elements(s.value -> 'returned') AS r
GROUP BY 1 ORDER BY 2 DESC, 1
"""

# A question may quote what is erased, and nothing else here holds words.
BLANK = "UPDATE traces AS t SET query_text = '' WHERE t.context_id = %(context_id)s AND t.query_text <> ''"

DROP = "DELETE FROM traces AS t WHERE t.context_id = %(context_id)s"

EXPIRE = DROP + " AND t.created_at < %(before)s"


class Returned(msgspec.Struct, frozen=True):
    """A row that came back. table: attribute, relation, action, entity or chunk; score: 0 to 1."""

    table: str
    id: UUID
    score: float


class Retrieval(msgspec.Struct, frozen=True):
    """One pass over memory, and what it brought back, best first. tier: 1 to 4. reason: the server's words.
    as_of: the known time that was asked about, None for now."""

    id: UUID
    created_at: datetime
    mode: str
    tier: int
    reason: str
    latency_ms: int
    returned: tuple[Returned, ...]
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """What one question brought back.

    kind: RETRIEVAL, or RESPONSE for one that a reply was made from. query_text: None where the turn
    `user_turn_id` holds it. candidates: size of the largest pool. source: the caller's label. cached,
    reused_from: an earlier response was used again. cost: of models, in the provider's currency.
    """

    context_id: str
    id: UUID
    kind: str
    created_at: datetime
    region: Region
    principal_id: UUID
    session_id: UUID | None
    query_text: str | None
    tier: str
    tier_reason: str
    latency_ms: int
    candidates: int
    retrievals: tuple[Retrieval, ...]
    source: str | None = None
    cached: bool = False
    reused_from: UUID | None = None
    user_turn_id: UUID | None = None
    reply_turn_id: UUID | None = None
    model: str | None = None
    cost: float = 0.0

    @property
    def returned(self) -> int:
        return len(self.retrievals[-1].returned) if self.retrievals else 0

    def columns(self) -> tuple[Any, ...]:
        return (
            *(self.context_id, self.id, self.kind, self.created_at, _region_text(self.region), self.principal_id),
            *(self.session_id, self.query_text, self.tier, self.tier_reason, self.latency_ms, self.candidates),
            *(self.returned, msgspec.json.encode(self.retrievals).decode(), self.source, self.cached),
            *(self.reused_from, self.user_turn_id, self.reply_turn_id, self.model, self.cost),
        )


@dataclass(frozen=True, slots=True)
class TraceStats:
    """Numbers over the last WINDOW_H hours of the traces that a caller may see.

    sources: how often rows of each table came back, most first.
    """

    queries: int = 0
    avg_latency_ms: float = 0.0
    cached: int = 0
    direct: int = 0
    hybrid: int = 0
    escalated: int = 0
    responses: int = 0
    responses_cached: int = 0
    avg_candidates: float = 0.0
    max_candidates: int = 0
    sources: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TraceReader:
    """Reads traces of a context, as one who may read `region`."""

    cursor: Cursor
    context_id: str
    region: Region

    def newest_first(
        self,
        *,
        limit: int,
        before: UUID | None = None,
        kind: str | None = None,
        principal_id: UUID | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Page[Trace]:
        """Traces, newest first, after the place `before`; of that kind and principal, since <= time < until."""
        rows = self._asked(
            NEWEST_FIRST,
            before=before,
            kind=kind,
            principal_id=principal_id,
            since=since,
            until=until,
            limit=limit + 1,
        )
        return Page([_trace(row) for row in rows[:limit]], len(rows) > limit)

    def one(self, trace_id: UUID) -> Trace | None:
        rows = self._asked(ONE, id=trace_id)
        return _trace(rows[0]) if rows else None

    def count(self) -> int:
        return int(self._asked(COUNT)[0][0])

    def stats(self, now: datetime) -> TraceStats:
        since = now - timedelta(hours=WINDOW_H)
        (numbers,) = self._asked(STATS, since=since)
        sources = [(table, count) for table, count in self._asked(SOURCES, since=since)]
        return replace(TraceStats(*numbers), sources=sources)

    def _asked(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        context = {"context_id": self.context_id}
        found = self.cursor.execute(REGIONS, context).fetchall()
        regions = [text for (text,) in found if includes(self.region, _region_of(text))]
        return self.cursor.execute(sql.encode(), {**parameters, **context, "regions": regions}).fetchall()


def write(connection: Connection, traces: Iterable[Trace]) -> None:
    """Write traces in one transaction; those written already are left as they are."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.executemany(INSERT, [(*trace.columns(), trace.context_id) for trace in traces])


def expire(connection: Connection, context_id: str, before: datetime) -> None:
    """Drop traces made before that time."""
    connection.execute(EXPIRE.encode(), {"context_id": context_id, "before": before})


def blank(cursor: Cursor, context_id: str) -> None:
    """Take the words out of a context's traces, for an erasure: any question may quote what is erased."""
    cursor.execute(BLANK, {"context_id": context_id})


def drop(cursor: Cursor, context_id: str) -> None:
    """Drop all traces of a context that is deleted."""
    cursor.execute(DROP, {"context_id": context_id})


def _trace(row: Sequence[Any]) -> Trace:
    context_id, trace_id, kind, created_at, region, *rest = row
    principal_id, session_id, query_text, tier, reason, latency_ms, candidates, _, retrievals, *more = rest
    return Trace(
        *(context_id, trace_id, kind, created_at, _region_of(region), principal_id, session_id, query_text),
        *(tier, reason, latency_ms, candidates, msgspec.json.decode(retrievals, type=tuple[Retrieval, ...]), *more),
    )


def _region_text(region: Region) -> str:
    return msgspec.json.encode(region).decode()


def _region_of(text: str) -> Region:
    return msgspec.json.decode(text, type=tuple[str, ...])
