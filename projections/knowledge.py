"""Loads what `memory.decide` needs to know, inside the append's transaction, under its lock.

Every lookup is bounded by the turn's candidates. Of a line with hundreds of versions only the end is
read, unless the new words go into its past.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memory.cardinality import is_functional, keys_of_line, line_key, line_value
from memory.directory import ScopeNode
from memory.doubts import CONTRADICTION, Doubt
from memory.kinds import wider_values
from memory.known import EntityName, Known, KnownEntity, Statement, Unit, Wanted
from memory.line_changes import tail_suffices
from memory.log import Cursor, Writing
from memory.nicknames import lookups
from memory.ports import HeldEntity, HeldFact, KnownSession, Lapsed, NamesInScope, PendingExtraction
from memory.scopes import scope_set
from memory.segments import Said
from memory.values import comparable, unit_value
from memory.wanted import UNNAMED_USER, called_by, relation_unit
from projections import belongings, derivations, entities, held, lifecycle, provenance, scope_sets, turns
from projections.directory import directory_of
from projections.lines import ATTRIBUTE_LINES, RELATION_LINES, LineSql, live_segments
from projections.reading import Reader, recordset
from projections.scope_sets import clauses_of

# As in all of these, what is wanted comes as a recordset and is looked up one by one (see `projections.reading`).
ENTITIES = """
SELECT e.* FROM json_to_recordset(%(names)s::json) AS w (type text, name_key text)
CROSS JOIN LATERAL (
    SELECT e.id, e.type, e.name, e.name_key, e.scope_set_id, e.canonical_id FROM {entities} AS e
    WHERE e.type = w.type AND e.name_key = w.name_key AND e.forgotten_at IS NULL
    OFFSET 0
) AS e
"""

RELATIVES = """
SELECT e.id, e.type, e.name, e.name_key, e.scope_set_id, e.canonical_id FROM {entities} AS e
WHERE e.type = 'person' AND e.first_word = ANY(%(first_words)s) AND e.forgotten_at IS NULL
"""

ENTITIES_OF_ANY_TYPE = """
SELECT e.id, e.type, e.name, e.name_key, e.scope_set_id, e.canonical_id FROM {entities} AS e
WHERE e.name_key = ANY(%(name_keys)s) AND e.forgotten_at IS NULL
"""

CANONICAL = "SELECT e.id, e.type, e.name, e.name_key FROM {entities} AS e WHERE e.id = ANY(%(ids)s)"

# Of names that are new, by ranges of first words in byte order, which an index finds; two names that both go on must
# go on alike.
ALIKE = """
SELECT DISTINCT c.id, c.type, c.name, c.name_key
FROM json_to_recordset(%(ranges)s::json) AS w (name text, low text, high text, rest text)
CROSS JOIN LATERAL (
    SELECT e.canonical_id FROM {entities} AS e
    WHERE e.first_word ~>=~ w.low AND e.first_word ~<=~ w.high
        AND (w.rest = '' OR e.name_key = e.first_word OR right(e.name_key, length(w.rest)) = w.rest)
        AND e.type = 'person' AND e.forgotten_at IS NULL
    OFFSET 0
) AS a
CROSS JOIN LATERAL (SELECT * FROM {entities} AS e WHERE e.id = a.canonical_id OFFSET 0) AS c
WHERE NOT EXISTS (
    SELECT 1 FROM {entities} AS e WHERE e.name_key = w.name AND e.type = 'person' AND e.forgotten_at IS NULL OFFSET 0
)
ORDER BY c.name_key
LIMIT %(limit)s
"""
ALIKE_MAX = 200

KEYS = "SELECT k.key, k.single_valued FROM {attribute_keys} AS k WHERE k.key = ANY(%(keys)s)"

DEEDS = """
SELECT a.* FROM json_to_recordset(%(deeds)s::json) AS w (actor_id uuid, verb text, object text)
CROSS JOIN LATERAL (
    SELECT a.actor_id, a.verb, a.comparable_object, a.occurred_at, a.id FROM {actions} AS a
    WHERE a.actor_id = w.actor_id AND a.verb = w.verb AND a.comparable_object = w.object
    OFFSET 0
) AS a
"""

DIRECTIVES = """
SELECT i.folded_description, i.id FROM {instructions} AS i
WHERE i.valid_to IS NULL
ORDER BY i.said_at, i.id
"""

DIRECTIVES_OF_TURN = """
SELECT i.folded_description FROM {instructions} AS i JOIN {provenance} AS p ON p.subject_id = i.id
WHERE p.turn_id = %(turn_id)s
"""

FLAGS_OF_TURN = "SELECT u.entity_id, u.about, u.reason FROM {uncertainties} AS u WHERE u.turn_id = %(turn_id)s"

OPEN_DOUBTS = """
SELECT u.entity_id, u.key, u.id, u.about, u.reason, u.said_at
FROM json_to_recordset(%(facts)s::json) AS w (entity_id uuid, key text)
CROSS JOIN LATERAL (
    SELECT * FROM {uncertainties} AS u
    WHERE u.entity_id = w.entity_id AND u.key = w.key AND u.valid_to IS NULL
    OFFSET 0
) AS u
ORDER BY u.position_from
"""

KINDS = """
SELECT DISTINCT v.entity_id, v.line_key, v.unit_value
FROM json_to_recordset(%(ended)s::json) AS w (entity_id uuid, line_key text, value text)
CROSS JOIN LATERAL (
    SELECT v.entity_id, v.line_key, v.unit_value FROM {attribute_versions} AS v
    WHERE v.entity_id = w.entity_id AND v.line_key = w.line_key AND NOT v.single_valued
        AND right(v.unit_value, length(w.value) + 1) = ' ' || w.value
    OFFSET 0
) AS v
"""

SUPPORTED_BY_TURN = "SELECT p.subject_id FROM {provenance} AS p WHERE p.turn_id = %(turn_id)s"

SCOPE_SET = "SELECT 1 FROM {scope_sets} AS c WHERE c.id = %(id)s"

SESSION = """
SELECT s.scope_set_id, c.clauses, s.closed_at IS NOT NULL, n.id, n.type, n.name_key,
    (SELECT coalesce(max(t.seq), 0) + 1 FROM {turns} AS t WHERE t.session_id = s.id)
