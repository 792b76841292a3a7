"""What embedding models of providers took, by day. Counted beside the log: an embedding is no event.

Days are UTC. Sums are of a whole context, whatever scope the embedded words are in.
"""

import logging
from datetime import UTC, datetime

import psycopg
import psycopg_pool

from memory.log import Cursor, Pool
from memory.usage import Usage
from projections.usage import DayUsage

logger = logging.getLogger(__name__)

EMBEDDING = "embedding"

ADD = """
INSERT INTO embedding_usage AS u (context_id, day, model, calls, input_tokens)
SELECT c.context_id, (now() AT TIME ZONE 'UTC')::date, %(model)s, %(calls)s, %(tokens)s FROM contexts AS c
WHERE c.context_id = %(context_id)s AND c.deleted_at IS NULL
ON CONFLICT (context_id, day, model) DO UPDATE
    SET calls = u.calls + excluded.calls, input_tokens = u.input_tokens + excluded.input_tokens
"""
BY_DAY = """
SELECT day, model, calls, input_tokens FROM embedding_usage
WHERE context_id = %(context_id)s AND day >= %(since)s AND day < %(until)s
ORDER BY day, model
"""
TOKENS = """
SELECT coalesce(sum(input_tokens), 0)::bigint FROM embedding_usage
WHERE context_id = %(context_id)s AND day >= %(since)s
"""


def add(pool: Pool, context_id: str, model: str, usage: Usage) -> None:
    """Count what was taken just now. A database that can't be reached costs the count, never the vectors."""
    parameters = {"context_id": context_id, "model": model, "calls": usage.calls, "tokens": usage.input_tokens}
    try:
        with pool.connection() as connection:
            connection.execute(ADD, parameters)
    except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed) as error:
        logger.warning("what %s took is not counted: %s", model, type(error).__name__)


def by_day(cursor: Cursor, context_id: str, *, since: datetime, until: datetime) -> list[DayUsage]:
    """Sums for each day and model with since <= day < until, oldest first."""
    parameters = {"context_id": context_id, "since": since.date(), "until": until.date()}
    return [
        DayUsage(
            datetime(day.year, day.month, day.day, tzinfo=UTC),
            EMBEDDING,
            model,
            Usage(calls=calls, input_tokens=tokens),
        )
        for day, model, calls, tokens in cursor.connection.execute(BY_DAY, parameters)
    ]


def tokens_spent(pool: Pool, context_id: str, since: datetime) -> int:
    """Tokens that were embedded in the context from that day on."""
    with pool.connection() as connection:
        row = connection.execute(TOKENS, {"context_id": context_id, "since": since.date()}).fetchone()
    assert row is not None
    return int(row[0])
