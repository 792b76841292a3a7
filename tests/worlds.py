"""A context to write in and read from, without HTTP in between."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from api import ids
from api.keys import digest
from api.wiring import Services
from memory.candidates import AnyCandidate, AttributeCandidate, Mention
from memory.log import Writing
from memory.principals import Caller
from memory.recorded import Recorded
from memory.remember import Learnt, Remembered, Turn
from memory.scopes import ScopeSet
from memory.values import Infer, Role
from projections import verification
from projections.access import caller_of, every_scope_set
from projections.reading import Reader


def fact(name: str, key: str, value: str, *, kind: str = "person", start: int = 0) -> AttributeCandidate:
    """An affirmed attribute of a named entity."""
    return AttributeCandidate(entity=Mention(type=kind, name=name), key=key, value=value, start=start, end=start)


@dataclass(frozen=True)
class World:
    """One context and one caller who may do everything in it."""

    services: Services
    caller: Caller

    @property
    def context_id(self) -> str:
        return self.caller.context_id

    def given(
        self,
        *candidates: AnyCandidate,
        session_id: UUID | None = None,
        observed_at: datetime | None = None,
        text: str = "",
        scopes: ScopeSet | None = None,
    ) -> Remembered[Learnt]:
        """Write candidates as given triples, in one transaction."""
        turn = Turn(
            turn_id=ids.new_id(), text=text, infer=Infer.TRIPLES, candidates=candidates, observed_at=observed_at
        )
        return self.remember(turn, session_id=session_id, scopes=scopes)

    def say(
        self,
        text: str,
        *,
        session_id: UUID | None = None,
        role: Role = Role.USER,
        infer: Infer = Infer.FULL,
        observed_at: datetime | None = None,
        labels: Sequence[str] = (),
        scopes: ScopeSet | None = None,
    ) -> Remembered[Learnt]:
        """Write words and let the extractor read them."""
        turn = Turn(
            turn_id=ids.new_id(), text=text, role=role, infer=infer, observed_at=observed_at, labels=tuple(labels)
        )
        return self.remember(turn, session_id=session_id, scopes=scopes)

    def remember(
        self, *turns: Turn, session_id: UUID | None = None, scopes: ScopeSet | None = None
    ) -> Remembered[Learnt]:
        return self.services.memory.remember(
            replace(self.caller, visible=self.scope_sets()),
            list(turns),
            session_id=session_id,
            new_session_id=ids.new_id(),
            scopes=scopes,
            answer=_as_it_is,
        )

    def scope_sets(self) -> Sequence[UUID]:
        with self.services.pool.connection() as connection:
            return every_scope_set(connection, self.context_id)[1]

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self.services.pool.connection() as connection, connection.transaction(), connection.cursor() as cursor:
            generation, seen = every_scope_set(connection, self.context_id)
            yield Reader(cursor, self.context_id, generation, seen)

    def events(self) -> list[Recorded]:
        """The whole log of the context, decoded."""
        log = self.services.log
        with self.services.pool.connection() as connection:
            return [one for rows in log.read(connection, self.context_id) for one in log.decoded(rows)]

    def verified(self, *, quick: bool = False) -> verification.Verified:
        with self.services.database.connect() as connection:
            return verification.verify(self.services.log, connection, self.context_id, quick=quick)


def _as_it_is(_: Writing, learnt: Learnt) -> Learnt:
    return learnt


def world_in(services: Services, context_id: str, key: str) -> World:
    """The world of an existing context, as the holder of its key."""
    with services.pool.connection() as connection:
        found = caller_of(connection, context_id, digest(key))
    assert found is not None
    return World(services, found[0])
