"""A Pydantic AI agent with the vendor's toolset and history processor, over a scripted model. Prints JSON."""

import asyncio
import json
import os
import sys
from typing import Any

from pydantic_ai import (  # type: ignore[import-not-found]
    Agent,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel  # type: ignore[import-not-found]
from spectron_pydantic_ai import (  # type: ignore[import-not-found]
    SpectronMemory,
    SpectronToolset,
    spectron_history_processor,
    store_run,
)

CALLS = [
    ("remember", {"content": "My name is Leocadia. I live in Trieste."}),
    ("recall", {"query": "Where does Leocadia live?"}),
    ("context", {"query": "Where does Leocadia live?"}),
]


async def run() -> dict[str, Any]:
    memory = SpectronMemory.connect(
        context=os.environ["CONTEXT"], endpoint=os.environ["ENDPOINT"], api_key=os.environ["KEY"]
    )
    seen: list[str] = []

    async def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        results = [
            str(part.content) for message in messages for part in message.parts if part.part_kind == "tool-return"
        ]
        if len(results) < len(CALLS):
            name, arguments = CALLS[len(results)]
            return ModelResponse(parts=[ToolCallPart(name, arguments)])
        seen.extend(results)
        return ModelResponse(parts=[TextPart("Leocadia lives in Trieste.")])

    agent = Agent(FunctionModel(model), toolsets=[SpectronToolset(memory)])
    result = await agent.run("Where does Leocadia live?")
    await store_run(memory, result)
    process = spectron_history_processor(memory, limit=3)
    injected = await process(None, result.all_messages()[:1])
    return {"tools": seen, "injected": str(injected[0].parts[0].content)}


if __name__ == "__main__":
    json.dump(asyncio.run(run()), sys.stdout)
