"""stepscope.open: the names that are fixed, and the numbers behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stepscope
from event_bytes import scalar, write
from stepscope import logdir
from stepscope.ingest import checkpointing
from stepscope.model.errors import BadInput, NotThere
from stepscope.queries.run_scalars import RunScalars
from stepscope.store.library import Library, RunRecord


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Run `a` restarts at step 5 in a second file; the folder itself is a run too."""
    for name, steps, wall in (("a/events.out.tfevents.1.x", range(10), 100.0), ("a/events.out.tfevents.2.x", range(5, 12), 1000.0)):
        write(tmp_path / name, *(scalar(b"loss", s, wall + s, s / 8 + wall) for s in steps))
    write(tmp_path / "events.out.tfevents.1.x", scalar(b"lr", 1, 5.0, 0.25))
    return tmp_path


def test_runs_by_place_and_name(logs: Path) -> None:
    folder = stepscope.open(logs)
    assert [run.name for run in folder.runs] == [".", "a"]
    assert folder.runs["a"].tags == ("loss",)
    assert folder.runs[0].scalars("lr").value.tolist() == [0.25]


def test_segments(logs: Path) -> None:
    run = stepscope.open(logs).runs["a"]
    latest = run.scalars("loss")
    assert latest.step.tolist() == [*range(12)]
    assert latest.value.tolist() == [100 + s / 8 for s in range(5)] + [1000 + s / 8 for s in range(5, 12)]
    assert latest.wall_time[4:6].tolist() == [104.0, 1005.0]
    assert latest.segment.tolist() == [0] * 5 + [1] * 7
    assert latest.superseded == 5
    everything = run.scalars("loss", segments="all")
    assert everything.step.tolist() == [*range(10), *range(5, 12)]
    assert everything.superseded == 0
    assert run.scalars("loss", segments="split").segment.tolist() == [0] * 10 + [1] * 7


def test_the_cache_is_written_where_it_pays(
    logs: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(cache))
    stepscope.open(logs)
    assert not list(cache.rglob("index"))
    monkeypatch.setattr(checkpointing, "WORTH_SECONDS", -1.0)
    stepscope.open(logs, cache=False)
    assert not list(cache.rglob("index"))
    first = stepscope.open(logs).runs["a"].scalars("loss")
    assert len(list(cache.rglob("index"))) == 1
    assert np.array_equal(stepscope.open(logs).runs["a"].scalars("loss").value, first.value)


def test_tables(logs: Path) -> None:
    scalars = stepscope.open(logs).runs["a"].scalars("loss")
    columns = ["step", "wall_time", "value", "segment"]
    arrow, pandas, polars = scalars.to_arrow(), scalars.to_pandas(), scalars.to_polars()
    assert arrow.column_names == list(pandas.columns) == polars.columns == columns
    for table in (arrow, pandas, polars):
        assert np.array_equal(table["step"].to_numpy(), np.arange(12))
        assert np.array_equal(table["value"].to_numpy(), scalars.value)


def test_what_is_not_there_says_so(logs: Path) -> None:
    folder = stepscope.open(logs)
    with pytest.raises(NotThere, match="nowhere"):
        stepscope.open(logs / "nowhere")
    with pytest.raises(NotThere, match="no run 'b'"):
        folder.runs["b"]
    with pytest.raises(NotThere, match="no scalar 'lr'"):
        folder.runs["a"].scalars("lr")
    with pytest.raises(BadInput, match="segments"):
        folder.runs["a"].scalars("loss", segments="newest")  # pyright: ignore[reportArgumentType]


def test_reload_reads_what_was_written_since(logs: Path) -> None:
    folder = stepscope.open(logs)
    with open(logs / "a" / "events.out.tfevents.2.x", "ab") as file:
        file.write(scalar(b"loss", 12, 2000.0, 7.0))
    folder.reload()
    assert folder.runs["a"].scalars("loss").value[-1] == 7.0


def test_a_series_is_found_without_looking_at_the_others(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tags of a run are listed once for each time the folder was read, however many series are asked for."""
    write(logs / "many" / "events.out.tfevents.1.x", *(scalar(b"t%04d" % tag, 1, 5.0, tag) for tag in range(300)))
    folder = stepscope.open(logs)
    listed: list[str] = []
    whole = logdir.run_scalars

    def noted(library: Library, record: RunRecord) -> RunScalars:
        listed.append(record.name)
        return whole(library, record)

    monkeypatch.setattr(logdir, "run_scalars", noted)
    monkeypatch.setattr(folder, "repair", lambda: pytest.fail("looks at every file of the folder"))
    for tag in folder.runs["many"].tags:
        assert folder.runs["many"].scalars(tag).value.tolist() == [float(tag[1:])]
    assert listed == ["many"]
    assert folder.runs is folder.runs


def test_a_run_that_was_taken_before_a_reload_shows_what_is_new(logs: Path) -> None:
    folder = stepscope.open(logs)
    run = folder.runs["a"]
    assert run.tags == ("loss",)
    write(logs / "a" / "events.out.tfevents.3.x", scalar(b"acc", 1, 3000.0, 0.5))
    folder.reload()
    assert run.tags == ("acc", "loss")
    assert run.scalars("acc").value.tolist() == [0.5]


def test_names_that_are_no_utf8_and_names_that_look_like_them(tmp_path: Path) -> None:
    write(tmp_path / "a" / "tfevents", *(scalar(tag, 1, 5.0, i) for i, tag in enumerate((b"x\xff", b"x\\xff", b"y\xfe"))))
    run = stepscope.open(tmp_path).runs["a"]
    assert run.scalars("x\\xff").value.tolist() == [1.0]
    assert run.scalars("y\\xfe").value.tolist() == [2.0]
    with pytest.raises(NotThere):
        run.scalars("z\ud800")
