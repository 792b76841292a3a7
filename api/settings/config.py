"""Settings: from the environment and one YAML file. The only place that reads either."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from api.errors import StartupError
from api.settings.names import KNOWN_SETTINGS
from memory.values import attribute_key

PREFIX = "PALIMPSEST_"
KNOWN_NAMES = frozenset(
    PREFIX + name
    for name in (
        "HOME",
        "DATABASE_URL",
        "BIND",
        "CONTEXT",
        "API_KEY",
        "MANAGEMENT_API_KEY",
        "METRICS_API_KEY",
        "CONFIG",
        "TRACE_RETENTION_DAYS",
        "AUDIT_RETENTION_DAYS",
        "CORS_ALLOWED_ORIGINS",
        "RATE_LIMIT",
        "SHARE_PORT",
    )
)
CONFIG_FILES = ("palimpsest.config.yaml", "spectron.config.yaml")
KEY_LENGTH_MIN = 16
CONTEXT_ID_LENGTH_MAX = 128
PROMPT_CHARACTERS, PROMPT_CHARACTERS_MIN = 20_000, 12_000
CHAT_DEADLINE_S = 60.0
TRACE_RETENTION_DAYS = 30
AUDIT_RETENTION_DAYS = 90
FACT_CHUNKS = 5_000  # some 1,600 pages


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. home: absolute. database_url: None = the embedded Postgres under home.

    bind: (host, port). api_key, management_api_key: pinned keys, None = made at the first start.
    metrics_api_key: shows /metrics and nothing else, None = only a management key does.
    config: the YAML file's content. trace_retention: how long the traces of questions are kept;
    audit_retention: how long the audit is. cors_allowed_origins: of browsers that may call, "*" for any.
    rate_limit_per_s: requests a second that a key may make, None = any. share_port: other server processes may
    listen on the same address.
    """

    home: Path
    database_url: str | None
    bind: tuple[str, int]
    context: str
    api_key: str | None = None
    management_api_key: str | None = None
    metrics_api_key: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    trace_retention: timedelta = timedelta(days=TRACE_RETENTION_DAYS)
    audit_retention: timedelta = timedelta(days=AUDIT_RETENTION_DAYS)
    cors_allowed_origins: tuple[str, ...] = ()
    rate_limit_per_s: float | None = None
    share_port: bool = False

    @property
    def multi_valued(self) -> frozenset[str]:
        """`attributes.multi_valued` of the configuration: keys whose values stand beside each other."""
        attributes = self.config.get("attributes") or {}
        keys = attributes.get("multi_valued") or [] if isinstance(attributes, dict) else None
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise StartupError("the configuration's attributes.multi_valued must be a list of keys")
        return frozenset(attribute_key(key) for key in keys)

    @property
    def strict_scopes(self) -> bool:
        """`scopes.strict` of the configuration: writes go only into registered scopes."""
        scopes = self.config.get("scopes") or {}
        if not isinstance(scopes, dict) or not isinstance(scopes.get("strict", False), bool):
            raise StartupError("the configuration's scopes.strict must be true or false")
        return bool(scopes.get("strict", False))

    @property
    def prompt_characters(self) -> int:
        """`chat.prompt_characters`: the most that memory and window take in a chat's prompt."""
        value = self._chat.get("prompt_characters", PROMPT_CHARACTERS)
        if not isinstance(value, int) or isinstance(value, bool) or value < PROMPT_CHARACTERS_MIN:
            raise StartupError(f"the configuration's chat.prompt_characters must be at least {PROMPT_CHARACTERS_MIN}")
        return value

    @property
    def chat_deadline_s(self) -> float:
        """`chat.deadline_seconds`: for a reply at once, and for each piece of a streamed one."""
        value = self._chat.get("deadline_seconds", CHAT_DEADLINE_S)
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            raise StartupError("the configuration's chat.deadline_seconds must be a number above 0")
        return float(value)

    @property
    def response_cache(self) -> bool:
        """`response_cache.enabled`: whether replies may be given again."""
        cache = self.config.get("response_cache") or {}
        if not isinstance(cache, dict) or not isinstance(cache.get("enabled", True), bool):
            raise StartupError("the configuration's response_cache.enabled must be true or false")
        return bool(cache.get("enabled", True))

    @property
    def fact_chunks(self) -> int:
        """`documents.fact_chunks`: in how many chunks of a document facts are looked for."""
        documents = self.config.get("documents") or {}
        value = documents.get("fact_chunks", FACT_CHUNKS) if isinstance(documents, dict) else None
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise StartupError("the configuration's documents.fact_chunks must be a number of chunks, 0 or more")
        return value

    @property
    def unknown(self) -> list[str]:
        """Names in the configuration that mean nothing here, such as models.extractoin; a typing mistake, likely."""
        found = [str(name) for name in self.config if name not in KNOWN_SETTINGS]
        for name, known in KNOWN_SETTINGS.items():
            within = self.config.get(name)
            if known is not None and isinstance(within, dict):
                found += [f"{name}.{one}" for one in within if one not in known]
        return sorted(found)

    @property
    def _chat(self) -> Mapping[str, Any]:
        chat = self.config.get("chat") or {}
        if not isinstance(chat, dict):
            raise StartupError("the configuration's chat must be a mapping, such as 'prompt_characters: 20000'")
        return chat


