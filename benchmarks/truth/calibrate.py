"""Writes what the pairs have taught into the package: the band of predictions without a device, and which levers were measured."""

from __future__ import annotations

import json
import math
import statistics
from typing import Any

from stepscope.analyses.what_if.calibration import FILE, calibration
from stepscope.analyses.what_if.prediction import widened

COVERED = 0.9
_STEP = 0.05
_LEAST_BAND = 0.10
"""Medians of one program on one machine differ by as much from day to day."""
_LEAST_PAIRS = 10
_QUIET = 0.15
"""When the medians of equal blocks are further apart than this, something else used the machine, and nothing is learnt."""
Found = dict[str, Any]


def spread_of(rows: list[Found]) -> float:
    """How far the medians of equal blocks are apart, in the median over all trainings."""
    spreads = [row[key]["spread"] for row in rows if "before" in row for key in ("before", "after")]
    return statistics.median(spreads) if spreads else 0.0


def is_quiet(rows: list[Found]) -> bool:
    """Whether the machine was left alone."""
    return spread_of(rows) <= _QUIET


def calibrated(rows: list[Found]) -> Found | None:
    """The smallest band, in steps of 5 %, that covers nine of ten pairs; None when too few were measured."""
    measured = [row for row in rows if "plain_ms" in row]
    removed = sorted(row["needed_band"] for row in measured if not row["moves"])
    if len(removed) < _LEAST_PAIRS:
        return None
    needed = removed[math.ceil(COVERED * len(removed)) - 1]
    levers: dict[str, int] = {}
    for row in measured:
        name = row["lever"].partition("=")[0]
        levers[name] = levers.get(name, 0) + 1
    return {"band": max(_LEAST_BAND, round(math.ceil(needed / _STEP - 1e-9) * _STEP, 2)), "pairs": len(removed), "levers": levers}


def hold(rows: list[Found]) -> None:
    """Widens every range by the band that the other pairs ask for, and says whether it then holds what was measured.

    So no pair has a part in its own range. The high end of work that moves has what comes back, and no band. On a busy machine the
    band is the package's.
    """
    quiet = is_quiet(rows)
    for row in rows:
        if "plain_ms" not in row:
            continue
        others = calibrated([other for other in rows if other is not row]) if quiet else None
        band = others["band"] if others else calibration(serial=True).band
        plain_low, plain_high = row["plain_ms"]
        low, high = widened(plain_low, plain_high, row["baseline_ms"], band, serial=True)
        high = plain_high if row["moves"] else high
        middle = (plain_low + plain_high) / 2
        row |= {
            "low_ms": low,
            "high_ms": high,
            "band": band,
            "width": (high - low) / middle if middle else None,
            "covered": low <= row["after"]["median_ms"] <= high,
        }


def write(rows: list[Found]) -> bool:
    """Replaces the part of the file that is about recordings without a device; the other comes from samples of a GPU."""
    found = calibrated(rows) if is_quiet(rows) else None
    if found is None:
        return False
    told = json.loads(FILE.read_text()) | {"cpu": found}
    FILE.write_text(json.dumps(told, indent=2) + "\n")
    return True
