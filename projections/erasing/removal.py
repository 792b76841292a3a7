"""Takes erased events out of the read models, as if they had never been folded, in the erasing transaction.

Rows of an id change only at the positions that they name as their beginnings and ends. So the rows of all
ids that an erased event touched are dropped, and what is left of the events at those positions is folded
again: the result is that of a replay, at the cost of what was touched.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID

from memory.events import StatementEvent
from memory.log import EventLog, Writing
from memory.ports import Line
from memory.recorded import Recorded
from projections import stores
from projections.lines import KINDS
from projections.projector import Folding, id_of, ops_of
from projections.read_models import READ_MODELS
from projections.reading import Reader
from projections.stores import Gone

DROP_ROWS = """
DELETE FROM {table} WHERE context_id = %(context_id)s AND generation = %(generation)s AND id = ANY(%(ids)s)
RETURNING position_from, position_to{number}
"""

DROP_CONTEXT = "DELETE FROM {table} WHERE context_id = %(context_id)s"

PASSAGES, ENTITIES = "passages", "entities"


class ReadModelErasing:
    """`memory.ports.ErasableReadModels` over the read models."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def lines_of(self, writing: Writing, recorded: Sequence[Recorded]) -> list[Line]:
        """The whole lines of the units that statements among these events are about."""
        said: dict[UUID, list[UUID]] = defaultdict(list)
        for one in recorded:
            if isinstance(one.event, StatementEvent) and one.origin.scope_set_id is not None:
                said[one.origin.scope_set_id].append(one.event.segment.id)
        found: list[Line] = []
        for scope_set_id, ids in sorted(said.items()):
            reader = Reader(writing.cursor, writing.context_id, writing.generation, [scope_set_id])
            # As the rows tell it: words move when what they are about turns out to be somebody else.
            for sql, event_of in KINDS:
                units = sql.units_of(reader, ids)
                lines = sql.read_whole(reader, units) if units else {}
                found += [Line(scope_set_id, event_of, words) for _, words in sorted(lines.items())]
        return found

    def remove(self, writing: Writing, recorded: Sequence[Recorded]) -> None:
        """Make all read models and other stores what they would be without these events, already erased.

        recorded: as they were before that.
        """
        touched: dict[str, set[UUID]] = defaultdict(set)
        for _, op in ops_of(recorded):
            touched[op.table.name].add(id_of(op))
        positions, numbers = self._drop_rows(writing, touched)
        left = self._log.at(writing.cursor, writing.context_id, positions)
        folding = Folding(writing.context_id, writing.generation)
        folding.apply((position, op) for position, op in ops_of(left) if id_of(op) in touched.get(op.table.name, ()))
        changes = folding.take()
        changes.insert_rows(writing.cursor)
        kept: dict[str, set[UUID]] = {}
        for table, rows in changes.rows:
            kept[table.name] = {row.id for row in rows}
            if table.name == PASSAGES:
                numbers -= {row.number for row in rows}
        gone = {name: ids - kept.get(name, set()) for name, ids in touched.items()}
        events = [one.event for one in recorded if one.event]
        renamed = bool(kept.get(ENTITIES))
        stores.erase(writing.cursor, Gone(writing.context_id, events, gone, numbers, renamed))

    def drop_context(self, writing: Writing) -> None:
        """Take out all rows of the context, of every generation, and all that other stores hold of it."""
        for table in READ_MODELS:
            statement = DROP_CONTEXT.format(table=table.name).encode()
            writing.cursor.execute(statement, {"context_id": writing.context_id})
        stores.drop(writing.cursor, writing.context_id)

    def _drop_rows(self, writing: Writing, touched: Mapping[str, AbstractSet[UUID]]) -> tuple[set[int], set[int]]:
        """The positions at which the rows changed, and the numbers of the passages among them."""
        positions: set[int] = set()
        numbers: set[int] = set()
        for name, ids in touched.items():
            parameters = {"context_id": writing.context_id, "generation": writing.generation, "ids": list(ids)}
            statement = DROP_ROWS.format(table=name, number=", number" if name == PASSAGES else "")
            for position_from, position_to, *number in writing.cursor.execute(statement.encode(), parameters):
                positions |= {position_from} if position_to is None else {position_from, position_to}
                numbers.update(number)
        return positions, numbers
