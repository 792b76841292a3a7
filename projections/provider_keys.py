"""What contexts give for model providers: their keys and addresses. A control table: secrets stay out of the log.

They are written and used, and never shown.
"""

import json
from collections.abc import Mapping
from typing import Any

from memory.errors import InvalidRequest
from memory.log import Cursor

NAMES = "SELECT provider FROM provider_keys WHERE context_id = %(context_id)s ORDER BY provider"
OF = "SELECT provider, settings FROM provider_keys WHERE context_id = %(context_id)s"
PUT = """
INSERT INTO provider_keys (context_id, provider, settings) VALUES (%(context_id)s, %(provider)s, %(settings)s)
ON CONFLICT (context_id, provider) DO UPDATE SET settings = excluded.settings
"""
TAKE = "DELETE FROM provider_keys WHERE context_id = %(context_id)s AND provider = %(provider)s"
DROP = "DELETE FROM provider_keys WHERE context_id = %(context_id)s"


def checked(provider: str, value: Any) -> dict[str, Any] | None:
    """A provider's settings, None to take them away. Raises InvalidRequest for anything but text by name."""
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise InvalidRequest(f"config.providers.{provider}: must be a key, or an object of strings")
    return value


def change(cursor: Cursor, context_id: str, changes: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Replace what is given for those providers; None takes it away."""
    for provider, settings in changes.items():
        parameters = {"context_id": context_id, "provider": provider}
        if settings is None:
            cursor.execute(TAKE, parameters)
        else:
            cursor.execute(PUT, {**parameters, "settings": json.dumps(settings)})


def names(cursor: Cursor, context_id: str) -> list[str]:
    """The providers that the context gives something for."""
    return [name for (name,) in cursor.connection.execute(NAMES, {"context_id": context_id})]


def of(cursor: Cursor, context_id: str) -> dict[str, dict[str, Any]]:
    """What the context gives for each provider, secrets included."""
    return {
        provider: json.loads(settings)
        for provider, settings in cursor.connection.execute(OF, {"context_id": context_id})
    }


def drop(cursor: Cursor, context_id: str) -> None:
    """Forget all that a context gave."""
    cursor.execute(DROP, {"context_id": context_id})
