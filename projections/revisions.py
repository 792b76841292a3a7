"""Revisions: turns taken back and corrections undone, by hand, and what each changed, so that it can be undone."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from memory.events import MemoryRevised, Settled
from memory.log import Writing
from memory.ports import Conclusion, RevisableLine, Revision
from memory.recorded import Recorded
from memory.scopes import ScopeSet
from projections import derivations, scope_sets
from projections.lines import KINDS
from projections.reading import Reader
from projections.table import Op, Put, Revise, Row, Table, start


class RevisionRow(Row, frozen=True):
    """See `memory.events.MemoryRevised`. closed, reopened: as JSON. undone_by: the revision that undid this one."""

    what: str
    target: UUID
    withdrawn: list[UUID]
    restored: list[UUID]
    closed: str
    reopened: str
    undone: list[UUID]
    redone: list[UUID]
    hidden: list[UUID]
    shown: list[UUID]
    undone_by: UUID | None


TABLE = Table(
    "revisions",
    RevisionRow,
    revised=True,
    columns="""
    what text NOT NULL,
    target uuid NOT NULL,
    withdrawn uuid[] NOT NULL,
    restored uuid[] NOT NULL,
    closed text NOT NULL,
    reopened text NOT NULL,
    undone uuid[] NOT NULL,
    redone uuid[] NOT NULL,
    hidden uuid[] NOT NULL,
    shown uuid[] NOT NULL,
    undone_by uuid
    """,
)
HANDLES = (MemoryRevised,)

BY_IDS = "SELECT r.* FROM {revisions} AS r WHERE r.id = ANY(%(ids)s)"

CORRECTION = """
SELECT c.scope_set_id, c.new_version_id, c.valid_to IS NULL FROM {corrections} AS c WHERE c.id = %(id)s
"""

OF_VERSION = """
SELECT v.id FROM {attribute_versions} AS v WHERE v.version_id = %(id)s AND v.standing <> 'withdrawn'
"""

CORRECTIONS_BY = """
SELECT c.id FROM {corrections} AS c WHERE c.new_version_id = ANY(%(ids)s) AND c.valid_to IS NULL
"""

# What still holds of some things, and of these what other turns support.
OPEN = """
SELECT 'action', a.id FROM {actions} AS a WHERE a.id = ANY(%(ids)s) AND a.valid_to IS NULL
UNION ALL SELECT 'instruction', i.id FROM {instructions} AS i WHERE i.id = ANY(%(ids)s) AND i.valid_to IS NULL
UNION ALL SELECT 'uncertainty', u.id FROM {uncertainties} AS u WHERE u.id = ANY(%(ids)s) AND u.valid_to IS NULL
UNION ALL SELECT 'entity', e.id FROM {entities} AS e WHERE e.id = ANY(%(ids)s) AND e.forgotten_at IS NULL
"""
ELSEWHERE = """
SELECT p.subject_id FROM {provenance} AS p WHERE p.subject_id = ANY(%(ids)s) AND p.turn_id <> ALL(%(turn_ids)s)
UNION ALL SELECT v.entity_id FROM {attribute_versions} AS v
    WHERE v.entity_id = ANY(%(ids)s) AND v.turn_id <> ALL(%(turn_ids)s) AND v.standing <> 'withdrawn'
"""
PASSAGES = """
SELECT p.id, p.retracted_at IS NULL FROM {passages} AS p
WHERE p.turn_id = %(turn_id)s AND p.kind = 'turn' ORDER BY p.number
"""
NAMES_TAKEN = """
SELECT o.name FROM {entities} AS e JOIN {entities} AS o
    ON o.scope_set_id = e.scope_set_id AND o.type = e.type AND o.name_key = e.name_key AND o.id <> e.id
WHERE e.id = ANY(%(ids)s) AND o.forgotten_at IS NULL
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case MemoryRevised() as event:
            yield Put(
                TABLE,
                RevisionRow(
                    *start(recorded, event.revision_id),
                    what=event.what,
                    target=event.target,
                    withdrawn=list(event.withdrawn),
                    restored=list(event.restored),
                    closed=msgspec.json.encode(event.closed).decode(),
                    reopened=msgspec.json.encode(event.reopened).decode(),
                    undone=list(event.undone),
                    redone=list(event.redone),
                    hidden=list(event.hidden),
                    shown=list(event.shown),
                    undone_by=None,
                ),
            )
            if event.what == "revision_undone":
                by = event.revision_id
                yield Revise(TABLE, event.target, recorded.known_at, lambda row: replace(row, undone_by=by))


