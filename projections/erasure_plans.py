"""What an erasure takes: which events hold what somebody wants gone.

By query: rows whose text holds every content word of the query, or whose meaning is as near as NEAR;
then what derives from them, the facts of a turn, all that is known of an entity, and of a chunk the whole
document, whose file holds the same words; then other payloads
that hold an erased value, if they also name what it was said of, or if no other live fact has that
value. All other payloads with such a value are listed as residual: they are somebody else's words.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec

from memory.erasing import KEPT_TYPES
from memory.events import (
    ActionReaffirmed,
    ActionRecorded,
    AttributeStatement,
    DocumentProcessed,
    DocumentReplaced,
    DocumentTextExtracted,
    DocumentUploaded,
    EntityAliased,
    EntityMentioned,
    EntityRecognised,
    Event,
    ExtractionCompleted,
    InstructionDetected,
    InstructionReaffirmed,
    RelationStatement,
    StatementEvent,
    TurnRecorded,
    UncertaintyFlagged,
    UncertaintyResolved,
)
from memory.known import EntityName
from memory.log import EventLog
from memory.recorded import Recorded
from projections import entities
from projections.reading import Reader
from projections.recall.question import Question
from projections.recall.search import Mode, search
from projections.recall.words import tokens, words

MATCHES_MAX = 100
NEAR = 0.8  # cosine of question and passage
TEXT_LENGTH_MAX = 300

# Things by their texts. A prefilter: of every word, any of its usual spellings is in the text.
TEXTS = {
    "entity": "SELECT e.canonical_id AS id, e.name AS text FROM {entities} AS e WHERE e.forgotten_at IS NULL",
    "attribute": """
        SELECT v.id, concat_ws(' ', e.name, replace(v.key, '_', ' '), v.value) AS text
        FROM {attribute_versions} AS v JOIN {entities} AS e ON e.id = v.entity_id
        WHERE v.standing IN ('current', 'claimed', 'retracted')""",
    "relation": """
        SELECT r.id, concat_ws(' ', s.name, replace(r.label, '_', ' '), o.name) AS text
        FROM {relations} AS r JOIN {entities} AS s ON s.id = r.subject_id JOIN {entities} AS o ON o.id = r.object_id
        WHERE r.standing IN ('current', 'claimed', 'retracted')""",
    "action": "SELECT a.id, concat_ws(' ', a.summary, a.object) AS text FROM {actions} AS a",
    "instruction": "SELECT i.id, concat_ws(' ', i.label, i.description) AS text FROM {instructions} AS i",
    "uncertainty": "SELECT u.id, concat_ws(' ', u.about, u.note) AS text FROM {uncertainties} AS u",
    "turn": "SELECT t.id, t.text FROM {turns} AS t",
    "document": """
        SELECT p.id, concat_ws(' ', p.title, p.section, p.text) AS text FROM {passages} AS p
        WHERE p.kind = 'document'""",
}
MATCHING = "SELECT m.id, m.text FROM ({texts}) AS m WHERE m.text ILIKE ALL(%(patterns)s::text[]) ORDER BY m.id"

OF_VERSIONS = """
SELECT v.id FROM {{{table}}} AS v WHERE v.version_id = ANY(%(ids)s)
"""
OF_ENTITIES = """
SELECT 'attribute', v.id FROM {attribute_versions} AS v WHERE v.entity_id = ANY(%(ids)s)
UNION ALL SELECT 'relation', r.id FROM {relations} AS r
    WHERE r.subject_id = ANY(%(ids)s) OR r.object_id = ANY(%(ids)s)
