"""Observations: what several facts, or the same one told again and again, come to."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory.events import AttributeAsserted
from memory.values import comparable
from projections import actions, attribute_versions, entities, provenance, relations
from projections.reading import Reader
from projections.retrieval import facts
from projections.retrieval.facts import Fact

KINDS = {"created": "create", "updated": "update", "superseded": "supersede"}
REPEATED_MIN = 2
REPEATED_ACTION = "repeatedly"


@dataclass(frozen=True, slots=True)
class Observation:
    """kind: create, update or supersede. proof_count: of facts or turns that support it. observation_id: of the
    version, once it is in memory."""

    kind: str
    entity_name: str
    key: str
    value: str
    proof_count: int
    rationale: str | None = None
    observation_id: UUID | None = None


def live_facts(reader: Reader, *, limit: int) -> list[Fact]:
    """What holds now, the newest of each kind first."""
    versions = attribute_versions.live(reader, limit=limit).rows
    edges = relations.live(reader, limit=max(0, limit - len(versions))).rows if len(versions) < limit else []
    found = facts.by_ids(reader, [row.id for row in (*versions, *edges)])
    return [found[row.id] for row in (*versions, *edges) if row.id in found]


def repeated(reader: Reader, *, fact_limit: int) -> list[Observation]:
    """What was observed in more than one turn: values said again, and deeds done again. Most proofs first."""
    versions = attribute_versions.live(reader, limit=fact_limit).rows
    evidence = provenance.evidence(reader, [row.id for row in versions])
    owners = entities.by_ids(reader, [row.entity_id for row in versions])
    found = [
        Observation(
            "update", owners[row.entity_id].name, row.key, row.value, evidence[row.id].turns, "said in several turns"
        )
        for row in versions
        if row.id in evidence and evidence[row.id].turns >= REPEATED_MIN
    ]
    deeds: dict[tuple[UUID, str, str], list[actions.ActionRow]] = defaultdict(list)
    for deed in actions.newest_first(reader, actions.Wanted(), limit=fact_limit).rows:
        deeds[deed.actor_id, deed.verb, comparable(deed.object or "")].append(deed)
    actors = entities.by_ids(reader, [actor_id for actor_id, _, _ in deeds])
    found += [
        Observation(
            "create",
            actors[actor_id].name,
            REPEATED_ACTION,
            f"{verb} {rows[0].object or ''}".strip(),
            len(rows),
            "done more than once",
        )
        for (actor_id, verb, _), rows in deeds.items()
        if len(rows) >= REPEATED_MIN
    ]
    return sorted(found, key=lambda one: (-one.proof_count, one.entity_name, one.key, one.value))


def persisted(observation: Observation, made: Sequence[AttributeAsserted]) -> Observation:
    """The observation with the version that it became, if it became one."""
    for event in made:
        if event.key == observation.key and comparable(event.value) == comparable(observation.value):
            return replace(observation, observation_id=event.segment.id)
    return observation
