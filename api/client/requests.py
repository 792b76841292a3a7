"""Requests and how answers to them are understood, apart from how they are sent."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from api.client.answers import Answer, answered
from api.client.errors import ApiError

ENDPOINT = "http://127.0.0.1:9090"
TIMEOUT_S = 30.0
TRIES = 3
FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 5.0
ENDED, FAILED = "done", "error"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One request below the context. repeatable: sending it twice does no more than sending it once."""

    method: str
    path: str
    body: Json | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go. Values not given come from the environment: SPECTRON_ENDPOINT, SPECTRON_API_KEY."""

    context: str
    endpoint: str
    api_key: str

    @classmethod
    def of(cls, context: str, endpoint: str | None, api_key: str | None) -> "Target":
        """Raises ValueError if no key is given or found."""
        key = api_key or os.environ.get("SPECTRON_API_KEY")
        if not key:
            raise ValueError("give api_key, or set SPECTRON_API_KEY")
        return cls(context, (endpoint or os.environ.get("SPECTRON_ENDPOINT") or ENDPOINT).rstrip("/"), key)

    @property
    def base_url(self) -> str:
        return f"{self.endpoint}/api/v1/{segment(self.context)}"

    @property
    def headers(self) -> Json:
        return {"Authorization": f"Bearer {self.api_key}", "User-Agent": "palimpsest-python/1.0"}


def segment(text: str) -> str:
    """`text` as one segment of a path."""
    return quote(text, safe="")


def given(**fields: Any) -> Json:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def waits(request: Request) -> Iterator[float]:
    """Seconds to wait before each further try of a request that may be sent again."""
    if request.repeatable:
        yield from (FIRST_WAIT_S * 2**number for number in range(TRIES - 1))


def worth_repeating(response: httpx.Response) -> bool:
    return response.status_code in (502, 503, 504)


def wait_of(response: httpx.Response, wait_s: float) -> float:
    """How long to wait after this answer: what the server asks for, within reason."""
    return min(max(wait_s, _retry_after_s(response) or 0.0), LONGEST_WAIT_S)


def content_of(response: httpx.Response) -> Any:
    """The answer, None if it is empty. Raises ApiError for a status that is no success."""
    if response.is_success:
        return answered(response.json()) if response.content else None
    try:
        body = response.json()
    except ValueError:
        body = {}
    body = body if isinstance(body, dict) else {}
    message = body.get("message") or body.get("title") or response.reason_phrase
    raise ApiError(
        response.status_code,
        str(message),
        body,
        trace_id=response.headers.get("x-trace-id"),
        retry_after_s=_retry_after_s(response),
    )


def chunk_of(event: str, data: Any) -> Answer:
    """One frame of a stream: `delta` has the next words; the last one has `done` and the whole answer.

    Raises ApiError when the server says that the stream broke off.
    """
    if event == FAILED:
        error = data.get("error") or {}
        raise ApiError(
            int(error.get("status") or 0), str(error.get("message")), error, trace_id=None, retry_after_s=None
        )
    return Answer({"delta": "", "done": event == ENDED, **data})


def _retry_after_s(response: httpx.Response) -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else None
