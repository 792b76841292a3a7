"""Whom a question is about: the entities that it names, and who "I" is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.known import EntityName
from memory.principals import Caller
from memory.scopes import user_in
from memory.values import name_key
from projections import entities
from projections.entities import EntityRow
from projections.reading import Reader

NOBODY_YET: EntityName = ("person", "user")  # on whom hangs what a user says before telling a name

SPEAKER_OF_SESSION = """
SELECT e.type, e.name_key FROM {sessions} AS s JOIN {entities} AS e ON e.id = s.speaker_id
WHERE s.id = %(session_id)s AND e.forgotten_at IS NULL
"""

SPEAKERS_OF_PRINCIPAL = """
SELECT DISTINCT e.type, e.name_key
FROM (
    SELECT s.speaker_id FROM {sessions} AS s
    WHERE s.principal_id = %(principal_id)s AND s.speaker_id IS NOT NULL
    ORDER BY s.opened_at DESC, s.id DESC
    LIMIT %(sessions_max)s
) AS s JOIN {entities} AS e ON e.id = s.speaker_id
WHERE e.forgotten_at IS NULL
"""
SESSIONS_MAX = 50

NAMED = """
SELECT e.* FROM {entities} AS e
WHERE e.name_key = ANY(%(names)s) AND e.forgotten_at IS NULL
ORDER BY e.created_at, e.id
"""

# The oldest entity of a name stands for all.
NAMES = """
SELECT e.type, e.name_key FROM {entities} AS e
WHERE e.id = ANY(%(ids)s) AND e.forgotten_at IS NULL
GROUP BY e.type, e.name_key
ORDER BY min(e.created_at), e.type, e.name_key
"""

FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|i['’]m|i['’]ve|i['’]d)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Subject:
    """One name that a question is about, and its entities in the visible scope sets. spoken: as the question
    writes it; empty for the speaker."""

    name: EntityName
    rows: Sequence[EntityRow]
    spoken: str = ""

    @property
    def ids(self) -> list[UUID]:
        return [row.id for row in self.rows]


def speaker(reader: Reader, caller: Caller, session_id: UUID | None) -> list[Subject]:
    """Who "I" is, the surest first; empty if it is not clear.

    The speaker of the session, else the user that the caller's region is of, else the one speaker of the
    caller's last sessions. Whoever it is, what was said before a name was told comes last.
    """
    name: EntityName | None = None
    if session_id is not None:
        of_session = reader.tuples(SPEAKER_OF_SESSION, {"session_id": session_id})
        name = (of_session[0][0], of_session[0][1]) if of_session else None
    if name is None and (user := user_in(caller.write_scopes)):
        name = ("person", name_key(user))
    if name is None and session_id is None:
        found = reader.tuples(
            SPEAKERS_OF_PRINCIPAL, {"principal_id": caller.principal_id, "sessions_max": SESSIONS_MAX}
        )
        if len(found) > 1:
            return []
        name = (found[0][0], found[0][1]) if found else None
    names = [NOBODY_YET] if name in (None, NOBODY_YET) else [name, NOBODY_YET]
    subjects = [Subject(one, entities.named(reader, *one)) for one in names if one]
    return [subject for subject in subjects if subject.rows]


def named(reader: Reader, text: str, names: Sequence[str]) -> list[Subject]:
    """The entities that `text` names, longest names first; a name inside a longer one that was found is not one.

    names: normalised names that may stand in the text (`projections.recall.question.Question.names`).
    """
    if not names:
        return []
    rows: dict[EntityName, list[EntityRow]] = {}
    for row in reader.rows(entities.TABLE, NAMED, {"names": list(names)}):
        rows.setdefault((row.type, row.name_key), []).append(row)
    found: list[Subject] = []
    for name in sorted(rows, key=lambda name: (-len(name[1]), name)):
        spoken = _spoken(name[1], text)
        if spoken and not any(spoken.lower() in other.spoken.lower() and name[1] != other.name[1] for other in found):
            found.append(Subject(name, rows[name], spoken))
    return found


def of_name(reader: Reader, name: EntityName) -> list[EntityRow]:
    """The entity of that name in each visible scope set, oldest first."""
    return entities.named(reader, *name)


def names_of(reader: Reader, entity_ids: Sequence[UUID]) -> list[EntityName]:
    """The names of the entities that are not forgotten, each once, the longest known first."""
    if not entity_ids:
        return []
    return [(kind, key) for kind, key in reader.tuples(NAMES, {"ids": list(entity_ids)})]


def _spoken(key: str, text: str) -> str:
    """The words of `text` that spell the normalised name; its own spelling if they can't be told apart."""
    pattern = r"\s+".join(re.escape(part) for part in key.split("_"))
    match = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
    return match[0] if match else key.replace("_", " ")
