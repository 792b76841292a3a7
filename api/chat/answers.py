"""The answer to a chat in the wire's shape, whether it was made just now or is rebuilt from the log."""

from collections.abc import Sequence
from uuid import UUID

from api import ids
from api.shapes.wire import Json


def answer(
    *,
    reply: str,
    updates: Json,
    cited: Sequence[Json],
    session_id: UUID,
    trace_id: UUID,
    turn_ids: tuple[UUID, UUID],
    model: str,
    cached: bool,
    position: int,
) -> Json:
    """turn_ids: of the user's turn and of the reply. Both spellings of the updates are what clients read."""
    said_id, reply_id = turn_ids
    return {
        "reply": reply,
        "memoryUpdates": updates,
        "memory_updates": updates,
        "citations": cited,
        "sessionId": ids.ulid(session_id),
        "traceId": ids.ulid(trace_id),
        "turnId": ids.ulid(said_id),
        "replyTurnId": ids.ulid(reply_id),
        "model": model,
        "cached": cached,
        "position": position,
    }
