"""The vendor's adapters for agent frameworks against a running server, each in an environment of its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clients.rest import new_context
from tests.e2e.environments import python_of, run
from tests.servers import ServerProcess

pytestmark = pytest.mark.long  # their environments take a minute to make


def answers(server: ServerProcess, python: Path, script: str) -> dict[str, Any]:
    context = new_context(server, script)
    given = {"ENDPOINT": server.url, "CONTEXT": context.name, "KEY": context.key}
    printed = run([str(python), "-m", f"tests.e2e.clients.{script}"], timeout=120, environment=given)
    found: dict[str, Any] = json.loads(printed)
    return found


def test_a_pydantic_ai_agent_remembers_and_recalls(server: ServerProcess) -> None:
    seen = answers(server, python_of("pydantic-ai"), "pydantic_ai_adapter")
    stored, recalled, context = seen["tools"]
    assert stored == "Stored in memory."
    assert "Trieste" in recalled and "Trieste" in context
    assert "Trieste" in seen["injected"]


def test_the_tools_of_the_openai_agents_sdk_do_their_work(server: ServerProcess) -> None:
    seen = answers(server, python_of("openai-agents"), "openai_agents_adapter")
    assert "Ferrara" in seen["recall"] and "Ferrara" in seen["context"]
    assert seen["forget"].startswith("Removed ")
