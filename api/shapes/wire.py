"""Rows and diffs in the wire's shapes. Names and types: the vendor's contract; ours are additive."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from api import ids
from memory.events import ExtractionCompleted
from memory.importance import importance
from memory.remember import Learnt
from memory.usage import Usage, total
from memory.values import SourceKind
from projections.actions import ActionRow
from projections.attribute_versions import AttributeVersionRow
from projections.corrections import CorrectionRow
from projections.diffs import TurnDiff
from projections.entities import EntityRow
from projections.instructions import InstructionRow
from projections.provenance import Evidence
from projections.relations import RelationRow
from projections.sessions import SessionRow
from projections.sources import Source
from projections.turns import TurnRow
from projections.uncertainties import UncertaintyRow

Json = dict[str, Any]
Scopes = Mapping[UUID, list[list[str]]]  # the clauses of each scope set


def entity_key(entity: EntityRow) -> str:
    """An entity's id in write answers, exactly as the seed writes it: ['person', 'alice']."""
    return f"['{entity.type}', '{entity.name_key}']"


def entity_ref(entity: EntityRow) -> str:
    """An entity's id everywhere else: entity:person/alice."""
    return f"entity:{entity.type}/{entity.name_key}"


def source(kind: str, turn_id: UUID | None, session_id: UUID | None) -> Json:
    return {
        "kind": SourceKind(kind).wire,
        "ref": turn_id and ids.ulid(turn_id),
        "sessionId": session_id and ids.ulid(session_id),
    }


def words_source(words: Source | None) -> Json | None:
    """Where words come from, with their place in the log and since when they are known."""
    if words is None:
        return None
    where = source(words.kind, words.turn_id, words.session_id)
    if words.kind == SourceKind.DOCUMENT:
        where["ref"] = ids.chunk(words.turn_id)
    return {**where, "position": words.position, "saidAt": ids.moment(words.said_at)}


# --- the answer to a write ---------------------------------------------------------------------


def extraction(learnt: Learnt, diff: TurnDiff) -> Json:
    """The seed's extraction object."""
    turn = ids.ulid(learnt.turn_id)
    origin = {"source_turn": turn, "source": source(learnt.source_kind, learnt.turn_id, learnt.session_id)}
    answer: Json = {
        "turnId": turn,
        "status": learnt.status.value,
        "entities": [
            {
                "id": entity_key(entity),
                "name": entity.name,
                "entityType": entity.type,
                "memoryCategory": entity.category,
                "isNew": is_new,
                **origin,
            }
            for entity, is_new in diff.mentioned
        ],
        "attributes": [
            {
                "id": ids.attribute(event.segment.id),
                "entityId": entity_key(diff.entity[event.entity_id]),
                "key": event.key,
                "value": event.value,
                "memoryCategory": event.category,
                "confidence": event.confidence,
                "standing": event.segment.standing.value,
                "validFrom": ids.moment(event.segment.valid_from),
                "validUntil": ids.moment(event.segment.valid_until),
                **origin,
            }
            for event in diff.attributes
        ],
        "relations": [
            {
                "id": ids.relation(event.segment.id),
                "subject": entity_key(diff.entity[event.subject_id]),
                "label": event.label,
                "object": entity_key(diff.entity[event.object_id]),
                "memoryCategory": event.category,
                "validFrom": ids.moment(event.segment.valid_from),
                "validUntil": ids.moment(event.segment.valid_until),
                **origin,
            }
            for event in diff.relations
        ],
        "actions": [
            {
                "actor": entity_key(diff.entity[event.actor_id]),
                "verb": event.verb,
                "object": event.object,
                "summary": event.summary,
                "occurredAt": ids.moment(event.occurred_at),
                "memoryCategory": event.category,
                **origin,
            }
            for event in diff.actions
        ],
        "instructions": [
            {
                "id": ids.instruction(event.instruction_id),
                "label": event.label,
                "description": event.description,
                **origin,
            }
            for event in diff.instructions
        ],
        "uncertainties": [{"about": event.about, "reason": event.reason, **origin} for event in diff.uncertainties],
        "corrections": [
            {
                "id": ids.correction(one.correction_id),
                "entityId": entity_key(diff.entity[one.new.entity_id]),
                "key": one.new.key,
                "oldValue": _told(one.old, one.new),
                "newValue": _told(one.new, one.old),
                "previous": {"id": ids.attribute(one.old.id), "value": _told(one.old, one.new)},
                "current": {"id": ids.attribute(one.new.id), "value": _told(one.new, one.old)},
                "reason": one.reason,
                **origin,
            }
            for one in diff.corrections
        ],
    }
    if learnt.failure:
        answer["error"] = {"type": learnt.failure.error, "retryable": learnt.failure.retryable}
    if learnt.usage.calls:
        answer["usage"] = usage(learnt.usage)
        answer["model"] = learnt.asked[-1].model
        answer["dropped"] = sum(one.dropped for one in learnt.asked if isinstance(one, ExtractionCompleted))
    return answer


def usage(took: Usage) -> Json:
    return {
        "calls": took.calls,
        "inputTokens": took.input_tokens,
        "outputTokens": took.output_tokens,
        "cost": took.cost,
    }


def usage_sum(used: Iterable[Json]) -> Json:
    """The sum of usages in their wire's shape."""
    parts = [
        Usage(calls=one["calls"], input_tokens=one["inputTokens"], output_tokens=one["outputTokens"], cost=one["cost"])
        for one in used
    ]
    return usage(total(parts))


