"""Speed of questions over REST in contexts of many memories, and how many neighbours the graph finds.

    make bench NAME=recall_scale            1,000, 10,000 and 100,000 memories
    SIZES=10000,1000000 CONTEXTS=1000 make bench NAME=recall_scale      in a database of so many contexts more

Seeded: some really embedded sentences and seeded noise around their vectors, put in by COPY beside the log. The
question's embedding is reported by itself. `make test-all` does not run this: a graph of a million vectors takes
long to build.
"""

import os
import random
import struct
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any
from uuid import UUID

import httpx
import numpy as np
import psycopg

from api import keys, wiring
from api.embedders.minilm import MODEL, MiniLM
from api.settings.config import from_env
from memory.values import derived_id
from projections.access import every_scope_set
from projections.passages import TABLE, Kind, number_of
from projections.reading import Reader
from projections.recall import postings, vectors
from projections.recall.question import parsed
from projections.recall.vector_rows import digest
from projections.recall.vectors import EXACT_MAX
from projections.recall.words import counted
from projections.table import READ_MODELS_SCHEMA
from tests.bench.figures import Figures
from tests.bench.processes import cpu_s
from tests.servers import ServerProcess, public_folder

SIZES = (1_000, 10_000, 100_000)
SENTENCES = 4_000
QUESTIONS = 60
SESSION_TURNS = 20
NOISE = 0.35  # length of the noise beside a vector of length 1
SEED = 20_240_601
BUILD_MEMORY = "2GB"  # holds the graph of a million vectors
OTHERS_SIZE = 50  # memories of each context that is only there beside the measured ones
# Scope sets beside the usual one in large contexts, and how many passages in 100 are of each.
SCOPES = {"rare": 1, "few": 3, "tenth": 10}
BATCH = 5_000

WHO = "Ana Ben Chloe Dmitri Elif Femi Greta Hugo Ines Jonas Kira Leo Mona Nils Olga Pavel".split()
DOES = "bought sold painted repaired lost found visited cooked planned cancelled borrowed described".split()
WHAT = (
    "a red bicycle;an old piano;the harbour report;a mushroom soup;three train tickets;the garden fence;a blue kayak;"
    "her grandmother's ring;the quarterly budget;a chess set;two concert seats;the kitchen tiles;a solar panel;"
    "the wedding cake;a telescope;the climbing gear;an electric guitar;the cat's medicine;a used van;the tax form"
).split(";")
WHERE = "in Porto;near the station;at the lake;in the office;in Kyoto;on the farm;at school;in Oslo;in Lima".split(";")
WHEN = "yesterday;last week;in March;on Monday;two days ago;last summer;in 2023;on the 5th;tonight".split(";")

COPY_VECTORS = """
COPY recall_vectors (context_id, model, scope_set_id, number, digest, dimension, in_graph, embedding)
FROM STDIN (FORMAT BINARY)
"""
# The last one is a halfvec, whose bytes go as they are.
VECTOR_TYPES = ["text", "text", "uuid", "bigint", "bytea", "smallint", "boolean", "bytea"]
HALFVEC_HEADER = struct.Struct(">hh")  # dimension, 0


def main() -> None:
    sizes = [int(size) for size in os.environ.get("SIZES", "").split(",") if size] or list(SIZES)
    figures = Figures()
    embedder = MiniLM()
    chooser = random.Random(SEED)
    sentences = [_sentence(chooser) for _ in range(SENTENCES)]
    made = np.array(embedder.embed(sentences), np.float32)
    with public_folder() as home:
        contexts = {}
        with wiring.services(from_env({"PALIMPSEST_HOME": str(home)})) as services:
            wiring.bootstrap(services)
            with psycopg.connect(services.database.url, autocommit=True) as owner:
                owner.execute(f"SET search_path = palimpsest, {READ_MODELS_SCHEMA}, public".encode())
                for other in range(int(os.environ.get("CONTEXTS", "0"))):
                    _filled(services, owner, f"other-{other}", OTHERS_SIZE, sentences, made)
                for size in sizes:
                    contexts[size] = _filled(services, owner, f"scale-{size}", size, sentences, made)
                _graph(figures, owner, max(sizes))
                for size in sizes:
                    if size > EXACT_MAX:
                        _neighbours(figures, services, size, contexts[size][0], embedder, chooser)
        with ServerProcess(home) as server:
            medians = {size: _asked(figures, server, size, *contexts[size], chooser) for size in sizes}
    if {10_000, 1_000_000} <= medians.keys():
        figures.add("p50_1m_of_10k", medians[1_000_000] / medians[10_000], "p50 at 1M of p50 at 10k", most=3)
    figures.finish()


