"""When an extraction that failed is tried again."""

from dataclasses import dataclass

DOUBLINGS_MAX = 32  # keeps the power finite; the longest delay is reached long before


@dataclass(frozen=True, slots=True)
class Retries:
    """first_s: seconds until the second attempt; doubled at each further one up to longest_s. give_up_s: how old
    a turn is when its last attempt is made."""

    first_s: float = 30.0
    longest_s: float = 3_600.0
    give_up_s: float = 86_400.0

    def delay_s(self, attempt: int, asked_s: float | None = None) -> float:
        """Seconds to wait after the attempt-th failure, counted from 1. asked_s: as long as the provider asks for,
        but never longer than an extraction is tried at all."""
        delay_s = min(self.first_s * 2.0 ** min(attempt - 1, DOUBLINGS_MAX), self.longest_s)
        return min(max(delay_s, asked_s or 0.0), self.give_up_s)
