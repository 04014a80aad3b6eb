"""Writes what the pairs have taught into the package: the band of predictions without a device, and which levers were measured."""

from __future__ import annotations

import json
import math
from typing import Any

from stepscope.analyses.calibration import FILE

COVERED = 0.9
_STEP = 0.05
_LEAST_BAND = 0.10
"""Medians of one program on one machine differ by as much from day to day."""
_LEAST_PAIRS = 10
Found = dict[str, Any]


def calibrated(rows: list[Found]) -> Found | None:
    """The smallest band, in steps of 5 %, that covers nine of ten pairs; None when too few were measured."""
    measured = [row for row in rows if "low_ms" in row]
    removed = sorted(row["needed_band"] for row in measured if row["band"] > 0)
    if len(removed) < _LEAST_PAIRS:
        return None
    needed = removed[math.ceil(COVERED * len(removed)) - 1]
    levers: dict[str, int] = {}
    for row in measured:
        name = row["lever"].partition("=")[0]
        levers[name] = levers.get(name, 0) + 1
    return {"band": max(_LEAST_BAND, round(math.ceil(needed / _STEP - 1e-9) * _STEP, 2)), "pairs": len(removed), "levers": levers}


def write(rows: list[Found]) -> bool:
    """Replaces the part of the file that is about recordings without a device; the other comes from samples of a GPU."""
    found = calibrated(rows)
    if found is None:
        return False
    told = json.loads(FILE.read_text()) | {"cpu": found}
    FILE.write_text(json.dumps(told, indent=2) + "\n")
    return True
