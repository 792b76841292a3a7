"""Request bodies of what is written: facts, sessions, chats, curation and forgetting."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from api.shapes.fields import LABELS_MAX, NOTE_LENGTH_MAX, Body, Label, Moment, Scopes, Text, Value, number
from memory.texts import NAME_LENGTH_MAX
from memory.values import Infer, Role

MESSAGES_MAX = 500
TRIPLES_MAX = 256
FORGOTTEN_MAX = 10_000
Category = Literal["identity", "knowledge", "context"]


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
    accepted_value: Value
    note: Annotated[Text, Field(max_length=NOTE_LENGTH_MAX)] | None = None
