"""Reads the lines of units: their tails, or all that was ever said about them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.cardinality import line_value
from memory.kinds import borrowed, wider_values
from memory.known import Unit
from memory.line_changes import Tail
from memory.line_events import ATTRIBUTE_EVENTS, RELATION_EVENTS
from memory.log import Cursor
from memory.segments import Said, Segment, Standing, lapse_id
from memory.values import SourceKind, comparable
from projections.reading import Reader, recordset

RANK_OF_TIME = 9  # above all sources: what lapsed has lapsed, whoever said it

SAID_COLUMNS = """v.id, v.said_at, v.turn_position, v.said_offset, v.source_kind, v.rank, v.stated_from,
    v.stated_until, v.ends, v.change, v.repair, v.supersedes, v.said_of, v.joined_at, v.document_id, v.expired_at"""

# The version in force and the words said last, which are often one row.
TAILS = """
SELECT u.owner_id, u.name, u.value, v.in_force, v.version_id, {key}, {value}, {spelt}, {said}
FROM json_to_recordset(%(units)s::json) AS u (owner_id uuid, name text, value text)
CROSS JOIN LATERAL (
    (
        SELECT true AS in_force, l.* FROM {{{table}}} AS l
        WHERE l.{owner} = u.owner_id AND l.{name} = u.name AND l.{unit} = u.value
            AND l.valid_to IS NULL AND l.standing = 'current'
        LIMIT 1
    ) UNION ALL (
        SELECT false AS in_force, b.* FROM {{{table}}} AS b
        WHERE b.{owner} = u.owner_id AND b.{name} = u.name AND b.{unit} = u.value AND b.standing <> 'withdrawn'
        ORDER BY b.said_at DESC, b.turn_position DESC, b.said_offset DESC
        LIMIT 1
    )
) AS v
"""

WHOLE = """
SELECT u.owner_id, u.name, u.value, {key}, {value}, {spelt}, {said}
FROM json_to_recordset(%(units)s::json) AS u (owner_id uuid, name text, value text)
CROSS JOIN LATERAL (
    SELECT * FROM {{{table}}} AS l
    WHERE l.{owner} = u.owner_id AND l.{name} = u.name AND l.{unit} = u.value AND l.standing {counts} 'withdrawn'
    OFFSET 0
) AS v
"""

# What was said of wider values, of those units that are kinds of them.
BORROWED = """
SELECT u.owner_id, u.name, u.value, u.wider, {key}, {value}, {spelt}, {said}
FROM json_to_recordset(%(units)s::json) AS u (owner_id uuid, name text, value text, wider text)
CROSS JOIN LATERAL (
    SELECT * FROM {{{table}}} AS l
    WHERE l.{owner} = u.owner_id AND l.{name} = u.name AND l.{unit} = u.wider
        AND l.ends AND l.standing {counts} 'withdrawn'
    OFFSET 0
) AS v
"""

# An ending is about the kinds of what ended too.
UNITS_OF = """
SELECT v.{owner}, v.{name}, v.{unit} FROM {{{table}}} AS v WHERE v.id = ANY(%(ids)s)
UNION SELECT k.{owner}, k.{name}, k.{unit}
FROM {{{table}}} AS v JOIN {{{table}}} AS k ON k.{owner} = v.{owner} AND k.{name} = v.{name}
    AND right(k.{unit}, length(v.{unit}) + 1) = ' ' || v.{unit}
