"""The response cache: replies that may be given again to the same question by the same caller.

A control table, no read model. A reply is given again only while all that it cites holds, and nothing new was
said in the caller's region of what the question is about (of anything, if it is about nothing that is known).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from api.chat.signature import signature
from api.chat.sources import Source
from memory.log import Connection
from memory.principals import Caller
from memory.regions import region_of
from projections import instructions
from projections.reading import Reader
from projections.recall.question import parsed
from projections.retrieval import subjects

SIMILARITY_MIN = 0.92
FRESH = timedelta(hours=1)
ROWS_MAX = 5_000  # of a context
LOOKED_AT_MAX = 50
INSTRUCTIONS_MAX = 500

FIND = """
SELECT c.id, c.embedding, c.position, c.seeds, c.facts, c.passages, c.reply, c.sources, c.trace_id
FROM response_cache AS c
WHERE c.context_id = %(context_id)s AND c.principal_id = %(principal_id)s AND c.key_digest = %(key_digest)s
    AND c.created_at > %(since)s
ORDER BY c.created_at DESC
LIMIT %(limit)s
"""

KEEP = """
INSERT INTO response_cache (context_id, id, principal_id, key_digest, embedding, position, created_at, seeds, facts,
    passages, reply, sources, trace_id)
VALUES (%(context_id)s, %(id)s, %(principal_id)s, %(key_digest)s, %(embedding)s, %(position)s, %(created_at)s,
    %(seeds)s, %(facts)s, %(passages)s, %(reply)s, %(sources)s, %(trace_id)s)
ON CONFLICT DO NOTHING
"""

MOVE = """
UPDATE response_cache SET position = %(position)s WHERE context_id = %(context_id)s AND id = %(id)s
"""

FORGET = "DELETE FROM response_cache WHERE context_id = %(context_id)s AND id = %(id)s"

# What is too old, and the oldest of too many.
TRIM = """
DELETE FROM response_cache AS c WHERE c.context_id = %(context_id)s AND (c.created_at <= %(since)s OR c.created_at < (
    SELECT o.created_at FROM response_cache AS o WHERE o.context_id = %(context_id)s
    ORDER BY o.created_at DESC OFFSET %(rows_max)s LIMIT 1
))
"""

POSITION = "SELECT position FROM contexts WHERE context_id = %(context_id)s"

# Anything in the region after `after` that does not belong to these turns and, without a turn, to this session.
OTHERS_SINCE = """
SELECT EXISTS (
    SELECT 1 FROM events AS e
    WHERE e.context_id = %(context_id)s AND e.position > %(after)s AND e.scope_set_id = ANY(%(scope_set_ids)s)
        AND NOT coalesce(e.turn_id = ANY(%(turn_ids)s::uuid[]), e.session_id = %(session_id)s::uuid, false)
)
"""

TOUCHED = """
SELECT EXISTS (SELECT 1 FROM {provenance} AS p WHERE p.subject_id = ANY(%(seeds)s) AND p.position_from > %(after)s)
    OR EXISTS (SELECT 1 FROM {entities} AS e
        WHERE (e.id = ANY(%(seeds)s) OR e.canonical_id = ANY(%(seeds)s)) AND e.position_from > %(after)s)
    OR EXISTS (SELECT 1 FROM {attribute_versions} AS v
        WHERE v.entity_id = ANY(%(seeds)s) AND v.position_from > %(after)s)
    OR EXISTS (SELECT 1 FROM {relations} AS r
        WHERE (r.subject_id = ANY(%(seeds)s) OR r.object_id = ANY(%(seeds)s)) AND r.position_from > %(after)s)
    OR EXISTS (SELECT 1 FROM {actions} AS a WHERE a.actor_id = ANY(%(seeds)s) AND a.position_from > %(after)s)
    OR EXISTS (SELECT 1 FROM {uncertainties} AS u WHERE u.entity_id = ANY(%(seeds)s) AND u.position_from > %(after)s)
"""

# Of the cited rows, those that still hold, and doubts raised since about what they are about.
HELD = """
SELECT (SELECT count(*) FROM {attribute_versions} AS v WHERE v.id = ANY(%(facts)s) AND {in_force:v})
    + (SELECT count(*) FROM {relations} AS r WHERE r.id = ANY(%(facts)s) AND {in_force:r})
    + (SELECT count(*) FROM {actions} AS a WHERE a.id = ANY(%(facts)s)),
    (SELECT count(*) FROM {passages} AS p WHERE p.id = ANY(%(passages)s) AND p.retracted_at IS NULL),
    EXISTS (SELECT 1 FROM {uncertainties} AS u
        WHERE u.position_from > %(after)s AND u.valid_to IS NULL AND u.entity_id IN (
            SELECT v.entity_id FROM {attribute_versions} AS v WHERE v.id = ANY(%(facts)s)
            UNION SELECT r.subject_id FROM {relations} AS r WHERE r.id = ANY(%(facts)s)
            UNION SELECT a.actor_id FROM {actions} AS a WHERE a.id = ANY(%(facts)s)
        ))
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the reply to a question would be kept. vector: of the question. seeds: the entities that it is about.
    position: up to which events the question was looked at. scope_set_ids: the caller's read region."""

    context_id: str
    principal_id: UUID
    key_digest: bytes
    vector: Sequence[float]
    seeds: Sequence[UUID]
    position: int
    scope_set_ids: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class Kept:
    """A reply given before. sources: what its markers stand for. trace_id: of the response that it was first."""

    id: UUID
    reply: str
    sources: dict[int, Source]
    trace_id: UUID


