"""Frames of a server-sent event stream, from its lines."""

import json
from collections.abc import Iterator
from typing import Any


class Frames:
    """Collects lines until a frame is whole. Comments and fields other than event and data are skipped."""

    def __init__(self) -> None:
        self._event = ""
        self._data: list[str] = []

    def feed(self, line: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The (event, data) that the line completes, if it does. Raises ValueError if the data is no JSON object."""
        name, _, value = line.partition(":")
        if name == "event":
            self._event = value.strip()
        elif name == "data":
            self._data.append(value.removeprefix(" "))
        elif line == "" and self._data:
            event, text = self._event, "\n".join(self._data)
            self._event, self._data = "", []
            content = json.loads(text)
            if not isinstance(content, dict):
                raise ValueError("a frame must hold a JSON object")
            yield event, content
