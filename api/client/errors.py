"""What goes wrong with a call, as the caller's exceptions."""

from typing import Any


class ApiError(Exception):
    """The server refused, or could not do, what was asked.

    status: HTTP status; of a stream that broke off, 0. body: the server's JSON answer, {} if it was none.
    retry_after_s: when it is worth asking again, if the server said so.
    """

    def __init__(
        self, status: int, message: str, body: dict[str, Any], *, trace_id: str | None, retry_after_s: float | None
    ) -> None:
        super().__init__(f"{status}: {message}" if status else message)
        self.status = status
        self.message = message
        self.body = body
        self.trace_id = trace_id
        self.retry_after_s = retry_after_s


class Unreachable(Exception):
    """No answer came: connection refused, broken off or too slow"""
