"""How sure it is that something found answers the question, by signals that mean the same for every question. Pure."""

import math

from projections.recall.ranking import Signals

# A logistic map of the signals; rounded. Without vectors, words alone have to say it.
BASE, COSINE, COVERED, NAMED = -4.4, 7.0, 3.0, 0.5
BASE_OF_WORDS, COVERED_OF_WORDS = -2.8, 5.0

SURE = 0.40  # below it, a search is done again with a wider pool
FLOOR = 0.15  # below it, what was found is no memory of what was asked


def score(signals: Signals) -> float:
    """0 to 1: rises with the cosine, the share of the question's words held, and the entities in common."""
    named = NAMED * min(signals.named, 2)
    if signals.cosine is None:
        return _logistic(BASE_OF_WORDS + COVERED_OF_WORDS * signals.covered + named)
    return _logistic(BASE + COSINE * signals.cosine + COVERED * signals.covered + named)


def _logistic(value: float) -> float:
    return round(1 / (1 + math.exp(-value)), 4)
