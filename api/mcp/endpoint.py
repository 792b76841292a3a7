"""The MCP endpoint: the official SDK's Streamable HTTP server, over our own REST application.

Stateless: every request stands for itself, so several server processes can share a port. The SDK and the
client within are imported at the first request, as most servers never get one.
"""

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from api.http.bodies import IDLE_S
from api.http.calls import ON_BEHALF_OF
from api.http.problems import problem
from api.mcp import resources
from api.mcp.tools import TOOLS, Asked, Tool
from memory.documents.bytes_store import BYTES_MAX
from memory.errors import PalimpsestError, PayloadTooLarge, Unauthorised

if TYPE_CHECKING:
    import httpx
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

REFUSAL_HEADERS = ("content-type", "retry-after", "www-authenticate", "x-trace-id")
CONTEXT_HEADER = "x-spectron-context"
BODY_BYTES_MAX = BYTES_MAX * 4 // 3 + 1024 * 1024  # a document in Base64, and what is said of it
TIMEOUT_S = 120.0  # reflection waits for a language model
INSTRUCTIONS = "Long-term memory. Use `context` before answering, `remember` for what the user says of themselves."


class McpEndpoint:
    """An ASGI application at /mcp. default_context: for calls that name none."""

    def __init__(self, *, default_context: str, prefix: str) -> None:
        self._default_context = default_context
        self._prefix = prefix
        self._starting = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            refusal = await self._refusal(request)
            _check_length(request)
        except PalimpsestError as error:
            refusal = problem(error)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        manager = await self._started()
        await manager.handle_request(scope, _bounded(receive), send)

    async def stop(self) -> None:
        self._stopping.set()
        if self._running is not None:
            await self._running

    async def _refusal(self, request: Request) -> Response | None:
        """What a caller gets that may not ask anything now: without a valid key it does not even learn which tools
        there are. None for any other. Raises Unauthorised."""
        response = await self._send(Asked("GET", "/me"), request, self._context(request, {}))
        if response.is_success:
            return None
        shown = {name: response.headers[name] for name in REFUSAL_HEADERS if name in response.headers}
        return Response(response.content, response.status_code, shown)

    async def _started(self) -> "StreamableHTTPSessionManager":
        async with self._starting:
            if self._manager is None:
                from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

                self._manager = StreamableHTTPSessionManager(self._server(), json_response=True, stateless=True)
                ready = asyncio.Event()
                self._running = asyncio.create_task(self._run(self._manager, ready))
                await ready.wait()
            return self._manager

    async def _run(self, manager: "StreamableHTTPSessionManager", ready: asyncio.Event) -> None:
        async with manager.run():
            ready.set()
            await self._stopping.wait()

    def _server(self) -> "Server[Any, Any]":
        from mcp import types
        from mcp.server.lowlevel import Server

        server: Server[Any, Any] = Server("palimpsest", instructions=INSTRUCTIONS)

        async def list_tools(_: types.ListToolsRequest) -> types.ServerResult:
            return types.ServerResult(types.ListToolsResult(tools=[_described(tool) for tool in TOOLS.values()]))

        async def call_tool(request: types.CallToolRequest) -> types.ServerResult:
            return types.ServerResult(
                await self._called(request.params.name, request.params.arguments or {}, _http_request(server))
            )

        async def list_resources(_: types.ListResourcesRequest) -> types.ServerResult:
            found = [
                types.Resource.model_validate(
                    {"uri": resources.ROOT + name, "name": name, "description": text, "mimeType": "application/json"}
                )
                for name, text in resources.FOLDERS.items()
            ]
            return types.ServerResult(types.ListResourcesResult(resources=found))

        async def read_resource(request: types.ReadResourceRequest) -> types.ServerResult:
            uri = str(request.params.uri)
            text = await self._read(uri, _http_request(server))
            content = types.TextResourceContents.model_validate(
                {"uri": uri, "mimeType": "application/json", "text": text}
            )
            return types.ServerResult(types.ReadResourceResult(contents=[content]))

        server.request_handlers[types.ListToolsRequest] = list_tools
        server.request_handlers[types.CallToolRequest] = call_tool
        server.request_handlers[types.ListResourcesRequest] = list_resources
        server.request_handlers[types.ReadResourceRequest] = read_resource
        return server

    async def _called(self, name: str, arguments: dict[str, Any], request: Request) -> Any:
        """The tool's result. Raises McpError for an unknown tool or arguments that don't fit its schema."""
        import jsonschema  # type: ignore[import-untyped]  # comes with the SDK
        from mcp import types
        from mcp.shared.exceptions import McpError

        tool = TOOLS.get(name)
        if tool is None:
            raise McpError(types.ErrorData(code=types.METHOD_NOT_FOUND, message=f"there is no tool {name!r}"))
        try:
            jsonschema.validate(arguments, tool.schema)
        except jsonschema.ValidationError as error:
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=error.message)) from error
        try:
            asked = tool.asked(arguments)
            response = await self._send(asked, request, self._context(request, arguments))
        except PalimpsestError as error:
            return _failed(error.status, str(error))
        content = response.json() if response.content else {}
        if not response.is_success:
            return _failed(response.status_code, str(content.get("message") or response.reason_phrase))
        trace = content.get(tool.trace) if tool.trace else response.headers.get("x-trace-id")
        structured = {**content, "trace_id": trace or ""}
        text = content.get("context") if name == "context" else None
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text or json.dumps(structured, ensure_ascii=False))],
            structuredContent=structured,
        )

    async def _read(self, uri: str, request: Request) -> str:
        from mcp import types
        from mcp.shared.exceptions import McpError

        try:
            response = await self._send(resources.asked(uri), request, self._context(request, {}))
        except PalimpsestError as error:
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=str(error))) from error
        if not response.is_success:
            message = str(response.json().get("message"))
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=message))
        return response.text

    def _context(self, request: Request, arguments: dict[str, Any]) -> str:
        """Raises Unauthorised when argument and header name two contexts: a key belongs to one."""
        header, argument = request.headers.get(CONTEXT_HEADER), arguments.get("context_id")
        if header and argument and header != argument:
            raise Unauthorised("the key belongs to another context")
        return str(argument or header or self._default_context)

    async def _send(self, asked: Asked, request: Request, context_id: str) -> "httpx.Response":
        import httpx

        headers = {
            name: value for name, value in request.headers.items() if name == "authorization" or name in ON_BEHALF_OF
        }
        url = f"{self._prefix}/{quote(context_id, safe='')}{asked.path}"
        transport = httpx.ASGITransport(app=request.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://palimpsest", timeout=TIMEOUT_S) as client:
            if asked.files is not None:
                metadata = {"metadata": json.dumps(asked.body or {})}
                return await client.request(asked.method, url, headers=headers, files=asked.files, data=metadata)
            return await client.request(asked.method, url, headers=headers, json=asked.body, params=dict(asked.query))


def _check_length(request: Request) -> None:
    """Raises PayloadTooLarge for a message that says so of itself."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > BODY_BYTES_MAX:
        raise PayloadTooLarge(f"a message has at most {BODY_BYTES_MAX} bytes")


def _bounded(receive: Receive) -> Receive:
    """`receive` up to BODY_BYTES_MAX, since the SDK takes in a whole body, however long and slow; then as if the
    client left."""
    size = 0
    is_whole = False

    async def received() -> Message:
        nonlocal size, is_whole
        try:
            async with asyncio.timeout(None if is_whole else IDLE_S):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        is_whole = not message.get("more_body", False)
        size += len(message.get("body", b""))
        return message if size <= BODY_BYTES_MAX else {"type": "http.disconnect"}

    return received


def _http_request(server: "Server[Any, Any]") -> Request:
    request = server.request_context.request
    assert isinstance(request, Request)
    return request


def _described(tool: Tool) -> Any:
    from mcp import types

    return types.Tool(
        name=tool.name,
        description=tool.description,
        inputSchema=tool.schema,
        annotations=types.ToolAnnotations(readOnlyHint=tool.read_only, destructiveHint=tool.name == "forget"),
    )


def _failed(status: int, message: str) -> Any:
    from mcp import types

    error = {"error": {"status": status, "message": message}}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{status}: {message}")], structuredContent=error, isError=True
    )
