"""A whole context as lines of JSON: its events with their chain, the vectors of its passages, and the files of its
documents.

    {"palimpsest": 2, "context": …, "position": …, "hash": …}     the head
    {"event": [the values of EVENT_COLUMNS]}                         bytes in hex, times in RFC 3339
    {"vector": [model, scope set, passage number, digest, dimension, values]}
    {"bytes": [hash of the file, number of the part, its bytes in base64]}
    {"end": {"events": …, "vectors": …, "parts": …, "sha256": of all lines before}}

What comes in is checked before anything is written: the end, the chain from the first event to the head,
every payload, and every file by its hash. An erased event has no payload and must be named by a later erasure,
as in `verify`. Files of format 1 have no bytes.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from memory.documents import bytes_store
from memory.errors import Conflict, InvalidRequest, LogCorrupt
from memory.log import Connection, EventLog, to_columns
from memory.recorded import StoredRow, from_columns
from memory.transfer import adopt
from projections.rebuild import rebuild
from projections.verification import Chain

FORMAT, READABLE = 2, (1, 2)
BATCH = 5_000
VECTORS_AT_ONCE = 1_000

SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
HEAD = "SELECT position, hash FROM contexts WHERE context_id = %(context_id)s AND deleted_at IS NULL"
VECTORS = """
SELECT model, scope_set_id, number, digest, dimension, embedding::text FROM recall_vectors
WHERE context_id = %(context_id)s ORDER BY model, scope_set_id, number
"""
ADD_VECTOR = """
INSERT INTO recall_vectors (context_id, model, scope_set_id, number, digest, dimension, embedding)
VALUES (%s, %s, %s, %s, %s, %s, %s::halfvec) ON CONFLICT DO NOTHING
"""
FILES = """
SELECT content_hash, part, bytes FROM document_bytes
WHERE context_id = %(context_id)s ORDER BY content_hash, part
"""
ADD_PART = """
INSERT INTO document_bytes (context_id, content_hash, part, bytes) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING
"""

# Positions of columns in EVENT_COLUMNS by type; the others are text and numbers.
UUIDS, TIMES, BYTES = (2, 7, 8, 9, 10), (5, 6), (12, 13, 14)


@dataclass(frozen=True, slots=True)
class Moved:
    """What was written or read of a context. parts: of files."""

    events: int
    vectors: int
    parts: int


def exported(log: EventLog, connection: Connection, context_id: str, *, files: bool = True) -> Iterator[bytes]:
    """The lines of a context, from one snapshot. files: with those of its documents. Raises Conflict for an
    unknown one."""
    digest = sha256()
    counts = {"events": 0, "vectors": 0, "parts": 0}
    with connection.transaction():
        connection.execute(SNAPSHOT)
        head = connection.execute(HEAD, {"context_id": context_id}).fetchone()
        if head is None:
            raise Conflict(f"there is no context {context_id!r}")
        for kind, content in _contents(log, connection, context_id, head, files=files):
            line = _line(content)
            digest.update(line)
            if kind in counts:
                counts[kind] += 1
            yield line
    yield _line({"end": {**counts, "sha256": digest.hexdigest()}})


def _contents(
    log: EventLog, connection: Connection, context_id: str, head: Any, *, files: bool
) -> Iterator[tuple[str, Any]]:
    position, head_hash = head
    yield "head", {"palimpsest": FORMAT, "context": context_id, "position": position, "hash": head_hash.hex()}
    for rows in log.read(connection, context_id, until=position):
        for row in rows:
            yield "events", {"event": [_written(value) for value in to_columns(row)]}
    with connection.cursor(name="vectors") as vectors:
        for model, scope_set_id, number, digest, dimension, values in vectors.execute(
            VECTORS, {"context_id": context_id}
        ):
            yield "vectors", {"vector": [model, str(scope_set_id), number, digest.hex(), dimension, values]}
    if files:
        with connection.cursor(name="files") as parts:
            parts.itersize = 4  # of a megabyte each
            for content_hash, part, piece in parts.execute(FILES, {"context_id": context_id}):
                yield "parts", {"bytes": [content_hash, part, base64.b64encode(piece).decode()]}


def imported(log: EventLog, connection: Connection, context_id: str, read: Callable[[], Iterable[bytes]]) -> Moved:
    """Put an exported context into an empty one, which is made if need be, and fill its read models.

    read: the lines of the file, from its begin each time. Raises InvalidRequest or LogCorrupt for a file that is
    damaged, Conflict for a context that is not empty; nothing of it is then written.
    """
    _check(log, read())
    log.create_context(context_id)
    with connection.transaction():
        rows = (_row(content["event"]) for content in map(json.loads, read()) if "event" in content)
        events = adopt(connection, context_id, _batches(rows))
        vectors, parts = _add_beside(connection, context_id, read())
    rebuild(log, connection, context_id)
    return Moved(events, vectors, parts)


def _add_beside(connection: Connection, context_id: str, lines: Iterable[bytes]) -> tuple[int, int]:
    """Add the vectors and files of a checked file. Returns how many vectors and parts there are."""
    contents = (json.loads(line) for line in lines)
    vectors = parts = 0
    with connection.cursor() as cursor:
        rows: list[tuple[Any, ...]] = []
        for content in contents:
            if "vector" in content:
                rows.append(_vector(context_id, content["vector"]))
                vectors += 1
                if len(rows) == VECTORS_AT_ONCE:
                    cursor.executemany(ADD_VECTOR, rows)
                    rows = []
            elif "bytes" in content:  # a megabyte each, so one by one
                content_hash, part, piece = content["bytes"]
                cursor.execute(ADD_PART, (context_id, content_hash, part, base64.b64decode(piece)))
                parts += 1
        cursor.executemany(ADD_VECTOR, rows)
    return vectors, parts


def _vector(context_id: str, values: list[Any]) -> tuple[Any, ...]:
    model, scope, number, digest, dimension, embedding = values
    return context_id, model, UUID(scope), number, bytes.fromhex(digest), dimension, embedding


class _Files:
    """Checks that the parts of files come whole and in order, and that they have the hashes that they say."""

    def __init__(self) -> None:
        self._content_hash = ""
        self._parts = 0
        self._check: bytes_store.Check | None = None

    def add(self, content_hash: str, part: int, piece: bytes) -> None:
        """Raises InvalidRequest for a part out of order, or where a file before it is damaged."""
        if content_hash != self._content_hash:
            self.finish()
            self._content_hash, self._parts = content_hash, 0
            self._check = bytes_store.Check(content_hash)
        if part != self._parts:
            raise InvalidRequest(f"the file {content_hash} lacks a part")
        assert self._check is not None
        self._check.add(piece)
        self._parts += 1

    def finish(self) -> None:
        """Raises InvalidRequest if the last file is damaged."""
        if self._check is not None and not self._check.holds:
            raise InvalidRequest(f"the bytes of the file {self._content_hash} do not have this hash")


def _check(log: EventLog, lines: Iterable[bytes]) -> None:
    digest = sha256()
    chain: Chain | None = None
    files = _Files()
    head: dict[str, Any] = {}
    end: dict[str, Any] | None = None
    counts = {"events": 0, "vectors": 0, "parts": 0}
    for number, line in enumerate(lines, start=1):
        if end is not None:
            raise InvalidRequest(f"line {number}: something follows the end")
        try:
            content = json.loads(line)
            if number == 1:
                head, chain = content, Chain(str(content["context"]))
                if content["palimpsest"] not in READABLE:
                    raise InvalidRequest(f"the file has format {content['palimpsest']}, this server reads {READABLE}")
            elif "event" in content:
                assert chain is not None
                row = _row(content["event"])
                chain.check([row], log.decoded([row]))
                counts["events"] += 1
            elif "vector" in content:
                _, scope, _, vector_digest, _, _ = content["vector"]
                UUID(scope), bytes.fromhex(vector_digest)
                counts["vectors"] += 1
            elif "bytes" in content:
                content_hash, part, piece = content["bytes"]
                files.add(content_hash, part, base64.b64decode(piece, validate=True))
                counts["parts"] += 1
            else:
                end = content["end"]
                continue
        except (LogCorrupt, InvalidRequest):
            raise
        except (ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:
            raise InvalidRequest(f"line {number}: not a line of an exported context") from error
        digest.update(line)
    if chain is None or end is None:
        raise InvalidRequest("the file is cut off: it has no end")
    files.finish()
    if {"parts": 0, **end} != {**counts, "sha256": digest.hexdigest()}:
        raise InvalidRequest("the file is damaged: its digest is another one than at its end")
    chain.check_head(head["position"], bytes.fromhex(head["hash"]))


def _batches(rows: Iterable[StoredRow]) -> Iterator[list[StoredRow]]:
    batch: list[StoredRow] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _line(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _written(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case UUID():
            return str(value)
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        case _:
            return value


def _row(values: list[Any]) -> StoredRow:
    columns = list(values)
    for index in UUIDS:
        columns[index] = None if columns[index] is None else UUID(columns[index])
    for index in TIMES:
        columns[index] = None if columns[index] is None else datetime.fromisoformat(columns[index])
    for index in BYTES:
        columns[index] = None if columns[index] is None else bytes.fromhex(columns[index])
    return from_columns(tuple(columns))
