"""Every error of the product, as one tree.

    PalimpsestError
    ├── InvalidRequest            400   InvalidScope, UnreadableText
    ├── Unauthorised              401
    ├── Forbidden                 403   SessionUnavailable
    ├── NotFound                  404
    ├── RequestTimeout            408
    ├── Conflict                  409   SessionClosedAlready
    ├── PayloadTooLarge           413
    ├── UnsupportedType           415
    ├── Unprocessable             422   InvalidContextId
    ├── TooManyRequests           429
    ├── Unsupported               501
    ├── Unavailable               503   ExtractorUnavailable, ModelUnavailable
    └── LogCorrupt                500   one line for `verify`: which position, what is wrong

The docstring of a class is the title shown to callers; the message is the detail.
"""

from typing import ClassVar

from memory.usage import NO_USAGE, Usage


class PalimpsestError(Exception):
    """Internal error"""

    status: ClassVar[int] = 500
    slug: ClassVar[str] = "internal"

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title

    @property
    def title(self) -> str:
        return (type(self).__doc__ or "Error").strip()


class InvalidRequest(PalimpsestError):
    """The request is not valid"""

    status = 400
    slug = "validation-error"


class InvalidScope(InvalidRequest):
    """The scope is not valid"""


class UnreadableText(InvalidRequest):
    """The text holds characters that can't be stored"""


class Unauthorised(PalimpsestError):
    """A valid key of this context is needed"""

    status = 401
    slug = "unauthorized"


class Forbidden(PalimpsestError):
    """The key's grants do not cover this"""

    status = 403
    slug = "forbidden"


class SessionUnavailable(Forbidden):
    """The session does not exist or is outside the key's grants"""


class NotFound(PalimpsestError):
    """There is no such thing"""

    status = 404
    slug = "not-found"


class RequestTimeout(PalimpsestError):
    """The request did not come in time"""

    status = 408
    slug = "request-timeout"


class Conflict(PalimpsestError):
    """The request conflicts with what is already there"""

    status = 409
    slug = "conflict"


class SessionClosedAlready(Conflict):
    """The session is closed and takes no more turns"""


class PayloadTooLarge(PalimpsestError):
    """The body is too large"""

    status = 413
    slug = "payload-too-large"


class UnsupportedType(PalimpsestError):
    """No document is made of files of this type"""

    status = 415
    slug = "unsupported-media-type"


class Unprocessable(PalimpsestError):
    """The request can't be processed"""

    status = 422
    slug = "unprocessable"


class InvalidContextId(Unprocessable):
    """The context id is not valid"""


class TooManyRequests(PalimpsestError):
    """Too many requests"""

    status = 429
    slug = "rate-limited"

    def __init__(self, detail: str = "", *, retry_after_s: int = 1, kind: str = "invalid_answer") -> None:
        """kind: of failure, as of `ExtractorUnavailable`."""
        super().__init__(detail)
        self.retry_after_s = retry_after_s
        self.kind = kind


class Unsupported(PalimpsestError):
    """This server can't do that yet"""

    status = 501
    slug = "not-implemented"


class Unavailable(PalimpsestError):
    """The server can't answer right now"""

    status = 503
    slug = "unavailable"
    retry_after_s: int = 1


class ExtractorUnavailable(Unavailable):
    """The extractor could not answer"""

    def __init__(
        self,
        detail: str = "",
        *,
        kind: str = "ExtractorUnavailable",
        retryable: bool = True,
        wait_s: float | None = None,
        model: str = "",
        usage: Usage = NO_USAGE,
        is_held: bool = False,
    ) -> None:
        """kind: of failure, as callers see it; no content. wait_s: as long as the provider asks to wait.
        usage: what the failed attempts took. is_held: the model may not be asked now, and was not."""
        super().__init__(detail)
        self.kind, self.retryable, self.wait_s = kind, retryable, wait_s
        self.model, self.usage, self.is_held = model, usage, is_held


class ModelUnavailable(Unavailable):
    """The language model could not answer"""

    def __init__(self, detail: str = "", *, retry_after_s: int = 1, kind: str = "invalid_answer") -> None:
        """kind: of failure, as of `ExtractorUnavailable`."""
        super().__init__(detail)
        self.retry_after_s = retry_after_s
        self.kind = kind


class LogCorrupt(PalimpsestError):
    """The event log is damaged"""

    def __init__(self, context_id: str, position: int, what: str) -> None:
        super().__init__(f"context {context_id}, position {position}: {what}")
        self.context_id, self.position, self.what = context_id, position, what
