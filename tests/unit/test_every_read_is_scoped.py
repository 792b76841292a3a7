"""No read of a read model without a scope predicate: only the reader's builder may select from them."""

import ast
import re
from pathlib import Path

import pytest

from projections.read_models import READ_MODELS

ROOT = Path(__file__).parents[2]
TABLES = "|".join(table.name for table in READ_MODELS)
# Reads that come before any caller is known, or that concern the server's own upkeep, never a caller's answer.
EXCEPTIONS = {
    "projections/access.py": "finds out what the caller may see",
    "projections/backlog.py": "how much waits over all contexts, one number for whoever runs the server",
    "projections/directory.py": "who may do what, which the routes answer only to who may know it",
    "projections/erasing/removal.py": "takes the rows of erased events out of a generation",
    "projections/projector.py": "folds into the rows of one context",
    "projections/rebuild.py": "copies and sweeps whole generations",
    "projections/stores.py": "finds out which files no document needs any more",
    "projections/verification.py": "compares whole generations",
}
MODULES = [path for folder in ("api", "projections", "memory") for path in (ROOT / folder).rglob("*.py")]


def texts(path: Path) -> list[str]:
    """All string literals of a module but its docstrings' prose."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sql_names_read_models_only_in_the_braces_that_the_reader_expands(path: Path) -> None:
    bare = re.compile(rf"\b(?:FROM|JOIN|UPDATE|INTO)\s+(?:\w+\.)?({TABLES})\b")
    found = [match for text in texts(path) for match in bare.findall(text)]
    if str(path.relative_to(ROOT)) in EXCEPTIONS:
        return
    assert not found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_stands_in_braces_after_from_is_a_read_model(path: Path) -> None:
    if str(path.relative_to(ROOT)) in EXCEPTIONS or path.name == "reading.py":
        return
    named = [name for text in texts(path) for name in re.findall(r"\b(?:FROM|JOIN)\s+\{(\w+)\}", text)]
    assert set(named) <= set(TABLES.split("|"))
