"""The delta that live updates carry: what is new by the names that the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from log_folder import START, LogFolder
from stepscope.dashboards.delta import Change, Changes, Delta, read_delta
from stepscope.model.identity import TagId, run_id
from stepscope.session.reads import Reads
from stepscope.store.library import MAX_NAMED_CHANGES


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    return LogFolder(tmp_path)


class Live:
    """A page's view of a folder: every publication since it last heard."""

    def __init__(self, folder: LogFolder) -> None:
        self.reads = Reads(folder.library)
        self.changes = Changes()
        folder.library.listen(self.changes.add)

    def delta(self) -> Delta:
        found, _ = read_delta(self.reads, self.changes)
        return found


def test_new_points_are_named_by_run_and_tag(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0, 2.0]})
    folder.write("b", {"loss": [1.0]})
    folder.load()
    live = Live(folder)
    folder.write("a", {"loss": [(2, 3.0)]}, start=START + 10, version=False)
    folder.load()
    found = live.delta()
    (run,) = [run.id for run in folder.library.snapshot.runs if run.name == "a"]
    assert found.changed == {run: ["loss"]}
    assert (found.points, found.newest, found.changed_all) == (4, START + 10, False)
    assert (found.runs_changed, found.tags_changed) == (False, False)
    assert found.epoch == folder.library.snapshot.epoch


def test_new_tags_and_runs_are_said(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    folder.load()
    live = Live(folder)
    folder.write("a", {"accuracy": [1.0]}, version=False)
    folder.load()
    assert (live.delta().runs_changed, live.delta().tags_changed) == (False, True)
    folder.write("b", {"loss": [1.0]})
    folder.load()
    assert live.delta().runs_changed


def test_folded_runs_are_named_as_the_page_shows_them(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    folder.write("a/loss_train", {"loss": [1.0]})
    folder.load()
    live = Live(folder)
    folder.write("a/loss_train", {"loss": [(1, 2.0)]}, start=START + 5, version=False)
    folder.load()
    (parent,) = [run.id for run in folder.library.snapshot.runs if run.name == "a"]
    assert live.delta().changed == {parent: ["loss/train"]}


def test_a_run_that_is_gone_is_left_out(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    folder.load()
    live = Live(folder)
    live.changes.add(Change(1, series={run_id("", "gone"): frozenset({TagId(0)})}))
    assert live.delta().changed == {}


def test_too_many_changes_have_no_names(folder: LogFolder) -> None:
    live = Live(folder)
    live.changes.add(Change(1, series={run_id("", "a"): frozenset(map(TagId, range(MAX_NAMED_CHANGES + 1)))}))
    assert (live.delta().changed_all, live.delta().changed) == (True, {})
