"""What an application does with an official client; the same calls for the blocking and the async one.

Runs in a client's own environment, so it imports nothing but the standard library.
"""

import asyncio
import inspect
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

Json = dict[str, Any]

ALICE = {"type": "person", "name": "Alice"}
DAISY = {"type": "person", "name": "Daisy"}


class ConsoleUi:
    """Collects what an application would show of a turn."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = []

    def render_attribute(self, entity_id: str, key: str, value: str) -> None:
        self.lines.append(["+", entity_id, key, value])

    def strike_through(self, value: str) -> None:
        self.lines.append(["-", value])

    def highlight_new(self, value: str) -> None:
        self.lines.append(["!", value])


async def done(value: Any) -> Any:
    """The result of a call, awaited if the client is the async one."""
    return await value if inspect.isawaitable(value) else value


async def refusal(call: Callable[[], Any]) -> Json | None:
    """How the client reports a call that the server refuses; None if it does not."""
    try:
        await done(call())
    except Exception as error:
        body = getattr(error, "body", None)
        return {
            "class": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "message_is_the_servers": isinstance(body, dict) and error.message == body["message"],  # type: ignore[attr-defined]
        }
    return None


async def talk(memory: Any, stranger: Any) -> Json:
    """The whole conversation. stranger: the same client with a wrong key."""
    seen: Json = {"health": (await done(memory.health()))["status"]}

    session = await done(memory.sessions.create(scopes=["org/acme/user/alice"], metadata={"channel": "test"}))
    seen["session"] = asdict(session)
    bare = await done(memory.sessions.create())
    seen["bare_session_scopes"] = bare.scopes

    seen["turns_written"], seen["diffs"] = [], []
    for text in (
        "I'm Alice, Head of Platform at Acme.",
        "I just got promoted to CTO",
        "Actually I moved to Berlin last month",
    ):
        result = await done(memory.remember(text, session_id=session.id, role="user"))
        ui = ConsoleUi()
        for attr in result.extraction.attributes:
            ui.render_attribute(attr["entityId"], attr["key"], attr["value"])
        for correction in result.extraction.corrections:
            ui.strike_through(correction["oldValue"])
            ui.highlight_new(correction["newValue"])
        named = [[entity["id"], entity["isNew"]] for entity in result.extraction.entities]
        seen["diffs"].append({"mode": result.mode, "preview": result.preview, "ui": ui.lines, "named": named})
        seen["turns_written"].append([result.session_id, result.turn_id, result.extraction.turn_id])

    reply = await done(memory.remember("Congratulations!", session_id=session.id, role="assistant"))
    seen["turns_written"].append([reply.session_id, reply.turn_id, reply.extraction.turn_id])

    given = await done(
        memory.remember(
            infer="triples",
            session_id=bare.id,
            labels=["source=crm"],
            triples=[
                {"entity": DAISY, "key": "Shoe Size", "value": "38", "memory_category": "identity"},
                {"entity": DAISY, "key": "knows", "target": ALICE},
                {"entity": DAISY, "verb": "visited", "object": "the office"},
            ],
        )
    )
    seen["triples"] = {
        "mode": given.mode,
        "session_is_the_one": given.session_id == bare.id,
        "attributes": [[row["entityId"], row["key"], row["value"]] for row in given.extraction.attributes],
        "relations": [[row["subject"], row["label"], row["object"]] for row in given.extraction.relations],
    }

    preview = await done(memory.remember("I moved to Lima", session_id=session.id, infer="preview"))
    seen["preview"] = {
        "mode": preview.mode,
        "preview": preview.preview,
        "values": [row["value"] for row in preview.extraction.attributes],
        "corrections": [[row["oldValue"], row["newValue"]] for row in preview.extraction.corrections],
    }

    words = await done(memory.remember("The kettle is on.", session_id=bare.id, infer="none"))
    seen["none"] = {
        "mode": words.mode,
        "extraction": words.extraction,
        "chunk": str(words.chunk_id).partition(":")[0],
        "has_turn": bool(words.turn_id),
    }

    alone = await done(memory.remember("Hi, how are you?", scopes="org/acme"))
    seen["alone"] = {
        "new_session": alone.session_id not in (session.id, bare.id),
        "found": [alone.extraction.entities, alone.extraction.attributes],
    }

    messages = [
        {"role": "user", "content": "I'm Victor and I live in Lyon."},
        {"role": "assistant", "content": "Nice to meet you, Victor!"},
    ]
    seen["batches"] = []
    for extract in ("whole_conversation", "per_message"):
        batch = await done(memory.remember_many(messages, extract=extract))
        turn_ids = [extraction.turn_id for extraction in batch.extractions]
        listed = [turn.id for turn in (await done(memory.sessions.turns(batch.session_id))).turns]
        seen["batches"].append(
            {
                "extractions": len(batch.extractions),
                "turns_are_listed": listed == batch.turn_ids,
                "extractions_name_turns": set(turn_ids) <= set(batch.turn_ids),
                "values": [row["value"] for extraction in batch.extractions for row in extraction.attributes],
            }
        )
    into = await done(memory.remember_many(messages[1:], session_id=bare.id, infer="none"))
    seen["batch_into_session"] = [into.session_id == bare.id, len(into.turn_ids), into.extractions]

    turns = (await done(memory.sessions.turns(session.id))).turns
    seen["turns"] = [[turn.session, turn.id, turn.seq, turn.role, turn.content] for turn in turns]
    some = (await done(memory.sessions.turns(session.id, limit=2, offset=1))).turns
    seen["turns_limit_2_offset_1"] = [turn.seq for turn in some]

    state = await done(memory.state())
    parts = (state.identity, state.knowledge, state.context)
    seen["state"] = {
        "attributes": sorted([row["entity"], row["key"], row["value"]] for part in parts for row in part["attributes"]),
        "relations": sorted(
            [row["subject"], row["label"], row["object"]] for part in parts for row in part["relations"]
        ),
        "actions": [[row["actor"], row["verb"], row["objectText"]] for part in parts for row in part["actions"]],
        "rest": [state.instructions, state.unknowns],
    }
    seen["alices_title_is_identity"] = "job_title" in [row["key"] for row in state.identity["attributes"]]

    listed = (await done(memory.entities.list())).entities
    seen["entities"] = [[row.id, row.name, row.entity_type] for row in listed]
    persons = (await done(memory.entities.list(entity_type="person"))).entities
    seen["persons"] = [row.name for row in persons]
    for name, kind in (("Alice", "person"), ("alice", "Person")):
        entity = await done(memory.entities.get(kind, name))
        seen[f"get {kind}/{name}"] = {
            "id": entity.entity.id,
            "attributes": sorted([row.key, row.value] for row in entity.attributes),
            "relations": sorted([row.subject, row.label, row.object_] for row in entity.relations),
        }
    versions = (await done(memory.entities.history("person", "Alice", "job_title"))).history
    seen["history"] = [[row.value, row.valid_until is None, row.valid_from != ""] for row in versions]
    seen["history_is_linked"] = [
        versions[0].supersedes == versions[1].id,
        versions[1].superseded_by == versions[0].id,
        versions[1].valid_until == versions[0].valid_from,
    ]

    seen["recall"] = await recalled(memory, session.id)

    await done(memory.entities.delete("person", "Daisy"))
    await done(memory.sessions.delete(session.id))
    seen["turns_after_closing"] = len((await done(memory.sessions.turns(session.id))).turns)
    nowhere = "01arz3ndektsv4rrffq69g5fav"
    seen["refusals"] = {
        "write to a closed session": await refusal(lambda: memory.remember("Hello", session_id=session.id)),
        "write to no session": await refusal(lambda: memory.remember("Hello", session_id=nowhere)),
        "read of no session": await refusal(lambda: memory.sessions.turns(f"sess:{nowhere}")),
        "deleted entity": await refusal(lambda: memory.entities.get("person", "Daisy")),
        "blank text": await refusal(lambda: memory.remember(" ")),
        "wrong key": await refusal(lambda: stranger.state()),
        "right key": await refusal(lambda: memory.state()),
    }
    return seen


Talk = Callable[[Any, Any], Awaitable[Json]]


async def recalled(memory: Any, session_id: str) -> Json:
    """What the client's reads for prompts bring back, and the traces that they leave."""
    direct = await done(memory.recall("where do I live?", k=5, session_id=session_id, source="test"))
    words = await done(memory.recall("who was promoted to CTO?", mode="bm25", include=["passages"], lens="org/acme/*"))
    nothing = await done(memory.recall("nobody spoke of zeppelins", as_of="2020-01-01T00:00:00Z"))
    trace = await done(memory.traces.get(direct.trace["traceId"]))
    listed = await done(memory.traces.list(limit=2))
    stats = await done(memory.traces.stats())
    context = await done(memory.query_context("what is Alice's job title?", k=3))
    in_session = await done(memory.sessions.context(session_id, "what is my job title?"))
    return {
        "direct": [direct.tier, direct.classification_kind, direct.seed_entities, direct.hits[0].text],
        "words": [hit.text for hit in words.hits][:1],
        "nothing": nothing.hits,
        "trace": [trace.query_text, trace.resolution_tier, trace.cached],
        "listed": [one.query_text for one in listed.traces],
        "queries": stats.total_queries,
        "context": [context.tier, "- Alice: job title: CTO" in context.context],
        "in_session": [
            "- Alice: job title: CTO" in in_session.context,
            "user: I just got promoted" in in_session.context,
        ],
    }


async def talk_async(talk: Talk, client: Any, settings: Json) -> Json:
    async with client(**settings) as memory, client(**{**settings, "api_key": "wrong"}) as stranger:
        return await talk(memory, stranger)


def talk_blocking(talk: Talk, client: Any, settings: Json) -> Json:
    with client(**settings) as memory, client(**{**settings, "api_key": "wrong"}) as stranger:
        return asyncio.run(_awaited(talk, memory, stranger))


async def _awaited(talk: Talk, memory: Any, stranger: Any) -> Json:
    return await talk(memory, stranger)


def run(talk: Talk, blocking: Any, asynchronous: Any) -> None:
    """`<script> blocking|async <endpoint> <context> <key>`: print what was seen as one JSON document."""
    mode, endpoint, context, key = sys.argv[1:]
    settings = {"context": context, "endpoint": endpoint, "api_key": key}
    if mode == "async":
        seen = asyncio.run(talk_async(talk, asynchronous, settings))
    else:
        seen = talk_blocking(talk, blocking, settings)
    print(json.dumps(seen))


def main(blocking: Any, asynchronous: Any) -> None:
    run(talk, blocking, asynchronous)
