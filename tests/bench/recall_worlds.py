"""Loads conversations into contexts of their own, as a client would, with vectors cached on disk between runs."""

import json
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from uuid import UUID

from api import ids, keys, wiring
from api.settings.config import from_env
from api.wiring import Services
from api.work.indexing import Indexing
from memory.candidates import AttributeCandidate
from memory.remember import Turn
from memory.values import Infer, Role
from projections.recall.embedding import Embedder, Vector
from projections.recall.question import Question, parsed
from projections.recall.vector_rows import digest
from projections.retrieval.recaller import Recall
from tests.bench.recall_data import Talk
from tests.servers import public_folder
from tests.worlds import World, world_in


class CachedEmbedder:
    """An embedder whose vectors stay in a file of the temporary folder."""

    def __init__(self, embedder: Embedder, path: Path | None = None) -> None:
        self.embedder = embedder
        self.model = embedder.model
        self.ready = True
        name = f"palimpsest-bench-{embedder.model.replace('/', '-')}.sqlite"
        self._path = path or Path(tempfile.gettempdir()) / name
        with closing(sqlite3.connect(self._path)) as cache:
            cache.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector TEXT)")

    def load(self) -> None:
        self.embedder.load()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        with closing(sqlite3.connect(self._path)) as cache, cache:
            kept = {text: vector for text in texts if (vector := self._kept(cache, text)) is not None}
            missing = [text for text in texts if text not in kept]
            for text, vector in zip(missing, self.embedder.embed(missing), strict=True):
                kept[text] = vector
                cache.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (digest(text), json.dumps(list(vector))))
        return [kept[text] for text in texts]

    def _kept(self, cache: sqlite3.Connection, text: str) -> Vector | None:
        row = cache.execute("SELECT vector FROM vectors WHERE digest = ?", (digest(text),)).fetchone()
        return json.loads(row[0]) if row else None


@dataclass(frozen=True)
class Loaded:
    """A conversation in a context. keys: of its turns, by turn id."""

    talk: Talk
    world: World
    keys: dict[UUID, str]


@contextmanager
def bench_services() -> Iterator[Services]:
    """Services over an embedded Postgres that is thrown away."""
    with public_folder() as home, wiring.services(from_env({"PALIMPSEST_HOME": str(home)})) as services:
        yield services


def load(
    services: Services,
    talk: Talk,
    embedder: Embedder | None,
    *,
    facts: Mapping[str, AttributeCandidate] = MappingProxyType({}),
    understood: bool = False,
) -> Loaded:
    """Remember the turns, words only but for those whose keys `facts` names, and index them; embedder: None for
    none. understood: what users say is read by the local extractor."""
    context_id = f"bench-{talk.name}-{ids.new_id()}"
    key = keys.new_key()
    keys.ensure_context(services.log, context_id, key)
    world = world_in(services, context_id, key)
    names: dict[UUID, str] = {}
    for _, said in groupby(talk.turns, key=lambda turn: turn.session):
        session_id = None
        # What is told as a fact comes by itself, as it would from a client.
        for _, part in groupby(said, key=lambda turn: turn.key if turn.key in facts else ""):
            turns = []
            for one in part:
                infer = Infer.FULL if understood and one.role == Role.USER else Infer.NONE
                turn = Turn(
                    turn_id=ids.new_id(),
                    text=one.text,
                    role=Role(one.role),
                    infer=Infer.TRIPLES if one.key in facts else infer,
                    observed_at=one.said_at,
                    candidates=(facts[one.key],) if one.key in facts else (),
                )
                names[turn.turn_id] = one.key
                turns.append(turn)
            session_id = world.remember(*turns, session_id=session_id).session_id
    if embedder is not None:
        Indexing(services.pool, lambda _: embedder).catch_up(context_id)
    return Loaded(talk, world, names)


class _Questions:
    """An embedder as recall asks it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def kept(self, text: str, context_id: str, /) -> tuple[Vector, str]:
        return self.question(text, context_id)

    def question(self, text: str, _: str, /) -> tuple[Vector, str]:
        return self._embedder.embed([text])[0], self._embedder.model


def recall_with(services: Services, embedder: Embedder) -> Recall:
    """The whole recall, tiers and all, over this embedder."""
    return Recall(_Questions(embedder), services.traces, lambda _: False)


def asked(text: str, embedder: Embedder | None) -> Question:
    if embedder is None:
        return parsed(text)
    (vector,) = embedder.embed([text])
    return parsed(text, vector=vector, model=embedder.model)
