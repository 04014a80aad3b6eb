"""What `make check`, `make test` and `make soak` consist of; called by the Makefile with the environments set up."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path

import chromium
import due_tests
import environment
import node
import unchanged
from steps import AT_ONCE, ROOT, Step, passed, run_all

IN_CI = os.environ.get("CI") == "true"
FUZZ_SECONDS = {"check": 0, "test": 4, "soak": 300}
PYTHON = Path(sys.executable)
SOURCES = {
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tools")]),
    # Compiled once, also where the machine forbids it: the tests start hundreds of processes.
    "PYTHONDONTWRITEBYTECODE": "",
    "PYTHONPYCACHEPREFIX": str(ROOT / "build" / "bytecode"),
}
OF_PYTHON = (".py", ".pyi", ".toml")
OF_THE_PAGE = (".ts", ".js", ".json", ".svelte", ".css", ".html", ".svg")
WITHOUT_HELP = "not peers and not browser and not soak"
"""Tests that need neither peers nor a browser."""
SLOW_TO_IMPORT = ("browser", "interop", "server/test_generated_requests.py")
"""Where none of the tests of `make check` is, so that it does not even import it."""
PLAN = unchanged.PASSED / "tests.json"
CHECK_SECONDS = 85
"""When `make check` ends whatever still runs: what it has no time for is left to the next one."""
TEST_SECONDS = {"alone": 78, "beside others": 45}
"""How long `make check` starts tests, depending on whether types or the page have to be checked too."""
PLUGINS_OF_THE_REST = ("playwright", "schemathesis")
"""Plugins of pytest that only those tests use, and that take a second to import in each process."""


def module(name: str, *arguments: str | Path) -> list[str | Path]:
    """A command that runs a module with the dev environment's Python."""
    return [PYTHON, "-m", name, *arguments]


def javascript(package: str, script: str, *arguments: str) -> list[str | Path]:
    """A command that runs a tool of node_modules."""
    return [node.find_node(), ROOT / "node_modules" / package / script, *arguments]


def native_sources() -> list[Path]:
    """Every C++ file."""
    return sorted(path for ending in ("*.cpp", "*.hpp") for path in (ROOT / "native").rglob(ending))


def static_steps() -> list[Step]:
    """Everything that reads the sources without running them, and the page's own tests; what takes longest comes last."""
    page_types = javascript("svelte-check", "bin/svelte-check", "--tsconfig", "./tsconfig.json", "--fail-on-warnings")
    kept = ["--cache", "--cache-location", str(ROOT / "build" / "prettier")]
    types = ("basedpyright", "--pythonpath", PYTHON)
    return [
        Step("lint", module("ruff", "check", ".")),
        Step("format", module("ruff", "format", "--check", ".")),
        Step("import contract", [PYTHON.with_name("lint-imports")], environment=SOURCES),
        Step("native format", [PYTHON.with_name("clang-format"), "--dry-run", "--Werror", *native_sources()]),
        Step("types", module(*types, "src", "tools"), reads=OF_PYTHON),
        Step("page types", page_types, reads=OF_THE_PAGE),
        Step("page tests", javascript("vitest", "vitest.mjs", "run"), reads=OF_THE_PAGE),
        Step("page format", javascript("prettier", "bin/prettier.cjs", "--check", *kept, "."), reads=(*OF_THE_PAGE, ".md", ".yml")),
        Step("page lint", javascript("eslint", "bin/eslint.js", "."), reads=OF_THE_PAGE),
        Step("types of tests", module(*types, "tests", "benchmarks"), reads=OF_PYTHON),
    ]


def pytest(name: str, *arguments: str | Path, at_once: int = 2, alone: bool = True, again: bool = False) -> Step:
    """A pytest run, which usually has the machine to itself; `again` tells a fault from a machine that was too busy for a test."""
    run = module("pytest", "-q", *arguments)
    failed = [*run, "--last-failed", "--last-failed-no-failures", "none", "--maxfail", "1"] if again else []
    command = [*run, "-n", str(at_once), "--dist", "loadgroup"]
    return Step(name, command, alone=alone, shown=True, again=failed, environment=SOURCES)


