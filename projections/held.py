"""Single facts, directives and doubts, as operations by hand look them up."""

from uuid import UUID

from memory.ports import HeldFact
from projections.reading import Reader
from projections.scope_sets import clauses_of

ATTRIBUTE = """
SELECT c.id, c.clauses, {in_force:v}, e.type, e.name, v.key, v.value,
    NULL::text, NULL::text
FROM {attribute_versions} AS v
    JOIN {scope_sets} AS c ON c.id = v.scope_set_id
    JOIN {entities} AS e ON e.id = v.entity_id AND e.forgotten_at IS NULL
WHERE v.id = %(id)s AND v.standing IN ('current', 'claimed', 'retracted')
"""

RELATION = """
SELECT c.id, c.clauses, {in_force:r}, s.type, s.name, r.label, '', o.type, o.name
FROM {relations} AS r
    JOIN {scope_sets} AS c ON c.id = r.scope_set_id
    JOIN {entities} AS s ON s.id = r.subject_id AND s.forgotten_at IS NULL
    JOIN {entities} AS o ON o.id = r.object_id AND o.forgotten_at IS NULL
WHERE r.id = %(id)s AND r.standing IN ('current', 'claimed', 'retracted')
"""

INSTRUCTION = """
SELECT c.id, c.clauses, i.valid_to IS NULL, NULL::text, NULL::text, '', i.description, NULL::text, NULL::text
FROM {instructions} AS i JOIN {scope_sets} AS c ON c.id = i.scope_set_id
WHERE i.id = %(id)s
"""

UNCERTAINTY = """
SELECT c.id, c.clauses, u.valid_to IS NULL, e.type, e.name, coalesce(u.key, ''), u.about, NULL::text, NULL::text
FROM {uncertainties} AS u
    JOIN {scope_sets} AS c ON c.id = u.scope_set_id
    LEFT JOIN {entities} AS e ON e.id = u.entity_id AND e.forgotten_at IS NULL
WHERE u.id = %(id)s
"""


def held(reader: Reader, sql: str, row_id: UUID) -> HeldFact | None:
    """The thing of that id under one of the statements above, None if the caller sees none."""
    row = reader.ask(sql, {"id": row_id}).fetchone()
    if row is None:
        return None
    scope_set_id, clauses, in_force, kind, name, key, value, object_kind, object_name = row
    return HeldFact(
        scope_set_id=scope_set_id,
        scopes=clauses_of(clauses),
        in_force=in_force,
        owner=(kind, name) if kind else None,
        key=key,
        value=value,
        object=(object_kind, object_name) if object_kind else None,
    )
