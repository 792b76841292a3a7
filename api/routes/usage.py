"""GET /usage: what models took, by day, purpose and model, and how they are."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import wire
from api.shapes.model_states import model_states
from memory.errors import InvalidRequest
from memory.scopes import EVERYTHING
from memory.usage import total
from projections import embedding_usage, usage

DAYS_DEFAULT, DAYS_MAX = 30, 366


def get_usage(call: Call) -> tuple[int, dict[str, Any]]:
    """The last `days` days, today included; days are UTC. Scopes that the caller may not see do not count; embeddings,
    which are counted for the whole context, are told to those who may read all of it."""
    days = call.integer("days", DAYS_DEFAULT)
    if not 1 <= days <= DAYS_MAX:
        raise InvalidRequest(f"days: must be between 1 and {DAYS_MAX}")
    today = datetime.combine(datetime.now(UTC).date(), time(), tzinfo=UTC)
    settings = call.services.models.settings(call.context_id)
    with call.reading_as() as (caller, reader):
        since, until = today - timedelta(days=days - 1), today + timedelta(days=1)
        found = usage.by_day(reader, since=since, until=until)
        if EVERYTHING in caller.patterns("memory:read"):
            found += [
                replace(one, usage=settings.priced(one.model, one.usage))
                for one in embedding_usage.by_day(reader.cursor, call.context_id, since=since, until=until)
            ]
            found.sort(key=lambda one: (one.day, one.purpose, one.model))
    return 200, {
        "days": [
            {"day": f"{one.day:%Y-%m-%d}", "purpose": one.purpose, "model": one.model, **wire.usage(one.usage)}
            for one in found
        ],
        "total": wire.usage(total(one.usage for one in found)),
        "since": ids.moment(today - timedelta(days=days - 1)),
        "tokenLimit": settings.token_limit,
        "tokensToday": sum(one.usage.input_tokens + one.usage.output_tokens for one in found if one.day == today),
        **model_states(call.services, call.context_id),
    }
