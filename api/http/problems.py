"""Errors as JSON bodies: the union of what the vendor's clients and RFC 9457 read."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from api.ids import new_id, ulid
from memory.errors import PalimpsestError, TooManyRequests, Unavailable

TYPE_PREFIX = "https://palimpsest.dev/errors/"
SLUGS = {404: "not-found", 405: "method-not-allowed"}


def trace_header() -> dict[str, str]:
    """A fresh id that a client can quote when it reports a fault."""
    return {"X-Trace-Id": ulid(new_id())}


def problem(error: PalimpsestError, more: Mapping[str, Any] | None = None) -> Response:
    """The error's answer. more: further fields of its body."""
    headers = {}
    if isinstance(error, Unavailable | TooManyRequests):
        headers["Retry-After"] = str(error.retry_after_s)
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if error.status == 408:
        headers["Connection"] = "close"  # the rest of the body may come yet
    return _response(error.status, error.slug, error.title, error.detail, headers, more)


def problem_of_status(status: int, detail: str, headers: dict[str, str]) -> Response:
    """For what the framework itself refuses, such as an unknown path."""
    return _response(status, SLUGS.get(status, "http-error"), detail, detail, headers)


def _response(
    status: int,
    slug: str,
    title: str,
    detail: str,
    headers: dict[str, str],
    more: Mapping[str, Any] | None = None,
) -> Response:
    body: dict[str, Any] = {
        "message": detail,
        "type": TYPE_PREFIX + slug,
        "title": title,
        "status": status,
        "detail": detail,
        **(more or {}),
    }
    return Response(msgspec.json.encode(body), status, {**headers, **trace_header()}, "application/json")
