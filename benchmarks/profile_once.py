"""Reads one profile and analyses it in a process of its own: prints seconds, peak memory and what was found, as JSON."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from own_peak import peak_bytes


def report(path: str) -> None:
    """The verb's whole answer, as a terminal gets it, before the figures."""
    from stepscope.cli.profile.report import command

    began = time.perf_counter()
    command.main([path], standalone_mode=False)
    print(json.dumps({"seconds": time.perf_counter() - began, "peak_mb": peak_bytes() / 2**20}))


def main() -> None:
    """Imports are not counted; the file's pages may be in memory, as they are for the peer."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("what", choices=("read", "ops", "overview", "report"))
    arguments.add_argument("path")
    given = arguments.parse_args()
    if given.what == "report":
        report(given.path)
        return

    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.session.summary import summarise
    from stepscope.analyses.work.operations import most_exposed, operations
    from stepscope.formats.open_profile import read_file

    began = time.perf_counter()
    profile = read_file(given.path)
    found: dict[str, Any] = {"spans": len(profile.spans), "read_seconds": time.perf_counter() - began}
    if given.what == "ops":
        rows = operations(profile, break_down(profile))
        found["ops"] = {f"{row.name}\n{row.type}": (row.count, row.total_ns) for row in rows if row.kind == "op"}
    elif given.what == "overview":
        summary = summarise([profile], None)
        most_exposed(operations(profile, summary.breakdowns[0], calls=True), 8)
        found["steps"] = len(summary.breakdowns[0].steps)
    found["seconds"] = time.perf_counter() - began
    found["peak_mb"] = peak_bytes() / 2**20
    print(json.dumps(found))


if __name__ == "__main__":
    main()