WHERE v.id = ANY(%(ids)s) AND v.ends AND v.{unit} <> ''
"""

SEGMENTS = """
SELECT v.id, v.standing, v.version_id, v.rank, v.valid_from, v.valid_to, v.supersedes, v.superseded_by, v.end_reason
FROM {{{table}}} AS v WHERE v.id = ANY(%(ids)s)
"""

LIVE = """
SELECT v.id, v.standing, v.version_id, v.rank, v.valid_from, v.valid_to, v.supersedes, v.superseded_by, v.end_reason
FROM {{{table}}} AS v
WHERE ({owns}) AND (v.valid_to IS NULL OR v.valid_to > now()) AND v.standing IN ('current', 'claimed')
ORDER BY v.position_from, v.id
"""


@dataclass(frozen=True, slots=True)
class LineSql:
    """The statements over one kind of line. tails, whole, withdrawn: of many units; with what the latter two borrow.
    live: of one owner, %(id)s. units, segments: of statements, %(ids)s."""

    tails: str
    whole: str
    borrowed: str
    borrowed_withdrawn: str
    live: str
    units: str
    withdrawn: str
    segments: str

    def units_of(self, reader: Reader, statement_ids: Sequence[UUID]) -> list[Unit]:
        """The units that these words are about."""
        found = reader.tuples(self.units, {"ids": list(statement_ids)})
        return [(owner, name, value) for owner, name, value in found]

    def read_segments(self, reader: Reader, statement_ids: Sequence[UUID]) -> dict[UUID, Segment]:
        """What these words amount to now."""
        rows = reader.tuples(self.segments, {"ids": list(statement_ids)})
        return {segment.id: segment for segment in map(_segment, rows)}

    def ask_tails(self, reader: Reader, units: Sequence[Unit]) -> Cursor | None:
        """For `tails_of`."""
        return _ask(reader, self.tails, units) if units else None

    def tails_of(self, asked: Cursor | None) -> dict[Unit, Tail]:
        """The tail of each unit's line; none for a unit that nothing was ever said about."""
        found: dict[Unit, Tail] = {}
        for owner_id, name, unit_value, in_force, version_id, *words in asked or ():
            said = _said(*words, tail=True)
            unit = owner_id, name, unit_value
            tail = found.get(unit, Tail())
            others = [one for one in tail.said if one.id != said.id]
            found[unit] = Tail(
                said=[*others, said],
                in_force=said.id if in_force else tail.in_force,
                last_version=tail.last_version if in_force else version_id,
            )
        return found

    def read_whole(self, reader: Reader, units: Sequence[Unit]) -> dict[Unit, list[Said]]:
        """All that was ever said about each unit and counts."""
        return _joined(_lines(reader, self.whole, units), _borrowed(reader, self.borrowed, units))

    def read_withdrawn(self, reader: Reader, units: Sequence[Unit]) -> dict[Unit, list[Said]]:
        """All that was ever said about each unit and counts no more."""
        withdrawn = _lines(reader, self.withdrawn, units)
        return _joined(withdrawn, _borrowed(reader, self.borrowed_withdrawn, units))

    def read_borrowed(self, reader: Reader, units: Iterable[Unit]) -> dict[Unit, list[Said]]:
        """The endings that each unit borrows from the lines of wider values; none for a unit that borrows none."""
        return _borrowed(reader, self.borrowed, units)


def _borrowed(reader: Reader, sql: str, units: Iterable[Unit]) -> dict[Unit, list[Said]]:
    lines: dict[Unit, list[Said]] = defaultdict(list)
    if asked := [(*unit, wider) for unit in units for wider in wider_values(unit[2])]:
        units_of_both = recordset(("owner_id", "name", "value", "wider"), asked)
        for owner_id, name, kind, of, *words in reader.ask(sql, {"units": units_of_both}):
            endings = [said for said in said_of_row(*words) if said.ends and not said.withdraws]
            lines[owner_id, name, kind] += [borrowed(said, of, kind) for said in endings]
    return lines


def _joined(lines: dict[Unit, list[Said]], others: Mapping[Unit, list[Said]]) -> dict[Unit, list[Said]]:
    for unit, words in others.items():
        lines[unit] += words
    return lines


