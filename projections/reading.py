"""The one way to read read models.

SQL names read models in braces: `SELECT v.* FROM {attribute_versions} AS v`. In their place the
reader puts the rows that the caller may see and that are believed at its instant, in the live
generation. `{in_force:v}` is the condition that the version aliased v holds in the world then. No
other code selects from read models; `tests/unit/test_every_read_is_scoped.py` holds that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec
import psycopg
from psycopg.rows import args_row

from memory.log import ROLLBACK, Connection, Cursor
from projections.table import R, Table

T = TypeVar("T")

VISIBLE_ROWS = """(
    SELECT * FROM {table}
    WHERE context_id = %(context_id)s AND generation = {generation}
        AND scope_set_id = ANY(%(scope_set_ids)s) AND {held} AND {known}
)"""

LIVE_GENERATION = "(SELECT generation FROM contexts WHERE context_id = %(context_id)s)"

HELD_NOW = "position_to IS NULL"
HELD_THEN = "position_from <= %(position)s AND (position_to IS NULL OR position_to > %(position)s)"

# What the position implies: words come after their turn. Their order has that in its index, so that of the newest
# words those that came later are passed over without a look at their rows.
TOLD_THEN = " AND turn_position <= %(position)s"

KNOWN_NOW = "known_to IS NULL"
KNOWN_THEN = "known_from <= %(known_at)s AND (known_to IS NULL OR known_to > %(known_at)s)"

# Words are known from when they were said: so it follows, but the order of statements can begin there.
STATEMENTS = frozenset(("attribute_versions", "relations"))
SAID_BY_THEN = " AND said_at <= %(known_at)s"

# What a turn told late says was said early is known from then on: its subjects with it, whenever they
# first came up in the log.
KNOWN_BY_PROVENANCE = """(known_to IS NULL OR known_to > %(known_at)s) AND (known_from <= %(known_at)s
        OR (known_from = {first} AND EXISTS (SELECT 1 FROM {provenance} AS told WHERE told.subject_id = {table}.id)))"""

# Read models whose rows other words than those that made them may prove, and the column with the first time.
PROVEN = {"entities": "created_at", "actions": "said_at", "instructions": "said_at"}

# The setting in which things are said. It is nothing that was said itself, so `asOf` leaves it as it is.
SETTING = frozenset(
    """
    scope_sets scope_nodes configurations principals grants keys sessions extractions attribute_keys erasures revisions
    model_usage
    """.split()
)

IN_FORCE = """{alias}.standing = 'current' AND ({alias}.valid_to IS NULL OR {alias}.valid_to > {moment})
    AND ({alias}.stated_from IS NULL OR {alias}.stated_from <= {moment})"""
WITHIN = """{alias}.standing = 'current'
    AND (%(valid_from)s::timestamptz IS NULL OR {alias}.valid_from >= %(valid_from)s)
    AND (%(valid_until)s::timestamptz IS NULL OR {alias}.valid_to <= %(valid_until)s)"""


BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


@contextmanager
def snapshot(connection: Connection) -> Iterator[None]:
    """One read-only snapshot of everything: the live generation and its rows belong together.

    It is a pipeline: a statement waits for the server only where its rows are fetched.
    """
    try:
        with connection.pipeline():
            connection.execute(BEGIN_READ)
            try:
                yield
            except psycopg.Error:
                raise
            except BaseException:
                connection.execute(ROLLBACK)
                raise
            connection.execute(ROLLBACK)
    except psycopg.Error:
        # A connection whose pipeline failed may hold a half-known state: never pool it again.
        connection.close()
        raise


def recordset(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows of a parameter, for json_to_recordset.

    Of arrays the planner counts the elements, finds it cheaper to plan for just these, and plans at every call. What is
    joined with them is to be looked up one by one (LATERAL, OFFSET 0): of a context whose rows it knows nothing of yet
    it expects a single one, and joins by reading them all.
    """
    return msgspec.json.encode([dict(zip(names, row, strict=True)) for row in rows]).decode()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of one page; `has_more` says whether a further page exists."""

    rows: list[T]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Instant:
    """The point on each of the three clocks at which a read looks; None is now.

    position: what the system held once that event was recorded. known_at: what had been said by then.
    moment: what holds in the world then. valid_from, valid_until: instead of what holds at a moment, the
    versions that began no earlier and ended no later.
    """

    position: int | None = None
    known_at: datetime | None = None
    moment: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    @property
    def is_now(self) -> bool:
        return self == NOW

    @property
    def is_bounded(self) -> bool:
        """Whether it is about what began and ended within bounds."""
        return self.valid_from is not None or self.valid_until is not None


NOW = Instant()


@dataclass(frozen=True)
class Reader:
    """Reads what is known at an instant, as one caller, inside one transaction.

    generation: None for the live one, which each statement then finds itself.
    scope_set_ids: what the caller may see. patterns: that its grants let it read, None for the server itself.
    """

    cursor: Cursor
    context_id: str
    generation: int | None
    scope_set_ids: Sequence[UUID]
    instant: Instant = NOW
    patterns: Sequence[str] | None = None

    @cached_property
    def now(self) -> datetime:
        """The moment of the world at which this read looks, the same one all along."""
        return self.instant.moment or datetime.now(UTC)

    def rows(self, table: Table[R], sql: str, parameters: Mapping[str, Any]) -> list[R]:
        """Rows of `table`'s type. `sql` selects all its columns (`v.*`)."""
        with self.ask_rows(table, sql, parameters) as cursor:
            return cursor.fetchall()

    def ask_rows(self, table: Table[R], sql: str, parameters: Mapping[str, Any]) -> psycopg.Cursor[R]:
        """As `ask`, for rows of `table`'s type."""
        cursor = self.cursor.connection.cursor(row_factory=args_row(table.row), binary=True)
        return cursor.execute(_expanded(sql, self._clocks), self._bound(parameters))

    def page(self, table: Table[R], sql: str, parameters: Mapping[str, Any], *, limit: int) -> Page[R]:
        """One page of `limit` rows; `sql` ends in LIMIT %(limit)s."""
        rows = self.rows(table, sql, {**parameters, "limit": limit + 1})
        return Page(rows[:limit], len(rows) > limit)

    def ask(self, sql: str, parameters: Mapping[str, Any]) -> Cursor:
        """Send a query whose rows are fetched later: in a pipeline, several go out before the first answer."""
        return self.cursor.connection.cursor(binary=True).execute(_expanded(sql, self._clocks), self._bound(parameters))

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Rows as plain tuples, for selections that are no row of a table."""
        return self.ask(sql, parameters).fetchall()

    def _bound(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **{name: _bindable(value) for name, value in parameters.items()},
            "context_id": self.context_id,
            "generation": self.generation,
            "scope_set_ids": self._scope_sets,
            **self._times,
        }

    @cached_property
    def _scope_sets(self) -> str:
        """The ids of the scope sets: written once for all statements."""
        return _array(self.scope_set_ids)

    @cached_property
    def _times(self) -> dict[str, Any]:
        instant = self.instant
        if instant.is_now:
            return {}
        return {name: getattr(instant, name) for name in Instant.__slots__}

    @cached_property
    def _clocks(self) -> "_Clocks":
        instant = self.instant
        return _Clocks(
            held_then=instant.position is not None,
            known_then=instant.known_at is not None,
            moment=instant.moment is not None,
            within=instant.is_bounded,
            live=self.generation is None,
        )


@dataclass(frozen=True, slots=True)
class _Clocks:
    """Which clocks of a read stand elsewhere than now, and whether it finds the live generation itself: the SQL
    depends on no more of a reader."""

    held_then: bool
    known_then: bool
    moment: bool
    within: bool
    live: bool

    def visible_rows(self, table: str) -> str:
        generation = LIVE_GENERATION if self.live else "%(generation)s"
        held, known = self._held(table), self._known(table)
        return VISIBLE_ROWS.format(table=table, generation=generation, held=held, known=known)

    def _held(self, table: str) -> str:
        if not self.held_then:
            return HELD_NOW
        return HELD_THEN + (TOLD_THEN if table in STATEMENTS else "")

    def _known(self, table: str) -> str:
        if not self.known_then or table in SETTING:
            return KNOWN_NOW
        if first := PROVEN.get(table):
            provenance = self.visible_rows("provenance")
            return KNOWN_BY_PROVENANCE.format(table=table, first=first, provenance=provenance)
        return KNOWN_THEN + (SAID_BY_THEN if table in STATEMENTS else "")


@dataclass(frozen=True, slots=True)
class _InForce:
    """`{in_force:v}`: the condition that a version, aliased v, holds at the moment of the read.

    One that is stated to begin later does not yet, and one that ends later still does.
    """

    clocks: _Clocks

    def __format__(self, alias: str) -> str:
        moment = "%(moment)s" if self.clocks.moment else "now()"
        return (WITHIN if self.clocks.within else IN_FORCE).format(alias=alias, moment=moment)


class _Expansions(dict[str, object]):
    """What stands for the braces of SQL: read models' rows, and conditions."""

    def __init__(self, clocks: _Clocks) -> None:
        super().__init__(in_force=_InForce(clocks))
        self._clocks = clocks

    def __missing__(self, table: str) -> str:
        self[table] = rows = self._clocks.visible_rows(table)
        return rows


def _bindable(value: Any) -> Any:
    """Lists of numbers, ids and texts as one text: the library would convert each by itself, and prepare a statement
    anew for numbers of another size."""
    if not isinstance(value, list) or not value:
        return value
    if isinstance(value[0], int | UUID):
        return _array(value)
    return "{" + ",".join(map(_quoted, value)) + "}" if all(type(one) is str for one in value) else value


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _array(values: Sequence[int | UUID]) -> str:
    """The values as Postgres reads an array of them."""
    return "{" + ",".join(map(str, values)) + "}"


_expansions = cache(_Expansions)


@lru_cache(maxsize=4096)
def _expanded(sql: str, clocks: _Clocks) -> bytes:
    return sql.format_map(_expansions(clocks)).encode()
