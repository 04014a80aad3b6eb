"""Estimated ranges on the stored pairs: never wider than published, containing as much, and better than a constant guess."""

from __future__ import annotations

import copy
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from stepscope.analyses.what_if.calibration import Calibration, calibration, calibration_of
from stepscope.analyses.what_if.prediction import widened
from truth import calibrate
from truth.constant_guess import best_guess
from truth.measure import counted
from truth.noise import too_noisy

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = 0.37
"""The median width of a range in docs/profiles/truth.md, of the measured step. It may only fall."""
Widen = Callable[..., tuple[float, float]]
RESULTS: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results.json").read_text())["truth"]
STORED: list[dict[str, Any]] = [row for row in RESULTS["pairs"] if "plain_ms" in row and not too_noisy(row)]


def ranges(bands: Calibration, widen: Widen = widened) -> list[tuple[float, float, float]]:
    """Low, high and the measured step of every stored pair, widened as the package widens what it shows."""
    found: list[tuple[float, float, float]] = []
    for row in STORED:
        more = bands.around if calibrate.blurred(row) else bands.more
        band = max(bands.band, calibration_of([calibrate.lever_of(row)], serial=True).band)
        low, high = widen(*row["plain_ms"], row["baseline_ms"], band, more)
        if row["moves"]:
            low, high = max(low, row["soonest_ms"]), row["plain_ms"][1]
        found.append((low, high, row["after"]["median_ms"]))
    return found


def median_width(found: list[tuple[float, float, float]]) -> float:
    return statistics.median((high - low) / after for low, high, after in found)


def test_ranges_are_no_wider_than_published() -> None:
    assert median_width(ranges(calibration(serial=True))) <= PUBLISHED + 0.005
    assert RESULTS["median_width"] <= PUBLISHED + 0.005


def test_ranges_contain_nine_of_ten() -> None:
    found = ranges(calibration(serial=True))
    assert sum(low <= after <= high for low, high, after in found) >= 0.9 * len(found)
    assert RESULTS["covered"] >= 0.9 * RESULTS["promised"]


@pytest.mark.parametrize("which", ["band", "more"])
def test_a_doubled_band_is_wider_than_published(which: str) -> None:
    bands = calibration(serial=True)
    doubled = replace(bands, band=2 * bands.band) if which == "band" else replace(bands, more=2 * bands.more)
    assert median_width(ranges(doubled)) > PUBLISHED + 0.005


def test_ranges_beat_the_best_constant_guess() -> None:
    found = ranges(calibration(serial=True))
    pairs = [(row["before"]["median_ms"], row["after"]["median_ms"]) for row in STORED]
    guess = best_guess(pairs, [(high - low) / after for low, high, after in found])
    assert guess is not None
    assert sum(low <= after <= high for low, high, after in found) > guess["held"]


def test_the_stored_counts_are_those_of_the_stored_pairs() -> None:
    rows = copy.deepcopy(RESULTS["pairs"])
    calibrate.hold(rows)
    assert {key: value for key, value in RESULTS.items() if key not in {"date", "pairs"}} == counted(rows)


def test_the_best_guess_of_known_pairs() -> None:
    pairs = [(10.0, 5.0), (10.0, 5.2), (10.0, 5.4), (20.0, 18.0)]
    found = best_guess(pairs, [0.1, 0.1])
    assert found is not None
    assert (found["low"], found["held"]) == (0.5, 3)
    assert found["high"] - found["low"] == pytest.approx(0.1 / statistics.median([10 / 5, 10 / 5.2, 10 / 5.4, 20 / 18]))
    assert best_guess([], [0.1]) is None
