"""Folds recorded events into read-model rows, for one append and for a rebuild alike.

Folds say what to put and what to revise; a `Folding` works it out in memory against the rows that
are open now, and gives closes and new rows to write. How events are cut into batches, and how long
rows are held before they are written, makes no difference to the rows.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from memory.log import Cursor
from memory.recorded import Recorded
from projections.read_models import READ_MODELS, folds_of
from projections.table import READ_MODELS_VERSION, Close, Op, Put, Revise, Table

Placed = tuple[int, Op]  # an operation, and the position of the event that asks for it
RowKey = tuple[UUID, int, datetime]
Missing = dict[str, tuple[Table[Any], set[UUID]]]

_encode = msgspec.json.Encoder().encode

SELECT_OPEN = """
SELECT ctid::text, {columns} FROM {table}
WHERE context_id = %(context_id)s AND generation = %(generation)s AND id = ANY(%(ids)s) AND position_to IS NULL
"""

# Found by their place: of a fresh generation the planner knows nothing and may take any index. Rows stay in their
# place from being loaded until the transaction ends, as all who move them wait for its locks.
CLOSE_ROWS = """
UPDATE {table} AS t SET position_to = c.position_to
FROM unnest(%(places)s::tid[], %(tos)s::bigint[]) AS c (place, position_to)
WHERE t.ctid = c.place
"""

# One statement for any number of rows, always of the same text and type, so that it is prepared once.
INSERT_ROWS = """
INSERT INTO {table} ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::{table}, %(rows)s::json)
"""


@dataclass
class _TableState:
    """What a folding holds of one table. `open`: rows with no position_to, least recently touched ids first;
    `places`: where those of them are that the database holds."""

    open: dict[UUID, list[Any]] = field(default_factory=dict)
    places: dict[RowKey, str] = field(default_factory=dict)
    finished: list[Any] = field(default_factory=list)
    closes: list[tuple[str, int]] = field(default_factory=list)

    def close(self, row: Any, position: int) -> None:
        if row.position_from == position:
            return  # made and replaced by one event: never held
        if self.places and (place := self.places.pop(_key(row), None)):
            self.closes.append((place, position))
        else:
            self.finished.append(replace(row, position_to=position))

    def take_rows(self, *, held_max: int) -> list[Any]:
        """New rows to write, all but the open ones of the `held_max` ids touched last."""
        rows, self.finished = self.finished, []
        opened = list(chain.from_iterable(self._taken(held_max)))
        if self.places:
            opened = [row for row in opened if self.places.pop(_key(row), None) is None]
        return rows + opened

    def _taken(self, held_max: int) -> Iterable[list[Any]]:
        if not held_max:
            taken, self.open = self.open, {}
            return taken.values()
        return [self.open.pop(row_id) for row_id in list(islice(self.open, max(0, len(self.open) - held_max)))]

    def take_closes(self) -> dict[str, list[Any]] | None:
        """Parameters of CLOSE_ROWS, None if no row is closed."""
        if not self.closes:
            return None
        places, tos = (list(column) for column in zip(*self.closes, strict=True))
        self.closes = []
        return {"places": places, "tos": tos}


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be written, in this order. closes: parameters of CLOSE_ROWS by table. rows: new ones, in the
    order of READ_MODELS."""

    closes: Mapping[str, dict[str, list[Any]]]
    rows: Sequence[tuple[Table[Any], list[Any]]]

    def write_closes(self, cursor: Cursor) -> None:
        for name, parameters in self.closes.items():
            cursor.execute(CLOSE_ROWS.format(table=name).encode(), parameters)

    def insert_rows(self, cursor: Cursor) -> None:
        for table, rows in self.rows:
            statement = INSERT_ROWS.format(table=table.name, columns=table.column_list).encode()
            cursor.execute(statement, {"rows": _encode(rows).decode()})


