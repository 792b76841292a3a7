"""The MCP endpoint, driven by the SDK's own client over HTTP."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection
from typing import Any

import httpx
import pytest
from mcp import ClientSession, McpError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import INVALID_PARAMS, METHOD_NOT_FOUND, CallToolResult, ErrorData, TextContent

from api.mcp.endpoint import BODY_BYTES_MAX
from tests.servers import ServerProcess

TOOLS = {"remember", "recall", "context", "reflect", "forget", "upload", "inspect", "history", "explain"}


def within(
    server: ServerProcess, work: Callable[[ClientSession], Awaitable[Any]], *, key: str | None = None, **headers: str
) -> Any:
    """The result of `work` in a fresh MCP session, or the fault that the protocol reports."""

    async def run() -> Any:
        given = {"Authorization": f"Bearer {key or server.key}", **headers}
        async with (
            httpx.AsyncClient(headers=given, timeout=60) as http,
            streamable_http_client(f"{server.url}/mcp", http_client=http) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            try:
                return await work(session)
            except McpError as error:
                return error.error

    return asyncio.run(run())


def called(server: ServerProcess, tool: str, **arguments: Any) -> CallToolResult:
    result = within(server, lambda session: session.call_tool(tool, arguments))
    assert isinstance(result, CallToolResult)
    return result


def answer(server: ServerProcess, tool: str, **arguments: Any) -> dict[str, Any]:
    result = called(server, tool, **arguments)
    assert not result.isError, result.content
    assert result.structuredContent is not None
    return result.structuredContent


def test_the_tools_are_listed_with_their_inputs(server: ServerProcess) -> None:
    tools = within(server, lambda session: session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    (recall,) = (tool for tool in tools if tool.name == "recall")
    assert recall.inputSchema["required"] == ["query"]
    assert recall.inputSchema["properties"]["k"]["maximum"] == 50
    assert recall.annotations.readOnlyHint


def test_what_is_remembered_is_recalled_explained_and_inspected(server: ServerProcess) -> None:
    told = answer(server, "remember", text="My name is Rosalind. I live in Turin.")
    assert told["trace_id"] == told["turnId"]
    answer(server, "remember", text="I moved to Genoa last month.", session_id=told["sessionId"])
    history = answer(server, "history", entity="person/rosalind", key="location")["history"]
    assert [version["value"] for version in history] == ["Genoa", "Turin"]
    story = answer(server, "explain", entity="entity:person/rosalind", key="location")
    assert "I moved to Genoa last month." in story["text"]
    assert answer(server, "inspect", ref="entity:person/rosalind")["trace_id"]
    found = answer(server, "recall", query="Where does Rosalind live?", k=3)
    assert any("Genoa" in hit["text"] for hit in found["hits"])
    assert found["trace_id"]


def test_context_comes_as_a_block_of_text(server: ServerProcess) -> None:
    answer(server, "remember", text="My name is Ottilie. I'm allergic to walnuts.")
    result = called(server, "context", query="What is Ottilie allergic to?")
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert "walnuts" in block.text


def test_what_the_rest_api_refuses_is_an_error_of_the_tool(server: ServerProcess) -> None:
    refused = called(server, "history", entity="person/nobody_of_that_name", key="location")
    assert refused.isError
    assert refused.structuredContent is not None
    assert refused.structuredContent["error"]["status"] == 404
    other = called(server, "recall", query="anything", context_id="another")
    assert other.structuredContent is not None
    assert other.structuredContent["error"]["status"] == 401


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("recall", {"query": "x", "k": 51}), ("recall", {}), ("remember", {"text": 5}), ("history", {"entity": "a/b"})],
)
def test_arguments_that_do_not_fit_are_a_fault_of_the_protocol(
    server: ServerProcess, tool: str, arguments: dict[str, Any]
) -> None:
    fault = within(server, lambda session: session.call_tool(tool, arguments))
    assert isinstance(fault, ErrorData)
    assert fault.code == INVALID_PARAMS


def test_an_unknown_tool_is_a_fault_of_the_protocol(server: ServerProcess) -> None:
    fault = within(server, lambda session: session.call_tool("destroy", {}))
    assert isinstance(fault, ErrorData)
    assert fault.code == METHOD_NOT_FOUND


def test_without_a_valid_key_nothing_is_answered(server: ServerProcess) -> None:
    for headers in ({}, {"Authorization": "Bearer sp-wrong"}):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        response = httpx.post(f"{server.url}/mcp", json=body, headers={**headers, "Accept": "application/json"})
        assert response.status_code == 401
        assert response.json()["status"] == 401


def test_resources_read_like_folders(server: ServerProcess) -> None:
    answer(server, "remember", text="My name is Casimir. I work as a glazier.")

    async def read(session: ClientSession) -> tuple[list[str], str, str]:
        folders = [str(found.uri) for found in (await session.list_resources()).resources]
        every: Any = (await session.read_resource("spectron://fs/entities")).contents[0]  # type: ignore[arg-type]
        one: Any = (await session.read_resource("spectron://fs/entities/person/casimir")).contents[0]  # type: ignore[arg-type]
        return folders, every.text, one.text

    folders, every, one = within(server, read)
    assert folders == [f"spectron://fs/{name}" for name in ("documents", "entities", "sessions")]
    assert "casimir" in every.lower()
    assert "glazier" in one


@pytest.mark.parametrize("content", ["not base64!", "%%%"])
def test_an_upload_that_is_no_base64_is_refused(server: ServerProcess, content: str) -> None:
    refused = called(server, "upload", bytes_base64=content)
    assert refused.isError
    assert refused.structuredContent is not None
    assert refused.structuredContent["error"]["status"] == 400


def test_an_uploaded_document_is_accepted(server: ServerProcess) -> None:
    content = base64.b64encode(b"# Returns\n\nGoods can be returned within 30 days.").decode()
    accepted = answer(server, "upload", bytes_base64=content, filename="returns.md", title="Returns")
    assert accepted["contentHash"]
    assert accepted["trace_id"] == accepted["id"]


def test_a_message_that_is_too_long_is_refused_before_it_is_read(server: ServerProcess) -> None:
    url = httpx.URL(server.url)
    connection = HTTPConnection(url.host, url.port or 80, timeout=30)
    connection.putrequest("POST", "/mcp")
    connection.putheader("Authorization", f"Bearer {server.key}")
    connection.putheader("Content-Length", str(BODY_BYTES_MAX + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
