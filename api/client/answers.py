"""Answers of the server: JSON objects that are read by key and by attribute."""

from collections.abc import Iterator
from typing import Any


class Answer(dict[str, Any]):
    """A JSON object. `answer["memoryUpdates"]`, `answer["memory_updates"]`, `answer.memoryUpdates` and
    `answer.memory_updates` are the same field; objects inside are answers too.

    A field that is called as one of dict's own methods ("keys", "values", "items") is read by key.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__((name, answered(value)) for name, value in content.items())

    def __missing__(self, name: str) -> Any:
        for other in _spellings(name):
            if other in self:
                return self[other]
        raise KeyError(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(f"the answer has no field {name!r}; it has {', '.join(self)}") from error


def answered(value: Any) -> Any:
    """`value` with all objects in it as answers."""
    if isinstance(value, dict) and not isinstance(value, Answer):
        return Answer(value)
    if isinstance(value, list):
        return [answered(one) for one in value]
    return value


def _spellings(name: str) -> Iterator[str]:
    """camelCase of a snake_case name and the other way round."""
    first, *rest = name.split("_")
    if rest:
        yield first + "".join(part.capitalize() for part in rest)
    yield "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
