"""Section expansion: what stands beside a found chunk, and where in its document that is."""

from collections.abc import Sequence

from projections.documents import DocumentRow
from projections.passages import TABLE, Kind, PassageRow
from projections.reading import Reader
from projections.recall.search import Hit

BESIDE = """
SELECT p.* FROM {passages} AS p
    JOIN unnest(%(documents)s::uuid[], %(sections)s::text[], %(firsts)s::integer[], %(lasts)s::integer[])
        AS w (document_id, section, first, last)
    ON p.document_id = w.document_id AND p.section = w.section AND p.ordinal BETWEEN w.first AND w.last
WHERE p.kind = 'document' AND NOT p.id = ANY(%(found)s)
ORDER BY p.document_id, p.ordinal
"""


def beside(reader: Reader, hits: Sequence[Hit], *, reach: int = 1) -> list[PassageRow]:
    """The chunks of the same section up to `reach` places before and after each found chunk; none twice, and
    none that was found itself."""
    found = [hit for hit in hits if hit.kind == Kind.DOCUMENT and hit.document_id is not None]
    if not found:
        return []
    parameters = {
        "documents": [hit.document_id for hit in found],
        "sections": [hit.section for hit in found],
        "firsts": [hit.ordinal - reach for hit in found],
        "lasts": [hit.ordinal + reach for hit in found],
        "found": [hit.passage_id for hit in hits],
    }
    rows = reader.rows(TABLE, BESIDE, parameters)
    return list({row.id: row for row in rows}.values())


def position_percent(char_start: int, document: DocumentRow) -> int:
    """How far through the document's text a chunk begins: 0 to 100."""
    return min(100, round(100 * char_start / max(document.text_length, 1)))