FROM {sessions} AS s
    JOIN {scope_sets} AS c ON c.id = s.scope_set_id
    LEFT JOIN LATERAL (SELECT e.canonical_id FROM {entities} AS e WHERE e.id = s.speaker_id OFFSET 0) AS e ON true
    LEFT JOIN LATERAL (
        SELECT n.id, n.type, n.name_key FROM {entities} AS n
        WHERE n.id = e.canonical_id AND n.forgotten_at IS NULL
        OFFSET 0
    ) AS n ON true
WHERE s.id = %(id)s
"""


PASSAGES_OF = """
SELECT p.scope_set_id, p.id FROM {passages} AS p
WHERE (p.kind = 'turn' AND p.turn_id = %(id)s) OR (p.kind = 'action' AND p.fact_id = %(id)s)
    OR (p.kind = 'document' AND p.id = %(id)s)
ORDER BY p.number
"""


class ReadModelKnowledge:
    """`memory.ports.Knowledge` over the read models.

    multi_valued: keys that have many values beside each other, in addition to the registry's.
    strict_scopes: whether contexts that do not say so themselves refuse writes into unregistered paths.
    """

    def __init__(self, multi_valued: frozenset[str] = frozenset(), *, strict_scopes: bool = False) -> None:
        self._multi_valued = multi_valued
        self._strict_scopes = strict_scopes

    def session(self, writing: Writing, session_id: UUID, visible: Sequence[UUID]) -> KnownSession | None:
        asked = _early_reader(writing, visible).ask(SESSION, {"id": session_id})
        writing.locked()
        row = asked.fetchone()
        if row is None:
            return None
        scope_set_id, clauses, closed, speaker_id, kind, name_key, next_seq = row
        return KnownSession(
            session_id=session_id,
            scope_set_id=scope_set_id,
            scopes=clauses_of(clauses),
            next_seq=next_seq,
            closed=closed,
            speaker_id=speaker_id,
            speaker=(kind, name_key) if speaker_id else None,
        )

    def earlier_words(
        self, writing: Writing, session_id: UUID, visible: Sequence[UUID], *, before_seq: int, limit: int
    ) -> list[str]:
        return turns.last_words(_reader(writing, visible), session_id, before_seq=before_seq, limit=limit)

    def is_scope_set_defined(self, writing: Writing, scope_set_id: UUID) -> bool:
        return bool(_reader(writing, [scope_set_id]).tuples(SCOPE_SET, {"id": scope_set_id}))

    def scope_nodes(self, writing: Writing, paths: Sequence[str]) -> Sequence[ScopeNode]:
        return directory_of(writing).nodes(paths)

    def has_strict_scopes(self, writing: Writing) -> bool:
        configuration = directory_of(writing).configuration()
        scopes = configuration.config.get("scopes", {}) if configuration else {}
        return bool(scopes.get("strict", self._strict_scopes))

    def pending(
        self, writing: Writing, turn_id: UUID, session_id: UUID, visible: Sequence[UUID]
    ) -> tuple[PendingExtraction, KnownSession] | None:
        asked = turns.ask_extraction(_early_reader(writing, visible), turn_id)
        session = self.session(writing, session_id, visible)
        extraction = asked.fetchone()
        if session is None or extraction is None or extraction.status not in ("pending", "failed"):
            return None
        return PendingExtraction(extraction.attempts, extraction.recorded_at), session

    def supporters(self, writing: Writing, thing_id: UUID, scope_set_id: UUID) -> set[UUID]:
        return provenance.supporters(_reader(writing, [scope_set_id]), thing_id)

    def held_of(self, writing: Writing, name: EntityName, scope_set_ids: Sequence[UUID]) -> list[HeldEntity]:
        reader = _reader(writing, scope_set_ids)
        return [
            HeldEntity(
                entity_id=row.id,
                scope_set_id=row.scope_set_id,
                name_ids=entities.name_ids(reader, row.id),
                attributes=live_segments(reader, ATTRIBUTE_LINES, row.id),
                relations=live_segments(reader, RELATION_LINES, row.id),
            )
            for row in entities.named(reader, *name)
        ]

    def scopes_of_names(
        self, writing: Writing, names: Sequence[EntityName], visible: Sequence[UUID]
    ) -> list[NamesInScope]:
        reader = _reader(writing, visible)
        found: dict[UUID, dict[EntityName, UUID]] = defaultdict(dict)
        own_ids: dict[UUID, set[UUID]] = defaultdict(set)
        rows = reader.tuples(ENTITIES, {"names": recordset(("type", "name_key"), names)})
        for entity_id, kind, _, key, scope_set_id, canonical_id in rows:
            found[scope_set_id][kind, key] = canonical_id
            own_ids[scope_set_id].add(entity_id)
        clauses = scope_sets.clauses(reader)
        return [NamesInScope(scope_set(clauses[one]), found[one], frozenset(own_ids[one])) for one in sorted(found)]

    def lapsed(self, writing: Writing, scope_set_ids: Sequence[UUID], *, before: datetime) -> Lapsed:
        return lifecycle.lapsed(_reader(writing, scope_set_ids), before)

    def entity_name(self, writing: Writing, entity_id: UUID, visible: Sequence[UUID]) -> EntityName | None:
        row = entities.by_ids(_reader(writing, visible), [entity_id]).get(entity_id)
        return (row.type, row.name_key) if row and row.forgotten_at is None else None

    def passages_of(self, writing: Writing, thing: UUID, visible: Sequence[UUID]) -> dict[UUID, list[UUID]]:
        found: dict[UUID, list[UUID]] = defaultdict(list)
        for scope_set_id, passage_id in _reader(writing, visible).tuples(PASSAGES_OF, {"id": thing}):
            found[scope_set_id].append(passage_id)
        return found

    def concluded_from(
        self, writing: Writing, source_ids: Sequence[UUID], visible: Sequence[UUID]
    ) -> list[tuple[str, UUID]]:
        return [(one.kind, one.id) for one in derivations.conclusions_in_turn(_reader(writing, visible), source_ids)]

    def attribute(self, writing: Writing, version_id: UUID, visible: Sequence[UUID]) -> HeldFact | None:
        return held.held(_reader(writing, visible), held.ATTRIBUTE, version_id)

    def relation(self, writing: Writing, relation_id: UUID, visible: Sequence[UUID]) -> HeldFact | None:
        return held.held(_reader(writing, visible), held.RELATION, relation_id)

    def instruction(self, writing: Writing, instruction_id: UUID, visible: Sequence[UUID]) -> HeldFact | None:
        return held.held(_reader(writing, visible), held.INSTRUCTION, instruction_id)

    def uncertainty(self, writing: Writing, uncertainty_id: UUID, visible: Sequence[UUID]) -> HeldFact | None:
        return held.held(_reader(writing, visible), held.UNCERTAINTY, uncertainty_id)

    def load(
        self,
        writing: Writing,
        wanted: Wanted,
        statement: Statement,
        *,
        scope_set_id: UUID,
        visible: Sequence[UUID],
        again: bool,
    ) -> Known:
        # A turn that was not decided yet has nothing that its facts could meet among what is still unwritten.
        cursor = writing.cursor if again else writing.cursor_before
        own = Reader(cursor, writing.context_id, writing.generation, [scope_set_id])
        visible_too = Reader(cursor, writing.context_id, writing.generation, list({*visible, scope_set_id}))
        known = Known(multi_valued=self._multi_valued, proposed=dict(wanted.proposed))
        _load_names(known, visible_too, own, wanted, scope_set_id)
        turn = {"turn_id": statement.turn_id}
        supported = own.ask(SUPPORTED_BY_TURN, turn) if again else None
        flagged = own.ask(FLAGS_OF_TURN, turn) if again else None
        asked = _ask_open_doubts(known, own, wanted)
        attributes, relations = _attribute_words(known, own, wanted), _relation_words(known, wanted)
        attribute_tails = ATTRIBUTE_LINES.ask_tails(own, list(attributes))
        relation_tails = RELATION_LINES.ask_tails(own, list(relations))
        deeds = _ask_deeds(known, own, wanted)
        directives = own.ask(DIRECTIVES, {}) if wanted.directives else None
        doubts = asked.fetchall() if asked else []
        # Whether words settle a contradiction hangs on all that is claimed.
        disputed = {(entity_id, line_key(key)) for entity_id, key, _, _, reason, _ in doubts if reason == CONTRADICTION}
        known.attributes = _lines(own, ATTRIBUTE_LINES, attributes, attribute_tails, disputed)
        known.relations = _lines(own, RELATION_LINES, relations, relation_tails, disputed)
        regrouped = {entity_id for name in wanted.regrouped if (entity_id := _id_of(known, name))}
        begins = tuple(called_by(name, "") for name in wanted.relatives_of)
        regrouped |= {one.entity_id for one in known.entities.values() if begins and one.name_key.startswith(begins)}
        if regrouped:
            belongings.load(known, own, sorted(regrouped), statement.session_id)
        if deeds:
            known.deeds = {(actor, verb, target, when): action_id for actor, verb, target, when, action_id in deeds}
        if directives:
            known.directives = dict(directives.fetchall())
        if supported and flagged:
            known.supported = {subject_id for (subject_id,) in supported.fetchall()}
            for flag in flagged.fetchall():
                known.note_flag(*flag)
            known.directives_given = {description for (description,) in own.tuples(DIRECTIVES_OF_TURN, turn)}
        for entity_id, key, uncertainty_id, about, reason, said_at in doubts:
            known.note_flag(entity_id, about, reason)
            if entity_id not in regrouped:
                doubt = Doubt(uncertainty_id, about, reason, said_at)
                known.doubts.setdefault((entity_id, key), []).append(doubt)
        return known


def _load_names(known: Known, visible: Reader, own: Reader, wanted: Wanted, scope_set_id: UUID) -> None:
    """Entities, keys and persons of a like name, asked together."""
    keys = own.ask(KEYS, {"keys": sorted({one.key for one in wanted.attributes})}) if wanted.attributes else None
    loose = own.ask(ENTITIES_OF_ANY_TYPE, {"name_keys": sorted(wanted.loose_names)}) if wanted.loose_names else None
    persons = sorted(key for kind, key in wanted.names if kind == "person" and key != UNNAMED_USER)
    ranges = [(name, *borders) for name in persons for borders in lookups(name)]
    columns = ("name", "low", "high", "rest")
    alike = own.ask(ALIKE, {"ranges": recordset(columns, ranges), "limit": ALIKE_MAX}) if ranges else None
    found: list[tuple[UUID, str, str, str, UUID, UUID]] = []
    if wanted.names:
        found += visible.tuples(ENTITIES, {"names": recordset(("type", "name_key"), wanted.names)})
        known.visible_names = {(kind, key) for _, kind, _, key, _, _ in found}
    found += loose.fetchall() if loose else ()
    if wanted.relatives_of:
        found += own.tuples(RELATIVES, {"first_words": [f"{name}'s" for name in sorted(wanted.relatives_of)]})
    if keys:
        known.keys = dict(keys.fetchall())
    elsewhere: dict[EntityName, UUID] = {}
    for entity_id, kind, name, key, scope, canonical_id in found:
        if scope != scope_set_id:
            continue
        if canonical_id == entity_id:
            known.entities[kind, key] = KnownEntity(entity_id, kind, name, key)
        else:
            known.name_ids[kind, key] = entity_id
            elsewhere[kind, key] = canonical_id
    if elsewhere:
        canonical = {
            row[0]: KnownEntity(*row) for row in own.tuples(CANONICAL, {"ids": sorted(set(elsewhere.values()))})
        }
        known.entities |= {name: canonical[entity_id] for name, entity_id in elsewhere.items()}
    if alike:
        known.alike = {row[0]: KnownEntity(*row) for row in alike.fetchall()}


def _attribute_words(known: Known, own: Reader, wanted: Wanted) -> dict[Unit, list[Said]]:
    words: dict[Unit, list[Said]] = defaultdict(list)
    for one in wanted.attributes:
        if entity_id := _id_of(known, one.entity):
            value = unit_value(one.value, single_valued=known.single_valued(one.key))
            words[entity_id, line_key(one.key), value].append(one.said)
    ended = {
        (entity_id, line_key(one.key), comparable(one.value)): one
        for one in wanted.ended
        if not known.single_valued(one.key) and (entity_id := _id_of(known, one.entity))
    }
    if ended:
        kinds = own.tuples(KINDS, {"ended": recordset(("entity_id", "line_key", "value"), ended)})
        for entity_id, key, value in kinds:
            for (owner_id, ended_key, wider), one in ended.items():
                if (owner_id, ended_key) == (entity_id, key) and wider in wider_values(value):
                    words[entity_id, key, value].append(replace(one.said, value=line_value(one.key, value)))
    return words


def _relation_words(known: Known, wanted: Wanted) -> dict[Unit, list[Said]]:
    words: dict[Unit, list[Said]] = defaultdict(list)
    for one in wanted.relations:
        subject_id, object_id = _id_of(known, one.subject), _id_of(known, one.object)
        if subject_id and object_id:
            unit = relation_unit(subject_id, one.label, object_id)
            words[unit].append(replace(one.said, value=str(object_id)))
        elif subject_id and is_functional(one.label):
            # An object that is not known yet: its words still meet what the subject's line holds.
            words[subject_id, one.label, ""].append(one.said)
    return words


def _lines(
    own: Reader,
    sql: LineSql,
    words: Mapping[Unit, list[Said]],
    asked: Cursor | None,
    disputed: Set[tuple[UUID, str]],
) -> dict[Unit, list[Said]]:
    """Each unit's tail where that suffices for the new words, else its whole line."""
    tails = sql.tails_of(asked)
    # What was said of wider values and ends what is only told now.
    borrowed = sql.read_borrowed(own, (unit for unit, new in words.items() if not all(said.ends for said in new)))
    lines = borrowed | {unit: list(tail.said) for unit, tail in tails.items()}
    deep = [
        unit
        for unit, new in words.items()
        if unit in tails
        and (unit[:2] in disputed or not tail_suffices(tails[unit], new) or _ends_later(borrowed.get(unit, ()), new))
    ]
    return lines | (sql.read_whole(own, deep) if deep else {})


