"""The scripts of the page about writing logs run as they stand, and its numbers and names are the program's."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import stepscope
from stepscope.run_folders import naming
from stepscope.writer import SummaryWriter, array_queue, event_stream, lost_points
from stepscope.writer.png import png

PAGE = Path(__file__).resolve().parents[2] / "docs" / "writing-logs.md"
TEXT = PAGE.read_text()
SCRIPTS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_scripts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        (tmp_path / f"sample{number or ''}.png").write_bytes(png(np.zeros((4, 5, 3), np.uint8)))
    exec("\n".join(script for script in SCRIPTS if "torch" not in script), {})
    runs = stepscope.open("runs").runs
    assert {run.name for run in runs} == {"first", "pictures", "long"}
    assert len(runs["first"].scalars("loss").value) == 1000


@pytest.mark.peers
def test_the_script_about_graphs_runs(tmp_path: Path, peers_python: str) -> None:
    (graph,) = [script for script in SCRIPTS if "torch" in script]
    environment = {**os.environ, "PYTHONPATH": str(Path(stepscope.__file__).parent.parent)}
    code = f"from stepscope import SummaryWriter\n{graph}"
    subprocess.run([peers_python, "-c", code], cwd=tmp_path, env=environment, check=True, timeout=120)
    assert b"Linear[0]" in next((tmp_path / "runs" / "graph").iterdir()).read_bytes()


def test_the_numbers_are_the_programs() -> None:
    seconds, megabytes, points = (re.findall(pattern, TEXT) for pattern in (r"([\d.]+) s\b", r"(\d+) MB\b", r"(\d[\d,]*) points"))
    block, flush = event_stream.LONGEST_BLOCK_SECONDS, event_stream.LONGEST_FLUSH_SECONDS
    assert block == array_queue.LONGEST_BLOCK_SECONDS
    new_run = naming.LONGEST_WAIT_SECONDS
    assert [float(each) for each in seconds] == [event_stream.GATHER_SECONDS, *[block] * 4, new_run, block, block, flush]
    assert [int(each) << 20 for each in megabytes] == [event_stream.MEMORY_BYTES, array_queue.HELD_BYTES]
    assert points == [f"{event_stream.QUEUE_ENTRIES:,}"]
    assert event_stream.MOST_QUEUE_ENTRIES == 1 << 20
    assert "a million" in TEXT
    assert f"`{lost_points.TAG}`" in TEXT


def test_every_method_is_on_the_page() -> None:
    methods = {name for name in vars(SummaryWriter) if name.startswith("add_")}
    elsewhere = {"add_scalar", "add_annotated_image", "add_custom_scalars_multilinechart", "add_custom_scalars_marginchart"}
    assert {name for name in methods - elsewhere if f"`{name}`" not in TEXT} == set()
