"""The scripts of the page about profiles in scripts run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stepscope
from browser.sample_profiles import write_trace

PAGE = Path(__file__).resolve().parents[2] / "docs" / "profiles" / "in-scripts.md"


@pytest.mark.slow
def test_the_scripts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write_trace(tmp_path / "runs" / "first", steps=4)
    monkeypatch.chdir(tmp_path)
    scripts = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec("\n".join(scripts), {})
    lines = capsys.readouterr().out.splitlines()
    assert "10 ms" in lines[0]
    assert lines[1] == "0.3"
    assert stepscope.load_profile("runs/first", cache=False).report().findings[0].title in lines
    assert [line.split() for line in lines[-5:]] == [
        ["step", "ms", "parts_input"],
        *([str(step), "10.0", "3.0"] for step in range(5, 9)),
    ]
