"""Scope nodes: which paths are registered, and which are tombstoned."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from memory.events import ScopeRegistered, ScopeTombstoned
from memory.recorded import Recorded
from memory.values import derived_id
from projections.table import Op, Put, Revise, Row, Table, start

_NAMESPACE = UUID("d4f7b7a1-54f8-5b2f-8a83-9f6b6f4f2c10")


class ScopeNodeRow(Row, frozen=True):
    path: str
    display_name: str | None
    description: str | None
    registered_at: datetime
    tombstoned_at: datetime | None


TABLE = Table(
    "scope_nodes",
    ScopeNodeRow,
    columns="""
    path text NOT NULL,
    display_name text,
    description text,
    registered_at timestamptz NOT NULL,
    tombstoned_at timestamptz
    """,
    indexes={"by_path": "(path)"},
    revised=True,
)
HANDLES = (ScopeRegistered, ScopeTombstoned)


def node_id(path: str) -> UUID:
    """The id of a canonical path's row; it stands in no event."""
    return derived_id(_NAMESPACE, "path", path)


def fold(recorded: Recorded) -> Iterator[Op]:
    at = recorded.known_at
    match recorded.event:
        case ScopeRegistered(is_again=True) as event:
            yield Revise(TABLE, node_id(event.path), at, lambda row: _named(replace(row, tombstoned_at=None), event))
        case ScopeRegistered() as event:
            yield Put(
                TABLE,
                ScopeNodeRow(
                    *start(recorded, node_id(event.path)),
                    path=event.path,
                    display_name=event.display_name,
                    description=event.description,
                    registered_at=at,
                    tombstoned_at=None,
                ),
            )
        case ScopeTombstoned(path=path):
            yield Revise(TABLE, node_id(path), at, lambda row: replace(row, tombstoned_at=at))


def _named(row: ScopeNodeRow, event: ScopeRegistered) -> ScopeNodeRow:
    return replace(
        row,
        display_name=event.display_name or row.display_name,
        description=event.description or row.description,
    )
