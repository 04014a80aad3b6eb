"""`make mutate` changes one thing at a time, finds the tests of a module by name, and sees which changes they notice."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import mutate


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a < b", ["a <= b"]),
        ("a == b", ["a != b"]),
        ("a + b * c", ["a - b * c", "a + b // c"]),
        ("a and b", ["a or b"]),
        ("x = 3", ["x = 4"]),
        ("x = True", ["x = False"]),
        ("if a:\n    b", ["if not a:\n    b"]),
        ("x: int = y", []),
        ("def f(a: Literal[3]) -> Literal[3]: pass", []),
        ("'text'", []),
        ("@dataclass(frozen=True)\nclass A:\n    a = True", ["@dataclass(frozen=True)\nclass A:\n    a = False"]),
    ],
)
def test_each_change_is_one(source: str, changed: list[str]) -> None:
    found = [mutant.source.replace(": object", ": int") for mutant in mutate.mutants(source)]
    assert sorted(found) == sorted(changed)


def test_every_module_of_the_core_is_there_with_its_tests() -> None:
    for module in mutate.CORE:
        assert mutate.SOURCES.joinpath("stepscope", *module.split(".")).with_suffix(".py").is_file()
        assert mutate.tests_of(module), module


def test_modules_at_random_are_those_of_the_seed() -> None:
    chosen = mutate.modules_at_random(2, 1)
    assert chosen == mutate.modules_at_random(2, 1)
    assert all(mutate.SOURCES.joinpath("stepscope", *module.split(".")).with_suffix(".py").is_file() for module in chosen)


@pytest.mark.slow
def test_tests_run_with_the_changed_module_and_notice_it() -> None:
    module = "server.guards"  # which a conftest imports
    source, tests = (mutate.SOURCES / "stepscope" / "server" / "guards.py").read_text(), mutate.tests_of(module)
    assert [path.name for path in tests] == ["test_guards.py"]
    assert mutate.passes(module, source, tests, 300)
    assert not mutate.passes(module, source.replace("settings.hosts or", "settings.hosts and"), tests, 300)
    assert not mutate.passes(module, f"{source}\nwhile True: pass", tests, 5)
