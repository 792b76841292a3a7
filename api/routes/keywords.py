"""Keywords: what documents are about."""

from time import perf_counter
from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import document_shapes
from api.shapes.document_schemas import KeywordSearchBody
from api.shapes.pages import pages_of
from api.shapes.paging import cursor_of, place_of
from memory.documents.keywords import normalised
from memory.errors import InvalidRequest, NotFound
from memory.values import name_key
from projections import document_keywords, documents
from projections.likeness import likeness
from projections.reading import Reader

SORTS = ("normalised", "-normalised", "document_count", "-document_count", "text", "-text")

Counted = tuple[str, str, int, float]  # normalised, text, documents, best score


def list_keywords(call: Call) -> tuple[int, Any]:
    """Of all documents, those in the most of them first. `q`: words that they hold. A cursor is of one `sort`."""
    sort = (call.query.get("sort") or "-document_count").replace("documentCount", "document_count")
    if sort not in SORTS:
        raise InvalidRequest(f"sort: must be one of {', '.join(SORTS)}")
    least = call.integer("minDocumentCount", 0)
    wanted = normalised(call.query.get("q") or "")
    place = place_of(call.query.get("cursor"), str, int)
    if place and place[0] != sort:
        raise InvalidRequest("cursor: of a list that is sorted otherwise")
    paged = pages_of(call)
    with call.reading() as reader:
        every = _every(reader)
    found = _sorted([one for one in every if one[2] >= least and wanted in one[0]], sort)
    begin = place[1] if place else paged.offset
    shown = found[begin : begin + paged.size]
    end = begin + len(shown)
    next_cursor = cursor_of(sort, end) if end < len(found) else None
    keywords = [{**document_shapes.keyword(name, text), "documentCount": count} for name, text, count, _ in shown]
    return 200, {"keywords": keywords, **paged.block(next_cursor, len(found))}


def get_keyword(call: Call) -> tuple[int, Any]:
    name = normalised(call.path["normalised"].removeprefix("keyword:"))
    with call.reading() as reader:
        rows = reader.tuples(document_keywords.DOCUMENTS_OF, {"normalised": name})
    if not rows:
        raise NotFound("there is no such keyword")
    owners = [
        {"id": ids.document(document_id), "title": title, "score": score} for document_id, title, score, _ in rows
    ]
    shown = document_shapes.keyword(name, rows[0][3])
    return 200, {**shown, "documentCount": len(owners), "documents": owners}


def search_keywords(call: Call) -> tuple[int, Any]:
    """Keywords that share words with the query, by how much they do."""
    body = call.parsed(KeywordSearchBody)
    began = perf_counter()
    with call.reading(lens=body.lens) as reader:
        every = _every(reader)
    scored = [(likeness(body.query, name_key(name)), name, text, count) for name, text, count, _ in every]
    best = sorted((one for one in scored if one[0] >= body.threshold and one[0] > 0), key=lambda one: (-one[0], one[1]))
    results = [
        {**document_shapes.keyword(name, text), "documentCount": count, "score": score}
        for score, name, text, count in best[: body.k]
    ]
    return 200, {"results": results, "queryMs": round((perf_counter() - began) * 1000)}


def list_document_keywords(call: Call) -> tuple[int, Any]:
    document_id = ids.parse_document(call.path["document_id"])
    with call.reading() as reader:
        if documents.one(reader, document_id) is None:
            raise NotFound("there is no such document")
        rows = reader.rows(document_keywords.TABLE, document_keywords.OF_DOCUMENTS, {"ids": [document_id]})
    return 200, {"keywords": [document_shapes.keyword_of_document(row) for row in rows]}


def _every(reader: Reader) -> list[Counted]:
    return [(name, text, int(count), score) for name, text, count, score in reader.tuples(document_keywords.EVERY, {})]


def _sorted(keywords: list[Counted], sort: str) -> list[Counted]:
    column = {"normalised": 0, "text": 1, "document_count": 2}[sort.removeprefix("-")]
    keywords.sort(key=lambda one: one[0])
    return sorted(keywords, key=lambda one: one[column], reverse=sort.startswith("-"))
