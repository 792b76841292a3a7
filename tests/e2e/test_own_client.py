"""Our own client: the documentation's Python samples run on it with only the import changed."""

import ast
import asyncio
import inspect
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from api.client import Answer, ApiError, BlockingSpectron, Spectron, Unreachable
from tests.e2e.clients.rest import Context, new_context
from tests.servers import ServerProcess

PROMOTED = ["I'm Alice, Head of Platform at Acme.", "I just got promoted to CTO"]

OPEN_NEWER = """
import os
from api.client import Spectron

memory = Spectron(context="acme-prod",
    api_key=os.environ["SPECTRON_API_KEY"])
session = await memory.sessions.create(scopes=["org/acme/user/alice"])
"""
OPEN_OLDER = OPEN_NEWER.replace("scopes=", "scope=")

LOOP = """
while True:
    user_input = input("You: ")
    if user_input.lower() in {"exit", "quit"}:
        break

    result = await CHAT
    print(f"Agent: {result.reply}")

    if result.memory_updates.corrections:
        for c in result.memory_updates.corrections:
            print(f"  [memory corrected] {c.previous.value!r} → {c.current.value!r}")

await session.close()
"""

TURNS = """
result = await memory.remember("I just got promoted to CTO", session_id=session.id, role="user")
result = await memory.remember("Actually I moved to Berlin last month", session_id=session.id, role="user")

for attr in result.extraction.attributes:
    ui.render_attribute(attr["entityId"], attr["key"], attr["value"])

for correction in result.extraction.corrections:
    ui.strike_through(correction["oldValue"])
    ui.highlight_new(correction["newValue"])

user_result = await memory.remember(user_message, session_id=session.id, role="user")

context = await memory.sessions.context(session.id, user_message)
reply = your_llm.generate(system=context.context, user=user_message)

assistant_result = await memory.remember(reply, session_id=session.id, role="assistant")

turns = await memory.sessions.turns(session.id)
"""


@pytest.fixture(scope="module")
def context(server: ServerProcess) -> Context:
    return new_context(server, "acme-prod")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, context: Context) -> None:
    monkeypatch.setenv("SPECTRON_API_KEY", context.key)
    monkeypatch.setenv("SPECTRON_ENDPOINT", context.server.url)


@pytest.fixture
def blocking(context: Context) -> Iterator[BlockingSpectron]:
    with BlockingSpectron(context="acme-prod") as memory:
        yield memory


def run(*samples: str, **names: Any) -> dict[str, Any]:
    """Run samples that await at their top level, as a notebook would. Returns their names."""
    code = compile("\n".join(samples) + "\nawait memory.close()", "sample", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    made: dict[str, Any] = dict(names)

    async def running() -> None:
        result = eval(code, made)
        if inspect.isawaitable(result):
            await result

    asyncio.run(running())
    return made


@pytest.mark.parametrize(
    ("opening", "chat"),
    [
        (OPEN_NEWER, "memory.chat(user_input, session_id=session.id)"),
        (OPEN_OLDER, "session.chat(user_input)"),
    ],
    ids=["newer", "older"],
)
def test_the_loop_of_the_documentation_tells_of_a_corrected_memory(
    capsys: pytest.CaptureFixture[str], opening: str, chat: str
) -> None:
    said = iter([*PROMOTED, "What do you know about me?", "exit"])
    made = run(opening, LOOP.replace("CHAT", chat), input=lambda prompt: next(said))
    printed = capsys.readouterr().out
    assert printed.count("Agent: ") == 3
    assert "  [memory corrected] 'Head of Platform' → 'CTO'" in printed
    assert "CTO" in printed.rpartition("Agent: ")[2]
    with pytest.raises(ApiError) as refused, BlockingSpectron(context="acme-prod") as memory:
        memory.remember("Hello", session_id=made["session"].id)
    assert refused.value.status == 409, "the session is closed"


def test_one_reply_is_read_by_key_and_by_attribute() -> None:
    newer = """
reply = await memory.chat("What do you know about me?", session_id=session.id)
seen = [reply["reply"], reply["citations"], reply["memoryUpdates"]]
"""
    older = """
reply = await session.chat("What do you know about me?")
seen = [reply.reply, reply.citations, reply.memory_updates]
"""
    for made in (run(OPEN_NEWER, newer), run(OPEN_OLDER, older)):
        reply, citations, updates = made["seen"]
        assert isinstance(reply, str)
        assert isinstance(citations, list)
        assert isinstance(updates, Answer)
        assert updates.corrections == []


def test_the_samples_on_turns_run() -> None:
    class Ui:
        seen: ClassVar[list[tuple[str, ...]]] = []

        def render_attribute(self, *shown: str) -> None:
            self.seen.append(shown)

        def strike_through(self, value: str) -> None: ...

        def highlight_new(self, value: str) -> None: ...

    class Llm:
        system = ""

        def generate(self, *, system: str, user: str) -> str:
            self.system = system
            return "You live in Berlin."

    llm = Llm()
    made = run(OPEN_NEWER, TURNS, ui=Ui(), your_llm=llm, user_message="Where do I live?")
    assert ("['person', 'alice']", "location", "Berlin") in Ui.seen
    assert "Berlin" in llm.system
    assert [turn["role"] for turn in made["turns"].turns] == ["user", "user", "user", "assistant"]
    assert made["turns"].turns[-1].content == "You live in Berlin."


def test_the_blocking_client_has_the_same_calls(blocking: BlockingSpectron) -> None:
    session = blocking.sessions.create(scope=["org/acme/user/bob"])
    assert session.scopes == [["org/acme/user/bob/"]]
    said = session.turn("I'm Bob, CTO at Initech.")
    assert [row.value for row in said.extraction.attributes] == ["CTO"]
    assert "CTO" in session.context("What is my job title?").context
    *deltas, last = session.chat("What do you know about me?", stream=True)
    assert "".join(chunk.delta for chunk in deltas) == last.reply
    assert "CTO" in last.reply
    assert last.session_id == session.id
    assert blocking.inspect(last.citations[0].id).kind in ("attribute", "relation")
    assert len(session.turns().turns) == 3
    assert session.close() is None


def test_a_stream_is_awaited_too() -> None:
    async def streaming() -> list[Answer]:
        async with Spectron(context="acme-prod") as memory:
            return [chunk async for chunk in await memory.chat("Hello there", stream=True)]

    *deltas, last = asyncio.run(streaming())
    assert last.done and not any(chunk.done for chunk in deltas)
    assert last.memory_updates.corrections == []


def test_what_the_server_refuses_is_an_error_with_its_words(blocking: BlockingSpectron) -> None:
    with pytest.raises(ApiError) as refused:
        blocking.chat(" ")
    assert (refused.value.status, "blank" in refused.value.message) == (400, True)
    with pytest.raises(ApiError) as refused:
        blocking.chat(" ", stream=True)
    assert refused.value.status == 400
    with pytest.raises(Unreachable), BlockingSpectron(context="acme-prod", endpoint="http://127.0.0.1:9") as nowhere:
        nowhere.chat("Hello")


def test_raw_calls_may_send_flat_scopes_and_scope(context: Context) -> None:
    with context.client() as rest:
        for name in ("scope", "scopes"):
            answer = rest.post("/chat", json={"message": "Hello", name: ["org/acme/user/alice"]}).json()
            session = rest.get(f"/sessions/{answer['sessionId']}").json()
            assert session["scopes"] == [["org/acme/user/alice/"]]
