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
from projections.scope_sets import clauses_of

NOBODY_YET: EntityName = ("person", "user")  # on whom hangs what a user says before telling a name

SPEAKER_OF_SESSION = """
SELECT e.type, e.name_key FROM {sessions} AS s JOIN {entities} AS n ON n.id = s.speaker_id
    JOIN {entities} AS e ON e.id = n.canonical_id
WHERE s.id = %(session_id)s AND e.forgotten_at IS NULL
"""

SCOPES_OF_SESSION = """
SELECT c.clauses FROM {sessions} AS s JOIN {scope_sets} AS c ON c.id = s.scope_set_id WHERE s.id = %(session_id)s
"""

SPEAKERS_OF_PRINCIPAL = """
SELECT DISTINCT e.type, e.name_key
FROM (
    SELECT s.speaker_id FROM {sessions} AS s
    WHERE s.principal_id = %(principal_id)s AND s.speaker_id IS NOT NULL
    ORDER BY s.opened_at DESC, s.id DESC
    LIMIT %(sessions_max)s
) AS s JOIN {entities} AS n ON n.id = s.speaker_id JOIN {entities} AS e ON e.id = n.canonical_id
WHERE e.forgotten_at IS NULL
"""
SESSIONS_MAX = 50

# Names, their own or another one of an entity, and the entity that each stands for.
NAMED = """
SELECT DISTINCT n.name_key, c.type, c.name_key FROM {entities} AS n JOIN {entities} AS c ON c.id = n.canonical_id
WHERE n.name_key = ANY(%(names)s) AND n.forgotten_at IS NULL AND c.forgotten_at IS NULL
"""
SUBJECTS_MAX = 8

# The oldest entity of a name stands for all.
NAMES = """
SELECT e.type, e.name_key FROM {entities} AS e
WHERE e.id = ANY(%(ids)s) AND e.forgotten_at IS NULL
GROUP BY e.type, e.name_key
ORDER BY min(e.created_at), e.type, e.name_key
"""

FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|i['’]m|i['’]ve|i['’]d)\b", re.IGNORECASE)

HELD_TO_BE = """
SELECT v.value FROM {attribute_versions} AS v
WHERE v.entity_id = ANY(%(entity_ids)s) AND v.key = %(key)s AND {in_force:v}
ORDER BY v.said_at DESC, v.id
LIMIT 2
"""

# "my sister" where the question is about something of hers, or about her.
MY_RELATIVE = re.compile(
    r"\bmy (?P<what>[^\W\d_]+(?: in[- ]law)?)(?=['’]s\b| (?:live|work|do|come|study|like|from|born|married)\w*\b)",
    re.IGNORECASE,
)


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

    As for what is said (see `memory.wanted.speaker_of`): the user that the session's scopes are of or the name told
    in it, else the user that the caller's region is of, else the caller if a human; without a session, the one
    speaker of the caller's last sessions. Whoever it is, what was said before a name was told comes last.
    """
    name: EntityName | None = None
    if session_id is not None:
        name = _user_of_session(reader, session_id) or _told_in_session(reader, session_id)
    if name is None and (user := user_in(caller.write_scopes)):
        name = ("person", name_key(user))
    if name is None and caller.kind == "human":
        name = ("person", name_key(caller.display_name))
    if name is None and session_id is None:
        parameters = {"principal_id": caller.principal_id, "sessions_max": SESSIONS_MAX}
        found = reader.tuples(SPEAKERS_OF_PRINCIPAL, parameters)
        if len(found) > 1:
            return []
        name = (found[0][0], found[0][1]) if found else None
    names = [NOBODY_YET] if name in (None, NOBODY_YET) else [name, NOBODY_YET]
    subjects = [Subject(one, entities.named(reader, *one)) for one in names if one]
    return [subject for subject in subjects if subject.rows]


def _told_in_session(reader: Reader, session_id: UUID) -> EntityName | None:
    found = reader.tuples(SPEAKER_OF_SESSION, {"session_id": session_id})
    return (found[0][0], found[0][1]) if found else None


def _user_of_session(reader: Reader, session_id: UUID) -> EntityName | None:
    """The user that the session's scopes are of."""
    found = reader.tuples(SCOPES_OF_SESSION, {"session_id": session_id})
    user = user_in(clauses_of(found[0][0])) if found else None
    return ("person", name_key(user)) if user else None


def named(reader: Reader, text: str, names: Sequence[str]) -> list[Subject]:
    """The entities that `text` names, longest names first; a name inside a longer one that was found is not one.

    names: normalised names that may stand in the text (`projections.recall.question.Question.names`).
    """
    if not names:
        return []
    found: dict[EntityName, str] = {}
    for key, kind, name in sorted(reader.tuples(NAMED, {"names": list(names)}), key=lambda row: (-len(row[0]), row)):
        spoken = _spoken(key, text)
        inside = any(spoken.lower() in other.lower() and spoken.lower() != other.lower() for other in found.values())
        if not inside:
            found.setdefault((kind, name), spoken)
    return [Subject(name, of_name(reader, name), spoken) for name, spoken in list(found.items())[:SUBJECTS_MAX]]


def relatives(reader: Reader, text: str, whose: Subject) -> list[Subject]:
    """Whom `text` calls by what they are to the speaker: "my sister's".

    Who is held to be that, else who goes by just that name (see `memory.wanted.resolver`).
    """
    match = MY_RELATIVE.search(text)
    if match is None:
        return []
    what = name_key(match["what"])
    names = [name_key(value) for (value,) in reader.tuples(HELD_TO_BE, {"entity_ids": whose.ids, "key": what})]
    for name in (*names, f"{whose.name[1]}'s_{what}"):
        rows = entities.named_of_any_type(reader, name)
        if rows:
            return [Subject((rows[0].type, rows[0].name_key), rows, match[0])]
    return []


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
