"""Values at a step and over a range, and the run list's columns."""

from __future__ import annotations

import math

import numpy as np

from log_folder import START, LogFolder
from stepscope.queries.series import Smoothing, Window
from stepscope.queries.table import TableRow, table_row
from stepscope.session.reads import Reads


def row(
    reads: Reads, at: float | None = None, window: Window | None = None, smoothing: Smoothing | None = None, tag: str = "loss"
) -> TableRow:
    """The row of the first run."""
    view = reads.views.view()
    run = str(view.runs[0].record.id)
    return table_row(reads.series, view, run, tag, reads.views.tag_id(tag), window or Window(), at, "latest", smoothing)


def test_the_nearest_point(folder: LogFolder) -> None:
    folder.write("a", {"loss": [(0, 4.0), (10, 2.0), (20, 8.0)]}, gap=5)
    got = row(Reads(folder.load()), at=13, smoothing=Smoothing("mean", 3))
    assert (got.value, got.step, got.wall, got.relative) == (2.0, 10, START + 5, 5.0)
    assert got.smoothed == (4 + 2 + 8) / 3
    assert (got.first, got.change) == (None, None)


def test_statistics_over_a_range(folder: LogFolder) -> None:
    folder.write("a", {"loss": [(0, 4.0), (10, 2.0), (20, 8.0), (30, 100.0)]})
    got = row(Reads(folder.load()), window=Window(low=0, high=20))
    assert (got.count, got.first, got.last, got.mean) == (3, 4.0, 8.0, 14 / 3)
    assert (got.min, got.min_step, got.max, got.max_step) == (2.0, 10, 8.0, 20)
    assert (got.change, got.change_fraction) == (4.0, 1.0)
    assert got.value is None


def test_change_from_zero_has_no_fraction(folder: LogFolder) -> None:
    folder.write("a", {"loss": [0.0, 2.0]})
    got = row(Reads(folder.load()), window=Window(low=0, high=1))
    assert (got.change, got.change_fraction) == (2.0, None)


def test_a_value_that_is_no_number_is_a_word(folder: LogFolder) -> None:
    folder.write("a", {"loss": [math.nan]})
    assert row(Reads(folder.load()), at=0).value == "NaN"


def test_x_by_another_tag(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0, 2.0, 3.0], "x": [10.0, 30.0, 20.0]})
    reads = Reads(folder.load())
    x = reads.views.tag_id("x")
    assert row(reads, at=29, window=Window(axis="tag", x_tag=x)).value == 2.0
    over = row(reads, window=Window(axis="tag", x_tag=x, low=15, high=40))
    assert (over.count, over.first, over.last, over.max_step) == (2, 2.0, 3.0, 2)


def test_a_missing_series_is_an_empty_row(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    assert row(Reads(folder.load()), at=0, tag="none") == TableRow(row(Reads(folder.library)).run, "none", 0)


def test_columns_of_the_run_list(folder: LogFolder) -> None:
    folder.write("a", {"loss": [3.0, 1.0, 2.0]})
    folder.write("b", {"acc": [1.0]})
    folder.write("c", {"loss": [9.0, 9.0, 0.5]}, file="events.out.tfevents.1")
    folder.write("c", {"loss": [(1, 4.0)]}, file="events.out.tfevents.2", start=START + 100)
    reads = Reads(folder.load())
    view = reads.views.view()
    order = [run.name for run in view.runs]
    (found,) = reads.columns.columns(view, [reads.views.tag_id("loss")])
    by_run = {name: [float(found[column][place]) for column in ("last", "last_step", "min", "max")] for place, name in enumerate(order)}
    assert by_run["a"] == [2, 2, 1, 3]
    assert all(np.isnan(by_run["b"]))
    assert by_run["c"] == [4, 1, 4, 9]


def test_the_mean_is_of_the_last_finite_points_that_are_shown(folder: LogFolder) -> None:
    folder.write("a", {"loss": [9.0, 1.0, 2.0, math.nan, 6.0]})
    folder.write("b", {"acc": [1.0]})
    folder.write("c", {"loss": [9.0, 9.0, 0.5]}, file="events.out.tfevents.1")
    folder.write("c", {"loss": [(1, 4.0)]}, file="events.out.tfevents.2", start=START + 100)
    reads = Reads(folder.load())
    view = reads.views.view()
    loss = reads.views.tag_id("loss")
    (three,) = reads.columns.columns(view, [loss], mean_of=3)
    means = dict(zip([run.name for run in view.runs], three["mean"].tolist(), strict=True))
    assert means["a"] == 3.0
    assert math.isnan(means["b"])
    assert means["c"] == 6.5, "the restart at step 1 supersedes what came after it"
    (none,) = reads.columns.columns(view, [loss])
    assert "mean" not in none
