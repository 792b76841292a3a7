"""How far the reading of each document is: rows beside the log, which only says that it is not done yet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.log import Connection, Cursor

STAGES = ("queued", "extracting", "chunking", "embedding", "keywording", "extracting_nodes")

WAIT = """
INSERT INTO document_reading (context_id, document_id, version, stage, done, total, attempts)
VALUES (%(context_id)s, %(document_id)s, %(version)s, 'queued', 0, 0, 0)
ON CONFLICT (context_id, document_id) DO UPDATE
SET version = excluded.version, stage = 'queued', done = 0, total = 0, attempts = 0, started_at = NULL,
    updated_at = clock_timestamp()
WHERE document_reading.version < excluded.version
"""

BEGIN = """
UPDATE document_reading
SET attempts = attempts + 1, updated_at = clock_timestamp(), started_at = coalesce(started_at, clock_timestamp())
WHERE context_id = %(context_id)s AND document_id = %(document_id)s AND version = %(version)s
RETURNING attempts, stage, done
"""

NOTE = """
UPDATE document_reading
SET stage = %(stage)s, done = %(done)s, total = %(total)s, updated_at = clock_timestamp(),
    attempts = CASE WHEN %(counts)s THEN 0 ELSE attempts END
WHERE context_id = %(context_id)s AND document_id = %(document_id)s AND version = %(version)s
"""

END = "DELETE FROM document_reading WHERE context_id = %(context_id)s AND document_id = %(document_id)s"

OF = """
SELECT document_id, version, stage, done, total, started_at FROM document_reading
WHERE context_id = %(context_id)s AND document_id = ANY(%(ids)s)
"""

EVERY = """
SELECT r.context_id, r.document_id FROM document_reading AS r ORDER BY r.updated_at
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """done, total: of the stage, in its own units; total is 0 where that is not known."""

    version: int
    stage: str
    done: int
    total: int
    started_at: datetime | None


def wait(cursor: Cursor, context_id: str, document_id: UUID, version: int) -> None:
    """A version waits to be read; one already waiting or being read stays as it is."""
    cursor.execute(WAIT, _key(context_id, document_id) | {"version": version})


@dataclass(frozen=True, slots=True)
class Attempt:
    """number: from 1, of those since what is done can't be lost any more. stage, done: where the last one was."""

    number: int
    stage: str
    done: int


def begin(connection: Connection, context_id: str, document_id: UUID, version: int) -> Attempt:
    """Reading a version begins, or goes on."""
    key = _key(context_id, document_id) | {"version": version}
    with connection.cursor() as cursor:
        wait(cursor, context_id, document_id, version)  # it may be known from the log alone
        row = cursor.execute(BEGIN, key).fetchone()
    return Attempt(*row) if row else Attempt(1, "queued", 0)


def note(
    connection: Connection,
    context_id: str,
    document_id: UUID,
    version: int,
    stage: str,
    done: int,
    total: int,
    *,
    counts: bool = False,
) -> None:
    """counts: the next attempt goes on from here, so that those before it are forgotten."""
    key = _key(context_id, document_id) | {"version": version, "counts": counts}
    connection.execute(NOTE, key | {"stage": stage, "done": done, "total": total})


def end(cursor: Cursor, context_id: str, document_id: UUID) -> None:
    cursor.execute(END, _key(context_id, document_id))


def of(cursor: Cursor, context_id: str, document_ids: Sequence[UUID]) -> dict[UUID, Progress]:
    """The progress of those that wait or are being read."""
    rows = cursor.connection.execute(OF, {"context_id": context_id, "ids": list(document_ids)})
    return {document_id: Progress(*columns) for document_id, *columns in rows}


def every(connection: Connection) -> Iterator[tuple[str, UUID]]:
    """(context, document) of all that wait or are being read, those longest untouched first."""
    yield from connection.execute(EVERY).fetchall()


def _key(context_id: str, document_id: UUID) -> dict[str, Any]:
    return {"context_id": context_id, "document_id": document_id}
