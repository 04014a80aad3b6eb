"""Tests stand alone: what several of them need is in modules of its own, never in another test or a conftest."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def imported(source: str) -> set[str]:
    """The full names of everything a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def named_tests(names: set[str]) -> set[str]:
    """Those that are modules of tests or of fixtures beside the tests."""
    files = {name: TESTS / (name.replace(".", "/") + ".py") for name in names}
    return {name for name, path in files.items() if path.name.startswith(("test_", "conftest")) and path.exists()}


def test_no_test_imports_another() -> None:
    suspects = {
        path: text for path in TESTS.rglob("*.py") if re.search(r"import.*\btest_|\btest_.*import|conftest", text := path.read_text())
    }
    found = {str(path.relative_to(TESTS)): named_tests(imported(text)) for path, text in suspects.items()}
    assert {name: modules for name, modules in found.items() if modules} == {}


def test_an_import_of_a_test_would_be_noticed() -> None:
    source = "import conftest\nfrom server.test_guards import mesh\nfrom server import test_audio\nfrom os import path\n"
    assert named_tests(imported(source)) == {"conftest", "server.test_guards", "server.test_audio"}
