"""Which models a context uses: the server's configuration, and over it the context's own.

models:
  extraction: openai/gpt-4o-mini        # or {provider: openai, model: gpt-4o-mini}
  response: openai/gpt-4o
  allowed: [openai/gpt-4o-mini]         # what a request's `model` may name besides
  embedding: local/minilm
providers:
  openai: {base_url: "http://127.0.0.1:8000/v1"}    # keys come from OPENAI_API_KEY and the like
prices:
  openai/gpt-4o-mini: {input: 0.15, output: 0.6}    # a million tokens
extraction: {deadline_seconds: 25}
token_limit: 200000                                 # of a context and day
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.errors import InvalidRequest
from memory.retries import Retries
from memory.usage import Usage

EMBEDDING_DEFAULT = "local/minilm"
LOCAL = "local"
# Former and other names of the same setting, the first of which is ours.
PURPOSES = {"extraction": ("extraction",), "response": ("response", "synthesis"), "embedding": ("embedding",)}
# Providers that need no key, and where their OpenAI-compatible interface listens.
COMPATIBLE_URLS = {
    "anthropic": "https://api.anthropic.com/v1/",
    "deepseek": "https://api.deepseek.com",
    "fireworks": "https://api.fireworks.ai/inference/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai/",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "perplexity": "https://api.perplexity.ai",
    "together": "https://api.together.xyz/v1",
    "xai": "https://api.x.ai/v1",
}
KEYLESS = frozenset({"ollama"})
TOKENS_OF_A_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model with where it is. base_url: None for the provider's own. api_key: never shown."""

    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def usable(self) -> bool:
        """Whether it can be asked at all: with a key, or at an address of one's own, which may need none."""
        return bool(self.api_key or self.base_url or self.provider in KEYLESS)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The effective settings of a context. extraction, response: None = none configured. allowed: models that a
    request may name instead of `response`, by name.

    deadline_s: how long a write waits for its extraction. timeout_s: for one answer of a model.
    tokens_max: output tokens of one extraction. token_limit: of all models a day, None = none. prices: by
    model name, of a million (input, output) tokens.
    """

    extraction: ModelChoice | None = None
    response: ModelChoice | None = None
    allowed: frozenset[str] = frozenset()
    embedding: str = EMBEDDING_DEFAULT
    embedding_choice: ModelChoice | None = None
    deadline_s: float = 25.0
    timeout_s: float = 60.0
    tokens_max: int = 4_000
    token_limit: int | None = None
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    retries: Retries = field(default_factory=Retries)

    def priced(self, model: str, usage: Usage) -> Usage:
        """`usage` with its cost, if the table knows the model's price."""
        price = self.prices.get(model)
        if price is None:
            return usage
        cost = (usage.input_tokens * price[0] + usage.output_tokens * price[1]) / TOKENS_OF_A_PRICE
        return Usage(calls=usage.calls, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost=cost)


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` laid over `base`, mapping by mapping; a null takes a setting away."""
    result = dict(base)
    for name, value in over.items():
        below = result.get(name)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            result[name] = merged(below, value)
        elif value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


def settings_of(config: Mapping[str, Any], environ: Mapping[str, str]) -> ModelSettings:
    """The settings in a merged configuration. Raises InvalidRequest, naming the setting, for what can't be used."""
    providers = _mapping(config, "providers")
    extraction = _mapping(config, "extraction")
    embedding = _chosen(config, "embedding", providers, environ)
    limit = config.get("token_limit")
    if isinstance(limit, Mapping):
        limit = limit.get("daily")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InvalidRequest("token_limit must be a whole number of at least 1, or {daily: such a number}")
    return ModelSettings(
        extraction=_remote(_chosen(config, "extraction", providers, environ)),
        response=_remote(_chosen(config, "response", providers, environ)),
        allowed=_names(_mapping(config, "models"), "allowed"),
        embedding=embedding.name if embedding else EMBEDDING_DEFAULT,
        embedding_choice=_remote(embedding),
        deadline_s=_number(extraction, "deadline_seconds", 25.0, least=0.0),
        timeout_s=_number(extraction, "timeout_seconds", 60.0, least=0.1),
        tokens_max=int(_number(extraction, "max_output_tokens", 4_000, least=100)),
        token_limit=limit,
        prices=_prices(config),
        retries=Retries(
            first_s=_number(extraction, "retry_seconds", 30.0, least=0.1),
            give_up_s=_number(extraction, "give_up_hours", 24.0, least=0.0) * 3_600,
        ),
    )


def choice_of(named: Any, what: str, providers: Mapping[str, Any], environ: Mapping[str, str]) -> ModelChoice:
    """The model that `named` means: "provider/model" or {provider, model}. Raises InvalidRequest."""
    if isinstance(named, str):
        provider, _, model = named.partition("/")
    elif isinstance(named, Mapping):
        if unknown := sorted(map(str, named.keys() - {"provider", "model"})):
            raise InvalidRequest(f"{what} holds provider and model, no {', '.join(unknown)}")
        provider, model = named.get("provider", ""), named.get("model", "")
    else:
        provider = model = ""
    if not isinstance(provider, str) or not isinstance(model, str) or not provider.strip() or not model.strip():
        raise InvalidRequest(f"{what} must be provider/model, such as openai/gpt-4o-mini")
    provider, model = provider.strip().lower(), model.strip()
    own = providers.get(provider) or {}
    if not isinstance(own, Mapping):
        raise InvalidRequest(f"providers.{provider} must hold a mapping, such as base_url")
    base_url, api_key = own.get("base_url"), own.get("api_key") or environ.get(f"{provider.upper()}_API_KEY")
    if base_url is not None and not (isinstance(base_url, str) and base_url.startswith(("http://", "https://"))):
        raise InvalidRequest(f"providers.{provider}.base_url must be an http or https address")
    if api_key is not None and not isinstance(api_key, str):
        raise InvalidRequest(f"providers.{provider}.api_key must be text")
    return ModelChoice(provider, model, base_url, api_key or None)


def _chosen(
    config: Mapping[str, Any], purpose: str, providers: Mapping[str, Any], environ: Mapping[str, str]
) -> ModelChoice | None:
    models = _mapping(config, "models")
    for name in PURPOSES[purpose]:
        if models.get(name) is not None:
            return choice_of(models[name], f"models.{name}", providers, environ)
    return None


def _remote(choice: ModelChoice | None) -> ModelChoice | None:
    return None if choice is None or choice.provider == LOCAL else choice


def _mapping(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = config.get(name) or {}
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{name} must hold a mapping")
    return value


def _names(models: Mapping[str, Any], name: str) -> frozenset[str]:
    values = models.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, str) and "/" in value for value in values):
        raise InvalidRequest(f"models.{name} must be a list of models, such as openai/gpt-4o-mini")
    return frozenset(values)


def _number(settings: Mapping[str, Any], name: str, default: float, *, least: float) -> float:
    value = settings.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < 1e9:
        raise InvalidRequest(f"extraction.{name} must be a number of at least {least:g}")
    return float(value)


def _prices(config: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    prices = {}
    for model, price in _mapping(config, "prices").items():
        match price:
            case {"input": int() | float() as into, "output": int() | float() as out} if into >= 0 and out >= 0:
                prices[str(model)] = (float(into), float(out))
            case _:
                raise InvalidRequest(f"prices.{model} must hold input and output, the price of a million tokens")
    return prices
