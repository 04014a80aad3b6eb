"""The scripts of the page about reading logs run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from log_folder import LogFolder

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reading-logs.md"


def test_the_scripts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "runs").mkdir()
    LogFolder(tmp_path / "runs").write("first", {"loss": [2.0, 0.5, 1.0]})
    monkeypatch.chdir(tmp_path)
    scripts = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec("\n".join(scripts), {})
    assert capsys.readouterr().out == "first ('loss',)\n3 2 0.5\n0 3\n"
