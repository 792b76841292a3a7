"""Loads what `memory.decide` needs to know, inside the append's transaction, under its lock.

Every lookup is bounded by the turn's candidates: of a unit with hundreds of versions only those
next to the statement are read.
"""

from collections.abc import Sequence
from uuid import UUID

from memory.known import EntityName, Known, KnownEntity, KnownVersion, Statement, Wanted
from memory.log import Writing
from memory.ports import HeldEntity, KnownSession
from memory.values import unit_value
from projections import entities, sessions, turns
from projections.reading import Reader
from projections.scope_sets import TABLE as SCOPE_SETS
from projections.scope_sets import clauses_of

ENTITIES = """
SELECT e.id, e.type, e.name, e.name_key, e.scope_set_id
FROM {entities} AS e JOIN unnest(%(types)s::text[], %(name_keys)s::text[]) AS w (type, name_key)
    ON e.type = w.type AND e.name_key = w.name_key
WHERE e.forgotten_at IS NULL
"""

KEYS = "SELECT k.key, k.single_valued FROM {attribute_keys} AS k WHERE k.key = ANY(%(keys)s)"

NEIGHBOURS = """
SELECT v.entity_id, v.key, v.unit_value, v.id, v.value, v.said_at, v.turn_position, v.said_offset, v.valid_from,
    v.valid_to, v.superseded_by
FROM unnest(%(entity_ids)s::uuid[], %(keys)s::text[], %(unit_values)s::text[]) AS u (entity_id, key, unit_value)
CROSS JOIN LATERAL (
    (
        SELECT b.* FROM {attribute_versions} AS b
        WHERE b.entity_id = u.entity_id AND b.key = u.key AND b.unit_value = u.unit_value
            AND (b.said_at, b.turn_position) < (%(said_at)s, %(position)s)
        ORDER BY b.said_at DESC, b.turn_position DESC, b.said_offset DESC
        LIMIT 1
    ) UNION ALL (
        SELECT s.* FROM {attribute_versions} AS s
        WHERE s.entity_id = u.entity_id AND s.key = u.key AND s.unit_value = u.unit_value
            AND (s.said_at, s.turn_position) = (%(said_at)s, %(position)s)
    ) UNION ALL (
        SELECT a.* FROM {attribute_versions} AS a
        WHERE a.entity_id = u.entity_id AND a.key = u.key AND a.unit_value = u.unit_value
            AND (a.said_at, a.turn_position) > (%(said_at)s, %(position)s)
        ORDER BY a.said_at, a.turn_position, a.said_offset
        LIMIT 1
    )
) AS v
"""

EDGES = """
SELECT v.subject_id, v.label, v.object_id, v.id, '', v.said_at, v.turn_position, v.said_offset, v.valid_from,
    v.valid_to, NULL::uuid
FROM unnest(%(subjects)s::uuid[], %(labels)s::text[], %(objects)s::uuid[]) AS u (subject_id, label, object_id)
CROSS JOIN LATERAL (
    (
        SELECT b.* FROM {relations} AS b
        WHERE b.subject_id = u.subject_id AND b.label = u.label AND b.object_id = u.object_id
            AND (b.said_at, b.turn_position) < (%(said_at)s, %(position)s)
        ORDER BY b.said_at DESC, b.turn_position DESC, b.said_offset DESC
        LIMIT 1
    ) UNION ALL (
        SELECT s.* FROM {relations} AS s
        WHERE s.subject_id = u.subject_id AND s.label = u.label AND s.object_id = u.object_id
            AND (s.said_at, s.turn_position) = (%(said_at)s, %(position)s)
    ) UNION ALL (
        SELECT a.* FROM {relations} AS a
        WHERE a.subject_id = u.subject_id AND a.label = u.label AND a.object_id = u.object_id
            AND (a.said_at, a.turn_position) > (%(said_at)s, %(position)s)
        ORDER BY a.said_at, a.turn_position, a.said_offset
        LIMIT 1
    )
) AS v
"""

