"""Derivations: what was concluded or quoted from rows of memory, by the turn that says so.

A turn whose citations name its evidence (a reply, or what a model concluded) derives from those rows: when one
of them is erased, the turn goes too, and a conclusion holds no longer than what it rests on.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

from memory.events import TurnRecorded
from memory.ports import Conclusion
from memory.recorded import Recorded
from memory.values import SourceKind, derived_id
from projections.reading import Reader
from projections.table import Op, Put, Row, Table, start

CONCLUDED = tuple(kind.value for kind in (SourceKind.REFLECT, SourceKind.CONSOLIDATE, SourceKind.ELABORATE))


class DerivationRow(Row, frozen=True):
    """source_id: of a version, an action or a passage. turn_id: of what derives from it."""

    source_id: UUID
    turn_id: UUID


TABLE = Table(
    "derivations",
    DerivationRow,
    columns="source_id uuid NOT NULL, turn_id uuid NOT NULL",
    indexes={"of_source": "(source_id)"},
)
HANDLES = (TurnRecorded,)

TURNS = "SELECT DISTINCT d.turn_id FROM {derivations} AS d WHERE d.source_id = ANY(%(ids)s)"

CONCLUSIONS = """
SELECT 'attribute', v.id, v.scope_set_id, v.turn_id
FROM {derivations} AS d JOIN {attribute_versions} AS v ON v.turn_id = d.turn_id
WHERE d.source_id = ANY(%(ids)s) AND v.source_kind = ANY(%(kinds)s) AND v.standing <> 'withdrawn'
UNION
SELECT 'relation', r.id, r.scope_set_id, r.turn_id
FROM {derivations} AS d JOIN {relations} AS r ON r.turn_id = d.turn_id
WHERE d.source_id = ANY(%(ids)s) AND r.source_kind = ANY(%(kinds)s) AND r.standing <> 'withdrawn'
ORDER BY 1, 2
"""


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case TurnRecorded(turn_id=turn_id, citations=citations):
            for source_id in dict.fromkeys(one.id for one in citations):
                row_id = derived_id(turn_id, "derives", str(source_id))
                yield Put(TABLE, DerivationRow(*start(recorded, row_id), source_id=source_id, turn_id=turn_id))


def turns(reader: Reader, source_ids: Sequence[UUID]) -> list[UUID]:
    """The turns that quote or conclude from any of these rows."""
    return [turn_id for (turn_id,) in reader.tuples(TURNS, {"ids": list(source_ids)})]


def conclusions(reader: Reader, source_ids: Sequence[UUID]) -> list[Conclusion]:
    """What models concluded from any of these rows."""
    rows = reader.tuples(CONCLUSIONS, {"ids": list(source_ids), "kinds": list(CONCLUDED)})
    return [Conclusion(*row) for row in rows]


def conclusions_in_turn(reader: Reader, source_ids: Sequence[UUID]) -> list[Conclusion]:
    """What models concluded from any of these rows, and from what was concluded from them."""
    found: dict[UUID, Conclusion] = {}
    fresh = list(source_ids)
    while fresh:
        told = conclusions(reader, fresh)
        fresh = [one.id for one in told if one.id not in found]
        found |= {one.id: one for one in told}
    return list(found.values())
