"""More of the wire's shapes: what lists, matches and inspections show. Names and types as in `api.shapes.wire`."""

from datetime import datetime

from api import ids
from api.shapes import wire
from api.shapes.wire import Json, Scopes
from memory.remember import ExtractionStatus
from projections.attribute_versions import AttributeVersionRow
from projections.entities import EntityRow
from projections.instructions import InstructionRow
from projections.matches import Match
from projections.passages import PassageRow
from projections.relations import RelationRow
from projections.turns import ExtractionRow, TurnRow
from projections.uncertainties import UncertaintyRow


def instruction(row: InstructionRow, scopes: Scopes) -> Json:
    return {
        **wire.instruction(row),
        "createdAt": ids.moment(row.said_at),
        "source": wire.source(row.source_kind, row.turn_id, row.session_id),
        "labels": row.labels,
        "scope": scopes[row.scope_set_id],
    }


def uncertainty(row: UncertaintyRow, about: EntityRow | None, scopes: Scopes) -> Json:
    return {
        **wire.uncertainty(row),
        "entity": about and wire.entity_ref(about),
        "key": row.key,
        "labels": row.labels,
        "scope": scopes[row.scope_set_id],
        "resolvable": row.entity_id is not None and row.key is not None,
        "resolved": row.valid_to is not None,
        "resolvedAt": ids.moment(row.valid_to),
        "createdAt": ids.moment(row.said_at),
    }


def match(found: Match, score: float, now: datetime) -> Json:
    return {
        "entity": wire.entity(found.entity, found.evidence, now),
        "score": score,
        "factCount": found.facts,
        "lastLearnedAt": ids.moment(found.last_learned_at),
        "matchedAlias": found.alias,
    }


def neighbour(row: RelationRow, far: Match, *, outbound: bool, now: datetime) -> Json:
    """A relation as seen from one of its ends. A neighbour is no guess, so it scores 1."""
    return {
        "far": match(far, 1.0, now),
        "label": row.label,
        "outbound": outbound,
        "relationId": ids.relation(row.id),
        "validUntil": ids.moment(row.valid_to),
    }


def profile_entry(row: AttributeVersionRow, owner: EntityRow) -> Json:
    return {"key": row.key, "value": row.value, "entity": owner.name, "entityType": owner.type}


def words(row: TurnRow) -> Json:
    """A turn as the cause of something else."""
    return {"id": ids.ulid(row.id), "role": row.role, "content": row.text, "createdAt": ids.moment(row.said_at)}


def passage(row: PassageRow) -> Json:
    """A piece of a turn or document, as a citation names it."""
    return {
        "id": ids.chunk(row.id),
        "text": row.text,
        "role": row.role,
        "turnId": row.turn_id and ids.ulid(row.turn_id),
        "sessionId": row.session_id and ids.ulid(row.session_id),
        "documentId": row.document_id and ids.ulid(row.document_id),
        "title": row.title or None,
        "section": row.section or None,
        "charStart": row.char_start,
        "charEnd": row.char_end,
        "createdAt": ids.moment(row.said_at),
    }


def turn(row: TurnRow, extraction: ExtractionRow | None) -> Json:
    """A turn with how far it is understood; without `extraction`, nobody asked to understand it."""
    state: Json = {"status": ExtractionStatus.NONE.value, "extractor": None}
    if extraction is not None:
        state = {
            "status": extraction.status,
            "extractor": extraction.extractor,
            "attempts": extraction.attempts,
            "nextAttemptAt": ids.moment(extraction.due_at),
        }
        if extraction.error is not None:
            state["error"] = extraction.error
            state["retryable"] = extraction.retryable
    return {**wire.turn(row), "extraction": state}
