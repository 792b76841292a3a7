"""Searching documents, and finding again where their links lead."""

from time import perf_counter
from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import document_shapes
from api.shapes.document_schemas import DocumentQueryBody
from projections.document_links import EVERY_LINK
from projections.document_search import EDGE_KINDS, GRAPH_ALPHA, THRESHOLD, Asked, documents_of_types, search_documents
from projections.recall.question import parsed


def query_documents(call: Call) -> tuple[int, Any]:
    """`mode`: hybrid (the usual ranking), vector, bm25, or hybrid_graph (hybrid, and what is tied to good chunks).

    `threshold` is the least cosine of what only the vectors bring, `vectorWeight` the weight of meaning beside words;
    with `rrfK` the two are fused by reciprocal ranks instead of by score. `useHyde`, `decomposeQuery` and
    `useReranker` ask for what this server does not have, and `location` for what no document has: they are taken
    and change nothing.
    """
    body = call.parsed(DocumentQueryBody)
    began = perf_counter()
    threshold = body.threshold if body.threshold is not None and body.threshold > 0 else THRESHOLD
    call.caller()  # nobody without a key asks the model
    vector, model = (None, "") if body.mode == "bm25" else call.services.embedder.question(body.query, call.context_id)
    question = parsed(body.query, vector=vector, model=model)
    with call.reading(lens=body.lens) as reader:
        chosen = None
        if body.filter and body.filter.document_ids:
            chosen = {ids.parse_document(one) for one in body.filter.document_ids}
        if body.filter and body.filter.mime_type:
            of_types = documents_of_types(reader, body.filter.mime_type)
            chosen = of_types if chosen is None else chosen & of_types
        asked = Asked(
            mode=body.mode,
            k=body.k,
            threshold=threshold,
            vector_weight=body.vector_weight,
            rrf_k=body.rrf_k,
            graph_alpha=GRAPH_ALPHA if body.graph_alpha is None else body.graph_alpha,
            graph_depth=body.graph_depth,
            graph=EDGE_KINDS if body.graph_edges is None or "hybrid_graph" in body.graph_edges else body.graph_edges,
            expand=body.expand_graph,
            document_ids=chosen,
            include_duplicates=body.include_duplicates,
        )
        found = search_documents(reader, question, asked)
    results = [document_shapes.found(one) for one in found]
    return 200, {"results": results, "queryMs": round((perf_counter() - began) * 1000)}


def recompute_links(call: Call) -> tuple[int, Any]:
    """Links whose documents came later are found now; those that were found before stay. Only
    documents that the caller may write to are looked at."""
    with call.reading_as() as (caller, reader):
        linking = sorted({document_id for document_id, _, _ in reader.tuples(EVERY_LINK, {"ids": None})})
    return 200, {"linksEmitted": call.services.library.link_again(caller, linking)}
