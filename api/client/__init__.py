"""The product's own Python client, shaped like the vendor's `Spectron`.

    from api.client import Spectron           # await memory.chat(...)
    from api.client import BlockingSpectron   # memory.chat(...)

Both have the same calls. Answers are dictionaries whose fields are attributes too, in either spelling.
"""

from api.client.answers import Answer
from api.client.errors import ApiError, Unreachable
from api.client.sessions import Session
from api.client.spectron import BlockingSpectron, Spectron

__all__ = ["Answer", "ApiError", "BlockingSpectron", "Session", "Spectron", "Unreachable"]
