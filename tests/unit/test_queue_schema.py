"""The queue's schema is the library's; when the library changes it, ours gets another name."""

from hashlib import sha256

from api.work.queue import QUEUE_SCHEMA, library_schema

# On a change here: raise the number in QUEUE_SCHEMA. What was queued is found again in the log.
DIGESTS = {"palimpsest_queue_v1": "c70ec4b400a60ad9"}


def test_the_tables_are_those_of_the_version() -> None:
    assert sha256(library_schema().encode()).hexdigest()[:16] == DIGESTS[QUEUE_SCHEMA]
