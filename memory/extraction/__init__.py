"""Extractors: from the words of a turn to candidates."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memory.candidates import Extraction


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