def _sentence(chooser: random.Random) -> str:
    who, other = chooser.sample(WHO, 2)
    did, what, where, when = (chooser.choice(words) for words in (DOES, WHAT, WHERE, WHEN))
    return f"{who}: I {did} {what} {where} {when} with {other}, note {chooser.randrange(9999)}."


def _filled(
    services: wiring.Services,
    owner: psycopg.Connection[Any],
    context_id: str,
    size: int,
    sentences: Sequence[str],
    made: Any,
) -> tuple[str, str]:
    """A new context with `size` passages, and its key."""
    key = keys.new_key()
    keys.ensure_context(services.log, context_id, key)
    with services.pool.connection() as connection:
        generation, (scope_set_id, *_) = every_scope_set(connection, context_id)
    scopes = _scopes(scope_set_id)
    of_hundred = [scopes[name] for name, share in SCOPES.items() for _ in range(share) if size > EXACT_MAX]
    of_hundred += [scope_set_id] * (100 - len(of_hundred))
    noise = np.random.default_rng(SEED)
    words = [counted(sentence) for sentence in sentences]
    first = 100  # positions up to here are of the context's own events
    for begin in range(0, size, BATCH):
        numbers = range(begin, min(begin + BATCH, size))
        places = [number % len(sentences) for number in numbers]
        shaken = made[places] + noise.normal(size=(len(places), made.shape[1])) * NOISE / made.shape[1] ** 0.5
        shaken /= np.linalg.norm(shaken, axis=1, keepdims=True)
        with owner.cursor().copy(f"COPY passages ({TABLE.column_list}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
            copy.set_types(TABLE.types)
            for number, place in zip(numbers, places, strict=True):
                scope, text, found = of_hundred[number % 100], sentences[place], words[place]
                copy.write_row(_row(context_id, generation, scope, first + number, number, text, found))
        with owner.cursor().copy(COPY_VECTORS.encode()) as copy:
            copy.set_types(VECTOR_TYPES)
            for number, vector in zip(numbers, shaken.astype(">f2"), strict=True):
                text = f"{number} {sentences[number % len(sentences)]}"
                place_of = (context_id, MODEL, of_hundred[number % 100], number_of(first + number, 0))
                halfvec = HALFVEC_HEADER.pack(len(vector), 0) + vector.tobytes()
                copy.write_row((*place_of, digest(text), len(vector), False, halfvec))
    owner.execute("UPDATE contexts SET position = %s WHERE context_id = %s", [first + size, context_id])
    owner.execute(
        "INSERT INTO recall_models VALUES (%s, %s, %s)", [context_id, MODEL, number_of(first + size + 1, 0) - 1]
    )
    with services.pool.connection() as connection:
        more = True
        while more:
            with connection.transaction():
                reader = Reader(connection.cursor(), context_id, generation, [scope_set_id, *scopes.values()])
                more = postings.index_tail(reader)
    return context_id, key


def _scopes(scope_set_id: UUID) -> dict[str, UUID]:
    """The ids of SCOPES in the context of this usual one."""
    return {name: derived_id(scope_set_id, name, 0) for name in SCOPES}


def _row(
    context_id: str,
    generation: int,
    scope: UUID,
    position: int,
    number: int,
    text: str,
    words: tuple[list[str], list[int]],
) -> tuple[Any, ...]:
    said_at = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
    turn_id = derived_id(scope, "turn", number)
    session_id = derived_id(scope, "session", number // SESSION_TURNS)
    values = {
        "context_id": context_id,
        "generation": generation,
        "id": derived_id(turn_id, "passage", 0),
        "position_from": position,
        "known_from": said_at,
        "scope_set_id": scope,
        "kind": Kind.TURN.value,
        "number": number_of(position, 0),
        "turn_id": turn_id,
        "session_id": session_id,
        "entity_ids": [],
        "sequence_id": session_id,
        "seq": number % SESSION_TURNS + 1,
        "ordinal": 0,
        "char_start": 0,
        "char_end": len(text),
        "role": "user",
        "said_at": said_at,
        "labels": [],
        "title": "",
        "section": "",
        "text": text,
        "words": words[0],
        "counts": words[1],
        "length": sum(words[1]),
        "speaker": text.partition(":")[0],
        "tells_time": True,
        "asks": False,
        "ends_asking": False,
        "proper": 1,
        "word_count": len(text.split()),
    }
    return tuple(values.get(name) for name in TABLE.fields)


def _graph(figures: Figures, owner: psycopg.Connection[Any], size: int) -> None:
    """Put the vectors of large contexts into the graph, in one build as nobody would do it live, and let the
    planner know the tables, as autovacuum would within a minute."""
    if size > EXACT_MAX:
        found = owner.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'recall_vectors_graph_384'").fetchone()
        assert found is not None
        began = time.perf_counter()
        owner.execute(f"SET maintenance_work_mem = '{BUILD_MEMORY}'".encode())
        owner.execute("DROP INDEX recall_vectors_graph_384")
        owner.execute(
            "UPDATE recall_vectors SET in_graph = true WHERE context_id IN ("
            "SELECT context_id FROM recall_vectors GROUP BY 1 HAVING count(*) > %s)",
            [EXACT_MAX],
        )
        owner.execute(found[0].encode())
        figures.add("graph_build_s", time.perf_counter() - began, "s to build the graph")
    for table in ("passages", "recall_vectors", "recall_postings", "recall_segments"):
        owner.execute(f"VACUUM ANALYZE {table}".encode())


def _neighbours(
    figures: Figures, services: wiring.Services, size: int, context_id: str, embedder: MiniLM, chooser: random.Random
) -> None:
    """recall@10 of what a search finds against comparing every vector, in all rows and in those of few scope sets."""
    with services.pool.connection() as connection, connection.transaction():
        generation, (scope_set_id, *_) = every_scope_set(connection, context_id)
        scopes = _scopes(scope_set_id)
        narrow = [(name, [scopes[name]], size * share // 100) for name, share in SCOPES.items()]
        for name, seen, held in (("all", [scope_set_id, *scopes.values()], size), *narrow):
            reader = Reader(connection.cursor(), context_id, generation, seen)
            shares, times = [], {"search": [], "exact": []}  # type: tuple[list[float], dict[str, list[float]]]
            for _ in range(QUESTIONS):
                text = _sentence(chooser)
                question = parsed(text, vector=embedder.embed([text])[0], model=MODEL)
                began = time.perf_counter()
                found = vectors.Nearest(reader, question, held=held, limit=10).numbers()
                times["search"].append((time.perf_counter() - began) * 1000)
                began = time.perf_counter()
                true = {number for number, _ in vectors.exact(reader, question, limit=10).fetchall()}
                times["exact"].append((time.perf_counter() - began) * 1000)
                shares.append(len(true.intersection(found)) / 10)
            share = sum(shares) / len(shares)
            figures.add(f"{context_id}_{name}_recall", share, f"recall@10 in {name} rows", least=0.95)
            for way, took in times.items():
                figures.add(f"{context_id}_{name}_{way}_ms", median(took), f"ms p50 of {way} in {name} rows")


def _asked(
    figures: Figures, server: ServerProcess, size: int, context_id: str, key: str, chooser: random.Random
) -> float:
    """The median time of a question whose vector is known already, ms."""
    url = f"{server.url}/api/v1/{context_id}/query"
    questions = [f"What was it that {_sentence(chooser)[:-1].lower()}?" for _ in range(QUESTIONS)]
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        _wait_for_models(client, server)
        cold = [_ask(client, url, question) for question in questions]
        before = cpu_s(server.pid)
        warm = [_ask(client, url, question) for question in questions]
        cpu_ms = (cpu_s(server.pid) - before) * 1000 / len(questions)
    small = size <= 1_000
    most = 15.0 if small else 25.0 if size == 100_000 else None
    figures.add(f"query_{size}_p50_ms", median(warm), f"ms p50 of a question in {size:,} memories", most=most)
    figures.add(f"query_{size}_p95_ms", sorted(warm)[int(len(warm) * 0.95)], "ms p95")
    figures.add(f"query_{size}_cpu_ms", cpu_ms, "CPU-ms of the server a question", most=10.0 if small else None)
    figures.add(f"query_{size}_embedding_ms", median(cold) - median(warm), "ms more with the question's embedding")
    return median(warm)


def _ask(client: httpx.Client, url: str, question: str) -> float:
    began = time.perf_counter()
    answer = client.post(url, json={"query": question, "k": 10})
    took = (time.perf_counter() - began) * 1000
    assert answer.status_code == 200, answer.text
    return took


def _wait_for_models(client: httpx.Client, server: ServerProcess) -> None:
    until = time.monotonic() + 60
    while client.get(f"{server.url}/api/v1/health").json()["models"] != "ready":
        if time.monotonic() > until:
            sys.exit("the models did not get ready")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
