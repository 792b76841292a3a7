"""The models of each context, ready to be asked."""

import logging
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from api.errors import StartupError
from api.model_settings import COMPATIBLE_URLS, ModelChoice, ModelSettings, choice_of, merged, settings_of
from memory.errors import InvalidRequest

if TYPE_CHECKING:
    import openai

logger = logging.getLogger(__name__)

NO_KEY = "none"  # what a client sends to a server that wants no key


class Models:
    """Effective settings and clients by context.

    context_overrides: the context's own configuration, laid over the server's; it is asked each time, so it
    must be fast. Clients are kept by address and key.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        environ: Mapping[str, str] | None = None,
        context_overrides: Callable[[str], Mapping[str, Any]] = lambda _: {},
    ) -> None:
        """Raises StartupError for a server configuration that can't be used."""
        self._config = config
        self._environ = os.environ if environ is None else environ
        self.context_overrides = context_overrides
        try:
            self._server = settings_of(config, self._environ)
        except InvalidRequest as error:
            raise StartupError(f"the configuration's {error.detail}") from error
        self._clients: dict[tuple[str | None, str | None], openai.AsyncOpenAI] = {}

    def settings(self, context_id: str) -> ModelSettings:
        """Raises InvalidRequest if the context's own configuration can't be used."""
        overrides = self.context_overrides(context_id)
        return settings_of(merged(self._config, overrides), self._environ) if overrides else self._server

    def check(self, overrides: Mapping[str, Any]) -> None:
        """Raises InvalidRequest, naming the setting, unless a context may be configured so."""
        settings_of(merged(self._config, overrides), self._environ)

    def response(self, context_id: str, override: Any = None) -> "tuple[openai.AsyncOpenAI, str] | None":
        """A client and the model's name for replies; None if none is configured or it has no key.

        override: another model for this one request, "provider/model" or {provider, model}. The client belongs
        to the event loop that uses it first. Raises InvalidRequest for an override that can't be used.
        """
        choice = self._response(context_id, override)
        return (self.client(choice), choice.model) if choice else None

    def is_usable(self, context_id: str, override: Any = None) -> bool:
        """Whether `response` would give a client; makes none."""
        return self._response(context_id, override) is not None

    def _response(self, context_id: str, override: Any) -> ModelChoice | None:
        choice = self.settings(context_id).response
        if override is not None:
            config = merged(self._config, self.context_overrides(context_id))
            choice = choice_of(override, "model", config.get("providers") or {}, self._environ)
        return choice if choice is not None and choice.usable else None

    def client(self, choice: ModelChoice) -> "openai.AsyncOpenAI":
        """An OpenAI-compatible client. Not retrying: whoever asks counts its tries."""
        import openai

        address = choice.base_url or COMPATIBLE_URLS.get(choice.provider), choice.api_key
        client = self._clients.get(address)
        if client is None:
            base_url, api_key = address
            client = openai.AsyncOpenAI(base_url=base_url, api_key=api_key or NO_KEY, max_retries=0)
            self._clients[address] = client
        return client

    def announced(self) -> str:
        """What of the models is to be told once at the start."""
        choice = self._server.extraction
        if choice is None:
            return "no extraction model is configured: the built-in extractor reads English, and only part of it"
        if not choice.usable:
            return (
                f"{choice.name} has no key ({choice.provider.upper()}_API_KEY): "
                "the built-in extractor reads English, and only part of it"
            )
        return f"turns are read by {choice.name}"
