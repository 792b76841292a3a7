"""Slashes that are part of a name. Clients send them percent-encoded, but a server routes by the decoded path, where
"ledger%2Fhistory" looks like the history of "ledger". So they travel under a mark of their own past the routes.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from starlette.types import ASGIApp, Receive, Scope, Send

MARK = "\ufdd0"  # a noncharacter: it stands for nothing in any text
_ENCODED = re.compile(b"%2f", re.IGNORECASE)
_MARKED = quote(MARK).encode()


class EncodedSlashes:
    """Middleware: marks the encoded slashes of a request's path."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and _ENCODED.search(raw):
            scope = {**scope, "path": unquote(_ENCODED.sub(_MARKED, raw).decode("ascii"))}
        await self.app(scope, receive, send)


def with_slashes(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a path, with the slashes that were marked."""
    return {name: value.replace(MARK, "/") for name, value in parameters.items()}