def from_env(environ: Mapping[str, str] | None = None) -> Settings:
    """Raises StartupError for an unknown PALIMPSEST_ name or a value that can't be used."""
    environ = os.environ if environ is None else environ
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in KNOWN_NAMES)
    if unknown:
        known = ", ".join(sorted(KNOWN_NAMES))
        raise StartupError(f"unknown setting {unknown[0]}; the known ones are {known}")

    def value(name: str) -> str | None:
        return environ.get(PREFIX + name) or None

    return Settings(
        home=Path(value("HOME") or ".palimpsest").expanduser().absolute(),
        database_url=value("DATABASE_URL"),
        bind=_bind(value("BIND") or "127.0.0.1:9090"),
        context=_context(value("CONTEXT") or "dev"),
        api_key=_key("API_KEY", value("API_KEY")),
        management_api_key=_key("MANAGEMENT_API_KEY", value("MANAGEMENT_API_KEY")),
        metrics_api_key=_key("METRICS_API_KEY", value("METRICS_API_KEY")),
        config=_config(value("CONFIG")),
        trace_retention=timedelta(days=_days("TRACE_RETENTION_DAYS", value("TRACE_RETENTION_DAYS"))),
        audit_retention=timedelta(
            days=_days("AUDIT_RETENTION_DAYS", value("AUDIT_RETENTION_DAYS"), AUDIT_RETENTION_DAYS)
        ),
        cors_allowed_origins=_origins(value("CORS_ALLOWED_ORIGINS")),
        rate_limit_per_s=_rate(value("RATE_LIMIT")),
        share_port=_flag("SHARE_PORT", value("SHARE_PORT")),
    )


def _context(context_id: str) -> str:
    if len(context_id) > CONTEXT_ID_LENGTH_MAX or "/" in context_id or not context_id.isprintable():
        raise StartupError(
            f"PALIMPSEST_CONTEXT must have 1 to {CONTEXT_ID_LENGTH_MAX} printable characters and no slash"
        )
    return context_id


def _bind(text: str) -> tuple[str, int]:
    host, separator, port = text.rpartition(":")
    if not separator or not host.strip("[]") or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise StartupError(f"PALIMPSEST_BIND is {text!r}, but must be HOST:PORT, such as 127.0.0.1:9090")
    return host.strip("[]"), int(port)


def _origins(text: str | None) -> tuple[str, ...]:
    origins = tuple(origin.strip().rstrip("/") for origin in (text or "").split(",") if origin.strip())
    for origin in origins:
        if origin != "*" and not origin.startswith(("http://", "https://")):
            raise StartupError(f"{PREFIX}CORS_ALLOWED_ORIGINS: {origin!r} is no origin, such as https://app.example")
    return origins


def _rate(text: str | None) -> float | None:
    try:
        per_s = float(text) if text else 0.0
    except ValueError:
        per_s = -1.0
    if not 0 <= per_s <= 1e6:
        raise StartupError(f"{PREFIX}RATE_LIMIT is {text!r}, but must be a number of requests a second")
    return per_s or None


def _flag(name: str, text: str | None) -> bool:
    if (text or "false").lower() not in ("true", "false", "1", "0"):
        raise StartupError(f"{PREFIX}{name} is {text!r}, but must be true or false")
    return (text or "").lower() in ("true", "1")


def _days(name: str, text: str | None, default: int = TRACE_RETENTION_DAYS) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 36_500:
        raise StartupError(f"{PREFIX}{name} is {text!r}, but must be a number of days, from 1 to 36500")
    return int(text)


def _key(name: str, key: str | None) -> str | None:
    # Keys are stored under a fast hash (see api.keys), which only long random ones may be.
    if key is not None and (len(key) < KEY_LENGTH_MIN or not key.isascii() or not key.isprintable() or " " in key):
        raise StartupError(f"{PREFIX}{name} must be at least {KEY_LENGTH_MIN} printable ASCII characters, no spaces")
    return key


def _config(path: str | None) -> Mapping[str, Any]:
    if path is None:
        path = next((name for name in CONFIG_FILES if Path(name).is_file()), None)
        if path is None:
            return {}
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError(f"can't read the configuration file {path}: {error}") from error
    except yaml.YAMLError as error:
        raise StartupError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise StartupError(f"{path} must hold a mapping, such as 'models:'")
    return content
