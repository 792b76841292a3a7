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

# Of a passage aliased p, where the read is of what began and ended within bounds: a fact is its version, and words or
# a deed are of their moment, but words that state a version within the bounds are within them too.
_AT = """(%(valid_from)s::timestamptz IS NULL OR {0} >= %(valid_from)s)
    AND (%(valid_until)s::timestamptz IS NULL OR {0} <= %(valid_until)s)"""
WITHIN_BOUNDS = f"""(
    (p.fact_id IS NULL AND {_AT.format("p.said_at")})
    OR (p.fact_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM {{attribute_versions}} AS v WHERE v.id = p.fact_id AND {{in_force:v}}
        UNION ALL SELECT 1 FROM {{relations}} AS r WHERE r.id = p.fact_id AND {{in_force:r}}
        UNION ALL SELECT 1 FROM {{actions}} AS a
            WHERE a.id = p.fact_id AND {_AT.format("coalesce(a.occurred_at, a.said_at)")}
    ))
    OR (p.fact_id IS NULL AND EXISTS (
        SELECT 1 FROM {{attribute_versions}} AS v WHERE v.turn_id = coalesce(p.turn_id, p.id) AND {{in_force:v}}
        UNION ALL SELECT 1 FROM {{relations}} AS r WHERE r.turn_id = coalesce(p.turn_id, p.id) AND {{in_force:r}}
    ))
)"""

PASSING = "SELECT p.number FROM {{passages}} AS p WHERE p.number = ANY(%(numbers)s) AND {passes}"
PASSING_NOW, PASSING_WITHIN = (PASSING.format(passes=one) for one in (PASSES, f"{PASSES} AND {WITHIN_BOUNDS}"))


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
        """Those of the passages with these numbers that may be found, there at the reader's instant and within its
        bounds."""
        if not numbers or (not self and reader.instant.is_now):
            return set(numbers)
        parameters = {"numbers": list(numbers), **self.parameters}
        sql = PASSING_WITHIN if reader.instant.is_bounded else PASSING_NOW
        return {number for (number,) in reader.tuples(sql, parameters)}


ANY = Filters()