def without_crc_steps() -> list[Step]:
    """The core built without the CRC instruction must pass the same tests as the core with it."""
    twin = ROOT / "build" / "no-crc"
    package = twin / "src" / "stepscope"
    package.mkdir(parents=True, exist_ok=True)
    for entry in (ROOT / "src" / "stepscope").iterdir():
        link = package / entry.name
        if not entry.name.startswith(("_native.c", "_native.a", "__pycache__")) and not link.is_symlink():
            link.symlink_to(entry)
    build = [PYTHON, ROOT / "tools" / "native.py", "--build", twin, "--into", package, "--", "-DSTEPSCOPE_NO_CRC_INSTRUCTION=ON"]
    twin_sources = {**SOURCES, "PYTHONPATH": str(package.parent), "STEPSCOPE_EXPECT_TABLE_CRC": "1"}
    paths = f"pythonpath={package.parent} tests"
    tests = pytest("core without CRC instruction", "-m", "not peers and not soak", "-o", paths, "tests/native")
    return [
        Step("build without CRC instruction", build, alone=True, shown=True),
        Step(tests.name, tests.command, alone=True, shown=True, environment=twin_sources),
    ]


def fuzz_steps(seconds: int) -> list[Step]:
    """Every driver of native/fuzz, built with the address and undefined-behaviour sanitizers."""
    drivers = sorted((ROOT / "native" / "fuzz").glob("*.cpp"))
    build = ROOT / "build" / "fuzz"
    program = [PYTHON, ROOT / "tools" / "fuzz.py", "--build", build, "--seconds", str(seconds)]
    return [Step("fuzz with sanitizers", program, alone=True, shown=True)] if drivers else []


def need(what: str, found: bool) -> bool:
    """Whether a part of the tests can run; in CI nothing may be missing."""
    if not found and IN_CI:
        raise SystemExit(f"{what} is missing, and with CI=true that is a failure.")
    if not found:
        print(f"skipped: tests that need {what}", flush=True)
    return found


def peers_step() -> Step:
    """Sets up the real packages beside the steps that do not need them; every step is told where they are."""
    for name in ("peers", "plugins", "agents"):
        os.environ[f"STEPSCOPE_{name.upper()}_PYTHON"] = str(environment.python_of(environment.location(name)))
    return Step("peers set up", [PYTHON, ROOT / "tools" / "environment.py", "peers", "plugins", "agents"])


def check() -> list[Step]:
    """Lint, types, and of the quick tests that need neither peers nor a browser those that are due; they run beside the rest."""
    due_tests.plan(PLAN)
    static = static_steps()
    # What passed longest ago comes first, so that nothing is left for ever.
    long = sorted((step for step in static if step.reads and not passed(step)), key=lambda step: unchanged.passed_at(step.name))
    left_out = [f"--ignore={ROOT / 'tests' / name}" for name in SLOW_TO_IMPORT]
    left_out += [part for name in PLUGINS_OF_THE_REST for part in ("-p", f"no:{name}")]
    chosen = ["-m", f"{WITHOUT_HELP} and not slow", "--hypothesis-profile", "quick", "--slowest", "10"]
    until = time.time() + TEST_SECONDS["beside others" if long else "alone"]
    chosen += [f"--due={PLAN}", f"--until={until}"]  # one word each: a path alone would be taken for tests to run
    short = [step for step in static if step not in long]
    return [*short, pytest("tests", *chosen, *left_out, alone=False), *long]


def test() -> list[Step]:
    """Everything but soak."""
    browser = need("Chromium", chromium.ensure() is not None)
    steps = [peers_step(), *static_steps(), pytest("tests", "-m", "not browser and not soak", again=True)]
    if browser:
        steps.append(pytest("browser tests", "-m", "browser and not soak", again=True))
    installed = Step("installed package", [PYTHON, ROOT / "tools" / "run.py", "--check"], alone=True, shown=True)
    return [*steps, installed, *fuzz_steps(FUZZ_SECONDS["test"])]


def soak() -> list[Step]:
    """The long tests, and the core built a second way: the table of checksums itself is tested each time."""
    long_tests = pytest("soak", "-m", "soak", "--timeout", "3600", at_once=1)
    return [peers_step(), long_tests, *without_crc_steps(), *fuzz_steps(FUZZ_SECONDS["soak"])]


def main() -> None:
    """Runs one of the three, or only the steps whose name holds a word."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("which", choices=["check", "test", "soak"])
    arguments.add_argument("--only", default="", help="run the steps whose name holds this")
    given = arguments.parse_args()
    began = time.monotonic()
    every = {"check": check, "test": test, "soak": soak}[given.which]()
    steps = [step for step in every if given.only in step.name or step.name == "peers set up"]
    quick = given.which == "check"
    failed, left = run_all(steps, not quick, AT_ONCE + quick, began + CHECK_SECONDS if quick else math.inf)
    good = len(steps) - len(failed) - len(left)
    print(f"make {given.which}: {good} of {len(steps)} steps passed in {time.monotonic() - began:.0f} s")
    if left:
        print(f"not checked: {', '.join(left)}; the next `make check` begins with them, and `make test` runs all")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
