"""A plugin of pytest: `--due PLAN` runs the tests that tools/due_tests.py found due, nearest to the change first, and ends in time.

A test that passed under the state of its file is left out, and a file of which all passed is not even imported. At `--until`, seconds
of the clock, no further test starts: those that are left stay due, and the run says how many they are.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass(eq=False)  # Pytest keeps plugins in sets.
class OnlyDue:
    """The choice in the process that runs tests, and the record of it in the one that reports."""

    path: Path
    until: float
    plan: dict[str, Any]
    passed: dict[str, set[str]]
    """By file, the tests that no change since then concerns."""

    chosen: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """By file, the tests that are due."""

    ended: dict[str, bool] = field(default_factory=dict[str, bool])
    """Test to whether it passed, or was skipped for what this machine lacks."""

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Leaves out files of which all tests passed."""
        if not collection_path.is_relative_to(config.rootpath):
            return None
        file = collection_path.relative_to(config.rootpath).as_posix()
        return True if self.plan["passed"].get(file, {}).get("whole") else None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leaves out what passed; of tests equally near to the change, the first case of each function comes before all others."""
        cases, keys, left_out = Counter[str](), dict[str, tuple[int, bool]](), list[pytest.Item]()
        chosen = defaultdict[str, list[str]](list)
        for item in items:
            file, function = item.nodeid.partition("::")[0], item.nodeid.partition("[")[0]
            if item.nodeid in self.passed.get(file, ()):
                left_out.append(item)
                continue
            chosen[file].append(item.nodeid)
            keys[item.nodeid] = (self.plan["hops"].get(file, 0), cases[function] > 0)
            cases[function] += 1
        items[:] = sorted((item for item in items if item.nodeid in keys), key=lambda item: keys[item.nodeid])
        self.chosen = dict(chosen)
        if left_out:
            config.hook.pytest_deselected(items=left_out)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """Starts no test when the time is over."""
        return True if time.time() > self.until else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes how each test ended."""
        self.ended[report.nodeid] = self.ended.get(report.nodeid, True) and not report.failed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Of several processes, takes over what one of them chose; all choose the same."""
        self.chosen |= getattr(node, "workeroutput", {}).get("due", {})

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Keeps what passed."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["due"] = self.chosen
            return
        for file, tests in self.chosen.items():
            passed = self.passed.get(file, set[str]()) | {test for test in tests if self.ended.get(test)}
            self.plan["passed"][file] = {"tests": sorted(passed), "whole": passed.issuperset(tests)}
            if passed.issuperset(tests):
                self.plan["hops"].pop(file, None)
        self.path.write_text(json.dumps(self.plan), encoding="utf-8")
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says what is left."""
        left = {file: sum(test not in self.ended for test in tests) for file, tests in self.chosen.items()}
        files = [file for file, count in left.items() if count]
        if files:
            terminalreporter.section("time is over")
            terminalreporter.line(
                f"{sum(left.values()):,} tests in {len(files):,} files are still due: "
                "the next `make check` goes on with them, `make test` runs all."
            )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    parser.addoption("--due", type=Path, metavar="PLAN", help="run only what is due in this plan, and note there what passed")
    parser.addoption("--until", type=float, default=float("inf"), metavar="TIME", help="with --due: start no test after this time")


def pytest_configure(config: pytest.Config) -> None:
    """Chooses only when that is asked for."""
    path: Path | None = config.getoption("--due")
    if path is None:
        return
    plan = json.loads(path.read_text(encoding="utf-8"))
    passed = {file: set(each["tests"]) for file, each in plan["passed"].items()}
    until: float = config.option.until
    config.pluginmanager.register(OnlyDue(path, until, plan, passed))
