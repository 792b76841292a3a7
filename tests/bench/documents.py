"""`make bench NAME=documents`: what a document costs, and whether its sections are found. Some three minutes.

1. Retrieval: recall@5 and MRR of `/documents/query` in each mode over the questions of
   `tests/data/document_questions.json` about the documents of `tests/data/documents`; a chunk is right if it
   holds the words of the answer.
2. Upload to first recall: from sending a 1,000-word Markdown file to the first search that finds it.
3. A PDF of 300 pages and a Markdown file of 5 MB, both made here: pages and MB a second from upload until their
   words are found and until ready, with facts looked for in FACT_CHUNKS chunks; peak memory of the serving process
   and of the reading process.
"""

import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from memory.documents import formats, sandbox
from tests import files
from tests.bench import processes
from tests.bench.figures import Figures
from tests.servers import ServerProcess, public_folder

DATA = Path(__file__).parents[1] / "data"
MODES = ("hybrid", "vector", "bm25", "hybrid_graph")
WAYS: dict[str, dict[str, Any]] = {
    **{mode: {"mode": mode} for mode in MODES},
    "reranked": {"mode": "hybrid", "useReranker": True},
}
UPLOADS = 5
PAGES, LINES = 300, 40
MARKDOWN_BYTES = 5_000_000
SERVER_MB_MAX = 900
FACT_CHUNKS = 100  # in which facts are looked for
# Not English on purpose: looking for facts in half a million words of nonsense is no work that documents cause.
WORDS = [a + b for a in ("ka", "lo", "mi", "ru", "ten", "sol", "bar", "nu") for b in ("da", "fi", "gor", "hel", "po")]


def main() -> None:
    figures = Figures()
    _measure_reading(figures)  # first, so that no other process counts as a child
    with (
        public_folder() as folder,
        _config() as config,
        ServerProcess(folder, CONFIG=config) as server,
        server.client(timeout=300) as client,
    ):
        _warm(client)
        _measure_retrieval(figures, client)
        _measure_first_recall(figures, client)
        figures.add("server_mb", processes.resident_mb(server.pid), "memory of the serving process before, MB")
        _measure_long(figures, client, server.pid)
    figures.finish()


