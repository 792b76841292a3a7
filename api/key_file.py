"""The keys of this machine's server, as a file."""

import json
import os
from pathlib import Path

from api.errors import StartupError


class KeyFile:
    """The keys made at the first start, kept for the operator in the home folder, mode 0600."""

    def __init__(self, home: Path) -> None:
        self.path = home / "keys.json"

    def get(self, name: str) -> str | None:
        return self._read().get(name)

    def put(self, name: str, key: str) -> None:
        """Durable before it returns: a key that was minted is never lost."""
        keys = {**self._read(), name: key}
        fresh = self.path.with_suffix(".tmp")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(keys, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
        except OSError as error:
            raise StartupError(f"can't keep the keys in {self.path}: {error}") from error

    def _read(self) -> dict[str, str]:
        try:
            keys = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise StartupError(f"can't read the keys in {self.path}: {error}") from error
        if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
            raise StartupError(f"can't read the keys in {self.path}: not a JSON object of strings")
        return keys
