"""The bytes of documents, once for each content of a context, in parts.

The log holds only their hash. They are rows of `bytea`, not large objects: those have no context_id, so
they can't be distributed, granted or deleted with their context. Parts of 1 MiB keep what a statement
holds in memory small.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from blake3 import blake3

from memory.log import Connection, Cursor

HASHES: dict[str, Callable[[], Any]] = {"blake3": blake3, "sha256": sha256}
BYTES_MAX = 50 * 1024 * 1024
PART_BYTES = 1024 * 1024

PUT = """
INSERT INTO document_bytes (context_id, content_hash, part, bytes)
VALUES (%(context_id)s, %(content_hash)s, %(part)s, %(bytes)s)
ON CONFLICT (context_id, content_hash, part) DO UPDATE SET stored_at = clock_timestamp()
"""
HELD = "SELECT 1 FROM document_bytes WHERE context_id = %(context_id)s AND content_hash = %(content_hash)s LIMIT 1"
PART = """
SELECT bytes FROM document_bytes
WHERE context_id = %(context_id)s AND content_hash = %(content_hash)s AND part = %(part)s
"""
DROP = "DELETE FROM document_bytes WHERE context_id = %(context_id)s AND content_hash = %(content_hash)s"
OLDER = """
SELECT DISTINCT context_id, content_hash FROM document_bytes
WHERE stored_at < clock_timestamp() - make_interval(secs => %(age_s)s)
ORDER BY context_id, content_hash
"""
DROP_OLDER = DROP + " AND stored_at < clock_timestamp() - make_interval(secs => %(age_s)s)"


def hash_of(data: bytes) -> str:
    return f"blake3:{blake3(data).hexdigest()}"


class Check:
    """Whether bytes that come piece by piece have a hash. Those of old are SHA-256."""

    def __init__(self, content_hash: str) -> None:
        """Raises ValueError for a hash of no known kind."""
        kind, _, self._digest = content_hash.partition(":")
        if kind not in HASHES:
            raise ValueError(f"{content_hash} is no hash of a file")
        self._hasher = HASHES[kind]()

    def add(self, piece: bytes) -> None:
        self._hasher.update(piece)

    @property
    def holds(self) -> bool:
        return bool(self._hasher.hexdigest() == self._digest)


def put(connection: Connection, context_id: str, data: bytes) -> str:
    """Keep bytes, all or nothing; the same ones are kept once. Returns their hash."""
    content_hash = hash_of(data)
    with connection.transaction(), connection.cursor() as cursor:
        for part, begin in enumerate(range(0, max(len(data), 1), PART_BYTES)):
            piece = data[begin : begin + PART_BYTES]
            cursor.execute(PUT, {**_key(context_id, content_hash), "part": part, "bytes": piece})
    return content_hash


def are_held(cursor: Cursor, context_id: str, content_hash: str) -> bool:
    return cursor.execute(HELD, _key(context_id, content_hash)).fetchone() is not None


def parts(connection: Connection, context_id: str, content_hash: str) -> Iterator[bytes]:
    """The bytes, part by part; nothing if they are not held."""
    part = 0
    while True:
        row = connection.execute(PART, {**_key(context_id, content_hash), "part": part}, binary=True).fetchone()
        if row is None:
            return
        yield row[0]
        part += 1


def drop(cursor: Cursor, context_id: str, content_hash: str) -> None:
    """Delete the bytes. Inside the append that deletes the last document of them."""
    cursor.execute(DROP, _key(context_id, content_hash))


def older_than(connection: Connection, age_s: float) -> Iterator[tuple[str, str]]:
    """(context, hash) of the bytes that were last sent longer ago than that."""
    yield from connection.execute(OLDER, {"age_s": age_s}).fetchall()


def drop_older(cursor: Cursor, context_id: str, content_hash: str, age_s: float) -> None:
    """Delete the bytes unless they were sent again meanwhile. Inside an append that found no document of them."""
    cursor.execute(DROP_OLDER, _key(context_id, content_hash) | {"age_s": age_s})


def _key(context_id: str, content_hash: str) -> dict[str, Any]:
    return {"context_id": context_id, "content_hash": content_hash}
