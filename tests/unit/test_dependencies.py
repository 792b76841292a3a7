"""What the server imports is what `requirements.lock` installs, and nothing that only the tests bring along."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORTS = "import sys; sys.modules.update(dict.fromkeys(sys.argv[1:])); import api.server"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_server_needs_nothing_but_what_is_locked_for_it() -> None:
    pins = re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    locked = {normal(name) for name in pins} | {"palimpsest", "pip", "setuptools"}
    absent = [package for package, owners in packages_distributions().items() if locked.isdisjoint(map(normal, owners))]
    assert "pytest" in absent
    # A module that is None can't be imported.
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *absent], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
