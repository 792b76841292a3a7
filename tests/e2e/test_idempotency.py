"""A request that is sent again with its Idempotency-Key is answered from the log and records nothing."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest

from api.ids import new_id
from memory import idempotency
from memory.errors import Conflict
from memory.idempotency import RequestKey
from tests.e2e.clients.rest import Context, assert_error, content, new_context
from tests.servers import ServerProcess
from tests.tenants import READ, WRITE, Tenant, operator
from tests.worlds import World


@pytest.fixture(scope="module")
def context(server: ServerProcess) -> Context:
    return new_context(server, "idempotent")


@pytest.fixture
def rest(context: Context) -> Iterator[httpx.Client]:
    with context.client() as client:
        yield client


def send(rest: httpx.Client, key: str, body: dict[str, Any], path: str = "/facts") -> httpx.Response:
    return rest.post(path, json=body, headers={"Idempotency-Key": key})


BODIES = [
    ("/facts", {"text": "I'm Tove, a carpenter at Birka."}),
    ("/facts", {"text": "only words", "infer": "none"}),
    ("/facts", {"infer": "triples", "triples": [{"entity": {"name": "Bo"}, "key": "k", "value": "v"}]}),
    ("/facts/batch", {"messages": [{"role": "user", "content": "I like tea."}, {"role": "user", "content": "Hi."}]}),
]


@pytest.mark.parametrize(("path", "body"), BODIES, ids=["full", "none", "triples", "batch"])
def test_the_same_request_again_gets_the_same_answer_and_records_nothing(
    rest: httpx.Client, path: str, body: dict[str, Any]
) -> None:
    key = str(new_id())
    first = content(send(rest, key, body, path))
    again = content(send(rest, key, body, path))
    assert {**again, "position": first["position"]} == first
    session = first["sessionId"]
    turns = content(rest.get(f"/sessions/{session}/turns"))["turns"]
    assert len(turns) == len(body.get("messages", [1]))


def test_the_same_key_with_another_body_conflicts_and_another_key_is_another_request(rest: httpx.Client) -> None:
    key = str(new_id())
    first = content(send(rest, key, {"text": "I like tea."}))
    assert_error(send(rest, key, {"text": "I like coffee."}), 409)
    assert content(send(rest, str(new_id()), {"text": "I like tea."}))["turnId"] != first["turnId"]


def test_a_request_that_failed_leaves_its_key_free(rest: httpx.Client) -> None:
    key = str(new_id())
    body = {"text": "I like tea.", "session_id": "01arz3ndektsv4rrffq69g5fav"}
    assert_error(send(rest, key, body), 403)
    content(send(rest, key, {"text": "I like tea."}))


def test_one_key_from_sixteen_threads_makes_one_turn(context: Context) -> None:
    key, body = str(new_id()), {"text": "My lucky number is 7."}

    def one(_: int) -> str:
        with context.client() as rest:
            answer = send(rest, key, body)
        assert answer.status_code in (200, 202)
        return str(answer.json()["turnId"])

    with ThreadPoolExecutor(16) as threads:
        assert len(set(threads.map(one, range(16)))) == 1


def test_a_read_is_never_answered_from_an_earlier_one(rest: httpx.Client) -> None:
    key = {"Idempotency-Key": str(new_id())}
    before = content(rest.post("/state", headers=key))
    content(rest.post("/facts", json={"infer": "triples", "triples": [{"entity": {"name": "Ea"}}]}))
    assert content(rest.post("/state", headers=key)) != before


def test_a_session_made_again_is_the_same_one(rest: httpx.Client) -> None:
    key, body = str(new_id()), {"scopes": ["org/acme"], "metadata": {"a": 1}}
    first = content(send(rest, key, body, "/sessions"), 201)
    assert content(send(rest, key, body, "/sessions"), 201) == first
    assert_error(send(rest, key, {"scopes": ["org/other"]}, "/sessions"), 409)
    assert content(send(rest, key, {"text": "A key is of one operation.", "infer": "none"}))["turnId"]


def upload(rest: httpx.Client, key: str, data: bytes, document: str = "", **metadata: Any) -> httpx.Response:
    files = {"file": ("notes.txt", data, "text/plain")}
    method, path = ("PUT", f"/documents/{document}") if document else ("POST", "/documents")
    fields = {"metadata": json.dumps(metadata)}
    return rest.request(method, path, files=files, data=fields, headers={"Idempotency-Key": key})


def test_an_upload_again_is_the_same_document_though_no_two_forms_are_alike(rest: httpx.Client) -> None:
    key, data = str(new_id()), str(new_id()).encode()
    first = content(upload(rest, key, data), 202)
    again = content(upload(rest, key, data), 202)
    assert {**again, "status": first["status"]} == first
    assert not again["deduplicated"]
    assert_error(upload(rest, key, data + b"!"), 409)
    assert_error(upload(rest, key, data, title="Another"), 409)
    other_key = str(new_id())
    for _ in range(2):
        same = content(upload(rest, other_key, data), 202)
        assert (same["id"], same["deduplicated"]) == (first["id"], True)


def test_a_document_is_replaced_once(rest: httpx.Client) -> None:
    document = content(upload(rest, str(new_id()), str(new_id()).encode()), 202)["id"]
    key, data = str(new_id()), str(new_id()).encode()
    first, again = (content(upload(rest, key, data, document), 202) for _ in range(2))
    assert (again["id"], again["contentHash"]) == (document, first["contentHash"])
    assert_error(upload(rest, key, data + b"!", document), 409)
    assert rest.delete(f"/documents/{document}").status_code == 204
    assert_error(upload(rest, key, data, document), 404)


def test_the_document_of_a_key_may_be_gone(rest: httpx.Client) -> None:
    key, data = str(new_id()), str(new_id()).encode()
    document = content(upload(rest, key, data), 202)["id"]
    assert rest.delete(f"/documents/{document}").status_code == 204
    assert_error(upload(rest, key, data), 409)


def test_each_principal_has_keys_of_its_own(server: ServerProcess) -> None:
    key, body = str(new_id()), {"text": "words", "infer": "none"}
    with operator(server) as management:
        tenant = Tenant(server, management).make()
        ann, ben = (tenant.caller(name, {WRITE: [f"user/{name}"], READ: [f"user/{name}"]}) for name in ("ann", "ben"))
        assert content(send(ann, key, body))["turnId"] != content(send(ben, key, body))["turnId"]


def test_a_reserved_key_conflicts_until_it_is_released_or_its_lease_is_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = RequestKey(world.caller.principal_id, b"k" * 32, b"b" * 32)
    other_body = RequestKey(world.caller.principal_id, b"k" * 32, b"c" * 32)
    log = world.services.log

    def reserved(one: RequestKey = request) -> idempotency.Done | RequestKey:
        with log.writing(world.context_id) as writing:
            return idempotency.reserve(writing, one)

    first = reserved()
    assert isinstance(first, RequestKey)
    for one in (request, other_body):
        with pytest.raises(Conflict):
            reserved(one)
    with log.writing(world.context_id) as writing:
        idempotency.release(writing, request)
    with pytest.raises(Conflict):
        reserved()  # only who holds a reservation releases it
    with log.writing(world.context_id) as writing:
        assert idempotency.find(writing, first) is None
        idempotency.release(writing, first)
    monkeypatch.setattr(idempotency, "LEASE", timedelta(microseconds=1))
    overtaken, second = reserved(), reserved()
    assert isinstance(overtaken, RequestKey) and isinstance(second, RequestKey)
    turn_id = new_id()
    with log.writing(world.context_id) as writing:
        idempotency.release(writing, overtaken)
        assert idempotency.find(writing, second) is None
        idempotency.keep(writing, second, None, [turn_id])
        idempotency.release(writing, second)
        now = writing.now
    assert reserved() == idempotency.Done(None, [turn_id], now)
