"""Loads what `memory.decide` needs to know, inside the append's transaction, under its lock.

Every lookup is bounded by the turn's candidates. Of a line with hundreds of versions only the end is
read, unless the new words go into its past.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memory.cardinality import is_functional, line_key
from memory.decide import CONTRADICTION, relation_unit
from memory.known import EntityName, Known, KnownEntity, Statement, Unit, Wanted
from memory.log import Writing
from memory.ports import HeldEntity, KnownSession
from memory.timeline import Said, tail_suffices
from memory.values import unit_value
from projections import entities, sessions, turns
from projections.lines import ATTRIBUTE_LINES, RELATION_LINES, LineSql, live_segments
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

OPEN_FLAGS = """
SELECT u.id, u.entity_id, u.key, u.about, u.reason
FROM {uncertainties} AS u JOIN unnest(%(entity_ids)s::uuid[], %(keys)s::text[]) AS w (entity_id, key)
    ON u.entity_id = w.entity_id AND u.key = w.key
WHERE u.valid_to IS NULL
ORDER BY u.position_from
"""

SUPPORTED_BY_TURN = "SELECT p.subject_id FROM {provenance} AS p WHERE p.turn_id = %(turn_id)s"

SCOPE_SET = "SELECT s.* FROM {scope_sets} AS s WHERE s.id = %(id)s"

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
                attributes=live_segments(reader, ATTRIBUTE_LINES, row.id),
                relations=live_segments(reader, RELATION_LINES, row.id),
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
        if wanted.names:
            _load_entities(known, _reader(writing, {*visible, scope_set_id}), wanted, scope_set_id)
        if wanted.attributes:
            keys = sorted({one.key for one in wanted.attributes})
            known.keys = dict(own.tuples(KEYS, {"keys": keys}))
            known.attributes = _lines(own, ATTRIBUTE_LINES, _attribute_words(known, wanted))
        if wanted.relations:
            known.relations = _lines(own, RELATION_LINES, _relation_words(known, wanted))
        if wanted.deeds:
            _load_deeds(known, own, wanted)
        if wanted.directives:
            known.directives = dict(own.tuples(DIRECTIVES, {"descriptions": list(wanted.directives)}))
        turn = {"turn_id": statement.turn_id}
        known.supported = {subject_id for (subject_id,) in own.tuples(SUPPORTED_BY_TURN, turn)}
        known.note_flags((about, reason) for about, reason in own.tuples(FLAGS_OF_TURN, turn))
        _load_open_flags(known, own, wanted)
        return known


def _load_entities(known: Known, visible: Reader, wanted: Wanted, scope_set_id: UUID) -> None:
    types, name_keys = zip(*wanted.names, strict=True)
    parameters = {"types": list(types), "name_keys": list(name_keys)}
    for entity_id, kind, name, key, scope in visible.tuples(ENTITIES, parameters):
        known.visible_names.add((kind, key))
        if scope == scope_set_id:
            known.entities[kind, key] = KnownEntity(entity_id, kind, name, key)


def _attribute_words(known: Known, wanted: Wanted) -> dict[Unit, list[Said]]:
    words: dict[Unit, list[Said]] = defaultdict(list)
    for one in wanted.attributes:
        if entity_id := _id_of(known, one.entity):
            value = unit_value(one.value, single_valued=known.single_valued(one.key), past=one.past)
            words[entity_id, line_key(one.key), value].append(one.said)
    return words


def _relation_words(known: Known, wanted: Wanted) -> dict[Unit, list[Said]]:
    words: dict[Unit, list[Said]] = defaultdict(list)
    for one in wanted.relations:
        subject_id, object_id = _id_of(known, one.subject), _id_of(known, one.object)
        if subject_id and object_id:
            words[relation_unit(subject_id, one.label, object_id)].append(replace(one.said, value=str(object_id)))
        elif subject_id and is_functional(one.label):
            # An object that is not known yet: its words still meet what the subject's line holds.
            words[subject_id, one.label, ""].append(one.said)
    return words


def _lines(own: Reader, sql: LineSql, words: Mapping[Unit, list[Said]]) -> dict[Unit, list[Said]]:
    """Each unit's tail where that suffices for the new words, else its whole line."""
    tails = sql.read(own, sql.tails, list(words), tail=True)
    deep = [unit for unit, new in words.items() if not tail_suffices(tails.get(unit, []), new)]
    if deep:
        tails |= sql.read(own, sql.whole, deep, tail=False)
    return tails


def _load_open_flags(known: Known, own: Reader, wanted: Wanted) -> None:
    named = {(one.entity, one.key) for one in wanted.attributes} | {
        (one.subject, one.label) for one in wanted.relations
    }
    facts = [(entity_id, key) for name, key in named if (entity_id := _id_of(known, name))]
    if not facts:
        return
    entity_ids, keys = zip(*facts, strict=True)
    rows = own.tuples(OPEN_FLAGS, {"entity_ids": list(entity_ids), "keys": list(keys)})
    for uncertainty_id, entity_id, key, about, reason in rows:
        known.note_flags([(about, reason)])
        if reason != CONTRADICTION:
            known.doubts.setdefault((entity_id, key), []).append(uncertainty_id)


def _load_deeds(known: Known, own: Reader, wanted: Wanted) -> None:
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