UNION ALL SELECT 'action', a.id FROM {actions} AS a WHERE a.actor_id = ANY(%(ids)s)
UNION ALL SELECT 'uncertainty', u.id FROM {uncertainties} AS u WHERE u.entity_id = ANY(%(ids)s)
"""
TURNS_OF_THINGS = """
SELECT v.id, v.turn_id FROM {attribute_versions} AS v WHERE v.id = ANY(%(ids)s)
UNION ALL SELECT r.id, r.turn_id FROM {relations} AS r WHERE r.id = ANY(%(ids)s)
UNION ALL SELECT a.id, a.turn_id FROM {actions} AS a WHERE a.id = ANY(%(ids)s)
UNION ALL SELECT i.id, i.turn_id FROM {instructions} AS i WHERE i.id = ANY(%(ids)s)
UNION ALL SELECT u.id, u.turn_id FROM {uncertainties} AS u WHERE u.id = ANY(%(ids)s)
UNION ALL SELECT p.subject_id, p.turn_id FROM {provenance} AS p WHERE p.subject_id = ANY(%(ids)s)
"""
SUPPORTED_ELSEWHERE = """
SELECT DISTINCT p.subject_id FROM {provenance} AS p
WHERE p.subject_id = ANY(%(ids)s) AND NOT p.turn_id = ANY(%(turn_ids)s)
"""
LIVE_ELSEWHERE = """
SELECT v.id, v.value FROM {attribute_versions} AS v
WHERE {in_force:v} AND v.value ILIKE ANY(%(patterns)s::text[])
UNION ALL
SELECT r.id, o.name FROM {relations} AS r JOIN {entities} AS o ON o.id = r.object_id
WHERE {in_force:r} AND o.name ILIKE ANY(%(patterns)s::text[])
"""

DOCUMENTS_OF_CHUNKS = "SELECT DISTINCT p.document_id FROM {passages} AS p WHERE p.id = ANY(%(ids)s)"
CHUNKS_OF_DOCUMENTS = "SELECT p.id FROM {passages} AS p WHERE p.document_id = ANY(%(ids)s)"

EVENTS_OF_DOCUMENTS = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s) AND topic LIKE 'Document%%'
    AND payload LIKE ANY(%(patterns)s::text[])
"""
EVENTS_OF_TURNS = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND turn_id = ANY(%(turn_ids)s) AND payload IS NOT NULL
"""
EVENTS_OF_SCOPES = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s) AND payload IS NOT NULL
    AND NOT topic = ANY(%(kept)s)
"""
EVENTS_HOLDING = """
SELECT position FROM events
WHERE context_id = %(context_id)s AND scope_set_id = ANY(%(scope_set_ids)s) AND payload ILIKE ANY(%(patterns)s::text[])
    AND NOT topic = ANY(%(kept)s)
"""


@dataclass(frozen=True, slots=True)
class Match:
    """Something that an erasure takes, or leaves. kind: of TEXTS, or an event's type for a payload."""

    kind: str
    id: UUID
    text: str


@dataclass(slots=True)
class Plan:
    """What an erasure takes. matches: what was asked for. positions: of all events that go with it, in the log
    up to `position`. residual: payloads with an erased value that are not taken. truncated: more matched."""

    position: int
    matches: list[Match] = field(default_factory=list)
    positions: set[int] = field(default_factory=set)
    residual: list[Match] = field(default_factory=list)
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class _Value:
    """A value that goes, as tokens, and the names of what it was said of."""

    value: tuple[str, ...]
    entity_id: UUID
    names: tuple[tuple[str, ...], ...]


