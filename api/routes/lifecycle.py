"""The passing of time, on demand: what has faded, and letting memories of the moment lapse."""

from datetime import UTC, datetime, timedelta
from typing import Any

from api.http.calls import Call
from projections import lifecycle

DAY = timedelta(days=1)


def decay(call: Call) -> tuple[int, dict[str, Any]]:
    """How many values matter less by now than at first. Importance is worked out at each read: nothing changes."""
    with call.reading() as reader:
        return 200, {"affected": lifecycle.faded(reader, datetime.now(UTC) - DAY)}


def expire(call: Call) -> tuple[int, dict[str, Any]]:
    """How many rows lapsed just now."""
    return 200, {"affected": call.services.lifecycle.expire(call.caller())}
