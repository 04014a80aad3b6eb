"""Changes one thing at a time in the core modules and sees whether a test fails; what survives is a test to write.

`mutate.py` tries a sample of changes in every module of CORE, `mutate.py analyses.breakdown --most 0` all of one. A module's tests
are the quick ones in the files of its name, else in those that import it. `mutate.py --due 10` tries ten modules chosen at random with
what `make check` would run first after a change in them. No file is changed: the process of the tests is told what to load instead.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

import due_tests

ROOT = Path(__file__).resolve().parent.parent
SOURCES, TESTS = ROOT / "src", ROOT / "tests"
CORE = (
    "formats.event_recordings",
    "formats.run_files",
    "formats.sessions",
    "ingest.loader",
    "ingest.settling",
    "analyses.breakdown",
    "analyses.steps",
    "analyses.what_if.prediction",
    "analyses.what_if.replay",
    "rules.judge",
    "rules.predictor",
    "rules.straggler",
    "server.guards",
    "writer.event_log",
    "writer.histogram",
    "writer.hparams",
)
"""Reader, breakdown, replay, rules, guards and writer."""
NEAR = 2
ELSEWHERE = ("tests/browser/", "tests/interop/", "tests/architecture/", "tests/docs/")
"""Tests that need a browser or peers, or that read every file whatever changed."""
VARIABLE = "STEPSCOPE_MUTANT"
"""Tells the process of the tests: the module's name, and the file to load it from."""
OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change."""

    line: int
    before: str
    after: str
    source: str


def changes(tree: ast.AST) -> Iterator[tuple[ast.AST, str, object]]:
    """Every node that can be changed, the field, and its other value; annotations and decorators of classes are no behaviour."""
    decorators = [each for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for each in node.decorator_list]
    aside = {id(part) for each in decorators for part in ast.walk(each)}
    for node in ast.walk(tree):
        if id(node) in aside:
            continue
        for field in ("ops", "op"):
            given = getattr(node, field, None)
            operators: Sequence[ast.AST] = given if isinstance(given, list) else [given] if isinstance(given, ast.AST) else []
            if operators and (other := OPPOSITE.get(type(operators[0]))) is not None:
                yield node, field, [other(), *operators[1:]] if isinstance(given, list) else other()
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node, "value", not node.value
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            yield node, "value", node.value + 1
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(node.test, ast.Compare):
            yield node, "test", ast.UnaryOp(ast.Not(), node.test)


def mutants(source: str) -> list[Mutant]:
    """Every change of a module."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if isinstance(getattr(node, field, None), ast.AST):
                setattr(node, field, ast.Name("object"))
    found: list[Mutant] = []
    for node, field, other in list(changes(tree)):
        kept, before = getattr(node, field), ast.unparse(node)
        setattr(node, field, copy.deepcopy(other))
        found.append(Mutant(getattr(node, "lineno", 0), before, ast.unparse(node), ast.unparse(ast.fix_missing_locations(tree))))
        setattr(node, field, kept)
    return [mutant for mutant in found if mutant.before != mutant.after]


def tests_of(module: str) -> list[Path]:
    """The test files with a module's name in theirs, else those that import it."""
    package, _, name = f"stepscope.{module}".rpartition(".")
    place, last = re.escape(package), re.escape(name)
    pattern = re.compile(rf"from {place}\.{last} import|from {place} import .*\b{last}\b|import {place}\.{last}\b")
    files = [path for path in sorted(TESTS.rglob("test_*.py")) if path.parent.name not in {"browser", "interop"}]
    beside = TESTS / module.partition(".")[0]
    named = [path for path in files if beside in path.parents and re.fullmatch(rf"test_(\w+_)?{last}(_\w+)?", path.stem)]
    return named or [path for path in files if pattern.search(path.read_text(encoding="utf-8"))]


def nearest_tests(module: str) -> list[Path]:
    """What a change in the module makes due, nearest first, over at most so many imports as a check gets through at once."""
    contents = due_tests.contents()
    mentioned = {path: due_tests.Mentions(**said) for path, said in due_tests.made_due(contents, {})["mentions"].items()}
    due = due_tests.Graph(contents, mentioned).reached_from([f"src/stepscope/{module.replace('.', '/')}.py"])
    near = sorted((test for test, hops in due.items() if hops <= NEAR and not test.startswith(ELSEWHERE)), key=lambda test: due[test])
    return [ROOT / test for test in near]


