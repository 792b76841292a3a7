"""The one way to read read models.

SQL names read models in braces: `SELECT v.* FROM {attribute_versions} AS v`. In their place the
reader puts the rows that the caller may see and that hold now, in the live generation.
`{in_force:v}` is the condition that the version aliased v holds in the world now. No other code
selects from read models; `tests/unit/test_every_read_is_scoped.py` holds that.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar
from uuid import UUID

from psycopg.rows import args_row

from memory.log import Connection, Cursor
from projections.table import R, Table

T = TypeVar("T")

VISIBLE_ROWS = """(
    SELECT * FROM {table}
    WHERE context_id = %(context_id)s AND generation = %(generation)s
        AND scope_set_id = ANY(%(scope_set_ids)s) AND position_to IS NULL AND known_to IS NULL
)"""


BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


@contextmanager
def snapshot(connection: Connection) -> Iterator[None]:
    """One read-only snapshot of everything: the live generation and its rows belong together."""
    connection.execute(BEGIN_READ)
    try:
        yield
    finally:
        connection.rollback()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of one page; `has_more` says whether a further page exists."""

    rows: list[T]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads what is known now, as one caller, inside one transaction.

    scope_set_ids: what the caller may see.
    """

    cursor: Cursor
    context_id: str
    generation: int
    scope_set_ids: Sequence[UUID]

    def rows(self, table: Table[R], sql: str, parameters: Mapping[str, Any]) -> list[R]:
        """Rows of `table`'s type. `sql` selects all its columns (`v.*`)."""
        cursor = self.cursor.connection.cursor(row_factory=args_row(table.row), binary=True)
        with cursor:
            return cursor.execute(_expanded(sql), self._bound(parameters)).fetchall()

    def page(self, table: Table[R], sql: str, parameters: Mapping[str, Any], *, limit: int) -> Page[R]:
        """One page of `limit` rows; `sql` ends in LIMIT %(limit)s."""
        rows = self.rows(table, sql, {**parameters, "limit": limit + 1})
        return Page(rows[:limit], len(rows) > limit)

    def ask(self, sql: str, parameters: Mapping[str, Any]) -> Cursor:
        """Send a query whose rows are fetched later: in a pipeline, several go out before the first answer."""
        return self.cursor.connection.cursor(binary=True).execute(_expanded(sql), self._bound(parameters))

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Rows as plain tuples, for selections that are no row of a table."""
        return self.ask(sql, parameters).fetchall()

    def _bound(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **parameters,
            "context_id": self.context_id,
            "generation": self.generation,
            "scope_set_ids": list(self.scope_set_ids),
        }


class _InForce:
    """`{in_force:v}`: the condition that a version, aliased v, holds at the time of the read.

    One that is stated to begin later does not yet, and one that ends later still does.
    """

    def __format__(self, alias: str) -> str:
        return (
            f"{alias}.standing = 'current' AND ({alias}.valid_to IS NULL OR {alias}.valid_to > now())"
            f" AND ({alias}.stated_from IS NULL OR {alias}.stated_from <= now())"
        )


class _VisibleRows(dict[str, object]):
    def __missing__(self, table: str) -> str:
        return VISIBLE_ROWS.format(table=table)


@lru_cache(maxsize=512)
def _expanded(sql: str) -> bytes:
    return sql.format_map(_VisibleRows(in_force=_InForce())).encode()
