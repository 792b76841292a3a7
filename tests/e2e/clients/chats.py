"""What an application does with an official client's chat; the same calls for the blocking and the async one.

Runs in a client's own environment, so it imports nothing but the standard library.
"""

import inspect
from typing import Any

from tests.e2e.clients.conversation import Json, done, run

SENTENCES = ("I'm Alice, Head of Platform at Acme.", "I just got promoted to CTO")
QUESTION = "What do you know about me?"


async def chunks_of(streamed: Any) -> list[Any]:
    """All chunks of a streamed reply."""
    streamed = await done(streamed)
    if inspect.isasyncgen(streamed) or hasattr(streamed, "__aiter__"):
        return [chunk async for chunk in streamed]
    return list(streamed)


async def talk(memory: Any, stranger: Any) -> Json:
    """Chats in both generations of the wire, at once and streamed. stranger: the same client with a wrong key."""
    session = await done(memory.sessions.create(scopes=["org/acme/user/alice"]))
    seen: Json = {"corrections": []}
    for text in SENTENCES:
        result = await done(memory.chat(text, session_id=session.id))
        for c in result.memory_updates.corrections:
            seen["corrections"].append([c["previous"]["value"], c["current"]["value"]])
            seen["corrections"].append([c["oldValue"], c["newValue"]])

    answer = await done(memory.chat(QUESTION, session_id=session.id))
    seen["reply"] = answer.reply
    seen["ids"] = [answer.session_id == session.id, bool(answer.trace_id)]

    *deltas, last = await chunks_of(memory.chat(QUESTION, session_id=session.id, stream=True))
    seen["streamed"] = {
        "reply": "".join(chunk.delta for chunk in deltas),
        "done": [last.done, last.session_id == session.id, bool(last.trace_id), any(chunk.done for chunk in deltas)],
        "citations": [citation["marker"] for citation in last.raw["citations"]],
        "updates": last.raw["memoryUpdates"]["turnId"] != "",
    }

    path = f"/api/v1/{memory.context_id}/sessions/{session.id}/chat"
    older = await done(memory._transport.request("POST", path, json={"content": QUESTION}))
    seen["older"] = [older["reply"], sorted(older["memory_updates"])[:3], len(older["citations"]) > 0]

    alone = await done(memory.chat("Hi!"))
    seen["without a session"] = alone.session_id != session.id
    turns = (await done(memory.sessions.turns(session.id))).turns
    seen["roles"] = [turn.role for turn in turns]
    try:
        await done(stranger.chat("Hi!"))
    except Exception as error:
        seen["stranger"] = getattr(error, "status_code", None)
    return seen


def main(blocking: Any, asynchronous: Any) -> None:
    run(talk, blocking, asynchronous)
