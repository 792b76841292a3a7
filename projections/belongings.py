"""All that hangs on entities which a turn may merge, separate or name: loaded whole, for such turns only."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memory.doubts import Doubt
from memory.kinds import with_borrowed
from memory.known import Belonging, Known, KnownEntity, Unit
from memory.segments import Said, Standing
from projections.lines import SAID_COLUMNS, said_of_row
from projections.reading import Reader

NAMES = """
SELECT n.id, n.stands_for, n.type, n.name_key, c.id, c.type, c.name, c.name_key
FROM {entities} AS n JOIN {entities} AS c ON c.id = n.canonical_id
WHERE n.canonical_id = ANY(%(ids)s) AND n.canonical_id <> n.id AND n.forgotten_at IS NULL
"""

ATTRIBUTES = f"""
SELECT v.entity_id, v.line_key, v.unit_value, v.said_of, NULL::uuid, v.session_id, v.standing, v.key, v.value, NULL,
    {SAID_COLUMNS}
FROM {{attribute_versions}} AS v
WHERE v.entity_id = ANY(%(ids)s)
"""

# Whole lines: an object that changes its name meets the other objects of the same line.
RELATIONS = f"""
SELECT v.subject_id, v.label, v.unit_object, v.said_of, v.said_object_id, v.session_id, v.standing, '',
    v.object_id::text, o.name, {SAID_COLUMNS}
FROM {{relations}} AS v JOIN (
    SELECT DISTINCT r.subject_id, r.label, r.unit_object FROM {{relations}} AS r
    WHERE r.subject_id = ANY(%(ids)s) OR r.object_id = ANY(%(ids)s)
) AS u ON v.subject_id = u.subject_id AND v.label = u.label AND v.unit_object = u.unit_object
    LEFT JOIN {{entities}} AS o ON o.id = v.object_id
"""

ACTIONS = """
SELECT a.id, a.actor_id, a.said_of, a.session_id FROM {actions} AS a
WHERE a.actor_id = ANY(%(ids)s)
"""

UNCERTAINTIES = """
SELECT u.id, u.entity_id, u.said_of, u.session_id, u.key, u.about, u.reason, u.said_at, u.valid_to IS NULL
FROM {uncertainties} AS u
WHERE u.entity_id = ANY(%(ids)s)
"""

CORRECTIONS = """
SELECT c.old_version_id, c.new_version_id, c.id
FROM {corrections} AS c JOIN {attribute_versions} AS v ON v.id = c.new_version_id
WHERE v.entity_id = ANY(%(ids)s) AND c.valid_to IS NULL
"""


def load(known: Known, own: Reader, entity_ids: Sequence[UUID], session_id: UUID) -> None:
    """Everything of `known.belongings`, and the whole lines of these entities and the doubts about them."""
    ids = {"ids": list(entity_ids)}
    belongings = known.belongings
    names = own.ask(NAMES, ids)
    attributes, relations = own.ask(ATTRIBUTES, ids), own.ask(RELATIONS, ids)
    actions, uncertainties = own.ask(ACTIONS, ids), own.ask(UNCERTAINTIES, ids)
    corrections = own.ask(CORRECTIONS, ids)
    for name_id, stands_for, kind, key, *canonical in names.fetchall():
        belongings.stands_for[name_id] = stands_for
        known.name_ids[kind, key] = name_id
        known.entities.setdefault((kind, key), KnownEntity(*canonical))
    _lines(known, attributes.fetchall(), session_id, of_attributes=True)
    _lines(known, relations.fetchall(), session_id, of_attributes=False)
    for action_id, actor_id, said_of, session in actions.fetchall():
        belongings.actions.append(Belonging(action_id, actor_id, said_of))
        if session == session_id:
            belongings.in_session.add(action_id)
    for uncertainty_id, entity_id, said_of, session, key, about, reason, said_at, is_open in uncertainties.fetchall():
        belongings.uncertainties.append(Belonging(uncertainty_id, entity_id, said_of))
        if session == session_id:
            belongings.in_session.add(uncertainty_id)
        if is_open:
            known.note_flag(entity_id, about, reason)
        if is_open and key is not None:
            doubt = Doubt(uncertainty_id, about, reason, said_at)
            known.doubts.setdefault((entity_id, key), []).append(doubt)
    belongings.corrections = {(old, new): correction_id for old, new, correction_id in corrections.fetchall()}


def _lines(known: Known, rows: Sequence[tuple[Any, ...]], session_id: UUID, *, of_attributes: bool) -> None:
    """Put the lines in place of what is known of them so far."""
    lines = known.attributes if of_attributes else known.relations
    held = known.belongings
    withdrawn = held.withdrawn_attributes if of_attributes else held.withdrawn_relations
    fresh: dict[Unit, list[Said]] = {}
    for owner_id, name, unit_value, said_of, said_object_id, session, standing, *words in rows:
        place = withdrawn if standing == Standing.WITHDRAWN else fresh
        for said in said_of_row(*words):
            place.setdefault((owner_id, name, unit_value), []).append(said)
            held.said_of[said.id] = (said_of, said_object_id)
            if session == session_id:
                held.in_session.add(said.id)
    lines.update(with_borrowed(fresh))
