"""Which language model answers: the configured one, or the one that a request asks for."""

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import anyio.to_thread

from api.chat.response_model import OpenAiModel, ResponseModel
from api.config import CHAT_DEADLINE_S
from memory.errors import InvalidRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# Where providers that speak OpenAI's protocol listen, unless the configuration says otherwise.
BASE_URLS = {
    "anthropic": "https://api.anthropic.com/v1/",
    "deepseek": "https://api.deepseek.com",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai/",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "together": "https://api.together.xyz/v1",
    "xai": "https://api.x.ai/v1",
}
KEYLESS = frozenset({"ollama"})


class Responders(Protocol):
    """Chooses response models."""

    def chosen(self, context_id: str, asked: str | None, /) -> ResponseModel | None:
        """The model for one request in a context; None if none is configured.

        asked: the one that the request names. Raises InvalidRequest if the context does not allow it.
        """
        ...

    async def close(self) -> None:
        """Close the connections to providers."""
        ...


class ConfiguredResponders:
    """Models of the configuration's `models`: `response`, `allowed`, `base_url`; keys from <PROVIDER>_API_KEY.

    deadline_s: see `OpenAiModel`.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        environ: Mapping[str, str] | None = None,
        *,
        deadline_s: float = CHAT_DEADLINE_S,
    ) -> None:
        models = config.get("models") or {}
        self._response: str | None = models.get("response")
        self._base_url: str | None = models.get("base_url")
        self._allowed = {name for name in (self._response, *(models.get("allowed") or ())) if name}
        self._environ = os.environ if environ is None else environ
        self._deadline_s = deadline_s
        self._clients: dict[str, AsyncOpenAI] = {}

    def chosen(self, _: str, asked: str | None, /) -> ResponseModel | None:
        if asked is not None and asked not in self._allowed:
            raise InvalidRequest(f"model: {asked[:100]!r} is not among the models that this context allows")
        name = asked or self._response
        if name is None:
            return None
        provider = name.partition("/")[0]
        if not self._base_url and provider not in KEYLESS and not self._key(provider):
            return None
        return OpenAiModel(name, self._client_of(provider), deadline_s=self._deadline_s)

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
        self._clients.clear()

    def _client_of(self, provider: str) -> Callable[[], Awaitable["AsyncOpenAI"]]:
        async def client() -> "AsyncOpenAI":
            if provider not in self._clients:
                openai = await anyio.to_thread.run_sync(_library)  # its import takes a second
                self._clients[provider] = openai.AsyncOpenAI(
                    api_key=self._key(provider) or "none",
                    base_url=self._base_url
                    or self._environ.get(f"{provider.upper()}_BASE_URL")
                    or BASE_URLS.get(provider),
                    max_retries=0,
                )
            return self._clients[provider]

        return client

    def _key(self, provider: str) -> str | None:
        return self._environ.get(f"{provider.upper()}_API_KEY")


def _library() -> Any:
    import openai.resources.chat

    return openai
