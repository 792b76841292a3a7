"""Proof that the log is whole and that the read models say what the log says.

Everything is read from one snapshot, so it is right under live writes. The rebuilt rows are written
as generation 0 inside that transaction and rolled back with it.
"""

import base64
import binascii
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.errors import InvalidRequest, LogCorrupt
from memory.events import ContentErased
from memory.log import GENESIS_HASH, Connection, EventLog
from memory.recorded import Recorded, StoredRow, link, linked_columns, payload_digest
from projections.read_models import READ_MODELS, folds_of
from projections.rebuild import copy_generation, rebuilding
from projections.table import Put, Table

Progress = Callable[[int], None]
Kept = tuple[int, bytes]  # position and hash of a head

SCRATCH_GENERATION = 0

SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
HEAD = "SELECT position, hash, generation FROM contexts WHERE context_id = %(context_id)s"

ROWS_OF = "SELECT {columns} FROM {table} WHERE context_id = %(context_id)s AND generation = %(generation)s"
DIFFERENCE = "({left}) EXCEPT ALL ({right}) ORDER BY position_from, id LIMIT 1"
COUNT_IDS = "SELECT count(DISTINCT id) FROM {table} WHERE context_id = %(context_id)s AND generation = %(generation)s"


@dataclass(frozen=True, slots=True)
class ErasureTold:
    """The log tells of an erasure at `position`, of `events` contents before it, the first at `first`."""

    position: int
    reason: str
    events: int
    first: int


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked of one context. problem: the first thing found wrong, one line, or None. erasures: all that
    the log tells of."""

    context_id: str
    events: int
    head_hash: str
    problem: str | None = None
    erasures: Sequence[ErasureTold] = ()


def verify(
    log: EventLog,
    connection: Connection,
    context_id: str,
    *,
    quick: bool = False,
    kept: Kept | None = None,
    progress: Progress = lambda events: None,
) -> Verified:
    """Check the hash chain, decode every event, and compare the read models with rebuilt ones.

    quick: one streaming pass over the log; the read models are only counted. kept: an earlier head, that must still
    be where it was: as the hashes are a chain, nothing before it has then changed but erased contents.
    Raises RebuildBusy while a rebuild of the context is running.
    """
    with rebuilding(connection, context_id), connection.transaction(force_rollback=True):
        connection.execute(SNAPSHOT)
        row = connection.execute(HEAD, {"context_id": context_id}).fetchone()
        if row is None:
            return Verified(context_id, 0, "", "there is no such context")
        position, head_hash, generation = row
        try:
            chain = Chain(context_id, kept)
            for rows in log.read(connection, context_id):
                chain.check(rows, log.decoded(rows))
                progress(len(rows))
            chain.check_head(position, head_hash)
            if quick:
                problem = _miscounted(connection, context_id, generation, chain.ids)
            else:
                batches = log.read_appends(connection, context_id)
                copy_generation(connection, context_id, SCRATCH_GENERATION, batches, progress)
                problem = _first_difference(connection, context_id, generation)
        except LogCorrupt as corrupt:
            return Verified(context_id, position, head_hash.hex(), str(corrupt))
    return Verified(context_id, position, head_hash.hex(), problem, chain.erasures)


class Chain:
    """Walks the log of one context and raises LogCorrupt at the first break."""

    def __init__(self, context_id: str, kept: Kept | None = None) -> None:
        self._context_id = context_id
        self._kept = kept
        self.erasures: list[ErasureTold] = []
        self._position = 0
        self._hash = GENESIS_HASH
        self._unexplained: set[int] = set()
        self.ids: Counter[str] = Counter()

    def check(self, rows: list[StoredRow], recorded: list[Recorded]) -> None:
        for row, one in zip(rows, recorded, strict=True):
            self._check_link(row)
            if isinstance(one.event, ContentErased):
                self._explain(one.position, one.event)
            if one.event is not None:
                for fold in folds_of(type(one.event)):
                    self.ids.update(op.table.name for op in fold(one) if isinstance(op, Put))

    def _check_link(self, row: StoredRow) -> None:
        expected = self._position + 1
        if row.originator_version != expected:
            raise LogCorrupt(self._context_id, expected, f"missing; the next event is at {row.originator_version}")
        if row.payload_salt is None:
            self._unexplained.add(expected)
        elif payload_digest(row.payload_salt, row.state) != row.payload_digest:
            raise LogCorrupt(self._context_id, expected, "the payload does not have the recorded digest")
        if link(self._hash, linked_columns(row)) != row.hash:
            raise LogCorrupt(self._context_id, expected, "the hash does not follow from the event and the one before")
        self._position, self._hash = expected, row.hash
        if self._kept is not None and self._kept[0] == expected and self._kept[1] != row.hash:
            raise LogCorrupt(self._context_id, expected, "it, or something before it, is not what it was when kept")

    def _explain(self, told_at: int, told: ContentErased) -> None:
        """Match an erasure with the contents that it names: each is gone, and no other erasure named it."""
        events = sum(last - first + 1 for first, last in told.ranges)
        self.erasures.append(ErasureTold(told_at, told.reason, events, told.ranges[0][0]))
        for position in (position for first, last in told.ranges for position in range(first, last + 1)):
            if position not in self._unexplained:
                what = f"names position {position} as erased, but that is not so, or was told before"
                raise LogCorrupt(self._context_id, told_at, what)
            self._unexplained.remove(position)

    def check_head(self, position: int, head_hash: bytes) -> None:
        if self._kept is not None and self._kept[0] > self._position:
            raise LogCorrupt(self._context_id, self._position + 1, f"missing; there were {self._kept[0]} events once")
        if self._position < position:
            raise LogCorrupt(self._context_id, self._position + 1, f"missing; the head is at {position}")
        if self._position > position:
            raise LogCorrupt(self._context_id, position + 1, "beyond the head row")
        if self._hash != head_hash:
            raise LogCorrupt(self._context_id, position, "the head row has another hash than the last event")
        if self._unexplained:
            first = min(self._unexplained)
            raise LogCorrupt(self._context_id, first, "the payload is gone, and nothing says that it was erased")


def heads_digest(verified: Sequence[Verified]) -> str:
    """All heads in one line, to be kept elsewhere: `kept_heads` reads it."""
    heads = {one.context_id: [one.events, one.head_hash] for one in verified}
    packed = zlib.compress(json.dumps(heads, separators=(",", ":"), sort_keys=True).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def kept_heads(digest: str) -> Mapping[str, Kept]:
    """The heads of contexts that a digest holds. Raises InvalidRequest for what is none."""
    try:
        packed = base64.b64decode(digest + "=" * (-len(digest) % 4), altchars=b"-_", validate=True)
        heads = json.loads(zlib.decompress(packed))
        return {str(name): (int(position), bytes.fromhex(head)) for name, (position, head) in heads.items()}
    except (binascii.Error, zlib.error, ValueError, TypeError, AttributeError) as error:
        raise InvalidRequest("this is no digest of heads") from error


def _first_difference(connection: Connection, context_id: str, generation: int) -> str | None:
    for table in READ_MODELS:
        columns = ", ".join(name for name in table.fields if name != "generation")
        live = _rows(table, columns, "%(live)s")
        rebuilt = _rows(table, columns, "%(scratch)s")
        parameters = {"context_id": context_id, "live": generation, "scratch": SCRATCH_GENERATION}
        for left, right, what in (
            (live, rebuilt, "is live but does not follow from the log"),
            (rebuilt, live, "follows from the log but is not live"),
        ):
            statement = DIFFERENCE.format(left=left, right=right).encode()
            row = connection.execute(statement, parameters).fetchone()
            if row is not None:
                _, row_id, position_from, *_ = row
                return f"context {context_id}, position {position_from}: a row of {table.name} {what} (id {row_id})"
    return None


def _rows(table: Table[Any], columns: str, generation: str) -> str:
    return ROWS_OF.format(columns=columns, table=table.name).replace("%(generation)s", generation)


def _miscounted(connection: Connection, context_id: str, generation: int, ids: Counter[str]) -> str | None:
    for table in READ_MODELS:
        statement = COUNT_IDS.format(table=table.name).encode()
        row = connection.execute(statement, {"context_id": context_id, "generation": generation}).fetchone()
        assert row is not None
        if row[0] != ids[table.name]:
            return f"context {context_id}: {table.name} holds {row[0]} things, the log tells of {ids[table.name]}"
    return None
