"""Everything beside the log and the read models that holds, or held, something of what was said.

None of it is a function of the log, so a replay neither makes nor checks it, and an erasure must reach
it. This is the written list. What stands in no table of ours:

    the queue         names of tasks and ids
    the server's log  errors and warnings, no words: Postgres logs neither statements nor parameters
    traces not yet flushed   at most 200 ms of questions; flushed before an erasure begins
    backups           out of reach; `palimpsest erasures --export` and `--apply` carry erasures over to them
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.events import DocumentReplaced, DocumentUploaded, Event
from memory.log import Cursor
from projections import traces
from projections.recall import postings, vector_rows


@dataclass(frozen=True, slots=True)
class Gone:
    """What an erasure took: events, ids of rows that are no more, by read model, and the numbers of passages.
    renamed: whether rows of entities that are still there were made anew, maybe with other names."""

    context_id: str
    events: Sequence[Event]
    ids: Mapping[str, AbstractSet[UUID]]
    passages: AbstractSet[int]
    renamed: bool

    def parameters(self) -> dict[str, Any]:
        files = {one.content_hash for one in self.events if isinstance(one, DocumentUploaded | DocumentReplaced)}
        return {
            "context_id": self.context_id,
            "turn_ids": list(self.ids.get("turns", ())),
            "document_ids": list(self.ids.get("documents", ())),
            "content_hashes": sorted(files),
            "passages": list(self.passages),
        }


@dataclass(frozen=True, slots=True)
class Store:
    """tables: in the schema of the log. why: it is no function of the log. erase: what goes with `Gone`;
    drop: all of a context."""

    tables: tuple[str, ...]
    why: str
    erase: Callable[[Cursor, Gone], None]
    drop: Callable[[Cursor, str], None]


def _by(sql: str) -> Callable[[Cursor, Gone], None]:
    return lambda cursor, gone: _run(cursor, sql, gone.parameters())


def _all_of(*tables: str) -> Callable[[Cursor, str], None]:
    def drop(cursor: Cursor, context_id: str) -> None:
        for table in tables:
            _run(cursor, f"DELETE FROM {table} WHERE context_id = %(context_id)s", {"context_id": context_id})

    return drop


def _run(cursor: Cursor, sql: str, parameters: Mapping[str, Any]) -> None:
    cursor.execute(sql.encode(), parameters)


def _words_again(cursor: Cursor, gone: Gone) -> None:
    """Postings tell which words a passage has, so they are made anew from the passages that are left: all of them
    where names may be others now, as these count as words of whatever is about them."""
    if gone.passages:
        # What is being indexed right now is stored before this goes on, and is deleted with the rest.
        vector_rows.lock(cursor, gone.context_id)
        if gone.renamed:
            _all_of("recall_postings", "recall_segments", "recall_heads")(cursor, gone.context_id)
        else:
            postings.drop(cursor, gone.context_id, gone.passages)


def _nothing(cursor: Cursor, gone: Gone) -> None:
    """It holds no words, so there is nothing to take out."""


STORES = (
    Store(
        ("traces",),
        "what was asked, and what came back",
        lambda cursor, gone: traces.blank(cursor, gone.context_id),
        traces.drop,
    ),
    Store(
        ("response_cache",),
        "replies that may be given again; any of them may quote what is erased",
        lambda cursor, gone: _all_of("response_cache")(cursor, gone.context_id),
        _all_of("response_cache"),
    ),
    Store(
        ("requests",),
        "requests that may be sent again: a turn that is erased was never asked for",
        _by("DELETE FROM requests WHERE context_id = %(context_id)s AND turn_ids && %(turn_ids)s::uuid[]"),
        _all_of("requests"),
    ),
    Store(
        ("recall_postings", "recall_segments", "recall_heads"),
        "words of passages and their frequencies, made in the background",
        _words_again,
        _all_of("recall_postings", "recall_segments", "recall_heads"),
    ),
    Store(
        ("recall_vectors",),
        "what an embedder made of a passage's text",
        _by("DELETE FROM recall_vectors WHERE context_id = %(context_id)s AND number = ANY(%(passages)s::bigint[])"),
        _all_of("recall_vectors"),
    ),
    Store(
        ("recall_models",),
        "which models the vectors of a context are of",
        _nothing,
        _all_of("recall_models"),
    ),
    Store(
        ("document_bytes",),
        "files as they were uploaded, under their hash, for as long as a document needs them",
        _by(
            """
            DELETE FROM document_bytes AS b
            WHERE b.context_id = %(context_id)s AND b.content_hash = ANY(%(content_hashes)s) AND NOT EXISTS (
                SELECT 1 FROM documents AS d
                WHERE d.context_id = b.context_id AND d.content_hash = b.content_hash AND d.position_to IS NULL
            )
            """
        ),
        _all_of("document_bytes"),
    ),
    Store(
        ("document_reading",),
        "how far documents are read that wait: numbers",
        _by(
            """
            DELETE FROM document_reading
            WHERE context_id = %(context_id)s AND document_id = ANY(%(document_ids)s::uuid[])
            """
        ),
        _all_of("document_reading"),
    ),
    Store(
        ("audit",),
        "who asked for what: ids, names of operations and numbers, no words",
        _nothing,
        _all_of("audit"),
    ),
    Store(
        ("key_uses", "provider_keys"),
        "when keys were used, and the secrets of model providers: nothing that was said",
        _nothing,
        _all_of("key_uses", "provider_keys"),
    ),
    Store(
        ("embedding_usage",),
        "what embedding models took by day: numbers",
        _nothing,
        _all_of("embedding_usage"),
    ),
    Store(
        ("scrubs",),
        "whether the disk is clean of an erasure: times and ids only",
        _nothing,
        lambda cursor, context_id: None,
    ),
)


def erase(cursor: Cursor, gone: Gone) -> None:
    """Take out of every store what went with the erased rows, in the erasing transaction."""
    for store in STORES:
        store.erase(cursor, gone)


def drop(cursor: Cursor, context_id: str) -> None:
    """Take a whole context out of every store."""
    for store in STORES:
        store.drop(cursor, context_id)
