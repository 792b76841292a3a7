"""A token bucket for each key: so many requests a second, with some saved up for bursts. Of this process."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from memory.errors import TooManyRequests

KEYS_KEPT = 10_000


class RateLimit:
    """per_s: tokens that come in a second; a bucket holds twice as many, and one at least. None = no limit."""

    def __init__(self, per_s: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._most = max(1.0, 2 * per_s) if per_s else 0.0
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when they were counted

    def take(self, key: str) -> None:
        """Take a token of `key`. Raises TooManyRequests, with the time until the next one, if there is none."""
        if not self._per_s:
            return
        now = self._clock()
        with self._lock:
            tokens, at = self._buckets.pop(key, (self._most, now))
            tokens = min(self._most, tokens + (now - at) * self._per_s)
            is_open = tokens >= 1
            self._buckets[key] = (tokens - 1 if is_open else tokens, now)
            if len(self._buckets) > KEYS_KEPT:
                self._buckets.popitem(last=False)
        if not is_open:
            wait_s = math.ceil((1 - tokens) / self._per_s)
            raise TooManyRequests(f"this key may make {self._per_s:g} requests a second", retry_after_s=wait_s)
