"""Request bodies of questions."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from api.shapes.fields import (
    K_MAX,
    LABEL_LENGTH_MAX,
    LABELS_MAX,
    QUERY_LENGTH_MAX,
    Body,
    InstantBody,
    Label,
    LensOf,
    Query,
    Text,
    number,
)


class NearBody(Body):
    lat: Annotated[float, BeforeValidator(number), Field(ge=-90, le=90)]
    lng: Annotated[float, BeforeValidator(number), Field(ge=-180, le=180)]
    radius_km: Annotated[float, BeforeValidator(number), Field(gt=0, le=20_100)]


class LocationBody(Body):
    near: NearBody | None = None
    within: Annotated[Text, Field(max_length=QUERY_LENGTH_MAX)] | None = None


class SearchBody(Body):
    """What the questions of all kinds have in common."""

    query: Query
    k: Annotated[int, Field(ge=1, le=K_MAX)] | None = None
    labels: list[Label] | None = Field(default=None, max_length=LABELS_MAX)
    lens: LensOf = None
    scope_view: Text | None = None
    session_id: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _other_names(cls, content: Any) -> Any:
        if not isinstance(content, dict):
            return content
        others = {"k": ("limit",), "lens": ("scopes", "scope")}
        taken = dict(content)
        for name, aliases in others.items():
            if content.get(name) is None and (alias := next((one for one in aliases if content.get(one)), None)):
                taken[name] = content[alias]
        return taken

    @field_validator("scope_view")
    @classmethod
    def _known_view(cls, view: str | None) -> str | None:
        if view is not None and view.lower().replace("_", "") not in ("strict", "merged", "crossteam"):
            raise ValueError("must be strict, merged or crossTeam")
        return view


class QueryBody(SearchBody, InstantBody):
    mode: Literal["hybrid", "vector", "bm25", "graph"] | None = None
    include: list[Literal["facts", "passages"]] | None = None
    source: Annotated[Text, Field(max_length=LABEL_LENGTH_MAX)] | None = None
    location: LocationBody | None = None
    include_duplicates: bool | None = None


class ContextBody(SearchBody, InstantBody):
    subject: Text | None = None
    max_chars: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None


class SessionContextBody(InstantBody):
    query: Query
    max_chars: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None


class LookupBody(InstantBody):
    query: Query
    subject: Annotated[Text, Field(max_length=QUERY_LENGTH_MAX)] | None = None
    entity_type: Text | None = None
    ambiguity_margin: Annotated[float, BeforeValidator(number), Field(ge=0, le=1)] | None = None
    include: list[Text] | None = None
    fact_limit: Annotated[int, Field(ge=0)] | None = None
    relation_limit: Annotated[int, Field(ge=0)] | None = None
    event_limit: Annotated[int, Field(ge=0)] | None = None
    passage_limit: Annotated[int, Field(ge=0)] | None = None
    uncertainty_limit: Annotated[int, Field(ge=0)] | None = None
