"""Links that stand in documents, and those of them that lead to other documents."""

from collections.abc import Iterator
from uuid import UUID

from memory.events import DocumentLinked, DocumentProcessed
from memory.recorded import Recorded
from memory.values import derived_id
from projections.table import Op, Put, Row, Table, start


class LinkRow(Row, frozen=True):
    """A link as it stands in a document."""

    document_id: UUID
    version: int
    ordinal: int
    kind: str
    target: str
    label: str
    char_start: int


class EdgeRow(Row, frozen=True):
    """A link of a document that leads to another one."""

    document_id: UUID
    target_id: UUID
    kind: str


LINKS = Table(
    "document_links",
    LinkRow,
    columns="""
    document_id uuid NOT NULL,
    version integer NOT NULL,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    target text NOT NULL,
    label text NOT NULL,
    char_start bigint NOT NULL
    """,
    indexes={"of_document": "(document_id, version)"},
)
EDGES = Table(
    "document_edges",
    EdgeRow,
    columns="document_id uuid NOT NULL, target_id uuid NOT NULL, kind text NOT NULL",
    indexes={"of_document": "(document_id)", "to_document": "(target_id)"},
)
HANDLES = (DocumentProcessed, DocumentLinked)

EVERY_LINK = """
SELECT l.document_id, l.kind, l.target
FROM {document_links} AS l JOIN {documents} AS d ON d.id = l.document_id AND d.live_version = l.version
WHERE d.deleted_at IS NULL AND (%(ids)s::uuid[] IS NULL OR l.document_id = ANY(%(ids)s))
"""

EVERY_EDGE = """
SELECT e.document_id, e.target_id, e.kind
FROM {document_edges} AS e JOIN {documents} AS d ON d.id = e.document_id JOIN {documents} AS t ON t.id = e.target_id
WHERE d.deleted_at IS NULL AND t.deleted_at IS NULL
    AND (%(ids)s::uuid[] IS NULL OR e.document_id = ANY(%(ids)s) OR e.target_id = ANY(%(ids)s))
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case DocumentProcessed(document_id=document_id, version=version, links=links):
            for ordinal, link in enumerate(links):
                row = start(recorded, derived_id(document_id, f"link {version}", ordinal))
                yield Put(
                    LINKS,
                    LinkRow(*row, document_id, version, ordinal, link.kind, link.target, link.label, link.char_start),
                )
        case DocumentLinked(document_id=document_id, target_id=target_id, kind=kind):
            edge_id = derived_id(document_id, f"edge {kind}", str(target_id))
            yield Put(EDGES, EdgeRow(*start(recorded, edge_id), document_id, target_id, kind))
