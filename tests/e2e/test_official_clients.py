"""The vendor's own Python clients against a running server, each in an environment of its own."""

import json
from typing import Any

import pytest

from tests.e2e.clients.rest import new_context
from tests.e2e.environments import python_of, run
from tests.servers import ServerProcess

CLIENT_TIMEOUT_S = 120

ALICE = "['person', 'alice']"
ACME = "['organisation', 'acme']"


def error(name: str, status: int) -> dict[str, Any]:
    return {"class": name, "status": status, "message_is_the_servers": True}


def expected_refusals(prefix: str) -> dict[str, Any]:
    return {
        "write to a closed session": error(f"{prefix}APIError", 409),
        "write to no session": error(f"{prefix}ScopeError", 403),
        "read of no session": error(f"{prefix}NotFoundError", 404),
        "deleted entity": error(f"{prefix}NotFoundError", 404),
        "blank text": error(f"{prefix}APIError", 400),
        "wrong key": error(f"{prefix}AuthError", 401),
        "right key": None,
    }


EXPECTED = {
    "health": "ok",
    "bare_session_scopes": [["/"]],
    "diffs": [
        {
            "mode": "full",
            "preview": False,
            "ui": [["+", ALICE, "job_title", "Head of Platform"]],
            "named": [[ALICE, True], [ACME, True]],
        },
        {
            "mode": "full",
            "preview": False,
            "ui": [["+", ALICE, "job_title", "CTO"], ["-", "Head of Platform"], ["!", "CTO"]],
            "named": [[ALICE, False]],
        },
        {
            "mode": "full",
            "preview": False,
            "ui": [["+", ALICE, "location", "Berlin"]],
            "named": [[ALICE, False], ["['location', 'berlin']", True]],
        },
    ],
    "triples": {
        "mode": "triples",
        "session_is_the_one": True,
        "attributes": [["['person', 'daisy']", "shoe_size", "38"]],
        "relations": [["['person', 'daisy']", "knows", ALICE]],
    },
    "preview": {"mode": "preview", "preview": True, "values": ["Lima"], "corrections": [["Berlin", "Lima"]]},
    "none": {"mode": "none", "extraction": None, "chunk": "chunk", "has_turn": True},
    "alone": {"new_session": True, "found": [[], []]},
    "batches": [
        {"extractions": 1, "turns_are_listed": True, "extractions_name_turns": True, "values": ["Lyon"]},
        {"extractions": 2, "turns_are_listed": True, "extractions_name_turns": True, "values": []},
    ],
    "batch_into_session": [True, 1, []],
    "turns_limit_2_offset_1": [2, 3],
    "state": {
        "attributes": [
            ["entity:person/alice", "job_title", "CTO"],
            ["entity:person/alice", "location", "Berlin"],
            ["entity:person/daisy", "shoe_size", "38"],
            ["entity:person/victor", "location", "Lyon"],
        ],
        "relations": [
            ["entity:person/alice", "works_at", "entity:organisation/acme"],
            ["entity:person/daisy", "knows", "entity:person/alice"],
        ],
        "actions": [["entity:person/daisy", "visited", "the office"]],
        "rest": [[], []],
    },
    "alices_title_is_identity": True,
    "entities": [
        ["entity:location/berlin", "Berlin", "location"],
        ["entity:location/lyon", "Lyon", "location"],
        ["entity:organisation/acme", "Acme", "organisation"],
        ["entity:person/alice", "Alice", "person"],
        ["entity:person/daisy", "Daisy", "person"],
        ["entity:person/victor", "Victor", "person"],
    ],
    "persons": ["Alice", "Daisy", "Victor"],
    "history": [["CTO", True, True], ["Head of Platform", False, True]],
    "history_is_linked": [True, True, True],
    "recall": {
        "direct": ["direct", "direct_lookup", ["entity:person/alice"], "Alice: location: Berlin"],
        "words": ["I just got promoted to CTO"],
        "nothing": [],
        "trace": ["where do I live?", "direct", False],
        "listed": ["nobody spoke of zeppelins", "who was promoted to CTO?"],
        "queries": 3,
        "context": ["direct", True],
        "in_session": [True, True],
    },
    "turns_after_closing": 4,
}
ENTITY = {
    "id": "entity:person/alice",
    "attributes": [["job_title", "CTO"], ["location", "Berlin"]],
    "relations": [
        ["entity:person/alice", "works_at", "entity:organisation/acme"],
        ["entity:person/daisy", "knows", "entity:person/alice"],
    ],
}


@pytest.mark.parametrize("mode", ["blocking", "async"])
@pytest.mark.parametrize(
    ("client", "errors"), [("surrealdb-memory", "Memory"), ("surrealdb", "Spectron")], ids=lambda value: str(value)
)
def test_an_official_client_has_the_conversation_of_the_documentation(
    server: ServerProcess, client: str, errors: str, mode: str
) -> None:
    python = python_of(client)
    context = new_context(server, f"{client} {mode}")
    script = f"tests.e2e.clients.{client.replace('-', '_')}_sdk"

    printed = run([str(python), "-m", script, mode, server.url, context.name, context.key], timeout=CLIENT_TIMEOUT_S)

    seen = json.loads(printed)
    session = seen.pop("session")
    assert session["scopes"] == [["org/acme/user/alice/"]]
    assert session["created_at"].endswith("Z")
    written = seen.pop("turns_written")
    assert {session_id for session_id, _, _ in written} == {session["id"]}
    assert [extracted for _, _, extracted in written] == [turn_id for _, turn_id, _ in written]
    assert seen.pop("turns") == [
        [session["id"], written[0][1], 1, "user", "I'm Alice, Head of Platform at Acme."],
        [session["id"], written[1][1], 2, "user", "I just got promoted to CTO"],
        [session["id"], written[2][1], 3, "user", "Actually I moved to Berlin last month"],
        [session["id"], written[3][1], 4, "assistant", "Congratulations!"],
    ]
    assert seen.pop("refusals") == expected_refusals(errors)
    assert seen.pop("get person/Alice") == ENTITY
    assert seen.pop("get Person/alice") == ENTITY
    assert seen == EXPECTED


@pytest.mark.parametrize("mode", ["blocking", "async"])
@pytest.mark.parametrize("client", ["surrealdb-memory", "surrealdb"])
def test_an_official_client_chats_in_both_generations(server: ServerProcess, client: str, mode: str) -> None:
    python = python_of(client)
    context = new_context(server, f"{client}-{mode}-chat")
    script = f"tests.e2e.clients.{client.replace('-', '_')}_chats"

    seen = json.loads(
        run([str(python), "-m", script, mode, server.url, context.name, context.key], timeout=CLIENT_TIMEOUT_S)
    )

    assert seen["corrections"] == [["Head of Platform", "CTO"]] * 2
    assert seen["ids"] == [True, True]
    assert "CTO" in seen["reply"] and "[S1]" in seen["reply"] and "Head of Platform" not in seen["reply"]
    assert seen["streamed"]["done"] == [True, True, True, False]
    assert "CTO" in seen["streamed"]["reply"]
    assert "[S1]" in seen["streamed"]["citations"]
    assert seen["streamed"]["updates"]
    assert "CTO" in seen["older"][0]
    assert seen["older"][1:] == [["actions", "attributes", "corrections"], True]
    assert seen["without a session"] is True
    assert seen["roles"] == ["user", "assistant"] * 5
    assert seen["stranger"] == 401
