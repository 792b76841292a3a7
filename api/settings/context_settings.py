"""What a context's configuration says: its own, over the server's configuration file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from api.settings.names import TYPES
from memory.administration import merged
from memory.directory import Configuration
from memory.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """The effective configuration of one context. own: without the file's part."""

    own: Configuration
    effective: Mapping[str, Any]

    @property
    def allows_self_service_keys(self) -> bool:
        return bool(self.effective.get("allow_self_service_keys", True))

    @property
    def max_ttl_s(self) -> int | None:
        """The longest life of a key that is minted by its holder, in seconds; None = any."""
        seconds = self.effective.get("max_token_ttl_seconds")
        return seconds if isinstance(seconds, int) and seconds > 0 else None


def context_settings(file: Mapping[str, Any], own: Configuration | None) -> ContextSettings:
    own = own or Configuration({})
    return ContextSettings(own, merged(file, own.config))


def checked(changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Raises InvalidRequest for a setting of another type than it must have."""
    for name, kinds in TYPES.items():
        value = changes.get(name)
        if value is None:
            continue
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
            raise InvalidRequest(f"config.{name}: is not of the type that it must have")
    strict = (changes.get("scopes") or {}).get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise InvalidRequest("config.scopes.strict: must be true or false")
    return changes
