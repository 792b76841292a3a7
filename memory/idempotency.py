"""Requests that may be sent again: which turns a key of an earlier request made.

No answer is stored: it is rebuilt from the log, so a repeated request sees how far the extraction is
now. A row is written in the transaction that records the turns, so it exists exactly if they do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from memory.errors import Conflict
from memory.log import Writing

KEPT = timedelta(hours=24)

FIND = """
SELECT body_digest, session_id, turn_ids FROM requests
WHERE context_id = %(context_id)s AND principal_id = %(principal_id)s AND key_digest = %(key_digest)s
    AND created_at > %(since)s
"""

KEEP = """
INSERT INTO requests (context_id, principal_id, key_digest, body_digest, session_id, turn_ids, created_at)
VALUES (%(context_id)s, %(principal_id)s, %(key_digest)s, %(body_digest)s, %(session_id)s, %(turn_ids)s, %(now)s)
ON CONFLICT (context_id, principal_id, key_digest) DO UPDATE
SET body_digest = excluded.body_digest, session_id = excluded.session_id, turn_ids = excluded.turn_ids,
    created_at = excluded.created_at
"""

FORGET_OLD = "DELETE FROM requests WHERE context_id = %(context_id)s AND created_at <= %(since)s"


@dataclass(frozen=True, slots=True)
class RequestKey:
    """An Idempotency-Key as its principal sent it, and the body it came with; digests only."""

    principal_id: UUID
    key_digest: bytes
    body_digest: bytes


@dataclass(frozen=True, slots=True)
class Done:
    """What an earlier request of the same key recorded."""

    session_id: UUID
    turn_ids: Sequence[UUID]


def find(writing: Writing, request: RequestKey) -> Done | None:
    """The earlier request of this key. Raises Conflict if it had another body."""
    row = writing.cursor_before.execute(
        FIND,
        {
            "context_id": writing.context_id,
            "principal_id": request.principal_id,
            "key_digest": request.key_digest,
            "since": writing.now - KEPT,
        },
    ).fetchone()
    if row is None:
        return None
    body_digest, session_id, turn_ids = row
    if body_digest != request.body_digest:
        raise Conflict("this Idempotency-Key was used with another body")
    return Done(session_id, turn_ids)


def keep(writing: Writing, request: RequestKey, session_id: UUID, turn_ids: Sequence[UUID]) -> None:
    """Remember what the request recorded, in the same transaction, and forget what is too old."""
    since = {"context_id": writing.context_id, "since": writing.now - KEPT}
    writing.cursor_before.execute(FORGET_OLD, since)
    writing.cursor_before.execute(
        KEEP,
        {
            "context_id": writing.context_id,
            "principal_id": request.principal_id,
            "key_digest": request.key_digest,
            "body_digest": request.body_digest,
            "session_id": session_id,
            "turn_ids": list(turn_ids),
            "now": writing.now,
        },
    )
