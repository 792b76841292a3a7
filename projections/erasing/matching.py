"""What a query for an erasure matches: what holds each of its content words, or means nearly the same."""

from collections.abc import Iterator
from uuid import UUID

from projections.erasing.contents import pattern
from projections.erasing.plan import Match, matched
from projections.reading import Reader
from projections.recall.question import Question
from projections.recall.search import Mode, search
from projections.recall.words import words

NEAR = 0.8  # cosine of question and passage
PREFIX = 4  # letters of a word that any of its usual spellings begins with

# Things by their texts. A prefilter: of every word, any of its usual spellings is in the text.
TEXTS = {
    "entity": "SELECT e.canonical_id AS id, e.name AS text FROM {entities} AS e WHERE e.forgotten_at IS NULL",
    "attribute": """
        SELECT v.id, concat_ws(' ', e.name, replace(v.key, '_', ' '), v.value) AS text
        FROM {attribute_versions} AS v JOIN {entities} AS e ON e.id = v.entity_id
        WHERE v.standing IN ('current', 'claimed', 'retracted')""",
    "relation": """
        SELECT r.id, concat_ws(' ', s.name, replace(r.label, '_', ' '), o.name) AS text
        FROM {relations} AS r JOIN {entities} AS s ON s.id = r.subject_id JOIN {entities} AS o ON o.id = r.object_id
        WHERE r.standing IN ('current', 'claimed', 'retracted')""",
    "action": "SELECT a.id, concat_ws(' ', a.summary, a.object) AS text FROM {actions} AS a",
    "instruction": "SELECT i.id, concat_ws(' ', i.label, i.description) AS text FROM {instructions} AS i",
    "uncertainty": "SELECT u.id, concat_ws(' ', u.about, u.note) AS text FROM {uncertainties} AS u",
    "turn": "SELECT t.id, t.text FROM {turns} AS t",
    "document": """
        SELECT p.id, concat_ws(' ', p.title, p.section, p.text) AS text FROM {passages} AS p
        WHERE p.kind = 'document'""",
}
MATCHING = "SELECT m.id, m.text FROM ({texts}) AS m WHERE m.text ILIKE ALL(%(patterns)s::text[]) ORDER BY m.id"


def matches(reader: Reader, query: str, question: Question | None, *, limit: int) -> list[Match]:
    """All that holds each content word of the query, then at most `limit` whose meaning is as near as NEAR.

    question: the query with its vector, if there is an embedder.
    """
    wanted = frozenset(words(query))
    found = list(_holding(reader, wanted)) if wanted else []
    if question is not None and question.vector:
        found += _near(reader, question, limit, {one.id for one in found})
    return found


def _holding(reader: Reader, wanted: frozenset[str]) -> Iterator[Match]:
    patterns = [pattern(word[:PREFIX]) for word in sorted(wanted)]
    found: set[tuple[str, UUID]] = set()
    for kind, texts in TEXTS.items():
        for row_id, text in reader.tuples(MATCHING.replace("{texts}", texts), {"patterns": patterns}):
            if wanted <= set(words(text)) and (kind, row_id) not in found:
                found.add((kind, row_id))
                yield matched(kind, row_id, text)


def _near(reader: Reader, question: Question, limit: int, known: set[UUID]) -> Iterator[Match]:
    for hit in search(reader, question, mode=Mode.VECTOR, limit=limit).hits:
        if hit.signals.cosine is not None and hit.signals.cosine >= NEAR and hit.id not in known:
            yield matched(hit.kind.value, hit.id, hit.text)
