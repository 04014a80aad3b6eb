"""Writes what the pairs have taught into the package: by how much predictions without a device are off, and which were measured."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from dataclasses import asdict
from typing import Any

from stepscope.analyses.what_if.calibration import FILE, OFTEN, WIDE, calibration
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.prediction import widened

COVERED = 0.9
_STEP = 0.05
_LEAST = 0.10
_LEAST_AROUND = 0.20
"""Medians of equal blocks differ by 6 % in the median, and what one pair asks for by as much from day to day."""
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


def needed(row: Found) -> tuple[float, float]:
    """By which part of what goes less went than the model says at least, and by which part what was left got faster than it says."""
    low, high = row["plain_ms"]
    before, after = row["baseline_ms"], row["after"]["median_ms"]
    less = (after - high) / max(before - high, 1e-9) if after > high else 0.0
    more = (low - after) / max(min(low, before - low), 1e-9) if after < low else 0.0
    return less, more


def calibrated(rows: list[Found]) -> Found | None:
    """The smallest parts, in steps of 5 %, that cover nine of ten pairs; None when too few were measured."""
    measured = [row for row in rows if "plain_ms" in row]
    removed = [(blurred(row), *needed(row)) for row in measured if not row["moves"]]
    if len(removed) < _LEAST_PAIRS:
        return None
    levers: dict[str, int] = {}
    for row in measured:
        name = lever_of(row)
        levers[name] = levers.get(name, 0) + 1
    return {
        "band": _covering([less for _, less, _ in removed], _LEAST),
        "more": _covering([more for both, _, more in removed if not both], _LEAST),
        "around": _covering([more if both else 0.0 for both, _, more in removed], _LEAST_AROUND),
        "pairs": len(removed),
        "levers": levers,
    }


def blurred(row: Found) -> bool:
    """Whether the row's lever takes along what lies around its work."""
    return Lever(lever_of(row)).blurred


def lever_of(row: Found) -> str:
    """The name of the row's lever, without its number."""
    return row["lever"].partition("=")[0]


def _covering(parts: list[float], least: float) -> float:
    """The smallest number of steps that nine of ten of the parts are not beyond."""
    most = sorted(parts)[math.ceil(COVERED * len(parts)) - 1] if parts else 0.0
    return max(least, round(math.ceil(most / _STEP - 1e-9) * _STEP, 2))


def hold(rows: list[Found]) -> None:
    """Widens every range by what the other pairs ask for, and says whether it then holds what was measured.

    So no pair has a part in its own range. Work that moves has what comes back at its high end, and is not done before somebody has
    done it. On a busy machine the band is the package's.
    """
    quiet = is_quiet(rows)
    counts = Counter(lever_of(row) for row in rows if "plain_ms" in row)
    for row in rows:
        if "plain_ms" not in row:
            continue
        known: Found = asdict(calibration(serial=True))
        if quiet:
            known = calibrated([other for other in rows if other is not row]) or known
        band = known["band"] if counts[lever_of(row)] >= OFTEN else max(known["band"], WIDE)
        plain_low, plain_high = row["plain_ms"]
        low, high = widened(plain_low, plain_high, row["baseline_ms"], band, known["around" if blurred(row) else "more"])
        if row["moves"]:
            low, high = max(low, row.get("soonest_ms", 0.0)), plain_high
        row |= {
            "low_ms": low,
            "high_ms": high,
            "band": band,
            "needed_band": max(needed(row)),
            "width": (high - low) / row["after"]["median_ms"],
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
