"""What says nearly the same: kept once, under the best of its places. Pure."""

import re
from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from projections.recall.words import tokens
from projections.retrieval.wanted import Recalled

LIKENESS_MIN = 0.9  # shared words of all words
WORDS_MIN = 4  # fewer must be the same

_NUMBER = re.compile(r"\d+")
_NEGATION = re.compile(r"\b(?:not|no|never|without)\b|n['’]t\b", re.IGNORECASE)


def folded(hits: Sequence[Recalled], *, limit: int) -> list[Recalled]:
    """The first `limit` hits in their order, each with the ids of those up to the last that say nearly the same
    and are left out."""
    kept: list[tuple[Recalled, _Words]] = []
    for hit in hits:
        said = _Words(hit.text)
        twin = next((place for place, (other, words) in enumerate(kept) if _same(hit, said, other, words)), None)
        if twin is None:
            if len(kept) == limit:
                break
            kept.append((hit, said))
        else:
            other, words = kept[twin]
            kept[twin] = (replace(other, folded=(*other.folded, hit.id)), words)
    return [hit for hit, _ in kept]


class _Words:
    """The words of a text, and what makes texts of like words differ: their numbers, and whether they deny."""

    def __init__(self, text: str) -> None:
        self.all = tuple(tokens(text))
        self.set = frozenset(self.all)
        self._text = text

    @cached_property
    def telling(self) -> tuple[frozenset[str], bool]:
        return frozenset(_NUMBER.findall(self._text)), _NEGATION.search(self._text) is not None


def _same(hit: Recalled, said: _Words, other: Recalled, words: _Words) -> bool:
    # A fact and the words that it was read from are two kinds of evidence.
    return hit.is_fact == other.is_fact and _alike(said, words) and said.telling == words.telling


def _alike(said: _Words, words: _Words) -> bool:
    fewer, more = sorted((len(said.set), len(words.set)))
    if fewer < WORDS_MIN or fewer < LIKENESS_MIN * more:
        return said.all == words.all
    shared = len(said.set & words.set)
    return shared >= LIKENESS_MIN * (fewer + more - shared)
