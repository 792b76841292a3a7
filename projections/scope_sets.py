"""Scope sets: which clauses of paths a `scope_set_id` stands for."""

import json
from collections.abc import Iterator, Sequence
from uuid import UUID

from memory.events import ScopeSetDefined
from memory.recorded import Recorded
from memory.scopes import Clause, ScopeSet, visible_clauses
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
    """The clauses of every scope set that the caller may see, as far as it may read all of a clause's paths: a row
    that it sees by one clause does not tell it who else may."""
    return {row_id: [list(clause) for clause in shown] for row_id, shown in _shown(reader)}


def all_of(reader: Reader) -> dict[UUID, ScopeSet]:
    """Every scope set that the reader may see, with all of its clauses."""
    return {row.id: clauses_of(row.clauses) for row in reader.rows(TABLE, ALL, {})}


def _shown(reader: Reader) -> Iterator[tuple[UUID, Sequence[Clause]]]:
    for row_id, scopes in all_of(reader).items():
        yield row_id, scopes if reader.patterns is None else visible_clauses(scopes, reader.patterns)


def clauses_of(text: str) -> ScopeSet:
    """The scope set that a row's `clauses` spells."""
    return tuple(tuple(clause) for clause in json.loads(text))
