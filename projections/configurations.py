"""The configuration of a context, as its operator set it."""

from collections.abc import Iterator
from uuid import UUID

from msgspec.structs import replace

from memory.events import ContextConfigured
from memory.recorded import Recorded
from projections.table import Op, Put, Revise, Row, Table, start

CONFIGURATION = UUID("6c0f5d35-6f1c-5ad4-9d0a-0f2a9a1b7e44")  # the one row of a context


class ConfigurationRow(Row, frozen=True):
    """config: JSON text."""

    config: str
    namespace: str | None
    database: str | None
    description: str | None
    enforcement_blocked: bool


TABLE = Table(
    "configurations",
    ConfigurationRow,
    columns="""
    config text NOT NULL,
    namespace text,
    database text,
    description text,
    enforcement_blocked boolean NOT NULL
    """,
    revised=True,
)
HANDLES = (ContextConfigured,)


def fold(recorded: Recorded) -> Iterator[Op]:
    match recorded.event:
        case ContextConfigured(is_first=True) as event:
            yield Put(
                TABLE,
                ConfigurationRow(
                    *start(recorded, CONFIGURATION),
                    config=event.config,
                    namespace=event.namespace,
                    database=event.database,
                    description=event.description,
                    enforcement_blocked=event.enforcement_blocked,
                ),
            )
        case ContextConfigured() as event:
            yield Revise(TABLE, CONFIGURATION, recorded.known_at, lambda row: _changed(row, event))


def _changed(row: ConfigurationRow, event: ContextConfigured) -> ConfigurationRow:
    return replace(
        row,
        config=event.config,
        namespace=event.namespace,
        database=event.database,
        description=event.description,
        enforcement_blocked=event.enforcement_blocked,
    )
