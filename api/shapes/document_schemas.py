"""Request bodies of documents."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from api.shapes.fields import (
    K_MAX,
    LABEL_LENGTH_MAX,
    LABELS_MAX,
    Body,
    Label,
    LensOf,
    Moment,
    Query,
    Scopes,
    Text,
    number,
)
from api.shapes.question_schemas import LocationBody

TITLE_LENGTH_MAX = 500
SOURCE_LENGTH_MAX = 2_000
FILTERED_MAX = 1_000

GraphEdge = Literal["knowledge_has_keyword", "section_match", "document_link", "document_summary", "hybrid_graph"]


class UploadMetadataBody(Body):
    """What an upload says of its file. observed_at_header: take the time from the document's own header of that
    name, such as creationdate."""

    title: Annotated[Text, Field(max_length=TITLE_LENGTH_MAX)] | None = None
    source: Annotated[Text, Field(max_length=SOURCE_LENGTH_MAX)] | None = None
    mime_type: Annotated[Text, Field(max_length=LABEL_LENGTH_MAX)] | None = None
    scopes: Scopes = None
    labels: list[Label] = Field(default_factory=list, max_length=LABELS_MAX)
    observed_at: Moment | None = None
    observed_at_header: Annotated[Text, Field(max_length=LABEL_LENGTH_MAX)] | None = None


class KeywordSearchBody(Body):
    query: Query
    k: Annotated[int, Field(ge=1, le=K_MAX)] = 10
    threshold: Annotated[float, BeforeValidator(number), Field(ge=0, le=1)] = 0.5
    lens: LensOf = None


class DocumentFilterBody(Body):
    mime_type: list[Text] = Field(default_factory=list, max_length=FILTERED_MAX)
    document_ids: list[Text] = Field(default_factory=list, max_length=FILTERED_MAX)


class DocumentQueryBody(Body):
    """See `api.routes.document_queries`. threshold <= 0 means its default."""

    query: Query
    k: Annotated[int, Field(ge=1, le=K_MAX)] = 10
    mode: Literal["hybrid", "vector", "bm25", "hybrid_graph"] = "hybrid"
    threshold: Annotated[float, BeforeValidator(number)] | None = None
    vector_weight: Annotated[float, BeforeValidator(number), Field(ge=0, le=1)] | None = None
    rrf_k: Annotated[float, BeforeValidator(number), Field(ge=1, le=10_000)] | None = None
    graph_alpha: Annotated[float, BeforeValidator(number), Field(ge=0, le=1)] | None = None
    graph_depth: Annotated[int, Field(ge=0, le=3)] = 1
    graph_edges: list[GraphEdge] | None = None
    expand_graph: bool = False
    filter: DocumentFilterBody | None = None
    include_duplicates: bool = False
    location: LocationBody | None = None
    use_hyde: bool | None = None
    decompose_query: bool | None = None
    use_reranker: bool | None = None
    lens: LensOf = None
