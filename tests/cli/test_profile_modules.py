"""`stepscope profile modules` as CSV, on a small trace with known numbers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from browser.sample_parts import write_parts
from cli.profile_terminal import Terminal


def test_csv_has_both_passes_in_a_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    trace = write_parts(tmp_path / "train")
    rows = list(csv.DictReader(io.StringIO(Terminal(capsys).run("modules", trace, "--csv")[1])))
    assert [(row["path"], row["calls"], row["share"]) for row in rows] == [
        ("Net_0", "3", "1.0"),
        ("Net_0/Linear_0", "3", "0.9375"),
        ("Net_0/ReLU_0", "3", "0.0"),
    ]
    linear = rows[1]
    assert (linear["forward_host_us"], linear["forward_device_us"], linear["backward_device_us"]) == ("6000.0", "13500.0", "9000.0")
    assert (rows[0]["forward_host_self_us"], rows[0]["backward_host_self_us"]) == ("6000.0", "0.0")


def test_depth_limits_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    trace = write_parts(tmp_path / "train")
    rows = list(csv.DictReader(io.StringIO(Terminal(capsys).run("modules", trace, "--csv", "--depth", "1")[1])))
    assert [row["path"] for row in rows] == ["Net_0"]
