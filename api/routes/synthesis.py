"""POST /reflect, /consolidate and /elaborate: what follows from memory and nobody has said."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import pydantic
from starlette.responses import Response

from api import ids
from api.chat import proposals
from api.chat.markers import MARKERS
from api.chat.proposals import Observation
from api.chat.sources import Source, snippet, sources_of
from api.chat.thinking import (
    CONFIDENCE,
    Concluded,
    NamedEntity,
    NoModel,
    asked,
    citations,
    count,
    learn,
    model_of,
    numbers_in,
    without_markers,
)
from api.http.calls import Call
from api.http.exchanges import Exchange, answer
from api.shapes import wire
from api.shapes.refs import EntityRef, parse
from api.shapes.schemas import ConsolidateBody, ElaborateBody, ReflectBody
from api.shapes.wire import Json
from memory.candidates import AttributeCandidate, Mention, RelationCandidate
from memory.errors import InvalidRequest, NotFound
from memory.events import AttributeAsserted, RelationAsserted
from memory.principals import Caller
from memory.values import SourceKind, attribute_key, name_key
from projections import diffs, entities, matches
from projections.reading import Reader
from projections.retrieval import facts
from projections.retrieval.facts import Fact
from projections.retrieval.wanted import Wanted

HITS_MAX, LINES_MAX = 20, 60
FACTS_DEFAULT, OBSERVATIONS_DEFAULT = 200, 20
BUDGET_DEFAULT = 5
FACTS_OF_ENTITY_MAX = 100
EVIDENCE_MIN = 2  # facts that an observation rests on


class _Conclusion(pydantic.BaseModel):
    entity: NamedEntity
    key: str = pydantic.Field(min_length=1, max_length=100)
    value: str = pydantic.Field(min_length=1, max_length=500)
    rationale: str | None = pydantic.Field(default=None, max_length=1_000)
    evidence: list[str] = pydantic.Field(default_factory=list, max_length=100)

    def concluded(self, rows: Sequence[tuple[str, UUID]]) -> Concluded:
        """rows: what the markers of the evidence stand for, with their kinds."""
        entity = Mention(type=self.entity.type, name=self.entity.name)
        key = attribute_key(self.key)
        candidate = AttributeCandidate(entity=entity, key=key, value=self.value, confidence=CONFIDENCE)
        return Concluded(candidate, citations(numbers_in(self.evidence, len(rows)), rows))


class _Reflection(pydantic.BaseModel):
    reflection: str = pydantic.Field(min_length=1, max_length=20_000)
    attributes: list[_Conclusion] = pydantic.Field(default_factory=list, max_length=50)


class _Observations(pydantic.BaseModel):
    observations: list[_Conclusion] = pydantic.Field(default_factory=list, max_length=500)


class _Relation(pydantic.BaseModel):
    subject: NamedEntity
    label: str = pydantic.Field(min_length=1, max_length=100)
    object: NamedEntity
    evidence: list[str] = pydantic.Field(default_factory=list, max_length=100)

    def concluded(self, rows: Sequence[tuple[str, UUID]]) -> Concluded:
        """As of `_Conclusion`."""
        candidate = RelationCandidate(
            subject=Mention(type=self.subject.type, name=self.subject.name),
            label=attribute_key(self.label),
            object=Mention(type=self.object.type, name=self.object.name),
            confidence=CONFIDENCE,
        )
        return Concluded(candidate, citations(numbers_in(self.evidence, len(rows)), rows))


class _Relations(pydantic.BaseModel):
    relations: list[_Relation] = pydantic.Field(default_factory=list, max_length=200)


async def reflect(exchange: Exchange) -> Response:
    """With `persist`, conclusions that rest on something are told to memory, at a rank below all that was said."""
    call = exchange.call
    caller = await exchange.read(call.caller)
    body = call.parsed(ReflectBody)
    if not body.query.strip():
        raise InvalidRequest("query: must not be blank")
    if body.persist:
        caller.require("memory:write", caller.write_scopes)
    model = await exchange.read(partial(model_of, call))
    trace_id, sources = await exchange.read(partial(_recalled, call, body.query))
    lines = [f"{source.text} ({source.note})" if source.note else source.text for source in sources]
    thought = await asked(exchange, model, "reflect", lines, _Reflection, question=body.query)
    cited = numbers_in(MARKERS.findall(thought.reflection), len(sources))
    well_founded = [one for one in thought.attributes if numbers_in(one.evidence, len(sources))]
    cited += [n for one in well_founded for n in numbers_in(one.evidence, len(sources)) if n not in cited]

    def concluded() -> list[Json]:
        count(call, caller, model, "reflection")
        if not body.persist or not well_founded:
            return []
        rows = [(source.kind, source.row_id) for source in sources]
        learnt = learn(call, caller, [one.concluded(rows) for one in well_founded], SourceKind.REFLECT)
        with call.reading() as reader:
            told = (wire.extraction(one, diffs.turn_diff(reader, one.recorded)) for one in learnt)
            return [row for extraction in told for row in extraction["attributes"]]

    return answer(
        200,
        {
            "reflection": without_markers(thought.reflection),
            "evidence": [snippet(sources[number - 1].text) for number in cited],
            "persistedAttributes": await exchange.write(concluded),
            "traceId": ids.ulid(trace_id),
        },
    )


def _recalled(call: Call, query: str) -> tuple[UUID, Sequence[Source]]:
    wanted = Wanted(text=query, k=HITS_MAX, background=True, source="reflect")
    retrieved = call.services.recall.retrieve(call.context_id, call.reading_as, wanted)
    with call.reading() as reader:
        return retrieved.trace_id, sources_of(retrieved, now=reader.now, lengths={})[:LINES_MAX]


async def consolidate(exchange: Exchange) -> Response:
    """Observations that several facts support together. Without a model, what was observed repeatedly is only
    proposed."""
    call = exchange.call
    caller = await exchange.read(call.caller)
    body = call.parsed(ConsolidateBody)
    fact_limit = body.fact_limit or FACTS_DEFAULT
    limit = body.observation_limit or OBSERVATIONS_DEFAULT
    try:
        model = await exchange.read(partial(model_of, call))
    except NoModel:
        found = await exchange.read(partial(_repeated, call, fact_limit, limit))
        return answer(200, _consolidated(found, dry_run=True))
    if not body.dry_run:
        caller.require("memory:write", caller.write_scopes)
    pool = await exchange.read(partial(_pool, call, fact_limit))
    told = await asked(exchange, model, "consolidate", [fact.text for fact in pool], _Observations, limit=str(limit))
    supported = [one for one in told.observations if len(numbers_in(one.evidence, len(pool))) >= EVIDENCE_MIN][:limit]

    def observed() -> list[Observation]:
        count(call, caller, model, "consolidation")
        found = [_observation(one, pool) for one in supported]
        if body.dry_run or not supported:
            return found
        rows = [_row(fact) for fact in pool]
        learnt = learn(call, caller, [one.concluded(rows) for one in supported], SourceKind.CONSOLIDATE)
        events = (one.event for turn in learnt for one in turn.recorded)
        made = [event for event in events if isinstance(event, AttributeAsserted)]
        return [proposals.persisted(one, made) for one in found]

    return answer(200, _consolidated(await exchange.write(observed), dry_run=body.dry_run))


def _pool(call: Call, limit: int) -> list[Fact]:
    with call.reading() as reader:
        return proposals.live_facts(reader, limit=limit)


def _repeated(call: Call, fact_limit: int, limit: int) -> list[Observation]:
    with call.reading() as reader:
        return proposals.repeated(reader, fact_limit=fact_limit)[:limit]


def _observation(one: _Conclusion, pool: Sequence[Fact]) -> Observation:
    key, entity = attribute_key(one.key), name_key(one.entity.name)
    held = [fact.value for fact in pool if fact.subject.name_key == entity and fact.key == key]
    kind = "create" if not held else "update" if one.value in held else "supersede"
    proofs = numbers_in(one.evidence, len(pool))
    return Observation(kind, one.entity.name, key, one.value, len(proofs), rationale=one.rationale)


def _consolidated(found: Sequence[Observation], *, dry_run: bool) -> Json:
    counts = {name: sum(one.kind == kind for one in found) for name, kind in proposals.KINDS.items()}
    return {
        **counts,
        "dryRun": dry_run,
        "traceId": ids.ulid(ids.new_id()),
        "outcomes": [
            {
                "kind": one.kind,
                "entityName": one.entity_name,
                "key": one.key,
                "value": one.value,
                "proofCount": one.proof_count,
                "observationId": one.observation_id and ids.attribute(one.observation_id),
                "rationale": one.rationale,
                "persisted": one.observation_id is not None,
            }
            for one in found
        ],
    }


@dataclass(frozen=True, slots=True)
class _Subject:
    """An entity to elaborate on, with what is known of it. names: that a relation may name."""

    type: str
    name: str
    facts: Sequence[Fact]
    names: frozenset[tuple[str, str]]


async def elaborate(exchange: Exchange) -> Response:
    """Relations that follow from what is known of one entity, or of those that most is known of."""
    call = exchange.call
    caller = await exchange.read(call.caller)
    body = call.parsed(ElaborateBody)
    if body.entity_ref is None and not body.sweep:
        raise InvalidRequest("entityRef: name an entity, or ask for a sweep")
    model_here = await exchange.read(partial(model_of, call))
    if not body.dry_run:
        caller.require("memory:write", caller.write_scopes)
    outcomes = []
    for subject in await exchange.read(partial(_subjects, call, body)):
        lines = [fact.text for fact in subject.facts]
        told = await asked(exchange, model_here, "elaborate", lines, _Relations, entity=subject.name)
        found = [one for one in told.relations if _is_grounded(one, subject)]
        emitted = await exchange.write(partial(_related, call, caller, subject, found, dry_run=body.dry_run))
        await exchange.write(partial(count, call, caller, model_here, "elaboration"))
        outcomes.append(
            {
                "entityName": subject.name,
                "entityType": subject.type,
                "relationsEmitted": emitted,
                "dryRun": body.dry_run,
                "traceId": ids.ulid(ids.new_id()),
                "proposedRelations": [
                    {"subject": one.subject.name, "label": attribute_key(one.label), "object": one.object.name}
                    for one in found
                ],
            }
        )
    return answer(200, {"relationsEmitted": sum(one["relationsEmitted"] for one in outcomes), "outcomes": outcomes})


def _subjects(call: Call, body: ElaborateBody) -> list[_Subject]:
    with call.reading() as reader:
        if body.entity_ref is not None:
            ref = parse(body.entity_ref)
            rows = entities.named(reader, *ref.name) if isinstance(ref, EntityRef) else []
            if not rows:
                raise NotFound("entityRef: there is no such entity")
        else:
            best = matches.top(
                reader, "coverage", entity_type=None, limit=body.budget or BUDGET_DEFAULT, now=reader.now
            )
            rows = [one.entity for one in best]
        return [_subject(reader, row.id, row.type, row.name) for row in rows[: body.budget or BUDGET_DEFAULT]]


def _subject(reader: Reader, entity_id: UUID, kind: str, name: str) -> _Subject:
    known = [
        one for one in facts.of_entities(reader, [entity_id], limit=FACTS_OF_ENTITY_MAX) if facts.in_force(one, reader)
    ]
    ends = [end for fact in known for end in (fact.subject, fact.target) if end is not None]
    names = {(end.type, end.name_key) for end in ends} | {(kind, name_key(name))}
    return _Subject(kind, name, known, frozenset(names))


def _is_grounded(one: _Relation, subject: _Subject) -> bool:
    """Whether it is between entities that the facts name, and rests on one of them."""
    names = {name for _, name in subject.names}
    ends = (name_key(one.subject.name), name_key(one.object.name))
    return set(ends) <= names and ends[0] != ends[1] and bool(numbers_in(one.evidence, len(subject.facts)))


def _related(call: Call, caller: Caller, subject: _Subject, found: Sequence[_Relation], *, dry_run: bool) -> int:
    """How many relations were new to memory."""
    if dry_run or not found:
        return 0
    rows = [_row(fact) for fact in subject.facts]
    learnt = learn(call, caller, [one.concluded(rows) for one in found], SourceKind.ELABORATE)
    return sum(isinstance(one.event, RelationAsserted) for turn in learnt for one in turn.recorded)


def _row(fact: Fact) -> tuple[str, UUID]:
    return "relation" if fact.target else "attribute", fact.id
