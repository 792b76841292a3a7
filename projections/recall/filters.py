"""What a caller restricts a search to."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from projections.passages import Kind
from projections.reading import Reader

# Of the passage aliased p.
PASSES = """(
    (%(kinds)s::text[] IS NULL OR p.kind = ANY(%(kinds)s))
    AND (%(document_ids)s::uuid[] IS NULL OR p.document_id = ANY(%(document_ids)s))
    AND (%(session_id)s::uuid IS NULL OR p.session_id = %(session_id)s)
    AND (%(labels)s::text[] IS NULL OR p.labels && %(labels)s)
    AND (%(since)s::timestamptz IS NULL OR p.said_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR p.said_at < %(until)s)
)"""

PASSING = f"SELECT p.number FROM {{passages}} AS p WHERE p.number = ANY(%(numbers)s) AND {PASSES}"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which passages may be found; None: any. labels: at least one of them. since <= said < until."""

    kinds: frozenset[Kind] | None = None
    session_id: UUID | None = None
    labels: frozenset[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    document_ids: frozenset[UUID] | None = None

    def __bool__(self) -> bool:
        return self != ANY

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "kinds": None if self.kinds is None else [kind.value for kind in self.kinds],
            "session_id": self.session_id,
            "labels": None if self.labels is None else list(self.labels),
            "since": self.since,
            "until": self.until,
            "document_ids": None if self.document_ids is None else list(self.document_ids),
        }

    def passing(self, reader: Reader, numbers: Collection[int]) -> set[int]:
        """Those of the passages with these numbers that may be found, and that there are at the reader's instant."""
        if not numbers or (not self and reader.instant.is_now):
            return set(numbers)
        parameters = {"numbers": list(numbers), **self.parameters}
        return {number for (number,) in reader.tuples(PASSING, parameters)}


ANY = Filters()
