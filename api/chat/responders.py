"""Which language model answers: the configured one, or the one that a request asks for."""

from functools import partial
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from api.chat.response_model import OpenAiModel, ResponseModel
from api.models import Models
from api.settings.config import CHAT_DEADLINE_S
from memory.errors import InvalidRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class Responders(Protocol):
    """Chooses response models."""

    def chosen(self, context_id: str, asked: str | None, /) -> ResponseModel | None:
        """The model for one request in a context; None if none is configured, or it has no key.

        asked: the one that the request names. Raises InvalidRequest if the context does not allow it.
        """
        ...

    async def close(self) -> None:
        """Close the connections to providers."""
        ...


class ConfiguredResponders:
    """The models of each context's configuration: `models.response`, and on request one of `models.allowed`.

    deadline_s: see `OpenAiModel`.
    """

    def __init__(self, models: Models, *, deadline_s: float = CHAT_DEADLINE_S) -> None:
        self._models = models
        self._deadline_s = deadline_s
        self._clients: set[AsyncOpenAI] = set()

    def chosen(self, context_id: str, asked: str | None, /) -> ResponseModel | None:
        settings = self._models.settings(context_id)
        configured = settings.response.name if settings.response else None
        name = asked or configured
        if name is None:
            return None
        if name != configured and name not in settings.allowed:
            raise InvalidRequest(f"model: {name[:100]!r} is not among the models that this context allows")
        override = name if name != configured else None
        choice = self._models.response(context_id, override)
        if choice is None:
            return None

        async def client() -> "AsyncOpenAI":
            # Made in a thread: the library's import takes a second.
            found = await anyio.to_thread.run_sync(self._models.client, choice)
            self._clients.add(found)
            return found

        noted = partial(self._models.note_reply, choice)
        return OpenAiModel(name, client, deadline_s=self._deadline_s, priced=settings.priced, noted=noted)

    async def close(self) -> None:
        for client in self._clients:
            await client.close()
        self._clients.clear()
