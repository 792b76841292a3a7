"""The shape of a model's answer: bounded when it is asked for, forgiving when it is read.

The schema that the model gets names every limit and choice. When the answer comes, a list that is too long
is cut and an item that does not fit is dropped and counted, since one wrong word must not cost the rest; an
answer of which nothing fits is refused.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from memory.candidates import Polarity
from memory.values import ENTITY_TYPES, MEMORY_CATEGORIES

NAME_MAX, KEY_MAX, VALUE_MAX, SPAN_MAX, TIME_MAX, SUMMARY_MAX = 100, 60, 300, 300, 60, 200


def _given(value: Any) -> Any:
    return "" if value is None else value


def _cut(value: Any) -> Any:
    """Where the rest of a text says no more."""
    return value[:SUMMARY_MAX] if isinstance(value, str) else _given(value)


def _choice(choices: Sequence[str], default: str) -> BeforeValidator:
    """One of `choices`; anything else is read as `default`."""

    def read(value: Any) -> str:
        text = value.strip().lower() if isinstance(value, str) else ""
        return text if text in choices else default

    return BeforeValidator(read)


def _schema(choices: Sequence[str]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "enum": list(choices)})


def _confidence(value: Any) -> Any:
    return min(max(value, 0.0), 1.0) if isinstance(value, int | float) else value


def _required(schema: dict[str, Any]) -> None:
    """Every field is asked for, and no other; `default` would invite a model to leave it out."""
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False
    for field in schema["properties"].values():
        field.pop("default", None)
        field.pop("title", None)


TYPES, TENSES = tuple(sorted(ENTITY_TYPES)), ("past", "future")

Name = Annotated[str, BeforeValidator(_given), Field(max_length=NAME_MAX)]
Key = Annotated[str, BeforeValidator(_given), Field(max_length=KEY_MAX)]
Value = Annotated[str, Field(max_length=VALUE_MAX)]
Span = Annotated[str, Field(max_length=SPAN_MAX)]
Time = Annotated[str, BeforeValidator(_given), Field(max_length=TIME_MAX)]
Summary = Annotated[str, BeforeValidator(_cut), Field(max_length=SUMMARY_MAX)]
Category = Annotated[str, _choice(MEMORY_CATEGORIES, "knowledge"), _schema(MEMORY_CATEGORIES)]
EntityType = Annotated[str, _choice(TYPES, "other"), _schema(TYPES)]
ActionTense = Annotated[str, _choice(TENSES, "past"), _schema(TENSES)]
Confidence = Annotated[
    float, BeforeValidator(_confidence), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})
]
Flag = Annotated[bool, BeforeValidator(lambda value: False if value is None else value)]


class Item(BaseModel):
    """What one span says. message: the number of the message it is in, where several are read at once."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=_required)

    span: Span
    message: int = 1


class EntityItem(Item):
    name: Name
    type: EntityType = "other"
    category: Category = "knowledge"


class StatementItem(Item):
    polarity: Polarity = Polarity.AFFIRMED
    change: Flag = False
    repair: Flag = False
    since: Time = ""
    until: Time = ""
    category: Category = "knowledge"
    confidence: Confidence = 0.9


class AttributeItem(StatementItem):
    entity: Name
    key: Key
    value: Value
    many: Flag = False


class RelationItem(StatementItem):
    subject: Name
    label: Key
    object: Name


class ActionItem(Item):
    actor: Name
    verb: Key
    object: Name = ""
    summary: Summary = ""
    when: Time = ""
    tense: ActionTense = "past"
    category: Category = "context"
    confidence: Confidence = 0.9


class InstructionItem(Item):
    label: Key
    description: Summary


class UncertaintyItem(Item):
    about: Summary
    reason: Key
    entity: Name = ""
    key: Key = ""


class Extracted(BaseModel):
    """All that a model found. dropped: items that did not fit, counted when the answer is read."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=_required)
    LISTS: ClassVar[dict[str, tuple[type[Item], int]]] = {
        "entities": (EntityItem, 40),
        "attributes": (AttributeItem, 60),
        "relations": (RelationItem, 40),
        "actions": (ActionItem, 30),
        "instructions": (InstructionItem, 10),
        "uncertainties": (UncertaintyItem, 20),
    }

    speaker_name: Name = ""
    entities: list[EntityItem] = Field(default_factory=list, max_length=40)
    attributes: list[AttributeItem] = Field(default_factory=list, max_length=60)
    relations: list[RelationItem] = Field(default_factory=list, max_length=40)
    actions: list[ActionItem] = Field(default_factory=list, max_length=30)
    instructions: list[InstructionItem] = Field(default_factory=list, max_length=10)
    uncertainties: list[UncertaintyItem] = Field(default_factory=list, max_length=20)
    dropped: SkipJsonSchema[int] = 0

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Worked out once, since every question asks for it: it takes more than ten CPU-milliseconds."""
        if arguments or options:
            return super().model_json_schema(*arguments, **options)
        schema: dict[str, Any] = json.loads(_json_schema(cls))
        return schema

    @model_validator(mode="before")
    @classmethod
    def _forgiving(cls, content: Any) -> Any:
        if not isinstance(content, dict) or not any(name in content for name in cls.LISTS):
            raise ValueError("must be an object with the lists asked for")
        fitting: dict[str, Any] = {"speaker_name": _fitting_name(content.get("speaker_name"))}
        dropped = kept = 0
        for name, (kind, most) in cls.LISTS.items():
            items = content.get(name)
            items = items if isinstance(items, list) else []
            found = [item for item in map(_reader(kind), items[:most]) if item is not None]
            fitting[name] = found
            kept += len(found)
            dropped += len(items) - len(found)
        if dropped and not kept:
            raise ValueError("none of the items fits the schema")
        return {**fitting, "dropped": dropped}


@cache
def _json_schema(kind: type[Extracted]) -> str:
    return json.dumps(super(Extracted, kind).model_json_schema())


def _reader(kind: type[Item]) -> Callable[[Any], Item | None]:
    def read(item: Any) -> Item | None:
        try:
            return kind.model_validate(item)
        except ValidationError:
            return None

    return read


def _fitting_name(name: Any) -> str:
    return name if isinstance(name, str) and len(name) <= NAME_MAX else ""
