"""The scripts of the page about reading logs run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
from browser.sample_profiles import write_trace
from image_logs import png, tensor_images, write
from log_folder import LogFolder
from text_and_sound_logs import old_audio, sound

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reading-logs.md"


def test_the_scripts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "runs").mkdir()
    runs = tmp_path / "runs"
    LogFolder(runs).write("first", {"loss": [2.0, 0.5, 1.0]})
    tensor = eb.message(8, eb.tensor(eb.FLOAT, eb.message(5, b"\0\0\0\0"), shape=[1]))
    groups = eb.value(b"fairness/groups", tensor, eb.message(9, eb.metadata(b"fairness")))
    pictures = [tensor_images("samples", step, [png(), png()]) for step in (200, 400)]
    other = eb.record(eb.event(1, 1.0, eb.summary(groups)))
    write(runs, "first", *pictures, old_audio("speech", 1, sound()), other, file="events.out.tfevents.2")
    write_trace(runs / "first", steps=6)
    monkeypatch.chdir(tmp_path)
    # The loop over new points would never end.
    page = PAGE.read_text().replace(".follow()", ".follow(every=0.01, idle=0.01)")
    found: dict[str, Any] = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), found)
    printed = capsys.readouterr().out.splitlines()
    assert printed[:3] == ["first ('loss',)", "3 2 0.5", "0 3"]
    assert printed[4:-2] == ["loss 2 1.0"]
    assert printed[-1] == "[{'run': 'first', 'loss': 0.5}] {'run': '', 'loss': ''}"
    assert (found["pixels"].shape, found["file"], found["audio"].shape, found["rate"]) == ((8, 8, 3), png(), (80, 1), 8_000)
    assert found["values"].tolist() == [0.0]
    assert found["profile"].step_ms == pytest.approx(10.0)
