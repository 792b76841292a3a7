"""Folds recorded events into read-model rows, for one append and for a rebuild alike.

Folds say what to put and what to revise; a `Batch` works it out in memory against the rows that
are open now, then writes closes and new rows. How events are cut into batches makes no difference
to the rows.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec.structs import astuple, replace
from psycopg.rows import args_row

from memory.log import Cursor
from memory.recorded import Recorded
from projections.read_models import READ_MODELS, folds_of
from projections.table import READ_MODELS_VERSION, Close, Op, Put, Revise, Table

RowKey = tuple[UUID, int, datetime]

SELECT_OPEN = """
SELECT {columns} FROM {table}
WHERE context_id = %(context_id)s AND generation = %(generation)s AND id = ANY(%(ids)s) AND position_to IS NULL
"""

# Each row is found by its key: a plain join hashes the whole generation, whose size the planner does not know.
CLOSE_ROWS = """
UPDATE {table} AS t SET position_to = s.position_to
FROM (
    SELECT found.place, c.position_to
    FROM unnest(%(ids)s::uuid[], %(froms)s::bigint[], %(knowns)s::timestamptz[], %(tos)s::bigint[])
        AS c (id, position_from, known_from, position_to)
    CROSS JOIN LATERAL (
        SELECT r.ctid AS place FROM {table} AS r
        WHERE r.context_id = %(context_id)s AND r.generation = %(generation)s
            AND r.id = c.id AND r.position_from = c.position_from AND r.known_from = c.known_from
        OFFSET 0
    ) AS found
) AS s
WHERE t.ctid = s.place
"""

INSERT_ROW = "INSERT INTO {table} ({columns}) VALUES ({placeholders})"
COPY_ROWS = "COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)"


@dataclass
class _TableChanges:
    """What a batch does to one table. `open`: rows with no position_to, of the ids it touches."""

    open: dict[UUID, list[Any]] = field(default_factory=dict)
    stored: set[RowKey] = field(default_factory=set)
    finished: list[Any] = field(default_factory=list)
    closes: list[tuple[UUID, int, datetime, int]] = field(default_factory=list)


class Batch:
    """Consecutive events of one context, folded together."""

    def __init__(
        self,
        context_id: str,
        generation: int,
        recorded: Sequence[Recorded],
        only: Mapping[str, Set[UUID]] | None = None,
    ) -> None:
        """only: the ids, by table, that are folded; all if None."""
        self.context_id = context_id
        self.generation = generation
        self._ops = [
            (one.position, op)
            for one in recorded
            for op in ops_of(one)
            if only is None or id_of(op) in only.get(op.table.name, ())
        ]
        self._changes: dict[str, _TableChanges] = defaultdict(_TableChanges)

    def load(self, cursor: Cursor) -> None:
        """Fetch the open rows that the batch will revise and does not itself put."""
        wanted: dict[str, set[UUID]] = defaultdict(set)
        tables: dict[str, Table[Any]] = {}
        put: set[tuple[str, UUID]] = set()
        for _, op in self._ops:
            if isinstance(op, Put):
                put.add((op.table.name, op.row.id))
            elif (op.table.name, op.id) not in put:
                assert op.table.revised, f"{op.table.name} is revised, so it needs its index"
                wanted[op.table.name].add(op.id)
                tables[op.table.name] = op.table
        for name, ids in wanted.items():
            table = tables[name]
            changes = self._changes[name]
            with cursor.connection.cursor(row_factory=args_row(table.row), binary=True) as rows:
                rows.execute(
                    SELECT_OPEN.format(columns=table.column_list, table=name).encode(),
                    {"context_id": self.context_id, "generation": self.generation, "ids": list(ids)},
                )
                for row in rows:
                    changes.open.setdefault(row.id, []).append(row)
                    changes.stored.add(_key(row))

    def fold(self) -> None:
        """Work out closes and new rows in memory."""
        for position, op in self._ops:
            changes = self._changes[op.table.name]
            if isinstance(op, Put):
                changes.open.setdefault(op.row.id, []).append(replace(op.row, generation=self.generation))
            elif isinstance(op, Close):
                for row in changes.open.pop(op.id, ()):
                    _close(changes, row, position)
            else:
                _revise(changes, op, position)

    def closes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """(table, parameters of CLOSE_ROWS) for each table with rows to close."""
        for name, changes in self._changes.items():
            if changes.closes:
                ids, froms, knowns, tos = (list(column) for column in zip(*changes.closes, strict=True))
                yield (
                    name,
                    {
                        "context_id": self.context_id,
                        "generation": self.generation,
                        "ids": ids,
                        "froms": froms,
                        "knowns": knowns,
                        "tos": tos,
                    },
                )

    def new_rows(self) -> Iterator[tuple[Table[Any], list[Any]]]:
        """Rows to insert, table by table in the order of READ_MODELS."""
        for table in READ_MODELS:
            changes = self._changes.get(table.name)
            if changes is None:
                continue
            kept = [row for rows in changes.open.values() for row in rows if _key(row) not in changes.stored]
            if changes.finished or kept:
                yield table, changes.finished + kept


class ReadModelProjector:
    """`memory.log.Projector` over all read models."""

    version = READ_MODELS_VERSION

    def project(self, cursor: Cursor, context_id: str, generation: int, recorded: Sequence[Recorded]) -> None:
        """Fold one append. Runs inside the append's transaction."""
        batch = Batch(context_id, generation, recorded)
        batch.load(cursor)
        batch.fold()
        for name, parameters in batch.closes():
            cursor.execute(CLOSE_ROWS.format(table=name).encode(), parameters)
        for table, rows in batch.new_rows():
            cursor.executemany(insert_statement(table), [astuple(row) for row in rows])


def insert_statement(table: Table[Any]) -> bytes:
    placeholders = ", ".join(["%s"] * len(table.fields))
    return INSERT_ROW.format(table=table.name, columns=table.column_list, placeholders=placeholders).encode()


def id_of(op: Op) -> UUID:
    """The id whose rows it concerns."""
    return op.row.id if isinstance(op, Put) else op.id


def ops_of(recorded: Recorded) -> Iterator[Op]:
    """What an event does to all read models; nothing if it was erased."""
    if recorded.event is None:
        return
    for fold in folds_of(type(recorded.event)):
        yield from fold(recorded)


def _key(row: Any) -> RowKey:
    return row.id, row.position_from, row.known_from


def _revise(changes: _TableChanges, op: Revise[Any], position: int) -> None:
    """Replace the open rows of op.id from op.known_at on; see `projections.table.Revise`."""
    rows: list[Any] = []
    for row in changes.open.get(op.id, ()):
        if row.known_to is not None and row.known_to <= op.known_at:
            rows.append(row)
            continue
        _close(changes, row, position)
        fresh = replace(row, position_from=position)
        if row.known_from < op.known_at:
            rows.append(replace(fresh, known_to=op.known_at))
            fresh = replace(fresh, known_from=op.known_at)
        rows.append(op.change(fresh))
    changes.open[op.id] = rows


def _close(changes: _TableChanges, row: Any, position: int) -> None:
    if row.position_from == position:
        return  # made and replaced by one event: never held
    if _key(row) in changes.stored:
        changes.closes.append((row.id, row.position_from, row.known_from, position))
    else:
        changes.finished.append(replace(row, position_to=position))