def place_of(
    reader: Reader, caller: Caller, question: str, *, session_id: UUID | None, vector: Sequence[float], manner: str
) -> Place:
    """The place of the reply to `question` by this caller, in this read region.

    manner: whatever else a reply depends on, such as the model.
    """
    named = subjects.named(reader, question, parsed(question).names)
    speakers = subjects.speaker(reader, caller, session_id)
    about = {one.name for one in named}
    speaker_ids = {entity_id for one in speakers for entity_id in one.ids}
    directives = [row.id for row in instructions.active(reader, limit=INSTRUCTIONS_MAX).rows]
    seeds = {entity_id for one in named for entity_id in one.ids}
    if subjects.FIRST_PERSON.search(question):
        seeds |= speaker_ids
    parts = (
        signature(question),
        sorted(about),
        sorted(speaker_ids),
        sorted(directives),
        region_of(caller.grants),
        sorted(reader.scope_set_ids),
        manner,
    )
    position = reader.cursor.execute(POSITION, {"context_id": reader.context_id}).fetchone()
    return Place(
        context_id=reader.context_id,
        principal_id=caller.principal_id,
        key_digest=sha256(repr(parts).encode()).digest(),
        vector=vector,
        seeds=sorted(seeds),
        position=position[0] if position else 0,
        scope_set_ids=reader.scope_set_ids,
    )


def find(reader: Reader, place: Place) -> Kept | None:
    """The reply kept there that is still good, the nearest first."""
    rows = reader.cursor.execute(
        FIND,
        {
            "context_id": place.context_id,
            "principal_id": place.principal_id,
            "key_digest": place.key_digest,
            "since": reader.now - FRESH,
            "limit": LOOKED_AT_MAX,
        },
    ).fetchall()
    near = [(_cosine(row[1], place.vector), row) for row in rows]
    for _, row in sorted((pair for pair in near if pair[0] >= SIMILARITY_MIN), key=lambda pair: -pair[0]):
        entry_id, _, position, seeds, facts, passages, reply, sources, trace_id = row
        if _is_good(reader, position, seeds, facts, passages):
            return Kept(entry_id, reply, msgspec.json.decode(sources, type=dict[int, Source]), trace_id)
    return None


def keep(
    connection: Connection,
    place: Place,
    kept: Kept,
    *,
    position: int,
    turn_ids: Sequence[UUID],
    session_id: UUID,
    now: datetime,
) -> None:
    """Keep a reply, unless somebody else wrote to the region since the question was looked at.

    position: after the turns `turn_ids` of the session, in which the reply was given.
    """
    if not kept.sources or _others_wrote(connection, place, turn_ids, session_id):
        return
    connection.execute(
        KEEP,
        {
            "context_id": place.context_id,
            "id": kept.id,
            "principal_id": place.principal_id,
            "key_digest": place.key_digest,
            "embedding": [float(part) for part in place.vector],
            "position": position,
            "created_at": now,
            "seeds": list(place.seeds),
            "facts": [source.row_id for source in kept.sources.values() if not source.is_passage],
            "passages": [source.row_id for source in kept.sources.values() if source.is_passage],
            "reply": kept.reply,
            "sources": msgspec.json.encode(kept.sources).decode(),
            "trace_id": kept.trace_id,
        },
    )
    connection.execute(TRIM, {"context_id": place.context_id, "since": now - FRESH, "rows_max": ROWS_MAX - 1})


def move(
    connection: Connection, place: Place, kept: Kept, *, position: int, turn_ids: Sequence[UUID], session_id: UUID
) -> None:
    """After a reply was given again: those turns are no news to it. If somebody else wrote meanwhile, they are not
    told from these, so it stays where it was and dies by them."""
    if not _others_wrote(connection, place, turn_ids, session_id):
        connection.execute(MOVE, {"context_id": place.context_id, "id": kept.id, "position": position})


def forget(connection: Connection, place: Place, kept: Kept) -> None:
    connection.execute(FORGET, {"context_id": place.context_id, "id": kept.id})


def _is_good(
    reader: Reader, position: int, seeds: Sequence[UUID], facts: Sequence[UUID], passages: Sequence[UUID]
) -> bool:
    parameters: dict[str, Any] = {"after": position, "facts": facts, "passages": passages, "seeds": seeds}
    ((held_facts, held_passages, doubted),) = reader.tuples(HELD, parameters)
    if held_facts < len(facts) or held_passages < len(passages) or doubted:
        return False
    if seeds:
        return not reader.tuples(TOUCHED, parameters)[0][0]
    since = {
        "context_id": reader.context_id,
        "after": position,
        "scope_set_ids": list(reader.scope_set_ids),
        "turn_ids": [],
        "session_id": None,
    }
    found = reader.cursor.execute(OTHERS_SINCE, since).fetchone()
    return found is not None and not found[0]


def _others_wrote(connection: Connection, place: Place, turn_ids: Sequence[UUID], session_id: UUID) -> bool:
    parameters = {
        "context_id": place.context_id,
        "after": place.position,
        "scope_set_ids": list(place.scope_set_ids),
        "turn_ids": list(turn_ids),
        "session_id": session_id,
    }
    found = connection.execute(OTHERS_SINCE, parameters).fetchone()
    return found is None or bool(found[0])


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length and len(one) == len(other) else 0.0
