"""The common form of read-model rows, and the operations that a fold asks for.

Every row holds three ranges, each closed at the start and open at the end, None = unbounded:
    position_from/to  what the system held
    known_from/to     when it was known (time of the statement)
    valid_from/to     when it was true in the world
A row is never updated except to close its position_to. Whatever else changes closes the row and
puts others in its place, so any past state is a predicate and no row shows a later event.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from memory.recorded import Recorded

# The DDL below, the folds and this number change together: a new number is a new Postgres schema,
# filled by replay. `tests/unit/test_read_model_version.py` holds the two together.
READ_MODELS_VERSION = 4
READ_MODELS_SCHEMA = f"palimpsest_read_v{READ_MODELS_VERSION}"

COMMON_COLUMNS = """
    context_id text NOT NULL,
    generation integer NOT NULL,
    id uuid NOT NULL,
    position_from bigint NOT NULL,
    position_to bigint,
    known_from timestamptz NOT NULL,
    known_to timestamptz,
    valid_from timestamptz,
    valid_to timestamptz,
    scope_set_id uuid NOT NULL,
"""

COMMON_CONSTRAINTS = """
    PRIMARY KEY (context_id, generation, id, position_from, known_from),
    CHECK (position_to > position_from),
    CHECK (known_to > known_from),
    CHECK (valid_to >= valid_from)
"""


class Row(msgspec.Struct, frozen=True):
    """The common columns, first in every row type; row types add their own in table order."""

    context_id: str
    generation: int
    id: UUID
    position_from: int
    position_to: int | None
    known_from: datetime
    known_to: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    scope_set_id: UUID


Start = tuple[
    str,
    int,
    UUID,
    int,
    int | None,
    datetime,
    datetime | None,
    datetime | None,
    datetime | None,
    UUID,
]

R = TypeVar("R", bound=Row)


def start(
    recorded: Recorded,
    row_id: UUID,
    *,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    scope_set_id: UUID | None = None,
) -> Start:
    """Common columns of a row that `recorded` brings; the projector fills in the generation."""
    scope = scope_set_id or recorded.origin.scope_set_id
    assert scope is not None, "every row belongs to a scope set"
    return (
        recorded.context_id,
        0,
        row_id,
        recorded.position,
        None,
        recorded.known_at,
        None,
        valid_from,
        valid_to,
        scope,
    )


@dataclass(frozen=True)
class Table(Generic[R]):
    """One read model: name, row type, own columns and indexes.

    columns, constraints: SQL after the common ones. indexes: suffix -> SQL after the table name;
    each is made to begin with context_id and generation. revised: whether folds revise its rows. revised_soon:
    most of them, and soon after they are made.
    """

    name: str
    row: type[R]
    columns: str
    constraints: str = ""
    indexes: dict[str, str] = field(default_factory=dict)
    unique_indexes: dict[str, str] = field(default_factory=dict)
    revised: bool = False
    revised_soon: bool = False

    @cached_property
    def fields(self) -> tuple[str, ...]:
        return self.row.__struct_fields__

    @cached_property
    def column_list(self) -> str:
        return ", ".join(self.fields)

    @cached_property
    def types(self) -> list[str]:
        """Postgres type names of the fields, as the DDL gives them: binary COPY must be told them."""
        ddl = next(self.ddl())
        return [re.findall(rf"[,(]\s*{name} (double precision|\w+(?:\[\])?)", ddl)[0] for name in self.fields]

    def ddl(self) -> Iterator[str]:
        constraints = COMMON_CONSTRAINTS + (f",{self.constraints}" if self.constraints else "")
        columns = self.columns.strip().rstrip(",")
        yield f"CREATE TABLE {self.name} ({COMMON_COLUMNS}{columns},{constraints})"
        for suffix, rest in self.indexes.items():
            yield self._index("INDEX", suffix, rest)
        for suffix, rest in self.unique_indexes.items():
            yield self._index("UNIQUE INDEX", suffix, rest)

    def _index(self, kind: str, suffix: str, rest: str) -> str:
        columns = rest.removeprefix("(")
        return f"CREATE {kind} {self.name}_{suffix} ON {self.name} (context_id, generation, {columns}"


class Put(msgspec.Struct, Generic[R], frozen=True):
    """Add the first row of an id."""

    table: Table[R]
    row: R


class Revise(msgspec.Struct, Generic[R], frozen=True):
    """From `known_at` on, the rows of an id look as `change` makes them.

    What was known before `known_at` stays as it was; rows known only before it are not touched.
    `change` gets each row concerned and returns it with other values.
    """

    table: Table[R]
    id: UUID
    known_at: datetime
    change: Callable[[R], R]


class Close(msgspec.Struct, Generic[R], frozen=True):
    """From here on the system holds no row of an id any more; what it held before stays as it was."""

    table: Table[R]
    id: UUID


Op = Put[Any] | Revise[Any] | Close[Any]
Fold = Callable[[Recorded], Iterator[Op]]
