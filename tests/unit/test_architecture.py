"""The import rules of pyproject.toml hold, and what decides depends on nothing but its input."""

import ast
import subprocess
import sys
from pathlib import Path

MEMORY = Path(__file__).parents[2] / "memory"
# What tells the time, draws lots, or reaches out of the process.
IMPURE_CALLS = frozenset("now utcnow today uuid1 uuid4 open input print perf_counter monotonic urandom getenv".split())
PURE_LIBRARIES = frozenset(
    "bisect collections dataclasses datetime enum eventsourcing functools hashlib itertools math msgspec re sys typing "
    "unicodedata uuid".split()
)


def test_imports_go_down_only_and_the_decision_core_is_pure() -> None:
    # In a process of its own, for it turns all loggers off that it finds.
    done = subprocess.run([Path(sys.executable).with_name("lint-imports")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_nothing_that_a_decision_calls_touches_clock_chance_or_the_world() -> None:
    waiting, core = ["decide"], set[str]()
    while waiting:
        module = waiting.pop()
        if module in core:
            continue
        core.add(module)
        file = MEMORY / f"{module.replace('.', '/')}.py"
        if not file.exists():
            file = MEMORY / module.replace(".", "/") / "__init__.py"
        for node in ast.walk(ast.parse(file.read_text())):
            imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            waiting += [name.removeprefix("memory.") for name in imported if name.startswith("memory.")]
            libraries = {name.partition(".")[0] for name in imported} - {"memory"}
            assert libraries <= PURE_LIBRARIES, (module, libraries)
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                assert called not in IMPURE_CALLS, (module, ast.unparse(node))
    assert {"decide", "timeline", "wanted", "identities", "regrouping", "known", "draft", "values"} <= core
