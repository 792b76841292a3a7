"""Facts from documents are curated: the handbook against what a user says, a newer handbook, and none any more."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.servers import ServerProcess
from tests.tenants import Tenant, operator

HANDBOOK = """# Handbook

Welcome. This handbook says how the shop works, whom to ask, and what we promise to our customers.

## Returns

Returns are accepted within {days} days of delivery. Bring the receipt.
"""
POLICY = "policy/returns"
QUESTION = "Within how many days are returns accepted?"


@pytest.fixture
def client(server: ServerProcess) -> Iterator[httpx.Client]:
    """A context of its own."""
    with operator(server) as management, Tenant(server, management).make().admin() as client:
        yield client


class Shop:
    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def upload(self, days: int) -> str:
        answer = self.client.post(
            "/documents",
            files={"file": ("handbook.md", HANDBOOK.format(days=days).encode())},
            data={"metadata": '{"title": "Team handbook"}'},
        )
        assert answer.status_code == 202, answer.text
        return self.ready(answer.json()["id"])

    def replace(self, document_id: str, days: int) -> None:
        files = {"file": ("handbook.md", HANDBOOK.format(days=days).encode())}
        assert self.client.put(f"/documents/{document_id}", files=files).status_code == 202
        self.ready(document_id)

    def ready(self, document_id: str) -> str:
        for _ in range(600):
            found = self.client.get(f"/documents/{document_id}").json()
            if found["status"] == "ready":
                return document_id
            assert found["status"] != "failed", found
            time.sleep(0.05)
        raise AssertionError(found)

    def say(self, text: str) -> dict[str, Any]:
        answer = self.client.post("/facts", json={"text": text})
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["extraction"])

    def limits(self) -> dict[str, str]:
        """standing by value of all that counts of the time limit of returns."""
        history = self.client.get(f"/entities/{POLICY}/history/time_limit").json()["history"]
        return {row["value"]: row["standing"] for row in history if row["validUntil"] is None}

    def unknowns(self) -> list[str]:
        return [one["about"] for one in self.client.get("/state").json()["unknowns"]]

    def context(self) -> dict[str, str]:
        """The sections of the block for a prompt, by heading."""
        block = self.client.post("/context", json={"query": QUESTION}).json()["context"]
        return dict(part.split("\n", 1) for part in block.split("## ")[1:])


def test_a_users_word_against_the_handbook(client: httpx.Client) -> None:
    shop = Shop(client)
    document_id = shop.upload(30)
    assert shop.limits() == {"30 days": "current"}
    said = shop.say("Returns are accepted within 60 days.")
    # Both are kept, the handbook's is current, and the doubt names both.
    assert said["corrections"] == []
    assert [one["about"] for one in said["uncertainties"]] == ["time_limit: 60 days, against 30 days"]
    assert shop.limits() == {"30 days": "current", "60 days": "claimed"}
    assert shop.unknowns() == ["time_limit: 60 days, against 30 days"]
    # A prompt is told which is the policy and who says so.
    told = shop.context()
    assert "time limit: 30 days" in told["Facts"]
    assert "as the document “Team handbook” says" in told["Facts"]
    assert "60 days" not in told["Facts"]
    assert "time limit: 60 days" in told["Also said, but not confirmed"]
    # So is a reader of a chat, whose citations name the document.
    reply = client.post("/chat", json={"message": QUESTION}).json()
    cited = {one["snippet"]: one for one in reply["citations"]}
    assert cited["Returns: time limit: 30 days"]["documentTitle"] == "Team handbook"
    (passage,) = [one for text, one in cited.items() if "Bring the receipt" in text]
    assert passage["documentTitle"] == "Team handbook"
    text = HANDBOOK.format(days=30)
    assert passage["positionPercent"] == round(100 * text.index("## Returns") / len(text))
    # A newer handbook supersedes the older one, not the doubt.
    shop.replace(document_id, 45)
    assert shop.limits() == {"45 days": "current", "60 days": "claimed"}
    assert shop.unknowns()
    # Without a handbook the user's word is what is known.
    assert client.delete(f"/documents/{document_id}").status_code == 204
    assert shop.limits() == {"60 days": "current"}
    assert shop.unknowns() == []


def test_a_fact_names_the_document_that_it_comes_from(client: httpx.Client) -> None:
    shop = Shop(client)
    shop.say("Returns are accepted within 60 days.")
    document_id = shop.upload(30)
    assert shop.limits()["30 days"] == "current", "the handbook counts more, though it came later"
    row = client.get("/attributes", params={"entity": POLICY}).json()["attributes"][0]
    assert (row["source"]["kind"], row["source"]["title"]) == ("document", "Team handbook")
    chunks = client.get(f"/documents/{document_id}/chunks").json()["chunks"]
    assert row["source"]["ref"] in [one["id"] for one in chunks]
