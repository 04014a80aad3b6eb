"""The scripts of the page about profiles in scripts run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from browser.sample_profiles import write_trace

PAGE = Path(__file__).resolve().parents[2] / "docs" / "profiles" / "in-scripts.md"


def test_the_scripts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write_trace(tmp_path / "runs" / "first", steps=4)
    monkeypatch.chdir(tmp_path)
    scripts = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec("\n".join(scripts), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["A step takes 10 ms. 30 % of it the GPU waits for input.", "0.3"]
    assert "Load the input beside the step" in lines
    assert [line.split() for line in lines[-5:]] == [
        ["step", "ns", "parts_input"],
        *([str(step), "10000000", "3000000.0"] for step in range(5, 9)),
    ]
