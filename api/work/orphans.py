"""Bytes that were kept for a document which then was not recorded: they go after an hour."""

from collections.abc import Iterator

from api.wiring import Services
from api.work.worker import Ids, Task
from memory.documents import bytes_store
from projections import documents
from projections.access import every_scope_set
from projections.reading import Reader, snapshot

AGE_S = 3_600.0  # no upload takes so long between its bytes and its document
EVERY_S = 3_600.0


def waiting(services: Services) -> Iterator[Ids]:
    with services.pool.connection() as connection:
        kept = list(bytes_store.older_than(connection, AGE_S))
    for context_id in dict.fromkeys(context_id for context_id, _ in kept):
        yield {"context_id": context_id}


def run(services: Services, ids: Ids) -> None:
    context_id = ids["context_id"]
    with services.pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
        generation, seen = every_scope_set(connection, context_id)
        used = documents.content_hashes(Reader(cursor, context_id, generation, seen))
        kept = [
            content_hash for owner, content_hash in bytes_store.older_than(connection, AGE_S) if owner == context_id
        ]
    for content_hash in kept:
        if content_hash not in used:
            services.library.drop_orphan(context_id, content_hash, AGE_S)


TASK = Task("drop_orphan_bytes", run, waiting, every_s=EVERY_S)
