"""`--slowest` lists the tests that take most processor time, also those of other processes, and names the ones without the mark."""

from __future__ import annotations

from pathlib import Path

import pytest

from processor_time import PROPERTY, SLOW_SECONDS, ProcessorTime

pytest_plugins = "pytester"
LONG = 3 * SLOW_SECONDS


def report(name: str, seconds: float, marked: bool, when: str = "call") -> pytest.TestReport:
    """What a process that ran a test sends to the one that reports."""
    noted = [(PROPERTY, [seconds, marked])]
    return pytest.TestReport(name, ("", 0, ""), {}, "passed", None, when, user_properties=noted)  # pyright: ignore[reportArgumentType]


def lines(shown: int, *reports: pytest.TestReport) -> list[str]:
    found = ProcessorTime(shown)
    for each in reports:
        found.pytest_runtest_logreport(each)
    return found.lines()


def test_the_slowest_come_first() -> None:
    found = lines(2, report("quick", 0.01, False), report("slowest", 0.4, False), report("second", 0.2, False))
    assert [line.split()[-1] for line in found] == ["slowest", "second"]


def test_only_long_tests_without_the_mark_are_named() -> None:
    found = lines(0, report("short", SLOW_SECONDS / 2, False), report("long", LONG, False), report("marked", LONG, True))
    assert [line.split()[-1] for line in found] == ["long"]


def test_fixtures_are_nobodys_time() -> None:
    assert lines(5, report("one", LONG, False, when="setup"), report("one", LONG, False, when="teardown")) == []


@pytest.mark.slow
@pytest.mark.parametrize("processes", [(), ("-n", "1")])
def test_a_run_ends_with_the_list(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, processes: tuple[str, ...]) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    pytester.makepyfile(
        test_both="""
        import time
        def test_working():
            end = time.process_time() + 0.05
            while time.process_time() < end: pass
        def test_waiting(): time.sleep(0.1)
        """
    )
    plain = ("-p", "processor_time", "-p", "no:playwright", "-p", "no:schemathesis", *processes)
    found = pytester.runpytest_subprocess(*plain, "--slowest", "1")
    found.assert_outcomes(passed=2)
    found.stdout.fnmatch_lines(["*processor time*", "*test_both.py::test_working"])
    assert "processor time" not in pytester.runpytest_subprocess(*plain).stdout.str()
