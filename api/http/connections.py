"""Connections whose clients are slow: the head of a request must come in time.

The server library closes a connection that is idle between two requests, but waits for ever for the first one,
and for a head that comes byte by byte.
"""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 15.0


class PunctualProtocol(HttpToolsProtocol):
    """Closes the connection unless a head is complete HEAD_S after the connection, or the request, began."""

    _head_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_due is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._head_came()
        super().on_headers_complete()

    def _expect_head(self) -> None:
        self._head_due = self.loop.call_later(HEAD_S, self._close)

    def _head_came(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def _close(self) -> None:
        self._head_due = None
        if not self.transport.is_closing():
            self.transport.close()
