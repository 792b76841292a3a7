"""The import rules of pyproject.toml hold."""

from importlinter.cli import lint_imports


def test_imports_go_down_only_and_the_decision_core_is_pure() -> None:
    assert lint_imports() == 0
