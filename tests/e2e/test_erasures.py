"""An erasure through a running server, down to the disk: in no dump, no file of the database and no line of a log."""

import os
import secrets
import string
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.postgres.postgres_binaries import packaged_installation
from tests.e2e.clients.rest import content
from tests.servers import ServerProcess, public_folder

SCRUBBED_WITHIN_S = 60
PLANTED = 30  # so often that it is among the most common values of a column


def new_word() -> str:
    """A word that stands nowhere else."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(16)).capitalize()


def dump(server: ServerProcess) -> str:
    """All of the database as `pg_dump` writes it, the queue too."""
    program = packaged_installation() / "bin" / "pg_dump"
    done = subprocess.run([program, server.database_url], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def files_with(folder: Path, words: tuple[str, ...]) -> list[str]:
    """The files under a folder, links followed, that hold one of the words."""
    wanted = [word.encode() for word in words]
    found = []
    for place, _, names in os.walk(os.path.realpath(folder)):
        for name in names:
            path = Path(place, name)
            if path.is_file() and any(word in path.read_bytes() for word in wanted):
                found.append(str(path))
    return found


def is_erased_to_the_disk(server: ServerProcess, client: httpx.Client, erasure_id: str, word: str) -> None:
    deadline = time.monotonic() + SCRUBBED_WITHIN_S
    while content(client.get(f"/erasures/{erasure_id}"))["status"] != "scrubbed":
        assert time.monotonic() < deadline, "the background job has not cleaned the disk"
        time.sleep(0.1)
    spellings = (word, word.lower())
    assert [one for one in spellings if one in dump(server)] == []
    assert files_with(server.home, spellings) + files_with(server.home / "pgdata", spellings) == []
    assert [line for line in server.output for one in spellings if one in line] == []


def planted(client: httpx.Client, word: str, times: int) -> None:
    """The word in turns, facts, questions that leave traces, and requests that fail."""
    for number in range(times):
        content(client.post("/facts", json={"text": f"I'm Perpetua {number} and I live in {word}."}))
    content(client.post("/query", json={"query": f"Who lives in {word}?"}))
    content(client.post("/context", json={"query": f"Is {word} warm?"}))
    content(client.get("/entities/search", params={"q": word}))
    content(client.get(f"/entities/person/{word}"), 404)
    content(client.post("/facts", json={"text": word, "infer": word}), 400)


def uploaded(client: httpx.Client, word: str) -> None:
    """The word in a document, once that is read."""
    answer = client.post(
        "/documents", files={"file": ("trip.txt", f"The trip to {word} was long.".encode(), "text/plain")}
    )
    document = content(answer, 202)["id"]
    deadline = time.monotonic() + 30
    while content(client.get(f"/documents/{document}"))["status"] != "ready":
        assert time.monotonic() < deadline
        time.sleep(0.1)


def erased(client: httpx.Client, word: str) -> dict[str, Any]:
    body = {"query": word, "purge": True, "limit": 1_000}
    listed: dict[str, Any] = content(client.post("/forget", json={**body, "dryRun": True}))
    assert listed["matches"] and all(word.lower() in one["text"].lower() for one in listed["matches"])
    done: dict[str, Any] = content(client.post("/forget", json=body))
    assert done["deleted"] == listed["deleted"]
    return done


def test_what_is_erased_is_in_no_dump_no_file_and_no_line_of_a_log(server: ServerProcess) -> None:
    word = new_word()
    with server.client() as client:
        planted(client, word, 1)
        assert word in dump(server)
        done = erased(client, word)
        is_erased_to_the_disk(server, client, done["erasureId"], word)
        hits = content(client.post("/query", json={"query": "Where does Perpetua live?"}))["hits"]
        assert not any("Perpetua" in hit["text"] for hit in hits)


@pytest.mark.long
def test_what_was_said_often_is_erased_while_others_write_and_stays_so_after_a_restart() -> None:
    word = new_word()
    with public_folder() as home:
        with ServerProcess(home) as server, server.client() as client:
            planted(client, word, PLANTED)
            uploaded(client, word)
            assert files_with(home / "pgdata", (word,)) != []
            assert server.command("replay").returncode == 0
            done = erased(client, word)
            content(client.post("/facts", json={"text": "I'm Odo and I live in Oslo."}))
            is_erased_to_the_disk(server, client, done["erasureId"], word)
            verified = server.command("verify")
            assert verified.returncode == 0, verified.stdout
            assert server.command("replay").returncode == 0
        with ServerProcess(home) as server:
            assert server.command("verify").returncode == 0
            with server.client() as client:
                assert "Oslo" in client.get("/state").text
        assert files_with(home, (word, word.lower())) == []
