"""The events of a log as its readers get them: in order, under their scopes, after a place that they know.

Positions are given out and committed under the head's lock, so whoever has read up to one has missed none
before it, however many write.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.events import EVENT_TYPES
from memory.known import EntityName
from memory.log import EVENT_COLUMNS, EventLog
from memory.recorded import Recorded, from_columns
from projections import entities
from projections.reading import Reader

# Who may do what, and where, is no part of the memory; `/principals` and `/scopes` show it to those who may see it.
HIDDEN = frozenset(
    """
    PrincipalCreated WriteScopesChosen GrantGiven GrantRevoked KeyMinted KeyRotated KeyRevoked ContextConfigured
    ScopeSetDefined ScopeRegistered ScopeTombstoned
    """.split()
)
TOPICS = frozenset(event_type.TOPIC for event_type in EVENT_TYPES) - HIDDEN

HEAD = "SELECT position FROM contexts WHERE context_id = %(context_id)s"

AFTER = f"""
SELECT {EVENT_COLUMNS} FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s)
    AND position > %(after)s AND position <= %(until)s
    AND topic = ANY(%(topics)s)
    AND (%(session_id)s::uuid IS NULL OR session_id = %(session_id)s)
    AND (%(turn_id)s::uuid IS NULL OR turn_id = %(turn_id)s)
    AND (%(since)s::timestamptz IS NULL OR recorded_at >= %(since)s)
    AND (%(before)s::timestamptz IS NULL OR recorded_at < %(before)s)
ORDER BY position
LIMIT %(limit)s
"""

# What is told of an entity, by the ids that events name it by.
ABOUT = """
SELECT e.id FROM {entities} AS e WHERE e.canonical_id = ANY(%(ids)s)
UNION ALL SELECT v.id FROM {attribute_versions} AS v WHERE v.entity_id = ANY(%(ids)s)
UNION ALL SELECT r.id FROM {relations} AS r WHERE r.subject_id = ANY(%(ids)s) OR r.object_id = ANY(%(ids)s)
UNION ALL SELECT a.id FROM {actions} AS a WHERE a.actor_id = ANY(%(ids)s)
UNION ALL SELECT u.id FROM {uncertainties} AS u WHERE u.entity_id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events: all conditions must hold, None is no condition. since <= recorded_at < before."""

    topics: Sequence[str] = ()
    session_id: UUID | None = None
    turn_id: UUID | None = None
    entity: EntityName | None = None
    since: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Events with position <= `read_to`, which is as far as the log was looked through; `head` is its end."""

    events: list[Recorded]
    read_to: int
    head: int


def after(log: EventLog, reader: Reader, wanted: Wanted, position: int, *, limit: int) -> Stretch:
    """The next events after a position, at most `limit`."""
    row = reader.tuples(HEAD, {})
    head = int(row[0][0])
    about = _about(reader, wanted.entity) if wanted.entity else None
    rows = reader.tuples(
        AFTER,
        {
            "after": position,
            "until": head,
            "topics": sorted(TOPICS.intersection(wanted.topics) if wanted.topics else TOPICS),
            "session_id": wanted.session_id,
            "turn_id": wanted.turn_id,
            "since": wanted.since,
            "before": wanted.before,
            "limit": limit,
        },
    )
    events = log.decoded([from_columns(row) for row in rows])
    read_to = events[-1].position if len(events) == limit else head
    if about is not None:
        events = [one for one in events if not about.isdisjoint(_named(one))]
    return Stretch(events, max(read_to, position), head)


def _about(reader: Reader, name: EntityName) -> set[UUID]:
    ids = [row.id for row in entities.named(reader, *name)]
    return {row_id for (row_id,) in reader.tuples(ABOUT, {"ids": ids})}


def _named(one: Recorded) -> set[UUID]:
    """The ids that an event is about."""
    event = one.event
    if event is None:
        return set()
    ids = {value for name in event.__struct_fields__ if isinstance(value := getattr(event, name), UUID)}
    segment = getattr(event, "segment", None)
    return ids | {segment.id} if segment is not None else ids
