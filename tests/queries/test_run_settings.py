"""Settings of all runs come from the loaded files: each record is read once, and the answer is bounded."""

from __future__ import annotations

import pytest

from log_folder import LogFolder
from stepscope.queries import run_settings
from stepscope.queries.run_settings import LONGEST, RunSettings
from stepscope.session.reads import Reads
from stepscope.writer import SummaryWriter


def settings(folder: LogFolder, reads: Reads) -> dict[str, RunSettings]:
    """By the name of the run."""
    folder.load()
    view = reads.views.view()
    return {run.name: found for run, found in zip(view.runs, reads.settings.all_runs(view), strict=True)}


def test_later_settings_count_and_long_ones_are_cut(folder: LogFolder) -> None:
    reads = Reads(folder.library)
    with SummaryWriter(str(folder.path / "a")) as writer:
        writer.log_config({"lr": 0.1, "text": "x" * (LONGEST + 1)})
        writer.flush()
        assert settings(folder, reads)["a"].values == {"lr": "0.1", "text": "x" * LONGEST}
        writer.log_config({"lr": 0.2})
        writer.flush()
        assert settings(folder, reads)["a"].values["lr"] == "0.2"


def test_the_answer_is_bounded(folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ab":
        with SummaryWriter(str(folder.path / name)) as writer:
            writer.log_config({"one": 1, "two": 2})
    monkeypatch.setattr(run_settings, "MOST_VALUES", 3)
    assert [len(found.values) for found in settings(folder, Reads(folder.library)).values()] == [2, 1]