class Planner:
    """Works out plans. reader: over the scope sets that the caller may both see and forget in."""

    def __init__(self, log: EventLog, reader: Reader, position: int) -> None:
        self._log = log
        self._reader = reader
        self._position = position

    def by_query(self, query: str, question: Question | None, *, limit: int = MATCHES_MAX) -> Plan:
        """question: the query with its vector, if there is an embedder."""
        plan = Plan(self._position)
        wanted = frozenset(words(query))
        if wanted:
            plan.matches = [*self._holding_all(wanted)]
        if question is not None and question.vector:
            plan.matches += self._near(question, limit, {match.id for match in plan.matches})
        plan.truncated = len(plan.matches) > limit
        del plan.matches[limit:]
        return self._completed(plan)

    def by_entity(self, name: EntityName) -> Plan:
        """All that is known of the entities of a name."""
        plan = Plan(self._position)
        plan.matches = [Match("entity", row.id, row.name) for row in entities.named(self._reader, *name)]
        return self._completed(plan)

    def by_turn(self, turn_id: UUID) -> Plan:
        """A turn and what only it supports."""
        plan = Plan(self._position)
        told = [one.event for one in self._events_of_turns([turn_id]) if isinstance(one.event, TurnRecorded)]
        plan.matches = [Match("turn", event.turn_id, _shortened(event.text)) for event in told]
        if plan.matches:
            plan.positions = self._derived([turn_id])
        return plan

    def by_scopes(self, scope_set_ids: Sequence[UUID]) -> Plan:
        """Everything in these scope sets but their own names."""
        plan = Plan(self._position)
        plan.positions = self._positions(EVENTS_OF_SCOPES, scope_set_ids=list(scope_set_ids))
        return plan

    # --- matching ---

    def _holding_all(self, wanted: frozenset[str]) -> Iterator[Match]:
        patterns = [_pattern(word[:4]) for word in sorted(wanted)]
        found: set[tuple[str, UUID]] = set()
        for kind, texts in TEXTS.items():
            sql = MATCHING.replace("{texts}", texts)
            for row_id, text in self._reader.tuples(sql, {"patterns": patterns}):
                if wanted <= set(words(text)) and (kind, row_id) not in found:
                    found.add((kind, row_id))
                    yield Match(kind, row_id, _shortened(text))

    def _near(self, question: Question, limit: int, known: set[UUID]) -> Iterator[Match]:
        for hit in search(self._reader, question, mode=Mode.VECTOR, limit=limit).hits:
            if hit.signals.cosine is not None and hit.signals.cosine >= NEAR and hit.id not in known:
                yield Match(hit.kind.value, hit.id, _shortened(hit.text))

    # --- what goes with what matched ---

    def _completed(self, plan: Plan) -> Plan:
        if not plan.matches:
            return plan
        ids: dict[str, list[UUID]] = defaultdict(list)
        for match in plan.matches:
            ids[match.kind].append(match.id)
        things = {thing for kind in ids if kind not in ("turn", "document") for thing in ids[kind]}
        things |= {row_id for _, row_id in self._reader.tuples(OF_ENTITIES, {"ids": ids["entity"]})}
        names = [name_id for row_id in ids["entity"] for name_id in entities.name_ids(self._reader, row_id)]
        things |= {*names}
        for table in ("attribute_versions", "relations"):
            sql = OF_VERSIONS.format(table=table)
            things |= {row_id for (row_id,) in self._reader.tuples(sql, {"ids": sorted(things)})}
        turns_of: dict[UUID, set[UUID]] = defaultdict(set)
        for thing, turn_id in self._reader.tuples(TURNS_OF_THINGS, {"ids": sorted(things)}):
            turns_of[turn_id].add(thing)
        told = self._events_of_turns(list(turns_of))
        doomed = [one for one in told if not things.isdisjoint(_brought_by(one.event))]
        plan.positions = {one.position for one in doomed} | self._derived(ids["turn"])
        plan.positions |= self._of_documents(self._ids(DOCUMENTS_OF_CHUNKS, ids["document"]))
        values = self._values(doomed, [*ids["entity"], *names])
        self._take_values(plan, values, tied={one.origin.turn_id for one in doomed if one.origin.turn_id})
        return plan

    def _of_documents(self, documents: Sequence[UUID]) -> set[int]:
        """Whole documents, whose files hold the words of all chunks, with all facts that were read in them."""
        if not documents:
            return set()
        named = [f'%"{document_id}"%' for document_id in documents]
        facts = self._events_of_turns(self._ids(CHUNKS_OF_DOCUMENTS, documents))
        return self._positions(EVENTS_OF_DOCUMENTS, patterns=named) | {
            one.position for one in facts if _has_words(one.event)
        }

    def _ids(self, sql: str, ids: Sequence[UUID]) -> list[UUID]:
        return [row_id for (row_id,) in self._reader.tuples(sql, {"ids": list(ids)})]

    def _derived(self, turn_ids: Sequence[UUID]) -> set[int]:
        """The contents of turns, without entities, deeds and directives that other turns support."""
        told = self._events_of_turns(turn_ids)
        supported = {
            thing for one in told for thing in _brought_by(one.event) if not isinstance(one.event, StatementEvent)
        }
        parameters = {"ids": sorted(supported), "turn_ids": list(turn_ids)}
        elsewhere = {thing for (thing,) in self._reader.tuples(SUPPORTED_ELSEWHERE, parameters)}
        return {one.position for one in told if _has_words(one.event) and elsewhere.isdisjoint(_brought_by(one.event))}

    def _values(self, doomed: Sequence[Recorded], entity_ids: Sequence[UUID]) -> list[_Value]:
        """What must not be found elsewhere: the values of erased facts, the names of erased entities."""
        events = [one.event for one in doomed]
        owners = {event.entity_id for event in events if isinstance(event, AttributeStatement)}
        owners |= {end for event in events if isinstance(event, RelationStatement) for end in _ends(event)}
        rows = entities.by_ids(self._reader, [*owners, *entity_ids])
        names = {row.id: (_sequence(row.name),) for row in rows.values()}
        values = {
            _Value(_sequence(event.value), event.entity_id, names.get(event.entity_id, ()))
            for event in events
            if isinstance(event, AttributeStatement)
        }
        for event in events:
            if isinstance(event, RelationStatement) and event.object_id in rows:
                value = _sequence(rows[event.object_id].name)
                values.add(_Value(value, event.subject_id, names.get(event.subject_id, ())))
        values |= {_Value(name, row_id, (name,)) for row_id in entity_ids for name in names.get(row_id, ())}
        return [value for value in values if value.value]

    def _take_values(self, plan: Plan, values: Sequence[_Value], tied: set[UUID]) -> None:
        """Add the payloads that hold an erased value and belong to it; list the others as residual.

        tied: turns that a taken fact came from: they name its entity, be it only as "I".
        """
        if not values:
            return
        patterns = sorted({_pattern(max(value.value, key=len)) for value in values})
        held = self._positions(EVENTS_HOLDING, patterns=patterns) - plan.positions
        taken = self._brought_by_all(plan.positions)
        alone = self._without_other_facts(values, patterns, taken)
        for one in self._log.at(self._reader.cursor, self._reader.context_id, held):
            texts = [*_texts(one.event)]
            found = [value for value in values if any(_holds(text, value.value) for text in texts)]
            if not found:
                continue
            if (
                _has_words(one.event)
                and not self._is_needed(one.event, taken)
                and any(
                    value in alone
                    or one.origin.turn_id in tied
                    or value.entity_id in _about(one.event)
                    or any(_holds(text, name) for name in value.names for text in texts)
                    for value in found
                )
            ):
                document_id = getattr(one.event, "document_id", None)
                if document_id is not None and not isinstance(one.event, StatementEvent):
                    plan.positions |= self._of_documents([document_id])
                plan.positions.add(one.position)
            else:
                shown = next(text for text in texts if any(_holds(text, value.value) for value in found))
                event_id = one.origin.turn_id or UUID(int=one.position)
                plan.residual.append(Match(one.event.TOPIC if one.event else "", event_id, _shortened(shown)))

    def _brought_by_all(self, positions: Iterable[int]) -> set[UUID]:
        told = self._log.at(self._reader.cursor, self._reader.context_id, positions)
        return {thing for one in told for thing in _brought_by(one.event)}

    def _is_needed(self, event: Event | None, taken: set[UUID]) -> bool:
        """Whether it names an entity of which something stays known."""
        if not isinstance(event, EntityRecognised) or event.entity_id in taken:
            return False
        known = {row_id for _, row_id in self._reader.tuples(OF_ENTITIES, {"ids": [event.entity_id]})}
        return not known <= taken

    def _without_other_facts(self, values: Sequence[_Value], patterns: Sequence[str], taken: set[UUID]) -> set[_Value]:
        """The values that no live fact has but those that are taken."""
        live = {
            _sequence(value)
            for row_id, value in self._reader.tuples(LIVE_ELSEWHERE, {"patterns": list(patterns)})
            if row_id not in taken
        }
        return {value for value in values if value.value not in live}

    # --- events ---

    def _events_of_turns(self, turn_ids: Sequence[UUID]) -> list[Recorded]:
        positions = self._positions(EVENTS_OF_TURNS, turn_ids=list(turn_ids))
        told = self._log.at(self._reader.cursor, self._reader.context_id, positions)
        return [one for one in told if one.origin.scope_set_id in self._reader.scope_set_ids]

    def _positions(self, sql: str, **parameters: Any) -> set[int]:
        bound = {
            "context_id": self._reader.context_id,
            "scope_set_ids": list(self._reader.scope_set_ids),
            "kept": sorted(KEPT_TYPES),
            **parameters,
        }
        with self._reader.cursor.connection.cursor() as cursor:
            return {position for (position,) in cursor.execute(sql.encode(), bound)}


