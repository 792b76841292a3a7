"""Which model a context uses, from the server's configuration and its own."""

from typing import Any

import pytest
import yaml

from api.errors import StartupError
from api.models import Models
from api.settings.model_settings import ModelSettings, settings_of
from memory.errors import InvalidRequest
from memory.usage import Usage

# As the manual writes it.
SEED = """
models:
  extraction: openai/gpt-4o-mini
  response: openai/gpt-4o
"""
KEY = {"OPENAI_API_KEY": "sk-secret"}


def settings(text: str, environ: dict[str, str] | None = None) -> ModelSettings:
    return settings_of(yaml.safe_load(text) or {}, KEY if environ is None else environ)


def test_the_manuals_configuration_works_as_written() -> None:
    found = settings(SEED)
    assert found.extraction is not None and found.response is not None
    assert (found.extraction.name, found.response.name) == ("openai/gpt-4o-mini", "openai/gpt-4o")
    assert found.extraction.api_key == "sk-secret" and found.extraction.usable
    assert found.embedding == "local/minilm"


def test_nothing_configured_is_the_local_path_and_a_model_without_a_key_too() -> None:
    assert settings("").extraction is None
    keyless = Models(yaml.safe_load(SEED), {})
    assert "OPENAI_API_KEY" in keyless.announced()
    assert "English" in keyless.announced() and "English" in Models({}, {}).announced()
    assert Models(yaml.safe_load(SEED), KEY).announced() == "turns are read by openai/gpt-4o-mini"


def test_a_model_may_be_a_mapping_and_an_own_address_needs_no_key() -> None:
    found = settings(
        "models: {synthesis: {provider: openai, model: org/qwen}}\n"
        "providers: {openai: {base_url: 'http://127.0.0.1:8080/v1'}}",
        {},
    )
    assert found.response is not None and found.response.usable
    assert (found.response.model, found.response.base_url) == ("org/qwen", "http://127.0.0.1:8080/v1")


def test_a_contexts_own_configuration_lies_over_the_servers() -> None:
    own: dict[str, dict[str, Any]] = {
        "mine": {"models": {"extraction": "openai/gpt-4o"}, "providers": {"openai": {"api_key": "sk-mine"}}},
        "off": {"models": {"extraction": None}},
    }
    models = Models(yaml.safe_load(SEED), KEY, lambda context_id: own.get(context_id, {}))
    mine, others = models.settings("mine"), models.settings("others")
    assert mine.extraction is not None and others.extraction is not None
    assert (mine.extraction.name, mine.extraction.api_key) == ("openai/gpt-4o", "sk-mine")
    assert mine.response is not None and mine.response.name == "openai/gpt-4o"
    assert others.extraction.name == "openai/gpt-4o-mini"
    assert models.settings("off").extraction is None


def test_a_key_is_never_shown() -> None:
    assert "sk-secret" not in repr(settings(SEED))


def test_a_client_for_replies_is_at_the_models_address() -> None:
    models = Models(yaml.safe_load(SEED), KEY)
    choice = models.response("dev") or pytest.fail("no model")
    client = models.client(choice)
    assert (choice.model, str(client.base_url), client.max_retries) == ("gpt-4o", "https://api.openai.com/v1/", 0)
    assert (models.response("dev", "ollama/llama3") or pytest.fail("no model")).model == "llama3"
    assert models.response("dev", "anthropic/claude") is None  # no key
    assert Models({}, {}).response("dev") is None


def test_a_cost_is_told_where_the_price_is_known() -> None:
    found = settings(SEED + "prices: {openai/gpt-4o-mini: {input: 0.15, output: 0.6}}")
    usage = Usage(calls=1, input_tokens=2_000_000, output_tokens=1_000_000)
    assert found.priced("openai/gpt-4o-mini", usage).cost == pytest.approx(0.9)
    assert found.priced("openai/other", usage).cost is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("models: {extraction: gpt-4o}", "models.extraction"),
        ("models: {response: {provider: openai}}", "models.response"),
        ("models: [a]", "models"),
        ("models: {extraction: openai/x}\nproviders: {openai: {base_url: 'ftp://x'}}", "providers.openai.base_url"),
        ("token_limit: 0", "token_limit"),
        ("prices: {openai/x: 3}", "prices.openai/x"),
        ("extraction: {deadline_seconds: soon}", "extraction.deadline_seconds"),
    ],
)
def test_what_cant_be_used_is_named(text: str, named: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        settings(text)
    assert refused.value.detail.startswith(named)
    with pytest.raises(StartupError):
        Models(yaml.safe_load(text), KEY)
    with pytest.raises(InvalidRequest):
        Models({}, KEY).check(yaml.safe_load(text))
