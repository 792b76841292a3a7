"""Request bodies. Both spellings of field names are taken, snake_case and camelCase; unknown fields are ignored."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic.alias_generators import to_camel

from memory.errors import InvalidRequest
from memory.principals import VERBS, grants_of
from memory.scopes import Lens, ScopeSet, canonical_path, canonical_pattern, lens_of, scope_set
from memory.texts import NAME_LENGTH_MAX, VALUE_LENGTH_MAX, name_like, readable
from memory.values import Infer, Role

MESSAGES_MAX = 500
TRIPLES_MAX = 256
LABELS_MAX = 32
LABEL_LENGTH_MAX = 200
NOTE_LENGTH_MAX = 2_000
QUERY_LENGTH_MAX = 8_000
K_MAX = 50
FORGOTTEN_MAX = 10_000
# A time without an offset is taken as UTC; a date alone is no time.
RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?")

T = TypeVar("T")

Category = Literal["identity", "knowledge", "context"]


def _scopes(value: Any) -> Any:
    """A bare string is one clause; a flat list is an OR of paths; else an OR of AND-clauses."""
    if value is None or value == []:
        return None
    clauses = _clauses(value)
    try:
        return scope_set([[_readable(path) for path in clause] for clause in clauses])
    except InvalidRequest as error:
        raise ValueError(error.detail) from error


def _clauses(value: Any) -> list[list[str]]:
    """A path, a list of paths or a list of lists of paths as the last of these."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(clause, str | list) for clause in value):
        raise ValueError("must be a path, a list of paths, or a list of lists of paths")
    clauses = [[clause] if isinstance(clause, str) else clause for clause in value]
    if not all(isinstance(path, str) for clause in clauses for path in clause):
        raise ValueError("paths must be strings")
    return clauses


def _label(label: str) -> str:
    name, separator, _ = label.partition("=")
    if len(label) > LABEL_LENGTH_MAX:
        raise ValueError(f"a label has at most {LABEL_LENGTH_MAX} characters")
    if not separator or not name.strip() or name.startswith("_"):
        raise ValueError("a label is key=value, its key not starting with an underscore")
    return _readable(label)


def _readable(text: str) -> str:
    try:
        return readable(text, field="")
    except InvalidRequest as error:
        raise ValueError(error.detail.removeprefix(": ")) from error


def _rfc3339(value: Any) -> Any:
    if not isinstance(value, str) or not RFC3339.fullmatch(value):
        raise ValueError("must be an RFC 3339 time, such as 2026-03-01T12:00:00Z")
    return value


def number(value: Any) -> Any:
    """Refuses true, false and texts, which pydantic would take for numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    return value


def _value(text: str) -> str:
    try:
        return name_like(text, field="", length_max=VALUE_LENGTH_MAX)
    except InvalidRequest as error:
        raise ValueError(error.detail.removeprefix(": ")) from error


def _aware(moment: datetime) -> datetime:
    """In UTC; a time without an offset is taken as UTC. The bounds leave room for any time zone."""
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not 1 < moment.year < 9998:
        raise ValueError("must be between the years 2 and 9997")
    return moment


def _asked(function: Callable[..., T], *arguments: Any) -> T:
    """What a function of ours makes of the arguments; its refusal in the words of this library."""
    try:
        return function(*arguments)
    except InvalidRequest as error:
        raise ValueError(error.detail.removeprefix(": ")) from error


def _path(text: str) -> str:
    return _asked(canonical_path, _readable(text))


def _pattern(text: str) -> str:
    return _asked(canonical_pattern, _readable(text))


def _name(text: str) -> str:
    return _asked(lambda: name_like(text, field=""))


def _key_name(text: str) -> str:
    if "/" in text:
        raise ValueError("a key's name has no slash")
    return _name(text)


def _config(value: dict[str, Any]) -> dict[str, Any]:
    """Objects and lists of what JSON has, not deep, and readable all through."""
    for text in texts_in(value):
        _readable(text)
    return value


def texts_in(value: Any, *, deepest: int = 20) -> Iterator[str]:
    """All strings of a JSON value. Raises ValueError for one that is nested deeper."""
    if deepest < 0:
        raise ValueError("is nested too deeply")
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from texts_in(one, deepest=deepest - 1)
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one, deepest=deepest - 1)


def _verb(text: str) -> str:
    if text not in VERBS:
        raise ValueError(f"must be one of {', '.join(VERBS)}")
    return text


def _grants(value: Any) -> Any:
    if not isinstance(value, dict) or not all(
        isinstance(verb, str) and isinstance(patterns, list) and all(isinstance(one, str) for one in patterns)
        for verb, patterns in value.items()
    ):
        raise ValueError("must map verbs to lists of scope patterns")
    return _asked(grants_of, {verb: [_readable(one) for one in patterns] for verb, patterns in value.items()})


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Text = Annotated[str, AfterValidator(_readable)]
Config = Annotated[dict[str, Any], AfterValidator(_config)]
Name = Annotated[str, AfterValidator(_name)]
KeyName = Annotated[str, AfterValidator(_key_name)]
GivenGrants = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_grants)]
Scopes = Annotated[ScopeSet | None, BeforeValidator(_scopes)]
Label = Annotated[str, AfterValidator(_label)]
Moment = Annotated[datetime, BeforeValidator(_rfc3339), AfterValidator(_aware)]


class Body(BaseModel):
    """Base of all request bodies."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=False, hide_input_in_errors=True
    )

    @model_validator(mode="before")
    @classmethod
    def _aliases(cls, content: Any) -> Any:
        if isinstance(content, dict) and "scope" in content and "scopes" not in content:
            return {**content, "scopes": content["scope"]}
        return content


