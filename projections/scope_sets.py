"""Scope sets: which clauses of paths a `scope_set_id` stands for."""

import json
from collections.abc import Iterator
from uuid import UUID

from memory.events import ScopeSetDefined
from memory.recorded import Recorded
from memory.scopes import ScopeSet
from projections.reading import Reader
from projections.table import Op, Put, Row, Table, start


class ScopeSetRow(Row, frozen=True):
    clauses: str


TABLE = Table("scope_sets", ScopeSetRow, columns="clauses text NOT NULL", indexes={"by_position": "(position_from)"})
HANDLES = (ScopeSetDefined,)


ALL = "SELECT s.* FROM {scope_sets} AS s"


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case ScopeSetDefined(scope_set_id=scope_set_id, clauses=clauses):
            row = start(recorded, scope_set_id, scope_set_id=scope_set_id)
            yield Put(TABLE, ScopeSetRow(*row, clauses=json.dumps(clauses)))


def clauses(reader: Reader) -> dict[UUID, list[list[str]]]:
    """The clauses of every scope set that the caller may see."""
    return {row.id: json.loads(row.clauses) for row in reader.rows(TABLE, ALL, {})}


def all_of(reader: Reader) -> dict[UUID, ScopeSet]:
    """Every scope set that the reader may see."""
    return {row.id: clauses_of(row.clauses) for row in reader.rows(TABLE, ALL, {})}


def clauses_of(text: str) -> ScopeSet:
    """The scope set that a row's `clauses` spells."""
    return tuple(tuple(clause) for clause in json.loads(text))