def _ends_later(borrowed: Sequence[Said], new: Sequence[Said]) -> bool:
    return any(ending.place > said.place for ending in borrowed for said in new)


def _ask_open_doubts(known: Known, own: Reader, wanted: Wanted) -> Cursor | None:
    named = {(one.entity, key) for one in wanted.attributes for key in keys_of_line(one.key)} | {
        (one.subject, one.label) for one in wanted.relations
    }
    facts = [(entity_id, key) for name, key in named if (entity_id := _id_of(known, name))]
    return own.ask(OPEN_DOUBTS, {"facts": recordset(("entity_id", "key"), facts)}) if facts else None


def _ask_deeds(known: Known, own: Reader, wanted: Wanted) -> Cursor | None:
    deeds = [(actor_id, verb, target) for actor, verb, target in wanted.deeds if (actor_id := _id_of(known, actor))]
    return own.ask(DEEDS, {"deeds": recordset(("actor_id", "verb", "object"), deeds)}) if deeds else None


def _reader(writing: Writing, scope_set_ids: Sequence[UUID] | set[UUID]) -> Reader:
    return Reader(writing.cursor, writing.context_id, writing.generation, list(scope_set_ids))


def _early_reader(writing: Writing, scope_set_ids: Sequence[UUID]) -> Reader:
    """A reader that may ask before the lock is waited for."""
    return Reader(writing.cursor, writing.context_id, writing.generation_so_far, list(scope_set_ids))


def _id_of(known: Known, name: EntityName) -> UUID | None:
    entity = known.entities.get(name)
    return entity.entity_id if entity else None
