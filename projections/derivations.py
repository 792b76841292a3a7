"""Derivations: what was concluded or quoted from rows of memory, by the turn that says so.

A turn whose citations name its evidence (a reply, or what a model concluded) derives from those rows: when one
of them is erased, the turn goes too, and a conclusion holds no longer than what it rests on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.events import TurnRecorded
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
SELECT 'attribute', v.id FROM {derivations} AS d JOIN {attribute_versions} AS v ON v.turn_id = d.turn_id
WHERE d.source_id = ANY(%(ids)s) AND v.source_kind = ANY(%(kinds)s) AND v.standing <> 'withdrawn'
UNION
SELECT 'relation', r.id FROM {derivations} AS d JOIN {relations} AS r ON r.turn_id = d.turn_id
WHERE d.source_id = ANY(%(ids)s) AND r.source_kind = ANY(%(kinds)s) AND r.standing <> 'withdrawn'
ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Words that a model concluded. kind: attribute or relation."""

    kind: str
    id: UUID


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
    """What models concluded from any of these rows, and from what was concluded from them."""
    found: dict[UUID, Conclusion] = {}
    fresh = list(source_ids)
    while fresh:
        rows = reader.tuples(CONCLUSIONS, {"ids": fresh, "kinds": list(CONCLUDED)})
        fresh = [row_id for _, row_id in rows if row_id not in found]
        found |= {row_id: Conclusion(kind, row_id) for kind, row_id in rows}
    return list(found.values())
