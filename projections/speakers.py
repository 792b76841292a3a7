"""Speakers: who the users of the sessions are."""

from uuid import UUID

from projections.reading import Reader

# What is said of the user before a name is known hangs on person/user.
SPEAKERS = """
SELECT e.id FROM {entities} AS e
WHERE e.forgotten_at IS NULL AND (
    (e.type = 'person' AND e.name_key = 'user')
    OR (e.type, e.name_key) IN (
        SELECT n.type, n.name_key FROM {sessions} AS s JOIN {entities} AS o ON o.id = s.speaker_id
            JOIN {entities} AS n ON n.id = o.canonical_id
        WHERE n.forgotten_at IS NULL
    )
)
"""


def speaker_ids(reader: Reader) -> list[UUID]:
    """The entities, in every visible scope set, under the names of the speakers of visible sessions."""
    return [entity_id for (entity_id,) in reader.tuples(SPEAKERS, {})]
