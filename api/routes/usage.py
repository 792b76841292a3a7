"""GET /usage: what language models took, by day, purpose and model."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import wire
from memory.errors import InvalidRequest
from memory.usage import total
from projections import usage

DAYS_DEFAULT, DAYS_MAX = 30, 366


def get_usage(call: Call) -> tuple[int, dict[str, Any]]:
    """The last `days` days, today included; days are UTC. Scopes that the caller may not see do not count."""
    days = call.integer("days", DAYS_DEFAULT)
    if not 1 <= days <= DAYS_MAX:
        raise InvalidRequest(f"days: must be between 1 and {DAYS_MAX}")
    today = datetime.combine(datetime.now(UTC).date(), time(), tzinfo=UTC)
    with call.reading() as reader:
        found = usage.by_day(reader, since=today - timedelta(days=days - 1), until=today + timedelta(days=1))
    limit = call.services.models.settings(call.context_id).token_limit
    return 200, {
        "days": [
            {"day": f"{one.day:%Y-%m-%d}", "purpose": one.purpose, "model": one.model, **wire.usage(one.usage)}
            for one in found
        ],
        "total": wire.usage(total(one.usage for one in found)),
        "since": ids.moment(today - timedelta(days=days - 1)),
        "tokenLimit": limit,
        "tokensToday": sum(one.usage.input_tokens + one.usage.output_tokens for one in found if one.day == today),
    }
