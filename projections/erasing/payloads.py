"""Payloads in the log that an erasure may take: those of the scope sets that the caller may both see and forget in."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from memory.erasing import KEPT_TYPES
from memory.log import EventLog
from memory.recorded import Recorded
from projections.reading import Reader

OF_DOCUMENTS = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s) AND topic LIKE 'Document%%'
    AND payload LIKE ANY(%(patterns)s::text[])
"""
OF_TURNS = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND turn_id = ANY(%(turn_ids)s) AND payload IS NOT NULL
"""
OF_SCOPES = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s) AND payload IS NOT NULL
    AND NOT topic = ANY(%(kept)s)
"""
HOLDING = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s) AND payload ILIKE ANY(%(patterns)s::text[])
    AND NOT topic = ANY(%(kept)s)
"""


class Payloads:
    """reader: over those scope sets."""

    def __init__(self, log: EventLog, reader: Reader) -> None:
        self._log = log
        self._reader = reader
        self._decoded: dict[int, Recorded] = {}

    def at(self, positions: Iterable[int]) -> list[Recorded]:
        """The events at these positions, in order; each is decoded once."""
        asked = sorted(set(positions))
        fresh = [position for position in asked if position not in self._decoded]
        if fresh:
            read = self._log.at(self._reader.cursor, self._reader.context_id, fresh)
            self._decoded.update((one.position, one) for one in read)
        return [self._decoded[position] for position in asked]

    def of_turns(self, turn_ids: Sequence[UUID]) -> list[Recorded]:
        told = self.at(self._positions(OF_TURNS, turn_ids=list(turn_ids)))
        return [one for one in told if one.origin.scope_set_id in self._reader.scope_set_ids]

    def of_documents(self, document_ids: Sequence[UUID]) -> set[int]:
        """Positions of what was uploaded and read, of all versions."""
        return self._positions(OF_DOCUMENTS, patterns=[f'%"{document_id}"%' for document_id in document_ids])

    def of_scopes(self, scope_set_ids: Sequence[UUID]) -> set[int]:
        """Positions of all in these scope sets but their own names."""
        return self._positions(OF_SCOPES, scope_set_ids=list(scope_set_ids))

    def holding(self, patterns: Sequence[str]) -> set[int]:
        """Positions of what is LIKE one of the patterns."""
        return self._positions(HOLDING, patterns=list(patterns))

    def _positions(self, sql: str, **parameters: Any) -> set[int]:
        bound = {
            "context_id": self._reader.context_id,
            "scope_set_ids": list(self._reader.scope_set_ids),
            "kept": sorted(KEPT_TYPES),
            **parameters,
        }
        with self._reader.cursor.connection.cursor() as cursor:
            return {position for (position,) in cursor.execute(sql.encode(), bound)}
