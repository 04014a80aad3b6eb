"""One of XProf's tools over one XSpace file, run by the peers' Python: prints seconds, peak memory and the operations, as JSON."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from typing import Any

from own_peak import peak_bytes


def operations(answer: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    """Count and total in ns by name and type, of its table without idle time."""
    table = answer[1]
    places = {column["id"]: place for place, column in enumerate(table["cols"])}
    found: dict[str, tuple[int, int]] = {}
    for row in table["rows"]:
        cells = [cell["v"] for cell in row["c"]]
        name, kind, count, total = (cells[places[column]] for column in ("operation", "type", "occurrences", "total_time"))
        found[f"{name}\n{kind}"] = (round(count), round(total * 1e3))
    return found


def main() -> None:
    """Imports are not counted."""
    tool, path = sys.argv[1:]
    from xprof.convert import raw_to_tool_data

    began = time.perf_counter()
    data, _ = raw_to_tool_data.xspace_to_tool_data([path], tool, {"use_saved_result": False})
    seconds = time.perf_counter() - began
    peak = peak_bytes() / 2**20
    answer = json.loads(data)
    found = operations(answer) if tool == "framework_op_stats" else {}
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "ops": found, "version": version("xprof")}))


if __name__ == "__main__":
    main()
