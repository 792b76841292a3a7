"""GET /inspect: what a reference stands for, whatever its kind."""

from typing import Any
from uuid import UUID

from api.http.calls import Call
from api.routes import traces
from api.shapes import answers, details, refs, wire
from api.shapes.wire import Json
from memory.errors import InvalidRequest, NotFound
from memory.known import EntityName
from memory.values import comparable
from projections import (
    actions,
    attribute_versions,
    corrections,
    document_chunks,
    documents,
    entities,
    passages,
    relations,
)
from projections.entities import EntityRow
from projections.reading import Reader

LIMIT = 500


def inspect(call: Call) -> tuple[int, dict[str, Any]]:
    """One of several shapes, told apart by `kind`: entity, attribute, relation, trace; ours: correction, action,
    chunk, document.

    Raises InvalidRequest for no reference, NotFound for one to nothing, Unsupported for other kinds.
    """
    text = call.query.get("ref", "")
    if not text.strip():
        raise InvalidRequest("ref: must not be blank")
    ref = refs.parse(text)
    if isinstance(ref, refs.TraceId):
        return 200, {"kind": "trace", "trace": traces.trace_in_full(call, ref.value)}
    with call.reading(call.asked()) as reader:
        return 200, _answer(reader, ref)


def _answer(reader: Reader, ref: refs.OfMemory) -> Json:
    match ref:
        case refs.EntityRef(name):
            return {"kind": "entity", **answers.entity_facts(reader, _named(reader, name), limit=LIMIT)}
        case refs.AttributeRef(name, key):
            return _attribute(reader, name, key)
        case refs.AttributeId(value):
            version = attribute_versions.version_of(reader, value)
            if version is None:
                raise _absent()
            owner = entities.by_ids(reader, [version.entity_id])[version.entity_id]
            line = None if version.single_valued else comparable(version.value)
            return _attribute(reader, (owner.type, owner.name_key), version.key, line=line)
        case refs.RelationRef(subject, label, target):
            found = relations.between(reader, _ids(reader, subject), label, _ids(reader, target), limit=LIMIT)
            if not found.rows:
                raise _absent()
            matches = answers.relation_list(reader, found.rows)
            return {"kind": "relation", "matches": matches, "truncated": found.has_more}
        case refs.RelationId(value):
            edge = relations.version_of(reader, value)
            if edge is None:
                raise _absent()
            return {"kind": "relation", "matches": answers.relation_list(reader, [edge]), "truncated": False}
        case refs.CorrectionId(value):
            row = corrections.one(reader, value)
            if row is None:
                raise _absent()
            return {"kind": "correction", "correction": answers.correction(reader, row)}
        case refs.ActionId(value):
            deed = actions.one(reader, value)
            if deed is None:
                raise _absent()
            actor = entities.by_ids(reader, [deed.actor_id])[deed.actor_id]
            return {"kind": "action", "action": wire.action(deed, actor)}
        case refs.PassageId(value):
            passage = passages.one(reader, value)
            if passage is None:
                raise _absent()
            return {"kind": "chunk", "chunk": details.passage(passage)}
        case refs.ChunkAt(document_id, position):
            rows = document_chunks.of_document(reader, document_id, first=position, last=position, limit=1).rows
            passage = passages.one(reader, rows[0].id) if rows else None
            if passage is None:
                raise _absent()
            return {"kind": "chunk", "chunk": details.passage(passage)}
        case refs.DocumentId(value):
            document = documents.one(reader, value)
            if document is None:
                raise _absent()
            return {"kind": "document", "document": answers.document_list(reader, [document])[0]}


def _attribute(reader: Reader, name: EntityName, key: str, *, line: str | None = None) -> Json:
    """The chain of a key, newest first; of one of its values only if `line` gives it. `current`: the newest
    that holds now."""
    rows = attribute_versions.history(reader, [row.id for row in _named(reader, name)], key)
    rows = [row for row in rows if line is None or comparable(row.value) == line]
    if not rows:
        raise _absent()
    history = answers.history_list(reader, rows)
    live = [ordinal for ordinal, row in enumerate(rows) if row.valid_to is None and row.standing == "current"]
    return {"kind": "attribute", "current": history[live[0]] if live else None, "history": history}


def _named(reader: Reader, name: EntityName) -> list[EntityRow]:
    rows = entities.named(reader, *name)
    if not rows:
        raise _absent()
    return rows


def _ids(reader: Reader, name: refs.AnyName) -> list[UUID]:
    kind, key = name
    rows = entities.named_of_any_type(reader, key) if kind is None else entities.named(reader, kind, key)
    return [row.id for row in rows]


def _absent() -> NotFound:
    return NotFound("ref: there is nothing of that name or id")
