"""Which chunks say nearly the same: 64-bit fingerprints of their words (simhash, Charikar 2002)."""

import re
from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from memory.documents.chunks import Chunk
from memory.values import folded

SHINGLE_WORDS = 3
WORDS_MIN = 8  # fewer say too little to be compared
DISTANCE_MAX = 8  # bits of 64: a word or two of a chunk; unrelated texts are some 32 apart, never below 12

_WORD = re.compile(r"\w+")


def fingerprint(text: str) -> int:
    """A number whose bits differ in few places for texts of nearly the same words; signed, 0 for short texts."""
    import numpy as np  # here, as only who reads documents needs it

    words = _WORD.findall(folded(text))
    if len(words) < WORDS_MIN:
        return 0
    shingles = {" ".join(words[place : place + SHINGLE_WORDS]) for place in range(len(words) - SHINGLE_WORDS + 1)}
    hashes = b"".join(blake2b(one.encode(), digest_size=8).digest() for one in shingles)
    bits = np.unpackbits(np.frombuffer(hashes, np.uint8).reshape(-1, 8), axis=1)
    majority = np.packbits(bits.sum(axis=0) * 2 > len(shingles))
    return int.from_bytes(majority.tobytes(), "big", signed=True)


def is_near(one: int, other: int) -> bool:
    """Whether two fingerprints are of nearly the same words."""
    return one != 0 and other != 0 and ((one ^ other) & 0xFFFF_FFFF_FFFF_FFFF).bit_count() <= DISTANCE_MAX


def marked(text: str, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks with fingerprints, and each that repeats an earlier one with that one's ordinal."""
    import numpy as np

    prints = np.array([fingerprint(text[one.char_start : one.char_end]) for one in chunks], np.int64)
    marked = []
    for number, chunk in enumerate(chunks):
        duplicate_of = None
        if prints[number]:
            distances = np.bitwise_count((prints[:number] ^ prints[number]).view(np.uint64))
            near = np.flatnonzero((distances <= DISTANCE_MAX) & (prints[:number] != 0))
            duplicate_of = int(near[0]) if len(near) else None
        marked.append(msgspec.structs.replace(chunk, fingerprint=int(prints[number]), duplicate_of=duplicate_of))
    return marked
