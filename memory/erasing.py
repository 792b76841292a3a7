"""Erasing: contents leave the log, the read models and every other store, in one transaction, for good.

What happened keeps its place in the chain; what it said is gone. Where words leave the line of a unit,
the line becomes what it would be had they never been said, as of every known time.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.events import ContentErased, EntityRecognised, Event, StatementEvent
from memory.line_changes import without
from memory.log import EventLog, Writing
from memory.ports import ErasableReadModels
from memory.recorded import Origin, Recorded
from memory.segments import with_tacit

# Erasing them would lose who may do what, or what was erased; they hold no words of a conversation.
KEPT_TYPES = frozenset(
    """
    ScopeSetDefined ScopeRegistered ScopeTombstoned ContextConfigured PrincipalCreated WriteScopesChosen GrantGiven
    GrantRevoked KeyMinted KeyRotated KeyRevoked ContentErased
    """.split()
)

ERASE_PAYLOADS = "SELECT erase_payloads(%(context_id)s, %(positions)s::bigint[])"

REQUEST_SCRUB = """
INSERT INTO scrubs (context_id, erasure_id, requested_at) VALUES (%(context_id)s, %(erasure_id)s, %(now)s)
ON CONFLICT (context_id, erasure_id) DO UPDATE SET requested_at = excluded.requested_at, scrubbed_at = NULL
"""

ALL_CONTENTS = """
SELECT position, scope_set_id FROM events
WHERE context_id = %(context_id)s AND payload IS NOT NULL AND topic <> 'ContentErased'
ORDER BY position
"""

CLOSE_CONTEXT = "UPDATE contexts SET deleted_at = %(now)s WHERE context_id = %(context_id)s"

Places = Sequence[tuple[int, UUID | None]]  # positions, each with its scope set

QUERY, ENTITY, TURN, SCOPE, CONTEXT = "query", "entity", "turn", "scope", "context"


@dataclass(frozen=True, slots=True)
class Asked:
    """Who wants something erased, and why. erasure_id: fresh, or that of the erasure that is carried over."""

    erasure_id: UUID
    principal_id: UUID | None
    reason: str
    query_digest: str | None = None


class Erasing:
    """Takes contents out of the log. Whoever calls it has checked that the caller may."""

    def __init__(self, log: EventLog, models: ErasableReadModels) -> None:
        self.log = log
        self.models = models

    def erase(self, writing: Writing, positions: Iterable[int], asked: Asked) -> int:
        """Erase the contents of the events at these positions. Returns how many were erased now."""
        doomed = [
            one
            for one in self.log.at(writing.cursor, writing.context_id, positions)
            if one.event is not None and one.event.TOPIC not in KEPT_TYPES
        ]
        if not doomed:
            return 0
        relinked = self._relinked(writing, doomed)
        places = [(one.position, one.origin.scope_set_id) for one in doomed]
        self._erase_payloads(writing, places)
        self.models.remove(writing, doomed)
        # Only now: while the words are still there, a line would have two values at once.
        for scope_set_id, events in relinked:
            writing.record(events, Origin(principal_id=asked.principal_id, scope_set_id=scope_set_id))
        self._tell(writing, places, asked, subjects=_subjects(doomed))
        return len(doomed)

    def erase_context(self, context_id: str, asked: Asked) -> None:
        """Erase all contents of a context, its read models and keys, and close it: its log stays, empty.

        Raises NotFound for an unknown context, and for one already deleted.
        """
        with self.log.writing(context_id) as writing:
            doomed: Places = writing.cursor.execute(ALL_CONTENTS, {"context_id": context_id}).fetchall()
            self._erase_payloads(writing, doomed)
            self._tell(writing, doomed, asked)
            self.models.drop_context(writing)
            writing.cursor.execute(CLOSE_CONTEXT, {"context_id": context_id, "now": writing.now})

    def _relinked(self, writing: Writing, doomed: Sequence[Recorded]) -> list[tuple[UUID, list[Event]]]:
        """How lines close over the words that leave them, by scope set."""
        removed = with_tacit(one.event.segment.id for one in doomed if isinstance(one.event, StatementEvent))
        return [
            (line.scope_set_id, [line.event_of.change(change, None) for change in without(line.words, removed)])
            for line in self.models.lines_of(writing, doomed)
        ]

    def _erase_payloads(self, writing: Writing, doomed: Places) -> None:
        parameters = {"context_id": writing.context_id, "positions": [position for position, _ in doomed]}
        row = writing.cursor.execute(ERASE_PAYLOADS, parameters).fetchone()
        assert row is not None and row[0] == len(doomed), "under the head's lock nobody else erases"

    def _tell(
        self, writing: Writing, doomed: Places, asked: Asked, *, subjects: Mapping[UUID | None, tuple[UUID, ...]] = {}
    ) -> None:
        """One event for each scope set, so that nobody learns of erasures where they may not read."""
        by_scope: dict[UUID | None, list[int]] = defaultdict(list)
        for position, scope_set_id in doomed:
            by_scope[scope_set_id].append(position)
        for scope_set_id, positions in by_scope.items():
            told = ContentErased(
                erasure_id=asked.erasure_id,
                reason=asked.reason,
                ranges=_ranges(positions),
                subjects=subjects.get(scope_set_id, ()),
                query_digest=asked.query_digest,
            )
            writing.record([told], Origin(principal_id=asked.principal_id, scope_set_id=scope_set_id))
        writing.cursor.execute(
            REQUEST_SCRUB,
            {"context_id": writing.context_id, "erasure_id": asked.erasure_id, "now": writing.now},
        )


def _ranges(positions: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Ascending positions as ranges, both ends included."""
    ranges: list[tuple[int, int]] = []
    for position in positions:
        if ranges and ranges[-1][1] == position - 1:
            ranges[-1] = ranges[-1][0], position
        else:
            ranges.append((position, position))
    return tuple(ranges)


def _subjects(doomed: Sequence[Recorded]) -> dict[UUID | None, tuple[UUID, ...]]:
    """What something was erased about and that is not erased itself, by scope set: entities by their opaque ids."""
    about: dict[UUID | None, set[UUID]] = defaultdict(set)
    gone: set[UUID] = set()
    for one in doomed:
        event = one.event
        about[one.origin.scope_set_id] |= {
            value
            for name in ("entity_id", "subject_id", "object_id", "actor_id")
            if isinstance(value := getattr(event, name, None), UUID)
        }
        if isinstance(event, EntityRecognised):
            gone.add(event.entity_id)
    return {scope_set_id: tuple(sorted(ids - gone)) for scope_set_id, ids in about.items()}