DEEDS = """
SELECT a.actor_id, a.verb, a.comparable_object, a.occurred_at, a.id
FROM {actions} AS a JOIN unnest(%(actors)s::uuid[], %(verbs)s::text[], %(objects)s::text[])
    AS w (actor_id, verb, comparable_object)
    ON a.actor_id = w.actor_id AND a.verb = w.verb AND a.comparable_object = w.comparable_object
"""

DIRECTIVES = """
SELECT i.folded_description, i.id FROM {instructions} AS i
WHERE i.folded_description = ANY(%(descriptions)s) AND i.valid_to IS NULL
"""

FLAGS_OF_TURN = "SELECT u.about, u.reason FROM {uncertainties} AS u WHERE u.turn_id = %(turn_id)s"

SUPPORTED_BY_TURN = "SELECT p.subject_id FROM {provenance} AS p WHERE p.turn_id = %(turn_id)s"

SCOPE_SET = "SELECT s.* FROM {scope_sets} AS s WHERE s.id = %(id)s"

LIVE_VERSIONS = """
SELECT v.id, v.valid_from FROM {attribute_versions} AS v
WHERE v.entity_id = %(entity_id)s AND v.valid_to IS NULL
ORDER BY v.position_from, v.id
"""

LIVE_RELATIONS = """
SELECT r.id, r.valid_from FROM {relations} AS r
WHERE (r.subject_id = %(entity_id)s OR r.object_id = %(entity_id)s) AND r.valid_to IS NULL
ORDER BY r.position_from, r.id
"""

NEXT_SEQ = "SELECT coalesce(max(t.seq), 0) + 1 FROM {turns} AS t WHERE t.session_id = %(session_id)s"