@contextmanager
def _config() -> Iterator[str]:
    """A configuration under which long documents are ready after FACT_CHUNKS chunks."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(f"documents: {{fact_chunks: {FACT_CHUNKS}}}\n")
        file.flush()
        yield file.name


def _warm(client: httpx.Client) -> None:
    """The local models are loaded."""
    _upload(client, b"Warm words.", "warm.txt")
    _until(lambda: bool(_results(client, {"query": "warm words", "mode": "vector", "threshold": 0.1})), 60)


def _measure_retrieval(figures: Figures, client: httpx.Client) -> None:
    for path in sorted((DATA / "documents").iterdir()):
        _ready(client, _upload(client, path.read_bytes(), path.name))
    questions = json.loads((DATA / "document_questions.json").read_text(encoding="utf-8"))
    figures.add("questions", len(questions), "questions", least=60)
    recall: dict[str, float] = {}
    for mode, how in WAYS.items():
        ranks, times_ms = [], []
        for question, answer in questions:
            began = time.perf_counter()
            results = _results(client, {"query": question, **how, "k": 10, "threshold": 0.01})
            times_ms.append((time.perf_counter() - began) * 1000)
            texts = [" ".join(one["chunk"]["text"].split()) for one in results]
            ranks.append(next((place for place, text in enumerate(texts, start=1) if answer in text), None))
        recall[mode] = statistics.mean(rank is not None and rank <= 5 for rank in ranks)
        figures.add(f"recall5_{mode}", recall[mode], f"{mode}: recall@5")
        figures.add(f"mrr_{mode}", statistics.mean(1 / rank if rank else 0 for rank in ranks), f"{mode}: MRR@10")
        figures.add(f"query_ms_{mode}", statistics.median(times_ms), f"{mode}: median ms a query")
    single = max(recall["vector"], recall["bm25"])
    figures.add("recall5_hybrid_over_single", recall["hybrid"] - single, "hybrid less the best single mode", least=0)


def _measure_first_recall(figures: Figures, client: httpx.Client) -> None:
    draw = random.Random(7)
    found_s, ready_s = [], []
    for number in range(UPLOADS):
        words = " ".join(_sentence(draw) for _ in range(100))
        data = f"# Report\n\nThe zephyr{number} marker stands here. {words}\n".encode()
        began = time.perf_counter()
        document_id = _upload(client, data, f"report{number}.md")
        asked = {"query": f"zephyr{number}", "mode": "bm25"}
        _until(lambda asked=asked: bool(_results(client, asked)), 60)  # type: ignore[misc]
        found_s.append(time.perf_counter() - began)
        _ready(client, document_id)
        ready_s.append(time.perf_counter() - began)
    figures.add("first_recall_s", statistics.median(found_s), "upload to first recall, s", most=2)
    figures.add("ready_s", statistics.median(ready_s), "upload to ready, s")


def _measure_long(figures: Figures, client: httpx.Client, pid: int) -> None:
    for name, data, unit, amount in (
        ("pdf", _pdf(), "pages", PAGES),
        ("markdown", _markdown(), "MB", MARKDOWN_BYTES / 1e6),
    ):
        began = time.perf_counter()
        document_id = _upload(client, data, f"long.{'pdf' if name == 'pdf' else 'md'}")
        _until(lambda one=document_id: _is_in_force(client, one), 300)  # type: ignore[misc]
        found_s = time.perf_counter() - began
        figures.add(f"{name}_per_s", amount / found_s, f"{name}: {unit}/s from upload until all of its words are found")
        _ready(client, document_id)
        figures.add(f"{name}_ready_s", time.perf_counter() - began, f"{name}: s from upload until ready")
        peak = processes.peak_resident_mb(pid)
        told = f"{name}: peak memory of the serving process, worker in it, MB"
        figures.add(f"{name}_server_peak_mb", peak, told, most=SERVER_MB_MAX)


def _measure_reading(figures: Figures) -> None:
    """The reading process alone."""
    for name, data, kind, unit, amount in (
        ("pdf", _pdf(), formats.PDF, "pages", PAGES),
        ("markdown", _markdown(), formats.MARKDOWN, "MB", MARKDOWN_BYTES / 1e6),
    ):
        began = time.perf_counter()
        contents = sandbox.read(data, kind)
        read_s = time.perf_counter() - began
        figures.add(f"{name}_read_per_s", amount / read_s, f"{name}: {unit}/s in the reading process")
        figures.add(f"{name}_chunks", len(contents.chunks), f"{name}: chunks")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    figures.add("reader_peak_mb", peak, "peak memory of the reading process, MB", most=1_500)


def _sentence(draw: random.Random) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(10)).capitalize() + "."


def _pdf() -> bytes:
    draw = random.Random(3)
    return files.pdf([[_sentence(draw) for _ in range(LINES)] for _ in range(PAGES)])


def _markdown() -> bytes:
    draw = random.Random(5)
    parts, size, number = [], 0, 0
    while size < MARKDOWN_BYTES:
        number += 1
        paragraphs = (" ".join(_sentence(draw) for _ in range(8)) for _ in range(4))
        parts.append(f"## Section {number}\n\n" + "\n\n".join(paragraphs) + "\n\n")
        size += len(parts[-1])
    return "".join(parts).encode()


def _upload(client: httpx.Client, data: bytes, name: str) -> str:
    answer = client.post("/documents", files={"file": (name, data)})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def _results(client: httpx.Client, asked: dict[str, Any]) -> list[dict[str, Any]]:
    answer = client.post("/documents/query", json=asked)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["results"])


def _status(client: httpx.Client, document_id: str) -> str:
    found = client.get(f"/documents/{document_id}").json()
    assert found["status"] != "failed", found
    return str(found["status"])


def _is_in_force(client: httpx.Client, document_id: str) -> bool:
    return client.get(f"/documents/{document_id}").json()["chunkCount"] is not None


def _ready(client: httpx.Client, document_id: str) -> None:
    _until(lambda: _status(client, document_id) == "ready", 600)


def _until(done: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "took too long"
        time.sleep(0.02)


if __name__ == "__main__":
    main()
