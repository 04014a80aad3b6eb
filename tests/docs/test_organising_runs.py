"""The scripts of the page about organising runs run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stepscope

PAGE = Path(__file__).resolve().parents[2] / "docs" / "organising-runs.md"


def test_the_scripts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    scripts = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(scripts) == 5
    exec("\n".join(scripts), {})
    name = capsys.readouterr().out.strip()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_resnet50_lr0\.001", name)
    runs = stepscope.open("logs").runs
    assert len(runs[f"{name}/train"].scalars("loss").value) == 100
    assert {"by-hand", "tuning", "tuning/run-0", "tuning/run-1"} <= {run.name for run in runs}
    assert (tmp_path / "logs" / "words" / "words" / "metadata.tsv").read_text().startswith("word\tcount\nking\t3\n")
    assert "vectors.tsv" in (tmp_path / "logs" / "embeddings" / "projector_config.pbtxt").read_text()


def test_the_names_of_parts_are_those_of_the_program(tmp_path: Path) -> None:
    text = PAGE.read_text()
    with stepscope.new_run(tmp_path, lr=0.5, password="x") as run:
        run.train.add_scalar("loss", 1.0, 1)
    written = b"".join(path.read_bytes() for path in Path(run.log_dir).glob("*tfevents*"))
    for tag in ("config", "run"):
        assert f"- `{tag}`:" in text
        assert f"{tag}/text_summary".encode() in written
    assert b"(hidden)" in written
    assert "`(hidden)`" in text
