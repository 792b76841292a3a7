"""What language models took, one row an event, so that any day can be summed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memory.events import ExtractionCompleted, ExtractionFailed, ModelUsed
from memory.log import Pool
from memory.recorded import Recorded
from memory.usage import Usage
from memory.values import derived_id
from projections.access import every_scope_set
from projections.reading import Reader, snapshot
from projections.table import Op, Put, Row, Table, start

EXTRACTION = "extraction"


class UsageRow(Row, frozen=True):
    """used_at: when it was recorded, which is the day that it counts for. calls, tokens, cost: see Usage."""

    purpose: str
    model: str
    used_at: datetime
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


TABLE = Table(
    "model_usage",
    UsageRow,
    columns="""
    purpose text NOT NULL,
    model text NOT NULL,
    used_at timestamptz NOT NULL,
    calls integer NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost double precision
    """,
    indexes={"by_time": "(used_at)"},
)
HANDLES = (ExtractionCompleted, ExtractionFailed, ModelUsed)

BY_DAY = """
SELECT date_trunc('day', u.used_at, 'UTC'), u.purpose, u.model,
    sum(u.calls)::bigint, sum(u.input_tokens)::bigint, sum(u.output_tokens)::bigint, sum(u.cost)
FROM {model_usage} AS u
WHERE u.used_at >= %(since)s AND u.used_at < %(until)s
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
"""

TOKENS = """
SELECT coalesce(sum(u.input_tokens + u.output_tokens), 0)::bigint FROM {model_usage} AS u WHERE u.used_at >= %(since)s
"""


@dataclass(frozen=True, slots=True)
class DayUsage:
    """Of one model for one purpose on one day. day: its beginning, UTC."""

    day: datetime
    purpose: str
    model: str
    usage: Usage


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case ExtractionCompleted(model=model, usage=usage) | ExtractionFailed(model=model, usage=usage):
            purpose = EXTRACTION
        case ModelUsed(purpose=purpose, model=model, usage=usage):
            pass
        case _:
            return
    if usage.calls == 0:
        return
    # An event belongs to a turn and has a place in the log; together they name its row.
    parent = recorded.origin.turn_id or recorded.origin.session_id
    assert parent is not None
    yield Put(
        TABLE,
        UsageRow(
            *start(recorded, derived_id(parent, "usage", recorded.position)),
            purpose=purpose,
            model=model,
            used_at=recorded.recorded_at,
            calls=usage.calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost=usage.cost,
        ),
    )


def by_day(reader: Reader, *, since: datetime, until: datetime) -> list[DayUsage]:
    """Sums for each day, purpose and model with since <= time < until, oldest first."""
    rows = reader.tuples(BY_DAY, {"since": since, "until": until})
    return [
        DayUsage(day, purpose, model, Usage(calls=calls, input_tokens=into, output_tokens=out, cost=cost))
        for day, purpose, model, calls, into, out, cost in rows
    ]


def tokens_spent(pool: Pool, context_id: str, since: datetime) -> int:
    """Tokens of both directions together that all models took in the context since then."""
    with pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
        generation, seen = every_scope_set(connection, context_id)
        return int(Reader(cursor, context_id, generation, seen).tuples(TOKENS, {"since": since})[0][0])
