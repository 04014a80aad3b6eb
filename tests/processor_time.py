"""A plugin of pytest: `--slowest N` ends a run with the N tests that took most processor time, and names those to be marked `slow`."""

from __future__ import annotations

import os
from collections.abc import Generator
from dataclasses import dataclass, field

import pytest

SLOW_SECONDS = 0.5
"""What a test may take unless it is marked."""
PROPERTY = "processor time"


def used() -> float:
    """Processor seconds of this process and its ended children: neither waiting nor a busy machine counts."""
    return sum(os.times()[:4])


@dataclass(frozen=True, slots=True)
class Timed:
    """One test."""

    name: str
    seconds: float
    marked: bool


@dataclass(eq=False)  # Pytest keeps plugins in sets.
class ProcessorTime:
    """Notes what each test takes in the process that runs it, and lists it in the one that reports."""

    shown: int
    timed: list[Timed] = field(default_factory=list[Timed])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Times the test itself: a fixture may be shared, so no single test answers for it."""
        before = used()
        try:
            return (yield)
        finally:
            item.user_properties.append((PROPERTY, [used() - before, item.get_closest_marker("slow") is not None]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Reads what the process of the test has noted."""
        noted = dict(report.user_properties).get(PROPERTY) if report.when == "call" else None
        if isinstance(noted, list):
            seconds, marked = noted
            self.timed.append(Timed(report.nodeid, float(seconds), bool(marked)))

    def lines(self) -> list[str]:
        """The slowest tests, and then those that lack the mark."""
        slowest = sorted(self.timed, key=lambda each: -each.seconds)
        unmarked = [each for each in slowest if each.seconds > SLOW_SECONDS and not each.marked]
        return [
            *(f"{each.seconds:6.2f} s  {each.name}" for each in slowest[: self.shown]),
            *(f"over {SLOW_SECONDS:g} s, make it faster or mark it slow: {each.name}" for each in unmarked),
        ]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints them."""
        if self.timed:
            terminalreporter.section(f"processor time, {sum(each.seconds for each in self.timed):.0f} s in all")
        for line in self.lines():
            terminalreporter.line(line)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption("--slowest", type=int, default=0, metavar="N", help="list the N tests that take most processor time")


def pytest_configure(config: pytest.Config) -> None:
    """Measures only when that is asked for."""
    shown = config.getoption("--slowest")
    if shown:
        config.pluginmanager.register(ProcessorTime(shown))
