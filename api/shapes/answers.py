"""Rows as answers: looks up what their wire shapes need beside them."""

from collections.abc import Sequence
from uuid import UUID

from api import ids
from api.holds import Hold
from api.shapes import details, document_shapes, story, wire
from api.shapes.wire import Json
from memory.documents import progress
from projections import (
    attribute_versions,
    documents,
    entities,
    erasures,
    provenance,
    relations,
    scope_sets,
    sources,
    turns,
)
from projections.attribute_versions import AttributeVersionRow
from projections.corrections import CorrectionRow
from projections.documents import DocumentRow
from projections.entities import EntityRow
from projections.reading import Reader
from projections.relations import RelationRow


def attribute_list(reader: Reader, rows: Sequence[AttributeVersionRow]) -> list[Json]:
    """AttributeDetailJson of each row, in their order."""
    owners = entities.by_ids(reader, [row.entity_id for row in rows])
    evidence = provenance.evidence(reader, [row.id for row in rows])
    clauses = scope_sets.clauses(reader)
    shown = [wire.attribute(row, owners[row.entity_id], clauses, evidence.get(row.id), reader.now) for row in rows]
    return _with_documents(reader, rows, shown)


def history_list(reader: Reader, rows: Sequence[AttributeVersionRow]) -> list[Json]:
    """AttributeDetailJson of each version, with its place in the log, who said it last, and by which rule and words
    it stands or ended as it does."""
    version_ids = [row.id for row in rows]
    latest, ended_by = sources.latest(reader, version_ids), sources.ended_by(reader, version_ids)
    return [
        {
            **shown,
            "position": row.turn_position,
            "latestSource": wire.words_source(latest.get(row.id)),
            "rule": story.rule(row.standing, row.end_reason),
            "endedBy": wire.words_source(ended_by.get(row.id)),
        }
        for row, shown in zip(rows, attribute_list(reader, rows), strict=True)
    ]


def relation_list(reader: Reader, rows: Sequence[RelationRow]) -> list[Json]:
    """RelationDetailJson of each row, in their order."""
    known = entities.by_ids(reader, [end for row in rows for end in (row.subject_id, row.object_id)])
    clauses = scope_sets.clauses(reader)
    shown = [wire.relation(row, known[row.subject_id], known[row.object_id], clauses) for row in rows]
    return _with_documents(reader, rows, shown)


def _with_documents(
    reader: Reader, rows: Sequence[AttributeVersionRow] | Sequence[RelationRow], shown: list[Json]
) -> list[Json]:
    """The answers with the document and the chunk that a fact comes from, where it is no turn that said it."""
    wanted = [row.document_id for row in rows if row.document_id is not None]
    titles = documents.by_ids(reader, wanted) if wanted else {}
    for row, one in zip(rows, shown, strict=True):
        if row.document_id is not None:
            document = titles.get(row.document_id)
            one["source_turn"] = None
            one["source"] |= {
                "ref": ids.chunk(row.turn_id),
                "documentId": ids.document(row.document_id),
                "title": document and document.title,
            }
    return shown


def entity_facts(reader: Reader, rows: Sequence[EntityRow], *, limit: int) -> Json:
    """What is known now of one name: its entity, attributes, relations, and whether either was cut at `limit`.

    rows: the entity in each visible scope set, oldest first.
    """
    entity_ids = [row.id for row in rows]
    versions = attribute_versions.live_of_entities(reader, entity_ids, limit=limit)
    edges = relations.live_of_entities(reader, entity_ids, limit=limit)
    evidence = provenance.evidence(reader, entity_ids[:1])
    names = [name for of_one in entities.other_names(reader, entity_ids).values() for name in of_one]
    return {
        "entity": {
            **wire.entity(rows[0], evidence.get(rows[0].id), reader.now),
            "aliases": list(dict.fromkeys(names)),
        },
        "attributes": attribute_list(reader, versions.rows),
        "relations": relation_list(reader, edges.rows),
        "truncated": {"attributes": versions.has_more, "relations": edges.has_more},
    }


def erasure_list(reader: Reader, entity_ids: Sequence[UUID]) -> list[Json]:
    """That something was erased about the entities, when, by whom and why; newest first."""
    return [
        {
            "id": ids.ulid(row.erasure_id),
            "erasedAt": ids.moment(row.erased_at),
            "by": row.principal_id and ids.ulid(row.principal_id),
            "reason": row.reason,
        }
        for row in erasures.about(reader, entity_ids)
    ]


def correction_list(reader: Reader, rows: Sequence[CorrectionRow]) -> list[Json]:
    """Each correction with the values it is about, in their order."""
    wanted = [version for row in rows for version in (row.old_version_id, row.new_version_id)]
    versions = attribute_versions.by_ids(reader, wanted)
    owners = entities.by_ids(reader, [version.entity_id for version in versions.values()])
    answers = []
    for row in rows:
        old, new = versions[row.old_version_id], versions[row.new_version_id]
        answers.append(wire.correction(row, old, new, owners[new.entity_id], new.source_kind))
    return answers


def correction(reader: Reader, row: CorrectionRow) -> Json:
    """A correction with the words of the turn that caused it."""
    turn = turns.by_ids(reader, [row.turn_id]).get(row.turn_id) if row.turn_id else None
    return {**correction_list(reader, [row])[0], "turn": turn and details.words(turn)}


def document_list(reader: Reader, rows: Sequence[DocumentRow], hold: Hold | None = None) -> list[Json]:
    """DocumentJson of each row, in their order, with how far the reading of each is, and what it waits for."""
    clauses = scope_sets.clauses(reader)
    found = progress.of(reader.cursor, reader.context_id, [row.id for row in rows])
    return [document_shapes.document(row, found.get(row.id), clauses[row.scope_set_id], hold) for row in rows]
