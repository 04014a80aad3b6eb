"""The step time without the profiler, as the run of a profile has logged it: by its path and in the server alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.torch_traces import trace
from log_folder import LogFolder
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.part import Wanted
from stepscope.session.reader import SessionReader


@pytest.mark.parametrize("run", [".", "a"])
@pytest.mark.parametrize("logged", ["", "train"])
def test_steps_logged_in_the_run_or_in_its_folder_for_training(tmp_path: Path, run: str, logged: str) -> None:
    folder = LogFolder(tmp_path)
    home = tmp_path / run
    home.mkdir(exist_ok=True)
    base = {"baseTimeNanoseconds": 1_800_000_000_000_000_000}
    (home / "host_1.1800000000000.pt.trace.json").write_text(json.dumps(trace() | base))
    folder.write(str(Path(run) / logged), {"step_time": [0.25] * 6})
    folder.load()
    reader = SessionReader(folder.library)
    (found,) = reader.sessions()
    for session in (reader.analysed(found, Wanted()), profile_at(str(tmp_path), Opening(cache=False)).analysed(Wanted())):
        step = session.logged_step
        assert step is not None
        assert (step.ms, step.tag, step.steps) == (pytest.approx(250), "step_time", 6)
