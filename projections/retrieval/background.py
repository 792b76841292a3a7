"""What belongs into a prompt whatever is asked: who the user is, standing directives, what holds of whom is named."""

from collections.abc import Sequence
from uuid import UUID

from memory.principals import Caller
from memory.values import folded
from projections import instructions, relations, uncertainties
from projections.attribute_versions import AttributeVersionRow
from projections.reading import Reader
from projections.retrieval import facts, subjects
from projections.retrieval.facts import Fact, in_force
from projections.retrieval.wanted import Background, Recalled

PROFILE_MAX = 40
FACTS_MAX = 40
INSTRUCTIONS_MAX = 50
SUBJECTS_MAX = 20


def background(
    reader: Reader, caller: Caller, *, session_id: UUID | None, seeds: Sequence[UUID], hits: Sequence[Recalled]
) -> Background:
    """seeds: the entities that the question names. What the hits are about counts too, best first."""
    own = [entity_id for subject in subjects.speaker(reader, caller, session_id) for entity_id in subject.ids]
    about = list(dict.fromkeys([*seeds, *(entity_id for hit in hits for entity_id in hit.entity_ids)]))
    others = [entity_id for entity_id in about if entity_id not in set(own)][:SUBJECTS_MAX]
    told_of_own = _told(reader, own, PROFILE_MAX)
    told_of_others = _told(reader, others, FACTS_MAX)
    found = [hit.fact for hit in hits if hit.fact is not None]
    return Background(
        profile=[fact for fact in told_of_own if in_force(fact, reader)],
        instructions=instructions.active(reader, limit=INSTRUCTIONS_MAX).rows,
        facts=[fact for fact in told_of_others if in_force(fact, reader)],
        claimed=[fact for fact in [*told_of_own, *told_of_others] if fact.row.standing == "claimed"],
        doubts=_doubts(reader, [fact for fact in [*found, *told_of_own, *told_of_others] if in_force(fact, reader)]),
    )


def _doubts(reader: Reader, certain: Sequence[Fact]) -> dict[UUID, str]:
    """The newest doubt about each fact that has one. Of several values beside each other it must name the one."""
    texts = uncertainties.about(reader, {(fact.subject.id, fact.key) for fact in certain})
    found: dict[UUID, str] = {}
    for fact in certain:
        alone = isinstance(fact.row, AttributeVersionRow) and fact.row.single_valued
        for text in texts.get((fact.subject.id, fact.key), []):
            if alone or folded(fact.value) in folded(text):
                found.setdefault(fact.id, text)
    return found


def _told(reader: Reader, entity_ids: Sequence[UUID], limit: int) -> list[Fact]:
    """What holds now of the entities, and what is claimed, the most lasting and newest first."""
    if not entity_ids:
        return []
    parameters = {"entity_ids": list(entity_ids), "limit": limit}
    ids = [fact_id for sql in (facts.TOLD_OF, facts.CLAIMED_OF) for (fact_id,) in reader.tuples(sql, parameters)]
    ids += [row.id for row in relations.live_of_entities(reader, entity_ids, limit=limit).rows]
    found = facts.by_ids(reader, ids)
    lasting = {"identity": 0, "knowledge": 1, "context": 2}
    return sorted(
        found.values(),
        key=lambda fact: (lasting.get(fact.row.category, 3), -fact.row.said_at.timestamp(), fact.id),
    )
