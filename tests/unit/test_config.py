"""The settings of a server: from the environment and one file."""

from pathlib import Path

import pytest
import yaml

from api.settings.config import from_env

MISTYPED = """
modelz: {extraction: openai/gpt-4o}
models: {extractoin: openai/gpt-4o, response: openai/gpt-4o, synthesis: openai/gpt-4o}
chat: {deadline: 3}
audit: {anything: 1}
"""


@pytest.mark.parametrize(
    ("text", "unknown"), [(MISTYPED, ["chat.deadline", "models.extractoin", "modelz"]), ("models: []", []), ("", [])]
)
def test_names_that_mean_nothing_are_told(tmp_path: Path, text: str, unknown: list[str]) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    assert from_env({"PALIMPSEST_CONFIG": str(file)}).unknown == unknown


def test_all_that_the_readme_configures_is_known(tmp_path: Path) -> None:
    readme = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")
    blocks = [part.partition("```")[0] for part in readme.split("```yaml\n")[1:]]
    assert len(blocks) >= 2
    for block in blocks:
        file = tmp_path / "config.yaml"
        file.write_text(block)
        assert yaml.safe_load(block)
        assert from_env({"PALIMPSEST_CONFIG": str(file)}).unknown == []


def test_of_the_files_beside_it_ours_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert from_env({}).config == {}
    Path("spectron.config.yaml").write_text("models: {extraction: a/vendors}")
    assert from_env({}).config["models"]["extraction"] == "a/vendors"
    Path("palimpsest.config.yaml").write_text("models: {extraction: a/ours}")
    assert from_env({}).config["models"]["extraction"] == "a/ours"
    Path("other.yaml").write_text("models: {extraction: an/other}")
    assert from_env({"PALIMPSEST_CONFIG": "other.yaml"}).config["models"]["extraction"] == "an/other"
