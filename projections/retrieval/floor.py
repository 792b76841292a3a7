"""How sure it is that something found answers the question, by signals that mean the same for every question. Pure.

Rounded constants, chosen on questions of two kinds of conversation, each asked in its own and in others: they
keep all but some 0 to 6 in a hundred that have an answer, and empty 80 to 98 in a hundred whose subject was
never spoken of. A detail that is missing of a subject that was spoken of is as near as one that is there, so
no floor can tell the two apart. Tried for that and left out, as each empties as many questions that have an answer:
the rarest word of the question far from the best hits, its words within a sentence or two of them, the noun asked
for unseen among them, how far the best stands above the others, words that nobody ever used, and sums of all these.
"""

import math

from projections.recall.ranking import Signals

BASE, COSINE, COVERED, NAMED = -4.8, 7.0, 3.0, 0.5
TIMELY = 5.0  # of a question that only a time answers
# Of words alone: they count less where a vector could have said more, as in a name in another script.
BASE_OF_WORDS, COVERED_OF_WORDS = -2.1, 5.0
BASE_BESIDE, COVERED_BESIDE = -6.0, 6.0

SURE = 0.40  # below it, a search is done again with a wider pool
FLOOR = 0.20  # below it, what was found is no memory of what was asked


def score(signals: Signals) -> float:
    """0 to 1: rises with the cosine, the share of the question's words held, the entities in common, and the time."""
    named = NAMED * min(signals.named, 2) + TIMELY * signals.timely
    if signals.cosine is None:
        return _logistic(BASE_OF_WORDS + COVERED_OF_WORDS * signals.covered + named)
    meant = BASE + COSINE * signals.cosine + COVERED * signals.covered
    return _logistic(max(meant, BASE_BESIDE + COVERED_BESIDE * signals.covered) + named)


def _logistic(value: float) -> float:
    return round(1 / (1 + math.exp(-value)), 4)
