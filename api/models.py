"""The models of each context, ready to be asked."""

import importlib.util
import logging
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from api.errors import StartupError
from api.holds import BLOCKED, TOKEN_LIMIT, HeldExtractor, Hold
from api.settings.model_settings import COMPATIBLE_URLS, ModelChoice, ModelSettings, choice_of, merged, settings_of
from memory.errors import InvalidRequest
from memory.extraction import RemoteExtractor
from memory.extraction.model import ModelExtractor
from memory.extraction.model.asking import Address, Asker, ModelLoop

if TYPE_CHECKING:
    import openai

logger = logging.getLogger(__name__)

NO_KEY = "none"  # what a client sends to a server that wants no key
# Providers that are asked through their own library where it is installed.
LIBRARIES = {"anthropic": "anthropic", "google": "google.genai", "groq": "groq", "mistral": "mistralai"}


class Models:
    """Effective settings and clients by context.

    context_overrides: the context's own configuration, laid over the server's; it is asked each time, so it
    must be fast. spent: tokens that a context's models took since a time. is_blocked: whether an operator has stopped
    them. Clients are kept by address and key.
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
        self.spent: Callable[[str, datetime], int] = lambda _, __: 0
        self.is_blocked: Callable[[str], bool] = lambda _: False
        self._loop = ModelLoop()
        self._askers: dict[tuple[ModelChoice, float, int], Asker] = {}
        self._clients: dict[tuple[str | None, str | None], openai.AsyncOpenAI] = {}
        self._silent: dict[ModelChoice, str] = {}  # models that gave no reply when they were last asked, and why

    def settings(self, context_id: str) -> ModelSettings:
        """Raises InvalidRequest if the context's own configuration can't be used."""
        overrides = self.context_overrides(context_id)
        return settings_of(merged(self._config, overrides), self._environ) if overrides else self._server

    def check(self, overrides: Mapping[str, Any]) -> None:
        """Raises InvalidRequest, naming the setting, unless a context may be configured so."""
        settings_of(merged(self._config, overrides), self._environ)

    @property
    def server(self) -> ModelSettings:
        """Of contexts without a configuration of their own."""
        return self._server

    def extractor(self, context_id: str, model: Any = None) -> RemoteExtractor | None:
        """The context's extractor, None for the built-in one.

        model: another than the configured one, "provider/model" or {provider, model}. Raises InvalidRequest for
        one that can't be used.
        """
        settings = self.settings(context_id)
        choice = settings.extraction
        if model is not None:
            config = merged(self._config, self.context_overrides(context_id))
            choice = choice_of(model, "model", config.get("providers") or {}, self._environ)
            if not choice.usable:
                raise InvalidRequest(f"model: {choice.name} has no key ({choice.provider.upper()}_API_KEY)")
        if choice is None or not choice.usable:
            return None
        extractor = ModelExtractor(self._asker(choice, settings), self._loop, settings.priced)
        return HeldExtractor(extractor, partial(self.hold, context_id))

    def hold(self, context_id: str) -> Hold | None:
        """Why the context's models may not be asked now. Past its token limit they may tomorrow, UTC."""
        if self.is_blocked(context_id):
            return Hold(BLOCKED)
        limit = self.settings(context_id).token_limit
        now = datetime.now(UTC)
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        if limit is None or self.spent(context_id, today) < limit:
            return None
        return Hold(TOKEN_LIMIT, (today + timedelta(days=1) - now).total_seconds())

    def extraction_hold(self, context_id: str) -> Hold | None:
        """Why turns and documents of the context can't be understood now; none where the built-in extractor reads."""
        try:
            choice = self.settings(context_id).extraction
        except InvalidRequest:
            return None
        return self.hold(context_id) if choice is not None and choice.usable else None

    def _asker(self, choice: ModelChoice, settings: ModelSettings) -> Asker:
        """Kept, as it learns what its provider does not take."""
        key = (choice, settings.timeout_s, settings.tokens_max)
        asker = self._askers.get(key)
        if asker is None:
            asker = Asker(_address(choice), timeout_s=settings.timeout_s, tokens_max=settings.tokens_max)
            asker = self._askers.setdefault(key, asker)
        return asker

    def load(self) -> None:
        """Import what the configured extraction needs: a CPU second that no write should wait for."""
        asker = self._server_asker()
        if asker is not None:
            asker.load()

    @property
    def failing(self) -> dict[str, str]:
        """The server's own models of words with the reason, if they did not answer the last question."""
        return self._failing_of(self._server)

    def failing_in(self, context_id: str) -> dict[str, str]:
        """As `failing`, of the models that a context uses."""
        return self._failing_of(self.settings(context_id))

    def _failing_of(self, settings: ModelSettings) -> dict[str, str]:
        failing = {}
        if settings.response in self._silent:
            failing[settings.response.name] = self._silent[settings.response]
        if settings.extraction is not None and settings.extraction.usable:
            asker = self._asker(settings.extraction, settings)
            if asker.failing:
                failing[asker.name] = asker.failing
        return failing

    def note_reply(self, choice: ModelChoice, failing: str | None) -> None:
        """Whether a model gave a whole reply, else why not."""
        if failing is None:
            self._silent.pop(choice, None)
        else:
            self._silent[choice] = failing

    def _server_asker(self) -> Asker | None:
        choice = self._server.extraction
        return self._asker(choice, self._server) if choice is not None and choice.usable else None

    def close(self) -> None:
        """End all extractions; what they were about stays pending."""
        for asker in self._askers.values():
            self._loop.run(asker.close())
        self._loop.close()

    def response(self, context_id: str, override: Any = None) -> ModelChoice | None:
        """The model for replies; None if none is configured or it has no key.

        override: another model for this one request, "provider/model" or {provider, model}. Raises InvalidRequest
        for one that can't be used.
        """
        choice = self.settings(context_id).response
        if override is not None:
            config = merged(self._config, self.context_overrides(context_id))
            choice = choice_of(override, "model", config.get("providers") or {}, self._environ)
        return choice if choice is not None and choice.usable else None

    def client(self, choice: ModelChoice) -> "openai.AsyncOpenAI":
        """An OpenAI-compatible client. Not retrying: whoever asks counts its tries. It belongs to the event loop that
        uses it first."""
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


def _address(choice: ModelChoice) -> Address:
    library = LIBRARIES.get(choice.provider)
    compatible = choice.provider == "openai" or choice.base_url is not None or choice.provider in COMPATIBLE_URLS
    if library and choice.base_url is None and _installed(library):
        compatible = False
    base_url = choice.base_url or COMPATIBLE_URLS.get(choice.provider)
    return Address(choice.provider, choice.model, base_url, choice.api_key, compatible)


def _installed(library: str) -> bool:
    try:
        return importlib.util.find_spec(library) is not None
    except ModuleNotFoundError:
        return False
