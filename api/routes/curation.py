"""What is settled by hand: closing facts and directives, resolving uncertainties."""

from typing import Any

from api import ids
from api.http.calls import Call
from api.routes.entities import name_in
from api.shapes import answers, details, refs
from api.shapes.schemas import CloseBody, MergeBody, ResolveBody, SeparateBody
from memory.curation import Words
from projections import attribute_versions, entities, relations, scope_sets, uncertainties

FACTS_LIMIT = 500


def close_attribute(call: Call) -> tuple[int, dict[str, Any]]:
    """The version as it is after its end."""
    version_id = ids.parse(call.path["attribute_id"], prefixes=("attr_",))
    body = call.parsed(CloseBody)
    call.services.curation.close_attribute(call.caller(), version_id, body.valid_until, _words(body.reason))
    with call.reading() as reader:
        rows = attribute_versions.by_ids(reader, [version_id])
        return 200, {"attribute": answers.attribute_list(reader, list(rows.values()))[0]}


def close_relation(call: Call) -> tuple[int, dict[str, Any]]:
    """The relation as it is after its end."""
    relation_id = ids.parse(call.path["relation_id"], prefixes=("rel_",))
    body = call.parsed(CloseBody)
    call.services.curation.close_relation(call.caller(), relation_id, body.valid_until, _words(body.reason))
    with call.reading() as reader:
        row = relations.version_of(reader, relation_id)
        assert row is not None, "it was closed just now"
        return 200, {"relation": answers.relation_list(reader, [row])[0]}


def merge_entity(call: Call) -> tuple[int, dict[str, Any]]:
    """The entity that both names mean from now on."""
    body = call.parsed(MergeBody)
    into = refs.entity_name(body.into, field="into")
    call.services.curation.merge(call.caller(), name_in(call), into, _words(body.reason))
    with call.reading() as reader:
        return 200, answers.entity_facts(reader, entities.named(reader, *into), limit=FACTS_LIMIT)


def separate_entity(call: Call) -> tuple[int, dict[str, Any]]:
    """The entity that the name means alone from now on."""
    name = name_in(call)
    call.services.curation.separate(call.caller(), name, _words(call.parsed(SeparateBody).reason))
    with call.reading() as reader:
        return 200, answers.entity_facts(reader, entities.named(reader, *name), limit=FACTS_LIMIT)


def close_instruction(call: Call) -> tuple[int, None]:
    call.services.curation.close_instruction(
        call.caller(), ids.parse(call.path["instruction_id"], prefixes=("instr_",))
    )
    return 204, None


def resolve_uncertainty(call: Call) -> tuple[int, dict[str, Any]]:
    """The uncertainty as it is after its resolution."""
    uncertainty_id = ids.parse(call.path["uncertainty_id"], prefixes=("unc_",))
    body = call.parsed(ResolveBody)
    call.services.curation.resolve(call.caller(), uncertainty_id, body.accepted_value, _words(body.note))
    with call.reading() as reader:
        row = uncertainties.one(reader, uncertainty_id)
        assert row is not None, "it was resolved just now"
        about = entities.by_ids(reader, [row.entity_id]).get(row.entity_id) if row.entity_id else None
        return 200, {"uncertainty": details.uncertainty(row, about, scope_sets.clauses(reader))}


def _words(text: str | None) -> Words:
    return Words(turn_id=ids.new_id(), session_id=ids.new_id(), text=text or "")
