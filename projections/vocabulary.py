"""Names, keys and labels that a turn may mean, for an extractor to reuse: best first.

Ranked by relevance: what the turn's words name, then what the session spoke of last, then keys whose
words occur in the turn, then the other keys.
"""

import json
import re
from collections.abc import Iterator, Sequence
from uuid import UUID

from memory.extraction.offered import KEYS_MAX, LABELS_MAX, NAMES_MAX, Offered
from memory.log import Pool
from memory.values import folded, name_key
from projections.reading import Reader, snapshot

WORDS_MAX = 400  # of the turn that are looked up
NAME_WORDS_MAX = 4
SESSION_TURNS = 30
KEYS_READ_MAX = 500

NAMED = """
SELECT e.id, e.name, e.type FROM {entities} AS e
WHERE e.name_key = ANY(ARRAY(SELECT json_array_elements_text(%(keys)s::json))) AND e.forgotten_at IS NULL
ORDER BY length(e.name_key) DESC, e.position_from DESC
LIMIT %(limit)s
"""

SPOKEN_OF = """
SELECT e.id, e.name, e.type, max(p.position_from)
FROM (
    SELECT t.id FROM {turns} AS t WHERE t.session_id = %(session_id)s ORDER BY t.seq DESC LIMIT %(turns)s
) AS l
CROSS JOIN LATERAL (
    SELECT p.subject_id, p.position_from FROM {provenance} AS p WHERE p.turn_id = l.id OFFSET 0
) AS p
CROSS JOIN LATERAL (
    SELECT e.id, e.name, e.type FROM {entities} AS e WHERE e.id = p.subject_id AND e.forgotten_at IS NULL OFFSET 0
) AS e
GROUP BY e.id, e.name, e.type
ORDER BY max(p.position_from) DESC
LIMIT %(limit)s
"""

KEYS_OF = """
SELECT v.key, count(*) FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(ids)s)
GROUP BY v.key ORDER BY count(*) DESC, v.key LIMIT %(limit)s
"""

LABELS_OF = """
SELECT r.label, count(*) FROM {relations} AS r
WHERE r.subject_id = ANY(%(ids)s)
GROUP BY r.label ORDER BY count(*) DESC, r.label LIMIT %(limit)s
"""

ALL_KEYS = "SELECT DISTINCT k.key FROM {attribute_keys} AS k ORDER BY k.key LIMIT %(limit)s"

_WORD = re.compile(r"\w[\w'’.&-]*")


class ReadModelVocabulary:
    """Reads in a transaction of its own, before the extractor is asked and under no lock."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def offered(self, context_id: str, visible: Sequence[UUID], session_id: UUID, texts: Sequence[str]) -> Offered:
        """What fits `texts`. visible: the scope sets that the caller may see, so nothing else is offered."""
        with self._pool.connection() as connection, snapshot(connection), connection.cursor() as cursor:
            return _offered(Reader(cursor, context_id, None, visible), session_id, texts)


def _offered(reader: Reader, session_id: UUID, texts: Sequence[str]) -> Offered:
    # What does not depend on each other is asked together: the snapshot is a pipeline.
    named = reader.ask(NAMED, {"keys": json.dumps(list(_name_keys(texts))), "limit": NAMES_MAX})
    spoken_of = reader.ask(SPOKEN_OF, {"session_id": session_id, "turns": SESSION_TURNS, "limit": NAMES_MAX})
    all_keys = reader.ask(ALL_KEYS, {"limit": KEYS_READ_MAX})
    entities = {row[0]: (row[1], row[2]) for row in (*named.fetchall(), *spoken_of.fetchall())}
    ids = {"ids": list(entities)}
    keys_of, labels_of = (
        reader.ask(KEYS_OF, {**ids, "limit": KEYS_MAX}),
        reader.ask(LABELS_OF, {**ids, "limit": LABELS_MAX}),
    )
    used = [key for key, _ in keys_of.fetchall()]
    labels = [label for label, _ in labels_of.fetchall()]
    others = [key for (key,) in all_keys.fetchall()]
    words = {word.casefold() for text in texts for word in _words(text)}
    others.sort(key=lambda key: -len(words.intersection(key.split("_"))))
    names = list(dict.fromkeys(entities.values()))
    return Offered(names[:NAMES_MAX], list(dict.fromkeys([*used, *others]))[:KEYS_MAX], labels)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)[:WORDS_MAX]


def _name_keys(texts: Sequence[str]) -> Iterator[str]:
    """Every run of one to four words, as the key of the entity that it may name."""
    seen: set[str] = set()
    for text in texts:
        words = [word.rstrip(".'’-") for word in _words(folded(text))]
        is_plain = text.isascii()  # what is folded is a key then, and no call a run is needed
        for start in range(len(words)):
            for end in range(start + 1, min(start + NAME_WORDS_MAX, len(words)) + 1):
                run = words[start:end]
                if is_plain:
                    key = "_".join(run).removesuffix("'s")
                else:
                    key = name_key(" ".join(run).removesuffix("'s").removesuffix("’s"))
                if key and key not in seen and len(seen) < WORDS_MAX * NAME_WORDS_MAX:
                    seen.add(key)
                    yield key