class Folding:
    """Folds consecutive events of one context into the rows of one generation, inside one transaction."""

    def __init__(self, context_id: str, generation: int) -> None:
        self.context_id = context_id
        self.generation = generation
        self._states: dict[str, _TableState] = defaultdict(_TableState)

    def missing(self, ops: Sequence[Placed]) -> Missing:
        """The ids that the operations revise, and whose open rows are neither held nor put by them."""
        missing: Missing = {}
        for _, op in ops:
            if not isinstance(op, Put) and op.id not in self._states[op.table.name].open:
                assert op.table.revised, f"{op.table.name} is revised"
                missing.setdefault(op.table.name, (op.table, set()))[1].add(op.id)
        if missing:
            for _, op in ops:
                if isinstance(op, Put) and op.table.name in missing:
                    missing[op.table.name][1].discard(op.row.id)
        return {name: (table, ids) for name, (table, ids) in missing.items() if ids}

    def load(self, cursor: Cursor, missing: Missing) -> None:
        """Fetch the open rows of these ids. All that was taken before must be written."""
        asked = []
        for name, (table, ids) in missing.items():
            statement = SELECT_OPEN.format(columns=table.column_list, table=name).encode()
            parameters = {"context_id": self.context_id, "generation": self.generation, "ids": list(ids)}
            asked.append((table, cursor.connection.cursor(binary=True).execute(statement, parameters)))
        for table, found in asked:
            state = self._states[table.name]
            for place, *columns in found:
                row = table.row(*columns)
                state.open.setdefault(row.id, []).append(row)
                state.places[_key(row)] = place

    def apply(self, ops: Iterable[Placed]) -> None:
        """Work out closes and new rows in memory."""
        for position, op in ops:
            state = self._states[op.table.name]
            if isinstance(op, Put):
                row = replace(op.row, generation=self.generation)
                if op.table.revised:
                    state.open.setdefault(row.id, []).append(row)
                else:
                    state.finished.append(row)
            elif isinstance(op, Close):
                for row in state.open.pop(op.id, ()):
                    state.close(row, position)
            else:
                _revise(state, op, position)

    def take(self, *, held_max: int = 0) -> Changes:
        """What is to be written now. held_max: of each table that is revised soon, the open rows of so many ids
        are held back, as whatever replaces them saves writing them twice."""
        closes = {name: closed for name, state in self._states.items() if (closed := state.take_closes())}
        rows: list[tuple[Table[Any], list[Any]]] = []
        for table in READ_MODELS:
            state = self._states.get(table.name)
            if state and (taken := state.take_rows(held_max=held_max if table.revised_soon else 0)):
                rows.append((table, taken))
        return Changes(closes, rows)


class ReadModelProjector:
    """`memory.log.Projector` over all read models."""

    version = READ_MODELS_VERSION

    def project(self, cursor: Cursor, context_id: str, generation: int, recorded: Sequence[Recorded]) -> None:
        """Fold one append. Runs inside the append's transaction."""
        folding = Folding(context_id, generation)
        ops = ops_of(recorded)
        folding.load(cursor, folding.missing(ops))
        folding.apply(ops)
        changes = folding.take()
        changes.write_closes(cursor)
        changes.insert_rows(cursor)


def id_of(op: Op) -> UUID:
    """The id whose rows it concerns."""
    return op.row.id if isinstance(op, Put) else op.id


def ops_of(recorded: Iterable[Recorded]) -> list[Placed]:
    """What events do to all read models, in order; nothing for an erased one."""
    return [
        (one.position, op)
        for one in recorded
        if one.event is not None
        for fold in folds_of(type(one.event))
        for op in fold(one)
    ]


def _key(row: Any) -> RowKey:
    return row.id, row.position_from, row.known_from


def _revise(state: _TableState, op: Revise[Any], position: int) -> None:
    """Replace the open rows of op.id from op.known_at on; see `projections.table.Revise`."""
    rows: list[Any] = []
    for row in state.open.pop(op.id, ()):
        if row.known_to is not None and row.known_to <= op.known_at:
            rows.append(row)
            continue
        state.close(row, position)
        if row.known_from < op.known_at:
            rows.append(replace(row, position_from=position, known_to=op.known_at))
            fresh = replace(row, position_from=position, known_from=op.known_at)
        else:
            fresh = replace(row, position_from=position)
        rows.append(op.change(fresh))
    state.open[op.id] = rows
