"""Requests that may be sent again, as HTTP has them: the Idempotency-Key header."""

from hashlib import sha256

from api.http.calls import Call
from memory.errors import InvalidRequest
from memory.idempotency import RequestKey
from memory.principals import Caller

KEY_LENGTH_MAX = 255


def request_key(call: Call, caller: Caller, operation: str, body: bytes | None = None) -> RequestKey | None:
    """The request's key, which belongs to its principal and operation, with its body; None without one.

    body: what stands for it where the same may be sent in several forms, such as multipart/form-data.
    Only what writes may ask: a read is never answered from an earlier one. Raises InvalidRequest.
    """
    key = call.headers.get("idempotency-key")
    if not key:
        return None
    if len(key) > KEY_LENGTH_MAX:
        raise InvalidRequest(f"Idempotency-Key: at most {KEY_LENGTH_MAX} characters")
    content = call.body if body is None else body
    return RequestKey(caller.principal_id, sha256(f"{operation}\n{key}".encode()).digest(), sha256(content).digest())
