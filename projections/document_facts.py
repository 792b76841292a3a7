"""What documents say, for the write side: `memory.documents.withdrawal.DocumentFacts` over the read models.

A chunk is the source of its facts as a turn is: its id stands where a turn's would.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from memory.documents.withdrawal import Fact
from memory.doubts import CONTRADICTION
from memory.log import Writing
from projections.reading import Reader
from projections.revisions import ReadModelRevising

WORDS = """
SELECT v.id, c.version FROM {document_chunks} AS c JOIN {attribute_versions} AS v ON v.turn_id = c.id
WHERE c.document_id = %(id)s AND v.standing <> 'withdrawn'
UNION ALL
SELECT r.id, c.version FROM {document_chunks} AS c JOIN {relations} AS r ON r.turn_id = c.id
WHERE c.document_id = %(id)s AND r.standing <> 'withdrawn'
"""

FACTS = """
SELECT v.id, v.entity_id, v.key FROM {attribute_versions} AS v WHERE v.id = ANY(%(ids)s)
UNION ALL
SELECT r.id, r.subject_id, r.label FROM {relations} AS r WHERE r.id = ANY(%(ids)s)
"""

CONTRADICTIONS = """
SELECT u.id FROM {uncertainties} AS u
    JOIN unnest(%(owners)s::uuid[], %(keys)s::text[]) AS f (owner_id, key) ON f.owner_id = u.entity_id AND f.key = u.key
WHERE u.valid_to IS NULL AND u.reason = %(reason)s
ORDER BY u.id
"""

ALONE = """
SELECT DISTINCT 'entity', e.id FROM {document_chunks} AS c JOIN {provenance} AS p ON p.turn_id = c.id
    JOIN {entities} AS e ON e.id = p.subject_id
WHERE c.document_id = %(id)s AND e.forgotten_at IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM {provenance} AS q WHERE q.subject_id = e.id
            AND NOT EXISTS (SELECT 1 FROM {document_chunks} AS d WHERE d.id = q.turn_id AND d.document_id = %(id)s)
    ) AND NOT EXISTS (
        SELECT 1 FROM {attribute_versions} AS v
        WHERE v.entity_id = e.id AND v.standing <> 'withdrawn' AND v.document_id IS DISTINCT FROM %(id)s
    )
UNION ALL
SELECT 'uncertainty', u.id FROM {document_chunks} AS c JOIN {uncertainties} AS u ON u.turn_id = c.id
WHERE c.document_id = %(id)s AND u.valid_to IS NULL AND u.reason <> %(reason)s
"""


class ReadModelDocumentFacts(ReadModelRevising):
    """See `DocumentFacts`."""

    def words_of(self, writing: Writing, scope_set_id: UUID, document_id: UUID) -> Mapping[UUID, int]:
        return dict(_reader(writing, scope_set_id).tuples(WORDS, {"id": document_id}))

    def facts_of(self, writing: Writing, scope_set_id: UUID, statement_ids: Sequence[UUID]) -> Mapping[UUID, Fact]:
        rows = _reader(writing, scope_set_id).tuples(FACTS, {"ids": list(statement_ids)})
        return {statement_id: (owner_id, key) for statement_id, owner_id, key in rows}

    def contradictions(self, writing: Writing, scope_set_id: UUID, facts: Sequence[Fact]) -> list[UUID]:
        bound = {"owners": [owner for owner, _ in facts], "keys": [key for _, key in facts], "reason": CONTRADICTION}
        return [doubt for (doubt,) in _reader(writing, scope_set_id).tuples(CONTRADICTIONS, bound)]

    def known_alone_by(self, writing: Writing, scope_set_id: UUID, document_id: UUID) -> list[tuple[str, UUID]]:
        bound = {"id": document_id, "reason": CONTRADICTION}
        return [(kind, thing) for kind, thing in _reader(writing, scope_set_id).tuples(ALONE, bound)]


def _reader(writing: Writing, scope_set_id: UUID) -> Reader:
    return Reader(writing.cursor, writing.context_id, writing.generation, [scope_set_id])
