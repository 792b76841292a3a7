"""Which key a client command sends where."""

from pathlib import Path

import pytest

from api.errors import StartupError
from api.key_file import KeyFile
from api.terminal import target as targets
from api.terminal.target import Target, keep_profile, target


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a server of its own, and nothing in the environment."""
    for name in targets.ENVIRONMENT.values():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PALIMPSEST_HOME", str(tmp_path))
    KeyFile(tmp_path).put("context dev", "sp-own")
    return tmp_path


@pytest.mark.parametrize("url", [None, "http://127.0.0.1:9090", "http://localhost:9090/"])
def test_the_key_kept_at_home_is_for_the_server_of_this_machine(url: str | None) -> None:
    assert target(url, None, None).api_key == "sp-own"


def test_no_other_server_is_sent_the_key_kept_at_home() -> None:
    with pytest.raises(StartupError, match="no key"):
        target("https://elsewhere.example", None, None)


def test_the_key_of_the_profile_goes_to_its_server_alone() -> None:
    kept = Target("https://memory.example", "sp-theirs", "shop")
    keep_profile(kept)
    assert target(None, None, None) == kept
    assert target("https://memory.example/", None, "other").api_key == "sp-theirs"
    with pytest.raises(StartupError, match="no key"):
        target("https://elsewhere.example", None, None)
