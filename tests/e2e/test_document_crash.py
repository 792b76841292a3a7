"""kill -9 of the process that reads a document, at every stage: it is picked up again, and nothing is doubled."""

import random
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests import files
from tests.servers import ServerProcess, public_folder

STAGES = ("queued", "extracting", "chunking", "embedding", "extracting_nodes")
WORDS = "returns are accepted within days of delivery shop receipt goods customer policy warm lamp chair table".split()
WAIT_S = 240

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def running() -> Iterator[ServerProcess]:
    with public_folder() as folder, ServerProcess(folder) as server:
        yield server


def report(seed: int) -> bytes:
    """A PDF of 60 pages, so that each stage lasts long enough to be met."""
    draw = random.Random(seed)
    pages = [[" ".join(draw.choice(WORDS) for _ in range(9)).capitalize() + "." for _ in range(40)] for _ in range(60)]
    return files.pdf(pages)


def seen(client: httpx.Client, document_id: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/documents/{document_id}").json()
    return found


@pytest.mark.parametrize("stage", STAGES)
def test_a_document_is_read_to_its_end_whenever_its_reader_is_killed(running: ServerProcess, stage: str) -> None:
    with running.client() as client:
        data = report(STAGES.index(stage))
        document_id = client.post("/documents", files={"file": ("report.pdf", data)}).json()["id"]
        deadline = time.monotonic() + WAIT_S
        while (status := seen(client, document_id)["status"]) != stage:
            assert status not in ("ready", "failed"), f"{stage} was over before it was met"
            assert time.monotonic() < deadline
            time.sleep(0.002)
    running.kill()
    running.start()
    with running.client() as client:
        deadline = time.monotonic() + WAIT_S
        while (found := seen(client, document_id))["status"] != "ready":
            assert found["status"] != "failed", found
            assert time.monotonic() < deadline, found
            time.sleep(0.1)
        chunks: list[Any] = []
        cursor = ""
        while True:
            page = client.get(f"/documents/{document_id}/chunks?limit=200&cursor={cursor}").json()
            chunks += page["chunks"]
            cursor = page["page"].get("nextCursor", "")
            if not cursor:
                break
        assert [chunk["position"] for chunk in chunks] == list(range(found["chunkCount"]))
        text = client.get(f"/documents/{document_id}/text").text
        assert all(text[chunk["charStart"] : chunk["charEnd"]] == chunk["text"] for chunk in chunks)
    proof = running.command("verify", "--json")
    assert proof.returncode == 0, proof.stdout + proof.stderr
