"""Extractors: from the words of a turn to candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from memory.candidates import Extraction
from memory.extraction.offered import Offered


class Extractor(Protocol):
    """Reads one turn. Needs no database; the same input gives the same output."""

    @property
    def name(self) -> str: ...

    def extract(self, text: str, *, role: str, said_at: datetime, earlier: Sequence[str] = ()) -> Extraction:
        """Candidates said by `text`.

        said_at: aware; relative dates ("last month") are resolved against it, in its own offset.
        earlier: the session's last turns, oldest first, to resolve "he", "there", "that project".
        Raises ExtractorUnavailable if the extractor can't answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message to be read. said_at: aware, in the offset in which it was said."""

    text: str
    role: str
    said_at: datetime


@runtime_checkable
class RemoteExtractor(Protocol):
    """One that asks somebody else: it is waited for, may fail, and can reuse what is known already."""

    @property
    def name(self) -> str: ...

    def extract_all(
        self, utterances: Sequence[Utterance], *, earlier: Sequence[str], offered: Offered
    ) -> list[Extraction]:
        """One extraction for each utterance, read together. Raises ExtractorUnavailable."""
        ...
