"""Fields of request bodies, checked and made canonical, and the base of all bodies.

Both spellings of field names are taken, snake_case and camelCase; unknown fields are ignored.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from memory.errors import InvalidRequest
from memory.principals import VERBS, grants_of
from memory.scopes import Lens, ScopeSet, canonical_path, canonical_pattern, lens_of, scope_set
from memory.texts import VALUE_LENGTH_MAX, name_like, readable

LABELS_MAX = 32
LABEL_LENGTH_MAX = 200
NOTE_LENGTH_MAX = 2_000
QUERY_LENGTH_MAX = 8_000
K_MAX = 50
# A time without an offset is taken as UTC; a date alone is no time.
RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?")
T = TypeVar("T")


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
Value = Annotated[str, AfterValidator(_value)]
ScopePath = Annotated[str, AfterValidator(_path)]
ScopePattern = Annotated[str, AfterValidator(_pattern)]
Verb = Annotated[str, AfterValidator(_verb)]
KeyName = Annotated[str, AfterValidator(_key_name)]
GivenGrants = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_grants)]
Scopes = Annotated[ScopeSet | None, BeforeValidator(_scopes)]
Label = Annotated[str, AfterValidator(_label)]
Moment = Annotated[datetime, BeforeValidator(_rfc3339), AfterValidator(_aware)]


class Body(BaseModel):
    """Base of all request bodies. Each is built when the first of its kind comes: a start need not wait for all."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        strict=False,
        hide_input_in_errors=True,
        defer_build=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _aliases(cls, content: Any) -> Any:
        if isinstance(content, dict) and "scope" in content and "scopes" not in content:
            return {**content, "scopes": content["scope"]}
        return content


class InstantBody(Body):
    """At which instant to look; see `api.shapes.instants`."""

    as_of: Text | None = None
    at_instant: Text | None = None
    valid_from: Text | None = None
    valid_until: Text | None = None


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