_MARKED = re.compile("[acdegilnorstuyz]")

_WITH_WORDS = (
    TurnRecorded,
    ExtractionCompleted,
    EntityRecognised,
    EntityAliased,
    StatementEvent,
    ActionRecorded,
    InstructionDetected,
    UncertaintyFlagged,
    UncertaintyResolved,
    DocumentUploaded,
    DocumentReplaced,
    DocumentTextExtracted,
    DocumentProcessed,
)


def _has_words(event: Event | None) -> bool:
    """Whether its payload holds what somebody said, and not only ids, times and settings."""
    return isinstance(event, _WITH_WORDS)


def _brought_by(event: Event | None) -> set[UUID]:
    """The things that an event makes known or tells of: rows that go if it goes."""
    match event:
        case StatementEvent():
            return {event.segment.id}
        case ActionRecorded() | ActionReaffirmed():
            return {event.action_id}
        case InstructionDetected() | InstructionReaffirmed():
            return {event.instruction_id}
        case UncertaintyFlagged() | UncertaintyResolved():
            return {event.uncertainty_id}
        case EntityRecognised() | EntityMentioned():
            return {event.entity_id}
        case EntityAliased():
            return {event.alias_id}
        case _:
            return set()


def _about(event: Event | None) -> set[UUID]:
    match event:
        case AttributeStatement():
            return {event.entity_id}
        case RelationStatement():
            return set(_ends(event))
        case ActionRecorded():
            return {event.actor_id}
        case UncertaintyFlagged(entity_id=UUID() as entity_id):
            return {entity_id}
        case _:
            return set()


def _ends(event: RelationStatement) -> tuple[UUID, UUID]:
    return event.subject_id, event.object_id


def _texts(event: Event | None) -> Iterator[str]:
    """All texts of a payload."""
    return _strings(msgspec.to_builtins(event))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, Iterable):
        for part in value:
            yield from _strings(part)


def _sequence(text: str) -> tuple[str, ...]:
    return tuple(tokens(text.replace("_", " ")))


def _holds(text: str, wanted: tuple[str, ...]) -> bool:
    """Whether the words of `wanted` stand in the text, side by side and in order."""
    there = _sequence(text)
    return any(there[begin : begin + len(wanted)] == wanted for begin in range(len(there) - len(wanted) + 1))


def _pattern(word: str) -> str:
    """What a text that holds the folded word is LIKE; letters that may wear a mark there, as in Łódź, stand open."""
    return "%" + _MARKED.sub("_", word.replace("ss", "%")) + "%"


def _shortened(text: str) -> str:
    return text if len(text) <= TEXT_LENGTH_MAX else f"{text[:TEXT_LENGTH_MAX]}…"
