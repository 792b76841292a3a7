"""Sources: the rows of memory that a reply may cite."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

SNIPPET_LENGTH_MAX = 240


@dataclass(frozen=True, slots=True)
class Source:
    """One retrieved row. id: as `/inspect` takes it. kind: of the row, in the wire's words. text: one fact as a
    sentence, or a passage. score: 0 to 1. role: "assistant" for an earlier reply. row_id: of the row itself.
    """

    id: str
    kind: str
    text: str
    score: float
    row_id: UUID
    occurred_at: datetime | None = None
    role: str | None = None
    document_title: str | None = None
    position_percent: int | None = None
    is_passage: bool = False


def snippet(text: str, length_max: int = SNIPPET_LENGTH_MAX) -> str:
    """The beginning of `text` on one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= length_max:
        return line
    head = line[: length_max - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > length_max // 2 else head) + "…"
