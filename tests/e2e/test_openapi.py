"""The OpenAPI document is true: requests made from it never break the server, and answers have its shapes."""

import json
from collections.abc import Iterator
from typing import Any, cast

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance

from api.http.app import ASYNC_ROUTES, PREFIX, ROUTES, UPLOAD_ROUTES
from api.http.openapi import REPEATABLE, document
from api.http.operations import OPERATIONS
from tests.e2e.clients.rest import content
from tests.servers import ServerProcess
from tests.tenants import Tenant, operator, operator_key

EVERY = (*ROUTES, *ASYNC_ROUTES, *UPLOAD_ROUTES)
CHECKS = [not_a_server_error, response_schema_conformance]
TOLD = document(EVERY, prefix=PREFIX)


def test_every_route_is_told_and_nothing_else() -> None:
    assert set(OPERATIONS) == {(method, path) for method, path, _ in EVERY}
    told = {(method.upper(), path) for path, methods in TOLD["paths"].items() for method in methods}
    assert told == {(method, PREFIX + path.replace(":path}", "}")) for method, path, _ in EVERY}
    ids = [one["operationId"] for methods in TOLD["paths"].values() for one in methods.values()]
    assert len(set(ids)) == len(ids)


def test_what_may_be_sent_again_says_so_and_is_served() -> None:
    told = {
        (method.upper(), path.removeprefix(PREFIX))
        for path, methods in TOLD["paths"].items()
        for method, operation in methods.items()
        if any(one["name"] == "Idempotency-Key" for one in operation["parameters"])
    }
    assert told == REPEATABLE


def test_the_page_and_the_document_are_served_and_load_nothing_else(server: ServerProcess) -> None:
    assert content(httpx.get(f"{server.url}/openapi.json", timeout=60)) == json.loads(json.dumps(TOLD))
    page = httpx.get(f"{server.url}/docs", timeout=60).text
    assert all(f"<code>{path}</code>" in page for path in TOLD["paths"])
    assert "src=" not in page and "@import" not in page


@pytest.fixture(scope="module")
def tenant(server: ServerProcess) -> Iterator[Tenant]:
    with operator(server) as management:
        tenant = Tenant(server, management, "fuzzed").make()
        with tenant.admin() as admin:
            content(admin.post("/facts", json={"text": "I'm Alice, Head of Platform at Acme."}))
            content(admin.post("/facts", json={"text": "I just got promoted to CTO."}))
        yield tenant


def send_cases(tenant: Tenant, *, examples: int) -> int:
    """Makes that many requests to each operation from the document, and checks each answer. Returns how many."""
    sent = 0
    keys = {"key": tenant.key("principal:admin"), "management": operator_key(tenant.server)}
    schema = schemathesis.openapi.from_dict(TOLD)
    faults: list[str] = []

    def send(case: Case[Any]) -> None:
        nonlocal sent
        sent += 1
        told = TOLD["paths"][case.path][case.method.lower()]
        case.path_parameters.update({"context_id": tenant.name} if "context_id" in case.path_parameters else {})
        case.headers.clear()
        needed = [name for one in told.get("security", ()) for name in one]
        headers = {"Authorization": f"Bearer {keys[needed[0]]}"} if needed else {}
        answer = case.call(base_url=tenant.server.url, headers=headers, timeout=60)
        if str(answer.status_code) not in told["responses"] or answer.status_code < 500:
            case.validate_response(answer, checks=CHECKS)

    for result in schema.get_all_operations():
        operation = cast(Ok[Any], result).ok()
        many = settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        try:
            many(given(case=operation.as_strategy())(send))()
        except (Exception, FailureGroup) as error:
            faults.append(f"{operation.label}: {error}")
    assert not faults, "\n\n".join(faults)
    return sent


def test_no_request_made_from_the_document_breaks_the_server_or_the_document(tenant: Tenant) -> None:
    assert send_cases(tenant, examples=2) >= 200


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_thousands_of_requests_made_from_the_document_break_nothing(tenant: Tenant) -> None:
    assert send_cases(tenant, examples=20) >= 2_000