class TripleEntityBody(Body):
    type: Text = "other"
    name: Text


class TripleBody(Body):
    """One given fact: `value` makes an attribute, `target` a relation, `verb` an action, neither an entity."""

    entity: TripleEntityBody
    key: Text | None = None
    value: Text | None = None
    target: TripleEntityBody | None = None
    verb: Text | None = None
    object: Text | None = None
    summary: Text | None = None
    memory_category: Category | None = None
    confidence: Annotated[float, BeforeValidator(number), Field(ge=0, le=1)] | None = None
    occurred_at: Moment | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None


class FactsBody(Body):
    text: Text | None = None
    infer: Infer = Infer.FULL
    session_id: Text | None = None
    role: Role | None = None
    scopes: Scopes = None
    labels: list[Label] = Field(default_factory=list, max_length=LABELS_MAX)
    memory_category: Category | None = None
    observed_at: Moment | None = None
    triples: list[TripleBody] = Field(default_factory=list, max_length=TRIPLES_MAX)


class TurnBody(FactsBody):
    """A turn of the session in the path; `content` is the text."""

    @model_validator(mode="before")
    @classmethod
    def _content(cls, content: Any) -> Any:
        if isinstance(content, dict) and "content" in content and "text" not in content:
            return {**content, "text": content["content"]}
        return content


class MessageBody(Body):
    role: Role
    content: Text
    ts: Moment | None = None


class BatchBody(Body):
    messages: list[MessageBody] = Field(min_length=1, max_length=MESSAGES_MAX)
    extract: Literal["whole_conversation", "per_message"] = "whole_conversation"
    infer: Infer = Infer.FULL
    session_id: Text | None = None
    scopes: Scopes = None
    labels: list[Label] = Field(default_factory=list, max_length=LABELS_MAX)


class InstantBody(Body):
    """At which instant to look; see `api.shapes.instants`."""

    as_of: Text | None = None
    at_instant: Text | None = None
    valid_from: Text | None = None
    valid_until: Text | None = None


class DryRunBody(Body):
    dry_run: bool = False


class ForgetBody(Body):
    query: Text
    purge: bool = False
    dry_run: bool = False
    limit: Annotated[int, Field(ge=1, le=FORGOTTEN_MAX)] | None = None


class ForgetScopeBody(Body):
    path: Text | None = None
    dry_run: bool = False


class SessionBody(Body):
    scopes: Scopes = None
    metadata: Any = None


