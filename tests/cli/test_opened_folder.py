"""Log folders that a command reads once."""

from __future__ import annotations

from pathlib import Path

import pytest

from log_folder import LogFolder
from stepscope.cli.opened_folder import opened, states_of
from stepscope.ingest.loader import Root
from stepscope.model.identity import run_id
from stepscope.model.user import LOCAL_USER
from stepscope.store.user_state import UserState


def test_the_runs_are_there_and_so_is_what_was_noted(folder: LogFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path / "data"))
    folder.write("a", {"loss": [1.0]})
    roots = [Root("", str(folder.path))]
    state = UserState()
    state.of(LOCAL_USER.id).change_runs(str(folder.path), [run_id("", "a")], {"note": "best"})
    state.close()
    with opened(roots, cache=False) as reads:
        assert [run.name for run in reads.views.view().runs] == ["a"]
    assert states_of(roots)[run_id("", "a")].note == "best"
