"""Environments of the vendor's clients: one each, made once per lock file and Python."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCKS = Path(__file__).parent / "clients"
INSTALL_TIMEOUT_S = 240


def python_of(client: str, *, dependencies: bool = True) -> Path:
    """The interpreter of a client's environment. Raises AssertionError with pip's words if it can't be made.

    dependencies: False installs what the lock names and nothing that it asks for.
    """
    lock = LOCKS / f"{client}.lock"
    digest = sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    folder = ROOT / ".venvs" / client
    python, stamp = folder / "bin" / "python", folder / "lock.sha256"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == digest:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "venv", str(folder)], timeout=INSTALL_TIMEOUT_S)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    options = [] if dependencies else ["--no-deps"]
    run([*pip, *options, "--require-hashes", "-r", str(lock)], timeout=INSTALL_TIMEOUT_S)
    stamp.write_text(digest, encoding="utf-8")
    return python


def run(command: list[str], *, timeout: float, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints. Raises AssertionError with its errors if it fails."""
    given = {**os.environ, **(environment or {})}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False, env=given)
    assert done.returncode == 0, done.stderr
    return done.stdout