class ReadModelKnowledge:
    """`memory.ports.Knowledge` over the read models."""

    def session(self, writing: Writing, session_id: UUID, visible: Sequence[UUID]) -> KnownSession | None:
        reader = _reader(writing, visible)
        row = sessions.one(reader, session_id)
        if row is None:
            return None
        scope_set = reader.rows(SCOPE_SETS, SCOPE_SET, {"id": row.scope_set_id})[0]
        speaker = entities.by_ids(reader, [row.speaker_id]).get(row.speaker_id) if row.speaker_id else None
        return KnownSession(
            session_id=session_id,
            scope_set_id=row.scope_set_id,
            scopes=clauses_of(scope_set.clauses),
            closed=row.closed_at is not None,
            speaker_id=speaker.id if speaker else None,
            speaker_name=speaker.name if speaker else None,
        )

    def next_seq(self, writing: Writing, session_id: UUID, visible: Sequence[UUID]) -> int:
        return int(_reader(writing, visible).tuples(NEXT_SEQ, {"session_id": session_id})[0][0])

    def earlier_words(self, writing: Writing, session_id: UUID, visible: Sequence[UUID], *, limit: int) -> list[str]:
        return turns.last_words(_reader(writing, visible), session_id, limit=limit)

    def is_scope_set_defined(self, writing: Writing, scope_set_id: UUID) -> bool:
        return bool(_reader(writing, [scope_set_id]).tuples(SCOPE_SET, {"id": scope_set_id}))

    def is_pending(self, writing: Writing, turn_id: UUID, scope_set_id: UUID) -> bool:
        extraction = turns.extraction(_reader(writing, [scope_set_id]), turn_id)
        return extraction is not None and extraction.status == "pending"

    def held_of(self, writing: Writing, name: EntityName, scope_set_ids: Sequence[UUID]) -> list[HeldEntity]:
        reader = _reader(writing, scope_set_ids)
        return [
            HeldEntity(
                entity_id=row.id,
                scope_set_id=row.scope_set_id,
                versions=[(one[0], one[1]) for one in reader.tuples(LIVE_VERSIONS, {"entity_id": row.id})],
                relations=[(one[0], one[1]) for one in reader.tuples(LIVE_RELATIONS, {"entity_id": row.id})],
            )
            for row in entities.named(reader, *name)
        ]

    def load(
        self,
        writing: Writing,
        wanted: Wanted,
        statement: Statement,
        *,
        scope_set_id: UUID,
        visible: Sequence[UUID],
    ) -> Known:
        own = _reader(writing, [scope_set_id])
        known = Known()
        self._load_entities(known, _reader(writing, {*visible, scope_set_id}), wanted, scope_set_id)
        if wanted.keys:
            known.keys = dict(own.tuples(KEYS, {"keys": list(wanted.keys)}))
            self._load_neighbours(known, own, wanted, statement)
        if wanted.edges:
            self._load_edges(known, own, wanted, statement)
        if wanted.deeds:
            self._load_deeds(known, own, wanted)
        if wanted.directives:
            known.directives = dict(own.tuples(DIRECTIVES, {"descriptions": list(wanted.directives)}))
        turn = {"turn_id": statement.turn_id}
        known.supported = {subject_id for (subject_id,) in own.tuples(SUPPORTED_BY_TURN, turn)}
        known.note_flags(own.tuples(FLAGS_OF_TURN, turn))
        return known

    def _load_entities(self, known: Known, visible: Reader, wanted: Wanted, scope_set_id: UUID) -> None:
        if not wanted.names:
            return
        types, name_keys = zip(*wanted.names, strict=True)
        for entity_id, kind, name, key, scope in visible.tuples(
            ENTITIES, {"types": list(types), "name_keys": list(name_keys)}
        ):
            known.visible_names.add((kind, key))
            if scope == scope_set_id:
                known.entities[kind, key] = KnownEntity(entity_id, kind, name, key)

    def _load_neighbours(self, known: Known, own: Reader, wanted: Wanted, statement: Statement) -> None:
        units = [
            (entity_id, key, unit_value(value, single_valued=known.single_valued(key), past=past))
            for name, key, value, past in wanted.attributes
            if (entity_id := _id_of(known, name))
        ]
        if not units:
            return
        entity_ids, keys, unit_values = zip(*set(units), strict=True)
        rows = own.tuples(
            NEIGHBOURS,
            {
                "entity_ids": list(entity_ids),
                "keys": list(keys),
                "unit_values": list(unit_values),
                "said_at": statement.said_at,
                "position": statement.position,
            },
        )
        for entity_id, key, value_unit, *version in rows:
            known.neighbours.setdefault((entity_id, key, value_unit), []).append(KnownVersion(*version))

    def _load_edges(self, known: Known, own: Reader, wanted: Wanted, statement: Statement) -> None:
        edges = [
            (subject_id, label, object_id)
            for subject, label, target in wanted.edges
            if (subject_id := _id_of(known, subject)) and (object_id := _id_of(known, target))
        ]
        if edges:
            subjects, labels, objects = zip(*edges, strict=True)
            rows = own.tuples(
                EDGES,
                {
                    "subjects": list(subjects),
                    "labels": list(labels),
                    "objects": list(objects),
                    "said_at": statement.said_at,
                    "position": statement.position,
                },
            )
            for subject_id, label, object_id, *version in rows:
                known.edges.setdefault((subject_id, label, object_id), []).append(KnownVersion(*version))

    def _load_deeds(self, known: Known, own: Reader, wanted: Wanted) -> None:
        deeds = [(actor_id, verb, target) for actor, verb, target in wanted.deeds if (actor_id := _id_of(known, actor))]
        if deeds:
            actors, verbs, objects = zip(*deeds, strict=True)
            rows = own.tuples(DEEDS, {"actors": list(actors), "verbs": list(verbs), "objects": list(objects)})
            known.deeds = {(actor, verb, target, when): action_id for actor, verb, target, when, action_id in rows}


def _reader(writing: Writing, scope_set_ids: Sequence[UUID] | set[UUID]) -> Reader:
    return Reader(writing.cursor, writing.context_id, writing.generation, list(scope_set_ids))


def _id_of(known: Known, name: EntityName) -> UUID | None:
    entity = known.entities.get(name)
    return entity.entity_id if entity else None
