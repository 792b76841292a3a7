"""Searching documents, and finding again where their links lead."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import pydantic
from starlette.responses import Response

from api import ids
from api.chat import thinking
from api.http.calls import Call
from api.http.exchanges import Exchange, answer
from api.routes.queries import area_of
from api.shapes import document_shapes
from api.shapes.document_schemas import DocumentQueryBody
from api.shapes.wire import Json
from memory.errors import ModelUnavailable, TooManyRequests
from projections.document_links import EVERY_LINK
from projections.document_search import (
    GRAPH_ALPHA,
    THRESHOLD,
    Asked,
    documents_about,
    documents_of_types,
    search_documents,
)
from projections.document_ties import EDGE_KINDS
from projections.recall.question import Question, parsed
from projections.retrieval import compound


class _Supposed(pydantic.BaseModel):
    passage: str = pydantic.Field(min_length=1, max_length=4_000)


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage that the caller asked for. detail: what it came to, or why it was left out."""

    stage: str
    applied: bool
    detail: str

    @property
    def shown(self) -> Json:
        return {"stage": self.stage, "applied": self.applied, "detail": self.detail}


async def query_documents(exchange: Exchange) -> Response:
    """`mode`: hybrid (the usual ranking), vector, bm25, or hybrid_graph (hybrid, and what is tied to good chunks).

    `threshold` is the least cosine of what only the vectors bring, `vectorWeight` the weight of meaning beside words;
    with `rrfK` the two are fused by reciprocal ranks instead of by score. `useReranker` lets all signals of the
    ranking of memory count in the order; `decomposeQuery` searches for each question of a compound one too; `useHyde`
    searches by the meaning of an answer that the response model supposes. `location` keeps documents that name a place
    there. `stages` of the answer tells which of them were applied.
    """
    call = exchange.call
    began = perf_counter()
    body = call.parsed(DocumentQueryBody)
    await exchange.read(call.caller)  # nobody without a key asks the model
    supposed, stages = "", []
    if body.use_hyde:
        supposed, stage = await _supposed(exchange, body)
        stages.append(stage)
    content = await exchange.read(lambda: _found(call, body, supposed, stages))
    return answer(200, {**content, "queryMs": round((perf_counter() - began) * 1000)})


async def _supposed(exchange: Exchange, body: DocumentQueryBody) -> tuple[str, _Stage]:
    """A passage that a model supposes to answer the question (HyDE, Gao et al. 2022); "" without one."""
    call = exchange.call
    if body.mode == "bm25":
        return "", _Stage("hyde", False, "words alone are searched in this mode")
    model = call.services.chat.responders.chosen(call.context_id, None)
    if model is None:
        return "", _Stage("hyde", False, "no response model is configured")
    try:
        await exchange.read(call.require_affordable)
    except TooManyRequests as error:
        return "", _Stage("hyde", False, error.detail)
    try:
        told = await thinking.asked(exchange, model, "suppose", (), _Supposed, question=body.query)
    except ModelUnavailable:
        return "", _Stage("hyde", False, f"the model {model.name} gave no answer")
    finally:
        await exchange.write(lambda: thinking.count(call, call.caller(), model, "documents"))
    return told.passage, _Stage("hyde", True, f"by a passage of {model.name}")


def _found(call: Call, body: DocumentQueryBody, supposed: str, stages: Sequence[_Stage]) -> Json:
    shown = [one.shown for one in stages]
    question = _question(call, body, body.query, supposed)
    split = compound.parts(body.query) if body.decompose_query else []
    parts = [_question(call, body, one) for one in split]
    if body.decompose_query:
        shown.append(_Stage("decompose", bool(split), " | ".join(split) or "the question asks one thing").shown)
    if body.use_reranker:
        shown.append(_Stage("rerank", True, "by all signals of the ranking of memory").shown)
    area = area_of(body.location)
    with call.reading(lens=body.lens) as reader:
        narrowed: list[set[Any]] = []
        if body.filter and body.filter.document_ids:
            narrowed.append({ids.parse_document(one) for one in body.filter.document_ids})
        if body.filter and body.filter.mime_type:
            narrowed.append(documents_of_types(reader, body.filter.mime_type))
        if area is not None:
            narrowed.append(documents_about(reader, area))
        asked = Asked(
            mode=body.mode,
            k=body.k,
            threshold=body.threshold if body.threshold is not None and body.threshold > 0 else THRESHOLD,
            vector_weight=body.vector_weight,
            rrf_k=body.rrf_k,
            graph_alpha=GRAPH_ALPHA if body.graph_alpha is None else body.graph_alpha,
            graph_depth=body.graph_depth,
            graph=EDGE_KINDS if body.graph_edges is None or "hybrid_graph" in body.graph_edges else body.graph_edges,
            expand=body.expand_graph,
            rerank=bool(body.use_reranker),
            document_ids=set.intersection(*narrowed) if narrowed else None,
            include_duplicates=body.include_duplicates,
        )
        found = search_documents(reader, question, asked, parts)
    results = [document_shapes.found(one) for one in found]
    return {"results": results, **({"stages": shown} if shown else {})}


def _question(call: Call, body: DocumentQueryBody, text: str, supposed: str = "") -> Question:
    """supposed: a passage whose meaning counts beside that of the question."""
    if body.mode == "bm25":
        return parsed(text)
    vector, model = call.services.embedder.question(f"{text} {supposed}".strip(), call.context_id)
    return parsed(text, vector=vector, model=model)


def recompute_links(call: Call) -> tuple[int, Any]:
    """Links whose documents came later are found now; those that were found before stay. Only
    documents that the caller may write to are looked at."""
    with call.reading_as() as (caller, reader):
        linking = sorted({document_id for document_id, _, _ in reader.tuples(EVERY_LINK, {"ids": None})})
    return 200, {"linksEmitted": call.services.library.link_again(caller, linking)}