class ChatBody(Body):
    message: Text
    session_id: Text | None = None
    scopes: Scopes = None
    labels: list[Label] = Field(default_factory=list, max_length=LABELS_MAX)
    model: Text | None = None
    bypass_cache: bool = False
    stream: bool = False
    suppress_markers: bool = False


class ReflectBody(Body):
    query: Text
    persist: bool = False


class ConsolidateBody(Body):
    dry_run: bool = False
    fact_limit: Annotated[int, Field(ge=1, le=1_000)] | None = None
    observation_limit: Annotated[int, Field(ge=1, le=200)] | None = None


class ElaborateBody(Body):
    """entity_ref: one entity; sweep: the ones most is known of, as many as `budget` allows."""

    entity_ref: Text | None = None
    budget: Annotated[int, Field(ge=1, le=50)] | None = None
    sweep: bool = False
    dry_run: bool = False


class SessionChatBody(Body):
    """Also `message` instead of `content`."""

    content: Text
    labels: list[Label] = Field(default_factory=list, max_length=LABELS_MAX)
    model: Text | None = None
    bypass_cache: bool = False
    stream: bool = False
    suppress_markers: bool = False

    @model_validator(mode="before")
    @classmethod
    def _message(cls, content: Any) -> Any:
        if isinstance(content, dict) and "message" in content and "content" not in content:
            return {**content, "content": content["message"]}
        return content


class ScopeBody(Body):
    path: Annotated[str, AfterValidator(_path)]
    display_name: Annotated[Text, Field(max_length=NAME_LENGTH_MAX)] | None = None
    description: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None


class GrantBody(Body):
    path: Annotated[str, AfterValidator(_pattern)]
    verbs: Annotated[list[Annotated[str, AfterValidator(_verb)]], Field(min_length=1)]


class WriteScopesBody(Body):
    scopes: Scopes


class PrincipalBody(Body):
    display_name: Name
    external_id: Name | None = None
    kind: Literal["human", "agent", "service", "unknown"] = "unknown"
    grants: GivenGrants = Field(default_factory=dict)


class KeyBody(Body):
    name: KeyName | None = None
    grants: GivenGrants | None = None


class GrantsBody(Body):
    grants: GivenGrants | None = None


class PrincipalChangesBody(Body):
    grants: GivenGrants | None = None
    write_scopes: Scopes = None


class AccessTokenBody(Body):
    external_id: Name
    display_name: Name | None = None
    ttl_seconds: Annotated[int, Field(strict=True, ge=1, le=10 * 365 * 24 * 3600)]
    grants: GivenGrants | None = None


class NewContextBody(Body):
    namespace: Name | None = None
    database: Name | None = None
    description: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None
    admin_external_id: Name | None = None
    admin_display_name: Name | None = None
    config: Config = Field(default_factory=dict)


class ContextChangesBody(Body):
    config: Config = Field(default_factory=dict)
    description: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None
    enforcement_blocked: Annotated[bool, Field(strict=True)] = False


class CloseBody(Body):
    valid_until: Moment | None = None
    reason: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None


class MergeBody(Body):
    into: Annotated[Text, Field(min_length=1, max_length=NAME_LENGTH_MAX + 32)]
    reason: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None


class SeparateBody(Body):
    reason: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None


class FsckBody(Body):
    check: Text | None = None
    duplicate_threshold: Annotated[float, Field(ge=0, le=1)] = 0.95
    max_results: Annotated[int, Field(ge=0)] = 100


class ResolveBody(Body):
    accepted_value: Annotated[str, AfterValidator(_value)]
    note: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None


def _lens(value: Any) -> Any:
    """As `_scopes`, but of patterns, which may end in /*; nothing is no lens."""
    if value is None or value in ([], ""):
        return None
    clauses = _clauses(value)
    try:
        return lens_of([[_readable(pattern) for pattern in clause] for clause in clauses])
    except InvalidRequest as error:
        raise ValueError(error.detail) from error


LensOf = Annotated[Lens | None, BeforeValidator(_lens)]
Query = Annotated[Text, Field(max_length=QUERY_LENGTH_MAX), AfterValidator(_not_blank)]


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


class SessionContextBody(Body):
    query: Query
    max_chars: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None


class LookupBody(Body):
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