def _told(row: AttributeVersionRow, other: AttributeVersionRow) -> str:
    """A corrected value; with its key where the two keys are contraries ("likes durian", "dislikes durian")."""
    return row.value if row.key == other.key else f"{row.key} {row.value}"


# --- reads -------------------------------------------------------------------------------------


def session(row: SessionRow, scopes: Scopes) -> Json:
    return {
        "id": ids.ulid(row.id),
        "createdAt": ids.moment(row.opened_at),
        "scopes": scopes[row.scope_set_id],
        "closedAt": ids.moment(row.closed_at),
    }


def turn(row: TurnRow) -> Json:
    """citations: only of a reply that has some."""
    cited = [{"marker": one.marker, "kind": one.kind, "id": ids.row(one.kind, one.id)} for one in row.cited]
    return {
        "id": ids.ulid(row.id),
        "session": ids.ulid(row.session_id),
        "seq": row.seq,
        "role": row.role,
        "content": row.text,
        "createdAt": ids.moment(row.said_at),
        **({"citations": cited} if cited else {}),
    }


def entity(row: EntityRow, evidence: Evidence | None, now: datetime) -> Json:
    updated_at = evidence.last_said_at if evidence else row.created_at
    return {
        "id": entity_ref(row),
        "name": row.name,
        "entityType": row.type,
        "memoryCategory": row.category,
        "importance": importance(row.category, said_at=updated_at, now=now),
        "createdAt": ids.moment(row.created_at),
        "updatedAt": ids.moment(updated_at),
    }


def attribute(
    row: AttributeVersionRow, owner: EntityRow, scopes: Scopes, evidence: Evidence | None, now: datetime
) -> Json:
    last_said_at = evidence.last_said_at if evidence else row.said_at
    return {
        "id": ids.attribute(row.id),
        "entity": entity_ref(owner),
        "key": row.key,
        "value": row.value,
        "memoryCategory": row.category,
        "importance": importance(row.category, said_at=last_said_at, now=now),
        "precision": row.precision or None,
        "confidence": row.confidence,
        "standing": row.standing,
        "evidenceCount": evidence.turns if evidence else 1,
        "createdAt": ids.moment(row.said_at),
        "validFrom": ids.moment(row.valid_from),
        "validUntil": ids.moment(row.valid_to),
        "supersedes": row.supersedes and ids.attribute(row.supersedes),
        "supersededBy": row.superseded_by and ids.attribute(row.superseded_by),
        "endReason": row.end_reason,
        "source_turn": ids.ulid(row.turn_id),
        "source": source(row.source_kind, row.turn_id, row.session_id),
        "labels": row.labels,
        "scope": scopes[row.scope_set_id],
    }


def relation(row: RelationRow, subject: EntityRow, target: EntityRow, scopes: Scopes) -> Json:
    return {
        "id": ids.relation(row.id),
        "subject": entity_ref(subject),
        "label": row.label,
        "object": entity_ref(target),
        "memoryCategory": row.category,
        "confidence": row.confidence,
        "standing": row.standing,
        "createdAt": ids.moment(row.said_at),
        "validFrom": ids.moment(row.valid_from),
        "validUntil": ids.moment(row.valid_to),
        "source_turn": ids.ulid(row.turn_id),
        "source": source(row.source_kind, row.turn_id, row.session_id),
        "labels": row.labels,
        "scope": scopes[row.scope_set_id],
    }


def action(row: ActionRow, actor: EntityRow) -> Json:
    return {
        "id": ids.action(row.id),
        "actor": entity_ref(actor),
        "verb": row.verb,
        "object": None,
        "objectText": row.object,
        "summary": row.summary,
        "confidence": row.confidence,
        "memoryCategory": row.category,
        "occurredAt": ids.moment(row.occurred_at),
        "precision": row.precision or None,
        "validFrom": ids.moment(row.valid_from),
        "validUntil": ids.moment(row.valid_to),
        "createdAt": ids.moment(row.said_at),
        "source_turn": ids.ulid(row.turn_id),
        "source": source(row.source_kind, row.turn_id, row.session_id),
    }


def instruction(row: InstructionRow) -> Json:
    return {
        "id": ids.instruction(row.id),
        "label": row.label,
        "description": row.description,
        "source_turn": ids.ulid(row.turn_id),
    }


def uncertainty(row: UncertaintyRow) -> Json:
    return {
        "id": ids.uncertainty(row.id),
        "about": row.about,
        "reason": row.reason,
        "source_turn": row.turn_id and ids.ulid(row.turn_id),
    }


def correction(
    row: CorrectionRow, old: AttributeVersionRow, new: AttributeVersionRow, owner: EntityRow, kind: str
) -> Json:
    return {
        "id": ids.correction(row.id),
        "entity": entity_ref(owner),
        "key": new.key,
        "previous": _version(old, new),
        "current": _version(new, old),
        "reason": row.reason,
        "source": source(kind, row.turn_id, row.session_id),
        "position": row.position_from,
        "createdAt": ids.moment(row.said_at),
    }


def _version(row: AttributeVersionRow, other: AttributeVersionRow) -> Json:
    return {
        "id": ids.attribute(row.id),
        "value": _told(row, other),
        "validFrom": ids.moment(row.valid_from),
        "validUntil": ids.moment(row.valid_to),
    }