def _lines(reader: Reader, sql: str, units: Sequence[Unit]) -> dict[Unit, list[Said]]:
    lines: dict[Unit, list[Said]] = defaultdict(list)
    for owner_id, name, unit_value, *words in _ask(reader, sql, units):
        lines[owner_id, name, unit_value] += said_of_row(*words)
    return lines


def _ask(reader: Reader, sql: str, units: Sequence[Unit]) -> Cursor:
    return reader.ask(sql, {"units": recordset(("owner_id", "name", "value"), units)})


def _sql(*, table: str, owns: str, **columns: str) -> LineSql:
    names = {"table": table, "said": SAID_COLUMNS, **columns}
    return LineSql(
        tails=TAILS.format(**names),
        whole=WHOLE.format(counts="<>", **names),
        withdrawn=WHOLE.format(counts="=", **names),
        borrowed=BORROWED.format(counts="<>", **names),
        borrowed_withdrawn=BORROWED.format(counts="=", **names),
        live=LIVE.format(table=table, owns=owns),
        units=UNITS_OF.format(**names),
        segments=SEGMENTS.format(**names),
    )


ATTRIBUTE_LINES = _sql(
    table="attribute_versions",
    owner="entity_id",
    name="line_key",
    unit="unit_value",
    key="v.key",
    value="v.value",
    spelt="NULL",
    owns="v.entity_id = %(id)s",
)
RELATION_LINES = _sql(
    table="relations",
    owner="subject_id",
    name="label",
    unit="unit_object",
    key="''",
    value="v.object_id::text",
    spelt="(SELECT o.name FROM {entities} AS o WHERE o.id = v.object_id)",
    owns="v.subject_id = %(id)s OR v.object_id = %(id)s",
)

# Each kind of line with the events that tell of its changes.
KINDS = ((ATTRIBUTE_LINES, ATTRIBUTE_EVENTS), (RELATION_LINES, RELATION_EVENTS))


def live_segments(reader: Reader, lines: LineSql, owner_id: UUID) -> list[Segment]:
    """What holds, or is claimed, of an entity now."""
    return [_segment(row) for row in reader.tuples(lines.live, {"id": owner_id})]


def _segment(row: Sequence[Any]) -> Segment:
    statement_id, standing, version_id, rank, valid_from, valid_until, supersedes, superseded_by, reason = row
    return Segment(
        id=statement_id,
        standing=Standing(standing),
        version=version_id,
        rank=rank,
        valid_from=valid_from,
        valid_until=valid_until,
        supersedes=supersedes,
        superseded_by=superseded_by,
        reason=reason or "",
    )


def said_of_row(key: str, value: str, spelt: str | None, *columns: Any) -> list[Said]:
    """What a row adds to its line: its words, and their lapse if they lapsed. columns: SAID_COLUMNS."""
    said = _said(key, value, spelt, *columns, tail=False)
    expired_at = columns[-1]
    if expired_at is None:
        return [said]
    _, turn_position, offset = said.place
    lapse = Said(
        id=lapse_id(said.id),
        place=(expired_at, turn_position, offset),
        value=said.value,
        rank=RANK_OF_TIME,
        until=expired_at,
        ends=True,
        lapses=True,
        of=said.of,
    )
    return [said, lapse]


def _said(key: str, value: str, spelt: str | None, *columns: Any, tail: bool) -> Said:
    """A row as words. spelt: None where that is the value. tail: the line comes without its beginning, so a version
    brings its predecessor and the rank of all that supports it."""
    statement_id, said_at, turn_position, offset, source_kind, rank, *stated, of, joined, document, _ = columns
    start, until, ends, change, repair, supersedes = stated
    return Said(
        id=statement_id,
        place=(said_at, turn_position, offset),
        value=line_value(key, comparable(value)),
        rank=rank if tail else SourceKind(source_kind).rank,
        start=start,
        until=until,
        ends=ends,
        change=change,
        repair=repair,
        follows=supersedes if tail else None,
        of=of,
        joined=joined,
        document=document,
        spelt=spelt or value,
    )
