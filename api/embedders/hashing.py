"""Vectors without a model: hashed pieces of words. The last resort, better than words alone for misspellings."""

import math
from collections import Counter
from collections.abc import Sequence
from zlib import crc32

from projections.recall.embedding import Vector
from projections.recall.words import tokens

MODEL = "local/hashing"
DIMENSION = 384
PIECE_LENGTHS = (3, 4)


class Hashing:
    """Each piece of three or four letters adds to one dimension, with a sign of its own."""

    model = MODEL
    ready = True

    def load(self) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [_embedded(text) for text in texts]


def _embedded(text: str) -> Vector:
    pieces: Counter[str] = Counter()
    for token in tokens(text):
        bounded = f"<{token}>"
        pieces.update(bounded[begin : begin + n] for n in PIECE_LENGTHS for begin in range(len(bounded) - n + 1))
    vector = [0.0] * DIMENSION
    for piece, count in pieces.items():
        place = crc32(piece.encode())
        vector[place % DIMENSION] += (1 if place >> 31 else -1) * math.sqrt(count)
    length = math.sqrt(sum(value * value for value in vector))
    # A text without a word has no direction; any fixed one keeps cosines defined.
    return [value / length for value in vector] if length else [1.0, *vector[1:]]
