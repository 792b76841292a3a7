"""Works out what an erasure takes: which events hold what somebody wants gone.

First what was asked for; then the facts of a turn, all that is known of an entity, and of a chunk the whole
document, whose file holds the same words; then other payloads with an erased value (`projections.erasing.repeats`);
and of all that goes, what quotes it or was concluded from it (`projections.derivations`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from memory.documents.library import chunk_id
from memory.events import DocumentTextExtracted, EntityRecognised, StatementEvent, TurnRecorded
from memory.known import EntityName
from memory.log import EventLog
from memory.recorded import Recorded
from projections import derivations, entities
from projections.erasing import matching
from projections.erasing.contents import brought_by, has_words, told_of
from projections.erasing.payloads import Payloads
from projections.erasing.plan import Match, Plan, matched
from projections.erasing.repeats import Repeats, patterns_of, values_of
from projections.passages import passage_id, pieces
from projections.reading import Reader
from projections.recall.question import Question

MATCHES_MAX = 100

OF_VERSIONS = """
SELECT v.id FROM {attribute_versions} AS v WHERE v.version_id = ANY(%(ids)s)
UNION ALL SELECT r.id FROM {relations} AS r WHERE r.version_id = ANY(%(ids)s)
"""
KNOWN_OF = """
SELECT v.entity_id, v.id FROM {attribute_versions} AS v WHERE v.entity_id = ANY(%(ids)s)
UNION ALL SELECT r.subject_id, r.id FROM {relations} AS r WHERE r.subject_id = ANY(%(ids)s)
UNION ALL SELECT r.object_id, r.id FROM {relations} AS r WHERE r.object_id = ANY(%(ids)s)
UNION ALL SELECT a.actor_id, a.id FROM {actions} AS a WHERE a.actor_id = ANY(%(ids)s)
UNION ALL SELECT u.entity_id, u.id FROM {uncertainties} AS u WHERE u.entity_id = ANY(%(ids)s)
"""
TURNS_OF_THINGS = """
SELECT v.turn_id FROM {attribute_versions} AS v WHERE v.id = ANY(%(ids)s)
UNION SELECT r.turn_id FROM {relations} AS r WHERE r.id = ANY(%(ids)s)
UNION SELECT a.turn_id FROM {actions} AS a WHERE a.id = ANY(%(ids)s)
UNION SELECT i.turn_id FROM {instructions} AS i WHERE i.id = ANY(%(ids)s)
UNION SELECT u.turn_id FROM {uncertainties} AS u WHERE u.id = ANY(%(ids)s)
UNION SELECT p.turn_id FROM {provenance} AS p WHERE p.subject_id = ANY(%(ids)s)
"""
SUPPORTED_ELSEWHERE = """
SELECT DISTINCT p.subject_id FROM {provenance} AS p
WHERE p.subject_id = ANY(%(ids)s) AND NOT p.turn_id = ANY(%(turn_ids)s)
"""
DOCUMENTS_OF_CHUNKS = "SELECT DISTINCT p.document_id FROM {passages} AS p WHERE p.id = ANY(%(ids)s)"
CHUNKS_OF_DOCUMENTS = "SELECT p.id FROM {passages} AS p WHERE p.document_id = ANY(%(ids)s)"


class Planner:
    """Works out plans. reader: over the scope sets that the caller may both see and forget in."""

    def __init__(self, log: EventLog, reader: Reader, position: int) -> None:
        self._payloads = Payloads(log, reader)
        self._reader = reader
        self._position = position

    def by_query(self, query: str, question: Question | None, *, limit: int = MATCHES_MAX) -> Plan:
        """question: the query with its vector, if there is an embedder."""
        found = matching.matches(self._reader, query, question, limit=limit)
        plan = Plan(self._position, matches=found[:limit], truncated=len(found) > limit)
        self._take_matches(plan)
        return self._whole(plan)

    def by_entity(self, name: EntityName) -> Plan:
        """All that is known of the entities of a name."""
        named = entities.named(self._reader, *name)
        plan = Plan(self._position, matches=[matched("entity", row.id, row.name) for row in named])
        self._take_matches(plan)
        return self._whole(plan)

    def by_turn(self, turn_id: UUID) -> Plan:
        """A turn and what only it supports."""
        told = [one.event for one in self._payloads.of_turns([turn_id]) if isinstance(one.event, TurnRecorded)]
        plan = Plan(self._position, matches=[matched("turn", event.turn_id, event.text) for event in told])
        if plan.matches:
            self._take(plan, self._of_turns([turn_id]))
        return self._whole(plan)

    def by_scopes(self, scope_set_ids: Sequence[UUID]) -> Plan:
        """Everything in these scope sets but their own names."""
        plan = Plan(self._position)
        self._take(plan, self._payloads.of_scopes(scope_set_ids))
        return self._whole(plan)

    def _whole(self, plan: Plan) -> Plan:
        """The plan without the names of entities of which something stays known, as after they were joined, and with
        what goes along."""
        going = self._payloads.at(plan.positions)
        named = {
            event.entity_id: (one.position, matched(one.topic, one.origin.turn_id or event.entity_id, event.name))
            for one in going
            if isinstance(event := one.event, EntityRecognised)
        }
        taken = {thing for one in going for thing in brought_by(one.event)}
        for entity_id, known in self._reader.tuples(KNOWN_OF, {"ids": list(named)}):
            if known not in taken:
                position, kept = named[entity_id]
                plan.positions.discard(position)
                plan.left[position] = kept
        known_ids = {one.id for one in plan.matches}
        told = [told_of(one.event) for one in going if one.position in plan.positions]
        plan.along = [matched(*one) for one in dict.fromkeys(told) if one is not None and one[1] not in known_ids]
        return plan

    def _take_matches(self, plan: Plan) -> None:
        ids = _by_kind(plan.matches)
        names = [name_id for row_id in ids["entity"] for name_id in entities.name_ids(self._reader, row_id)]
        things = self._things(ids) | {*names}
        turns = self._ids(TURNS_OF_THINGS, things)
        doomed = [one for one in self._payloads.of_turns(turns) if not things.isdisjoint(brought_by(one.event))]
        positions = {one.position for one in doomed} | self._of_turns(ids["turn"])
        self._take(plan, positions | self._of_documents(self._ids(DOCUMENTS_OF_CHUNKS, ids["document"])))
        self._take_repeats(plan, doomed, [*ids["entity"], *names])

    def _things(self, ids: dict[str, list[UUID]]) -> set[UUID]:
        """Facts and the like that matched, all that is known of entities that did, and what else says the same."""
        things = {thing for kind in ids if kind not in ("turn", "document") for thing in ids[kind]}
        things |= {row_id for _, row_id in self._reader.tuples(KNOWN_OF, {"ids": ids["entity"]})}
        return things | {*self._ids(OF_VERSIONS, things)}

    def _take(self, plan: Plan, positions: set[int]) -> None:
        """Add these events, and, until there is nothing more, the turns that quote them or conclude from them."""
        fresh = positions - plan.positions
        while fresh:
            plan.positions |= fresh
            sources = {source for one in self._payloads.at(fresh) for source in _sources(one)}
            fresh = self._of_turns(derivations.turns(self._reader, list(sources))) - plan.positions

    def _take_repeats(self, plan: Plan, doomed: Sequence[Recorded], entity_ids: Sequence[UUID]) -> None:
        """Add the payloads that hold an erased value and belong to it; list the others as residual."""
        values = values_of(self._reader, doomed, entity_ids)
        if not values:
            return
        taken = {thing for one in self._payloads.at(plan.positions) for thing in brought_by(one.event)}
        tied = {one.origin.turn_id for one in doomed if one.origin.turn_id}
        repeats = Repeats(self._reader, values, taken=taken, tied=tied)
        for one in self._payloads.at(self._payloads.holding(patterns_of(values)) - plan.positions):
            held = repeats.held_by(one.event)
            if held and repeats.belongs(one, held):
                self._take(plan, {one.position} | self._of_documents(_documents_of(one)))
            elif held:
                plan.left[one.position] = repeats.told(one, held)

    def _of_turns(self, turn_ids: Sequence[UUID]) -> set[int]:
        """The contents of turns, without entities, deeds and directives that other turns support."""
        told = self._payloads.of_turns(turn_ids)
        supported = {
            thing for one in told for thing in brought_by(one.event) if not isinstance(one.event, StatementEvent)
        }
        parameters = {"ids": sorted(supported), "turn_ids": list(turn_ids)}
        elsewhere = {thing for (thing,) in self._reader.tuples(SUPPORTED_ELSEWHERE, parameters)}
        return {one.position for one in told if has_words(one.event) and elsewhere.isdisjoint(brought_by(one.event))}

    def _of_documents(self, document_ids: Sequence[UUID]) -> set[int]:
        """Whole documents, whose files hold the words of all chunks, with all facts that were read in them."""
        if not document_ids:
            return set()
        facts = self._payloads.of_turns(self._ids(CHUNKS_OF_DOCUMENTS, document_ids))
        return self._payloads.of_documents(document_ids) | {one.position for one in facts if has_words(one.event)}

    def _ids(self, sql: str, ids: Collection[UUID]) -> list[UUID]:
        return [row_id for (row_id,) in self._reader.tuples(sql, {"ids": sorted(ids)}) if row_id]


def _by_kind(matches: Iterable[Match]) -> dict[str, list[UUID]]:
    ids: dict[str, list[UUID]] = defaultdict(list)
    for one in matches:
        ids[one.kind].append(one.id)
    return ids


def _documents_of(one: Recorded) -> list[UUID]:
    """The document that an event is about; a fact that one states is not."""
    document_id = getattr(one.event, "document_id", None)
    return [document_id] if document_id is not None and not isinstance(one.event, StatementEvent) else []


def _sources(one: Recorded) -> set[UUID]:
    """The rows of an event that a reply or a conclusion may name as its evidence."""
    match one.event:
        case TurnRecorded(turn_id=turn_id, text=text):
            return {passage_id(turn_id, ordinal) for ordinal, _ in enumerate(pieces(text))}
        case DocumentTextExtracted(document_id=document_id, version=version, chunks=chunks):
            return {chunk_id(document_id, version, chunk.ordinal) for chunk in chunks}
        case event:
            return brought_by(event)
