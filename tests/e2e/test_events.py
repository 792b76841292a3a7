"""The feed of events over HTTP: pages, filters, and a stream that a client takes up again where it was."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from httpx_sse import ServerSentEvent, connect_sse

from tests.servers import ServerProcess


@pytest.fixture
def client(server: ServerProcess) -> Iterator[httpx.Client]:
    with server.client() as ready:
        yield ready


def told(client: httpx.Client, name: str, city: str) -> dict[str, str]:
    triple = {"entity": {"type": "person", "name": name}, "key": "city", "value": city}
    answer = client.post("/facts", json={"infer": "triples", "triples": [triple], "text": f"{name}: {city}"})
    assert answer.status_code == 200
    body: dict[str, str] = answer.json()
    return body


def streamed(client: httpx.Client, count: int, **headers: str) -> list[ServerSentEvent]:
    with connect_sse(client, "GET", "/events", headers=headers) as source:
        # This client makes an event without data of a comment that keeps the connection alive.
        events = (one for one in source.iter_sse() if one.data)
        return [next(events) for _ in range(count)]


def test_events_come_in_pages_and_by_what_they_are_about(client: httpx.Client) -> None:
    turn = told(client, "Fennimore", "Oslo")
    told(client, "Fennimore", "Rome")
    of_turn = client.get("/events", params={"turn": turn["turnId"]}).json()
    topics = [one["topic"] for one in of_turn["events"]]
    assert topics[0] == "TurnRecorded"
    assert "AttributeAsserted" in topics
    about = client.get("/events", params={"entity": "person/fennimore", "limit": 500}).json()["events"]
    assert {"EntityRecognised", "AttributeAsserted", "AttributeSuperseded"} <= {one["topic"] for one in about}
    only = client.get("/events", params={"topic": "AttributeAsserted", "session": turn["sessionId"]}).json()["events"]
    assert [one["payload"]["value"] for one in only] == ["Oslo"]

    walked: list[int] = []
    query: dict[str, str] = {"limit": "3"}
    while True:
        page = client.get("/events", params=query).json()
        walked += [one["position"] for one in page["events"]]
        if not page["page"].get("nextCursor"):
            break
        query["cursor"] = page["page"]["nextCursor"]
    assert walked == sorted(set(walked))
    assert client.get("/events", params={"topic": "KeyMinted"}).status_code == 400


def test_a_stream_is_taken_up_where_it_broke(client: httpx.Client) -> None:
    begin = told(client, "Gus", "Bern")
    position = str(begin["position"])
    told(client, "Gus", "Graz")
    told(client, "Gus", "Linz")
    first = streamed(client, 2, **{"Last-Event-ID": position})
    rest = streamed(client, 2, **{"Last-Event-ID": first[-1].id})
    ids = [int(one.id) for one in first + rest]
    assert ids == sorted(set(ids)) and ids[0] > int(position)
    pages = client.get("/events", params={"after": position}).json()["events"]
    assert [one["position"] for one in pages][:4] == ids
    assert [json.loads(one.data)["topic"] for one in first] == [one.event for one in first]
    assert client.get("/events", headers={"Accept": "text/event-stream", "Last-Event-ID": "x"}).status_code == 400


WRITERS, TURNS, TAKEN = 8, 3, 7
EVENTS = 2 * WRITERS * TURNS  # each turn opens a session


def test_a_stream_that_breaks_again_and_again_misses_and_doubles_nothing(
    server: ServerProcess, client: httpx.Client
) -> None:
    begin = int(told(client, "Gus", "Basel")["position"])

    def write(number: int) -> int:
        with server.client() as own:
            bodies = [{"infer": "none", "text": f"writer {number}, turn {turn}"} for turn in range(TURNS)]
            return max(int(own.post("/facts", json=body).json()["position"]) for body in bodies)

    seen = [begin]
    with ThreadPoolExecutor(WRITERS) as pool:
        written = [pool.submit(write, number) for number in range(WRITERS)]
        # Taken up after every few events, while the writers are at it.
        while len(seen) <= EVENTS:
            few = min(TAKEN, EVENTS + 1 - len(seen))
            seen += [int(one.id) for one in streamed(client, few, **{"Last-Event-ID": str(seen[-1])})]
    assert max(one.result() for one in written) == seen[-1]
    page = client.get("/events", params={"after": str(begin), "limit": "500"}).json()["events"]
    assert seen[1:] == [one["position"] for one in page]
