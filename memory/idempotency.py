"""Requests that may be sent again: which turns a key of an earlier request made.

No answer is stored: it is rebuilt from the log, so a repeated request sees how far the extraction is
now. A row is written in the transaction that records what was asked for, so it exists exactly if that does.
What waits for a model before it records anything takes a reservation first, in a transaction of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memory.errors import Conflict
from memory.log import Writing

KEPT = timedelta(hours=24)
LEASE = timedelta(minutes=5)  # so long one that died without a word blocks its key

FIND = """
SELECT body_digest, session_id, turn_ids, lease_until, created_at FROM requests
WHERE context_id = %(context_id)s AND principal_id = %(principal_id)s AND key_digest = %(key_digest)s
    AND created_at > %(since)s
"""

KEEP = """
INSERT INTO requests (
    context_id, principal_id, key_digest, body_digest, session_id, turn_ids, lease_until, created_at
)
VALUES (
    %(context_id)s, %(principal_id)s, %(key_digest)s, %(body_digest)s, %(session_id)s, %(turn_ids)s, %(lease_until)s,
    %(now)s
)
ON CONFLICT (context_id, principal_id, key_digest) DO UPDATE
SET body_digest = excluded.body_digest, session_id = excluded.session_id, turn_ids = excluded.turn_ids,
    lease_until = excluded.lease_until, created_at = excluded.created_at
"""

RELEASE = """
DELETE FROM requests
WHERE context_id = %(context_id)s AND principal_id = %(principal_id)s AND key_digest = %(key_digest)s
    AND lease_until = %(lease_until)s
"""

FORGET_OLD = "DELETE FROM requests WHERE context_id = %(context_id)s AND created_at <= %(since)s"


@dataclass(frozen=True, slots=True)
class RequestKey:
    """An Idempotency-Key as its principal sent it, and the body it came with; digests only.

    lease_until: of the reservation that this request holds, if it holds one; no other has the same.
    """

    principal_id: UUID
    key_digest: bytes
    body_digest: bytes
    lease_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What an earlier request of the same key recorded: in which session, if in one, and which turns or others.

    at: the `recorded_at` of what it recorded last.
    """

    session_id: UUID | None
    turn_ids: Sequence[UUID]
    at: datetime


def find(writing: Writing, request: RequestKey) -> Done | None:
    """The earlier request of this key, None if there is none but this one's own reservation.

    Raises Conflict if it had another body, or is not done yet.
    """
    row = writing.cursor_before.execute(FIND, {**_place(writing, request), "since": writing.now - KEPT}).fetchone()
    if row is None:
        return None
    body_digest, session_id, turn_ids, lease_until, at = row
    if lease_until is not None and lease_until == request.lease_until:
        return None
    if body_digest != request.body_digest:
        raise Conflict("this Idempotency-Key was used with another body")
    if lease_until is None:
        return Done(session_id, turn_ids, at)
    if lease_until > writing.now:
        raise Conflict("the first request with this Idempotency-Key is still being answered")
    return None


def keep(writing: Writing, request: RequestKey, session_id: UUID | None, turn_ids: Sequence[UUID]) -> None:
    """Remember what the request recorded, in the same transaction, and forget what is too old."""
    _write(writing, request, session_id, turn_ids, lease_until=None)


def reserve(writing: Writing, request: RequestKey) -> Done | RequestKey:
    """`find`, and if there is nothing the key is this request's until it is kept, released, or LEASE is over."""
    done = find(writing, request)
    if done is not None:
        return done
    reserved = replace(request, lease_until=writing.now + LEASE)
    _write(writing, reserved, None, [], lease_until=reserved.lease_until)
    return reserved


def release(writing: Writing, request: RequestKey) -> None:
    """Free a key that this request reserved: it failed and recorded nothing. Does nothing to one that was kept."""
    parameters = {**_place(writing, request), "lease_until": request.lease_until}
    writing.cursor_before.execute(RELEASE, parameters)


def _write(
    writing: Writing,
    request: RequestKey,
    session_id: UUID | None,
    turn_ids: Sequence[UUID],
    *,
    lease_until: datetime | None,
) -> None:
    since = {"context_id": writing.context_id, "since": writing.now - KEPT}
    writing.cursor_before.execute(FORGET_OLD, since)
    writing.cursor_before.execute(
        KEEP,
        {
            **_place(writing, request),
            "body_digest": request.body_digest,
            "session_id": session_id,
            "turn_ids": list(turn_ids),
            "lease_until": lease_until,
            "now": writing.now,
        },
    )


def _place(writing: Writing, request: RequestKey) -> dict[str, Any]:
    return {
        "context_id": writing.context_id,
        "principal_id": request.principal_id,
        "key_digest": request.key_digest,
    }
