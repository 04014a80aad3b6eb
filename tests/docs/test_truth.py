"""The page about truth holds the results, the package's own calibration, and tests that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

from stepscope.analyses.what_if.calibration import WIDE, calibration
from stepscope.rules.all_rules import ALL_RULES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "profiles" / "truth.md").read_text()
RESULTS = json.loads((ROOT / "benchmarks" / "results.json").read_text())["truth"]


def test_the_calibration_is_the_packages() -> None:
    cpu, gpu = calibration(serial=True), calibration(serial=False)
    text = PAGE.split("## Width of the ranges")[1].split("##")[0]
    shown = [int(number) for number in re.findall(r"(\d+)%", text)]
    assert f"by {cpu.around:.0%} if" in text
    assert shown[:4] == [round(100 * part) for part in (cpu.band, WIDE, gpu.band, cpu.more)]
    assert re.findall(r"\((\d+) (?:pairs|recordings?)\)", text) == [str(cpu.pairs), str(gpu.pairs)]


def test_every_pair_is_on_the_page() -> None:
    assert len(RESULTS["pairs"]) >= 10
    assert {row["framework"] for row in RESULTS["pairs"]} == {"torch", "gloo", "tensorflow", "jax"}
    for row in RESULTS["pairs"]:
        assert f"| {row['cause']} | " in PAGE


def test_rules_that_name_causes_exist() -> None:
    named = {row["named"] for row in RESULTS["pairs"] if "named" in row}
    assert named <= {rule.id for rule in ALL_RULES}


def test_the_tests_exist() -> None:
    listed = re.findall(r"`(tests/[^`]+)`", PAGE)
    paths = [path for each in listed for path in each.split(", ")]
    assert len(paths) >= 10
    assert [path for path in paths if not (ROOT / path).exists()] == []