def modules_at_random(count: int, seed: int) -> list[str]:
    """Modules with something in them that can be changed."""
    package = SOURCES / "stepscope"
    every = [path for path in sorted(package.rglob("*.py")) if not path.name.startswith("__") and "ui" not in path.parts]
    in_turn = random.Random(seed).sample(every, len(every))
    chosen = islice((path for path in in_turn if mutants(path.read_text(encoding="utf-8"))), count)
    return [".".join(path.relative_to(package).with_suffix("").parts) for path in chosen]


def passes(module: str, source: str, tests: Sequence[Path], seconds: float) -> bool:
    """Whether the tests pass with this source of the module; tests that never end have noticed it too."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as file:
        file.write(source)
        file.flush()
        paths = os.pathsep.join(map(str, (SOURCES, TESTS, ROOT / "tools")))
        variables = {**os.environ, "PYTHONPATH": paths, VARIABLE: f"stepscope.{module}{os.pathsep}{file.name}"}
        options = ["-q", "-x", "-n0", "-p", "mutate", "-p", "no:cacheprovider", "-p", "no:playwright", "-p", "no:schemathesis"]
        chosen = ["-m", "not slow and not peers and not browser and not soak", "--hypothesis-profile", "quick"]
        command = [sys.executable, "-m", "pytest", *options, *chosen, *map(str, tests)]
        try:
            return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, check=False, timeout=seconds).returncode == 0
        except subprocess.TimeoutExpired:
            return False


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from another file, under its own name and place."""

    def __init__(self, module: str, file: str) -> None:
        self.module, self.file = module, file

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Ours for the one module."""
        del path, target
        place = SOURCES.joinpath(*self.module.split(".")).with_suffix(".py")
        return importlib.util.spec_from_loader(fullname, self, origin=str(place)) if fullname == self.module else None

    def exec_module(self, module: ModuleType) -> None:
        """Runs the changed source."""
        module.__file__ = module.__spec__.origin if module.__spec__ else None
        exec(compile(Path(self.file).read_text(encoding="utf-8"), str(module.__file__), "exec"), module.__dict__)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """In the process of the tests: takes the changed module instead of the real one, before a conftest can import that."""
    module, _, file = os.environ[VARIABLE].partition(os.pathsep)
    sys.meta_path.insert(0, _Loader(module, file))


def try_module(module: str, tests: Sequence[Path], most: int, seed: int) -> tuple[int, int]:
    """How many changes of a module were tried, and noticed by these tests; prints those that were not."""
    source = SOURCES.joinpath("stepscope", *module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    every = mutants(source)
    began = time.monotonic()
    if not tests or not passes(module, ast.unparse(ast.parse(source)), tests, 600):
        raise SystemExit(f"The tests of {module} fail or are missing before anything is changed: {', '.join(map(str, tests))}")
    seconds = 30 + 10 * (time.monotonic() - began)
    chosen = random.Random(seed).sample(every, most) if 0 < most < len(every) else every
    left = [mutant for mutant in chosen if passes(module, mutant.source, tests, seconds)]
    for mutant in sorted(left, key=lambda each: each.line):
        print(f"survived  src/stepscope/{module.replace('.', '/')}.py:{mutant.line}  {mutant.before}  ->  {mutant.after}", flush=True)
    print(f"{module}: {len(chosen) - len(left)} of {len(chosen)} noticed ({len(every)} possible)", flush=True)
    return len(chosen), len(chosen) - len(left)


def main() -> None:
    """Tries the named modules, or all of the core."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("modules", nargs="*", default=CORE, help="as analyses.breakdown; all of the core by default")
    arguments.add_argument("--most", type=int, default=20, help="changes for each module, chosen by the seed; 0 for all (default: 20)")
    arguments.add_argument("--seed", type=int, default=1, help="which changes are chosen (default: 1)")
    arguments.add_argument(
        "--due", type=int, default=0, metavar="N", help="try N modules chosen by the seed with what is due after a change"
    )
    given = arguments.parse_args()
    modules = modules_at_random(given.due, given.seed) if given.due else given.modules
    find = nearest_tests if given.due else tests_of
    counts = [try_module(module, find(module), given.most, given.seed) for module in modules]
    tried, noticed = (sum(numbers) for numbers in zip(*counts, strict=True))
    print(f"score: {100 * noticed / tried:.0f}% ({noticed} of {tried} changes noticed)")


if __name__ == "__main__":
    main()
