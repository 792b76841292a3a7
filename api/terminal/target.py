"""Which server and which key a client command uses.

Options first, then the environment (SPECTRON_ENDPOINT, SPECTRON_API_KEY, SPECTRON_CONTEXT), then the profile
file, then the server of this machine: PALIMPSEST_BIND with the key that `palimpsest serve` keeps at home.
A kept key goes to the server that it is of, and to no other.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from api.errors import StartupError
from api.key_file import KeyFile
from api.settings.config import from_env

PROFILE = Path("~/.config/palimpsest/profile.yaml")
NAMES = ("url", "api_key", "context_id")
ENVIRONMENT = {"url": "SPECTRON_ENDPOINT", "api_key": "SPECTRON_API_KEY", "context_id": "SPECTRON_CONTEXT"}

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Target:
    """A server, a key of one of its contexts, and that context."""

    url: str
    api_key: str
    context_id: str


def target(url: str | None, api_key: str | None, context_id: str | None) -> Target:
    """The target from what was given, and the rest from where it can be had. Raises StartupError without a key."""
    given = {"url": url, "api_key": api_key, "context_id": context_id}
    kept = profile()
    asked_url = url or os.environ.get(ENVIRONMENT["url"])
    if asked_url and asked_url.rstrip("/") != kept.get("url", "").rstrip("/"):
        kept.pop("api_key", None)
    found = {name: given[name] or os.environ.get(ENVIRONMENT[name]) or kept.get(name) for name in NAMES}
    if not all(found.values()):
        settings = from_env()
        host, port = settings.bind
        found["url"] = found["url"] or f"http://{host}:{port}"
        found["context_id"] = found["context_id"] or settings.context
        if urlsplit(str(found["url"])).hostname in {host, *LOOPBACK}:
            kept_key = KeyFile(settings.home).get(f"context {found['context_id']}")
            found["api_key"] = found["api_key"] or settings.api_key or kept_key
    if not found["api_key"]:
        raise StartupError("no key: give --api-key, set SPECTRON_API_KEY, or run 'palimpsest login'")
    return Target(str(found["url"]).rstrip("/"), str(found["api_key"]), str(found["context_id"]))


def is_chosen() -> bool:
    """Whether the environment or a profile names a server. Raises as `profile` does."""
    return bool(os.environ.get(ENVIRONMENT["url"]) or profile())


def profile_path() -> Path:
    return PROFILE.expanduser()


def profile() -> dict[str, str]:
    """What `palimpsest login` kept. Raises StartupError if others may read it: it holds a key."""
    path = profile_path()
    try:
        mode = path.stat().st_mode
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise StartupError(f"can't read the profile {path}: {error}") from error
    if stat.S_IMODE(mode) & 0o077:
        raise StartupError(f"others may read the key in {path}: chmod 600 it")
    if not isinstance(content, dict):
        raise StartupError(f"{path} must hold url, api_key and context_id")
    return {name: str(content[name]) for name in NAMES if content.get(name)}


def keep_profile(kept: Target) -> Path:
    """Write the profile, readable by its owner alone. Raises StartupError."""
    path = profile_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".tmp")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            yaml.safe_dump({name: getattr(kept, name) for name in NAMES}, file)
        fresh.replace(path)
    except OSError as error:
        raise StartupError(f"can't write the profile {path}: {error}") from error
    return path
