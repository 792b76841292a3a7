"""What documents are about: their keywords, and which documents share them."""

from collections.abc import Iterator
from uuid import UUID

from memory.events import DocumentProcessed
from memory.recorded import Recorded
from memory.values import derived_id
from projections.table import Op, Put, Row, Table, start


class KeywordRow(Row, frozen=True):
    document_id: UUID
    version: int
    ordinal: int
    text: str
    normalised: str
    score: float


TABLE = Table(
    "document_keywords",
    KeywordRow,
    columns="""
    document_id uuid NOT NULL,
    version integer NOT NULL,
    ordinal integer NOT NULL,
    text text NOT NULL,
    normalised text NOT NULL,
    score double precision NOT NULL
    """,
    indexes={"of_document": "(document_id, version)", "named": "(normalised)"},
)
HANDLES = (DocumentProcessed,)

OF_DOCUMENTS = """
SELECT k.* FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
WHERE k.document_id = ANY(%(ids)s) AND d.deleted_at IS NULL
ORDER BY k.ordinal
"""

EVERY = """
SELECT k.normalised, min(k.text), count(DISTINCT k.document_id), max(k.score)
FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
WHERE d.deleted_at IS NULL
GROUP BY k.normalised
"""

DOCUMENTS_OF = """
SELECT d.id, d.title, k.score, k.text
FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
WHERE k.normalised = %(normalised)s AND d.deleted_at IS NULL
ORDER BY k.score DESC, d.id
"""

SHARED = """
SELECT k.document_id, o.document_id, k.text, least(k.score, o.score)
FROM {document_keywords} AS k JOIN {documents} AS d ON d.id = k.document_id AND d.live_version = k.version
    JOIN {document_keywords} AS o ON o.normalised = k.normalised AND o.document_id <> k.document_id
    JOIN {documents} AS e ON e.id = o.document_id AND e.live_version = o.version
WHERE k.document_id = ANY(%(ids)s) AND d.deleted_at IS NULL AND e.deleted_at IS NULL
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case DocumentProcessed(document_id=document_id, version=version, keywords=keywords):
            for ordinal, one in enumerate(keywords):
                row = start(recorded, derived_id(document_id, f"keyword {version}", ordinal))
                yield Put(TABLE, KeywordRow(*row, document_id, version, ordinal, one.text, one.normalised, one.score))
