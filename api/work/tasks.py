"""The list of all background work. Add a `Task` here; `api.work.worker` says what it must be like."""

from collections.abc import Mapping

from api.work import orphans, scrubbing
from api.work.document_reading import DocumentReading
from api.work.expiry import EXPIRY
from api.work.recovery import PendingTurns
from api.work.worker import Task


def tasks(earlier: Mapping[str, int] | None = None) -> tuple[Task, ...]:
    """earlier: by context, the position up to which turns were left by an earlier run of the server."""
    return PendingTurns(earlier or {}).task, DocumentReading().task, EXPIRY, scrubbing.TASK, orphans.TASK
