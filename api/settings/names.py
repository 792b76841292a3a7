"""The names of what a configuration may hold, in the file and in a context's own."""

from collections.abc import Mapping

from api.settings.model_settings import PURPOSES

# Settings with the type that they must have; others are kept for what may read them.
TYPES: Mapping[str, type | tuple[type, ...]] = {
    "allow_self_service_keys": bool,
    "max_token_ttl_seconds": int,
    "llm_extraction_enabled": bool,
    "token_limit": (int, dict),
    "scopes": dict,
    "models": dict,
    "providers": dict,
    "attributes": dict,
    "lifecycle": dict,
    "extraction": dict,
    "reconciliation": dict,
    "response_cache": dict,
    "trace_retention": dict,
    "audit": dict,
    "rate_limit": dict,
}

# What a configuration may hold, and within some of its mappings. The vendor's names are taken, whether we heed them.
KNOWN_SETTINGS: Mapping[str, frozenset[str] | None] = {
    **dict.fromkeys((*TYPES, "prices"), None),
    "models": frozenset({*(name for names in PURPOSES.values() for name in names), "allowed"}),
    "extraction": frozenset(
        ("deadline_seconds", "timeout_seconds", "max_output_tokens", "retry_seconds", "give_up_hours")
    ),
    "chat": frozenset(("deadline_seconds", "prompt_characters")),
    "documents": frozenset(("fact_chunks",)),
}