class ReadModelRevising:
    """`memory.ports.RevisableReadModels` over the read models."""

    def revisions(
        self, writing: Writing, revision_ids: Sequence[UUID], scope_set_ids: Sequence[UUID]
    ) -> dict[UUID, Revision]:
        rows = _reader(writing, scope_set_ids).rows(TABLE, BY_IDS, {"ids": list(revision_ids)})
        return {row.id: _revision(row) for row in rows}

    def correction(
        self, writing: Writing, correction_id: UUID, visible: Sequence[UUID]
    ) -> tuple[UUID, UUID, bool] | None:
        rows = _reader(writing, visible).tuples(CORRECTION, {"id": correction_id})
        return (rows[0][0], rows[0][1], rows[0][2]) if rows else None

    def scopes(self, writing: Writing, scope_set_id: UUID) -> ScopeSet:
        clauses = scope_sets.clauses(_reader(writing, [scope_set_id]))[scope_set_id]
        return tuple(tuple(clause) for clause in clauses)

    def words_of_version(self, writing: Writing, scope_set_id: UUID, version_id: UUID) -> list[UUID]:
        return _ids(_reader(writing, [scope_set_id]), OF_VERSION, id=version_id)

    def corrections_by(self, writing: Writing, scope_set_id: UUID, version_ids: Sequence[UUID]) -> list[UUID]:
        return _ids(_reader(writing, [scope_set_id]), CORRECTIONS_BY, ids=list(version_ids))

    def holding(self, writing: Writing, scope_set_id: UUID, ids: Sequence[UUID]) -> list[tuple[str, UUID]]:
        rows = _reader(writing, [scope_set_id]).tuples(OPEN, {"ids": list(ids)})
        return [(kind, thing) for kind, thing in rows]

    def supported_elsewhere(
        self, writing: Writing, scope_set_id: UUID, ids: Sequence[UUID], turn_ids: Sequence[UUID]
    ) -> set[UUID]:
        return set(_ids(_reader(writing, [scope_set_id]), ELSEWHERE, ids=list(ids), turn_ids=list(turn_ids)))

    def concluded_from(
        self, writing: Writing, scope_set_ids: Sequence[UUID], source_ids: Sequence[UUID]
    ) -> list[Conclusion]:
        return derivations.conclusions(_reader(writing, scope_set_ids), source_ids)

    def passages_of(self, writing: Writing, scope_set_id: UUID, turn_id: UUID) -> list[tuple[UUID, bool]]:
        rows = _reader(writing, [scope_set_id]).tuples(PASSAGES, {"turn_id": turn_id})
        return [(passage_id, is_found) for passage_id, is_found in rows]

    def names_taken(self, writing: Writing, scope_set_id: UUID, entity_ids: Sequence[UUID]) -> bool:
        return bool(_reader(writing, [scope_set_id]).tuples(NAMES_TAKEN, {"ids": list(entity_ids)}))

    def lines_of(self, writing: Writing, scope_set_id: UUID, statement_ids: Sequence[UUID]) -> list[RevisableLine]:
        reader = _reader(writing, [scope_set_id])
        found: list[RevisableLine] = []
        for sql, event_of in KINDS:
            units = sorted(sql.units_of(reader, statement_ids))
            if not units:
                continue
            live, apart = sql.read_whole(reader, units), sql.read_withdrawn(reader, units)
            segments = sql.read_segments(reader, statement_ids)
            found += [RevisableLine(event_of, live.get(unit, []), apart.get(unit, []), segments) for unit in units]
        return found


def _revision(row: RevisionRow) -> Revision:
    settled = msgspec.json.Decoder(tuple[Settled, ...])
    return Revision(
        scope_set_id=row.scope_set_id,
        withdrawn=row.withdrawn,
        restored=row.restored,
        closed=settled.decode(row.closed),
        reopened=settled.decode(row.reopened),
        undone=row.undone,
        redone=row.redone,
        hidden=row.hidden,
        shown=row.shown,
        is_undone=row.undone_by is not None,
    )


def _reader(writing: Writing, scope_set_ids: Sequence[UUID]) -> Reader:
    return Reader(writing.cursor, writing.context_id, writing.generation, list(scope_set_ids))


def _ids(reader: Reader, sql: str, **parameters: object) -> list[UUID]:
    return [row_id for (row_id,) in reader.tuples(sql, parameters)]
