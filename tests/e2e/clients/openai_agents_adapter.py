"""The vendor's tools for the OpenAI Agents SDK, called as the SDK calls them. Prints JSON."""

import asyncio
import json
import os
import sys
from typing import Any

from agents.tool_context import ToolContext  # type: ignore[import-not-found]
from spectron_openai_agents_sdk import (  # type: ignore[import-not-found]
    SpectronClient,
    SpectronSettings,
    get_spectron_tools,
)

CALLS = [
    ("remember", {"content": "My name is Evaristo. I live in Ferrara."}),
    ("recall", {"query": "Where does Evaristo live?"}),
    ("context", {"query": "Where does Evaristo live?"}),
    ("forget", {"query": "Evaristo Ferrara"}),
]


async def run() -> dict[str, Any]:
    client = SpectronClient.from_settings(
        SpectronSettings(endpoint=os.environ["ENDPOINT"], context=os.environ["CONTEXT"], api_key=os.environ["KEY"])
    )
    tools = {tool.name: tool for tool in get_spectron_tools(client)}
    results = {}
    for name, arguments in CALLS:
        given = json.dumps(arguments)
        context = ToolContext(context=None, tool_name=name, tool_call_id=name, tool_arguments=given)
        results[name] = str(await tools[name].on_invoke_tool(context, given))
    await client.close()
    return results


if __name__ == "__main__":
    json.dump(asyncio.run(run()), sys.stdout)
