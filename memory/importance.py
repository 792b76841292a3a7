"""How much a memory matters now. Computed when read: nothing decays in storage."""

import math
from datetime import datetime

SECONDS_PER_DAY = 86_400

# (initial importance, factor per day); the vendor's table.
DECAY = {"identity": (1.0, 1.0), "knowledge": (0.8, 0.995), "context": (0.5, 0.95)}


def importance(category: str, *, said_at: datetime, now: datetime) -> float:
    """0 to 1: initial importance of the category times its daily factor since it was last said."""
    initial, factor = DECAY[category]
    days = max(0.0, (now - said_at).total_seconds() / SECONDS_PER_DAY)
    return round(initial * math.pow(factor, days), 4)
