"""A plugin of pytest: a run ends with what it skipped, by reason, and with CI=true it must be told when there are no samples."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from sample_files import ABSENT, FOUND, LISTED
from samples import NONE, VARIABLE


def by_reason(reports: list[pytest.TestReport]) -> list[tuple[str, int]]:
    """Reasons with the number of tests they keep from running, most first."""
    reasons = [str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else "" for report in reports]
    return Counter(reason.removeprefix("Skipped: ") for reason in reasons).most_common()


def untold(in_ci: bool, variable: str | None, absent: int, found: bool) -> str | None:
    """Why a run in CI must not start: samples are missing, and nobody said that it may do without them."""
    if not in_ci or not absent or variable is not None:
        return None
    what = f"{absent} of {len(LISTED)} samples are" if found else "The sample profiles are"
    return f"{what} missing, and with CI=true that is a failure. Set {VARIABLE} to their folder, or to `{NONE}` to test without them."


def pytest_sessionstart() -> None:
    """Refuses to pass by skipping."""
    fault = untold(os.environ.get("CI") == "true", os.environ.get(VARIABLE), len(ABSENT), FOUND is not None)
    if fault:
        raise pytest.UsageError(fault)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the reasons."""
    skipped = by_reason(terminalreporter.stats.get("skipped", []))
    if skipped:
        terminalreporter.section("not tested")
    for reason, count in skipped:
        terminalreporter.line(f"{count:5d} tests: {reason}")
