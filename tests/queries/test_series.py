"""Curves: exact when few, extremes kept when many, smoothing that does not change with the window, any x."""

from __future__ import annotations

import math

import numpy as np
import pytest

from log_folder import START, LogFolder, decay
from stepscope._native import SeriesView
from stepscope.model.errors import BadInput
from stepscope.queries.series import Axis, Curve, Segments, Smoothing, Window
from stepscope.session.reads import Reads


def curve(
    reads: Reads,
    tag: str = "loss",
    window: Window | None = None,
    mode: Segments = "latest",
    smoothing: Smoothing | None = None,
    run: str | None = None,
) -> Curve:
    """One curve of the first run, or of the named one."""
    view = reads.views.view()
    shown = next(item for item in view.runs if run in (None, item.name))
    return reads.series.curve(view, shown.record.id, reads.views.tag_id(tag), window or Window(), mode, smoothing)


def test_few_points_are_exact(folder: LogFolder) -> None:
    folder.write("a", {"loss": [(0, 3.0), (5, 1.0), (9, 2.0)]}, gap=10)
    got = curve(Reads(folder.load()))
    assert got.exact
    assert (got.points, got.in_range, got.superseded, got.restarts) == (3, 3, 0, 0)
    assert got.columns["x"].tolist() == [0, 5, 9]
    assert got.columns["y"].tolist() == [3, 1, 2]
    assert got.columns["wall"].tolist() == [START, START + 10, START + 20]
    assert (got.x_extent, got.y_extent) == ((0, 9), (1, 3))


def test_many_points_keep_their_extremes(folder: LogFolder) -> None:
    values = [0.0] * 5000
    values[1234], values[4321] = 7.0, -7.0
    folder.write("a", {"loss": values})
    got = curve(Reads(folder.load()), window=Window(width=50))
    assert not got.exact
    assert got.points == got.in_range == 5000
    assert len(got.columns["x"]) <= 50 * 4 + 2
    assert {7.0, -7.0} <= set(got.columns["y"].tolist())
    assert got.columns["x"][[0, -1]].tolist() == [0, 4999]


def test_a_range_has_a_neighbour_on_either_side(folder: LogFolder) -> None:
    folder.write("a", {"loss": [float(step) for step in range(100)]})
    got = curve(Reads(folder.load()), window=Window(low=10, high=12))
    assert got.in_range == 3
    assert got.columns["x"].tolist() == [9, 10, 11, 12, 13]


@pytest.mark.parametrize(("axis", "first"), [("wall", START), ("relative", 0.0)])
def test_time_axes(folder: LogFolder, axis: Axis, first: float) -> None:
    folder.write("a", {"loss": [1, 2, 3]}, gap=10)
    got = curve(Reads(folder.load()), window=Window(axis=axis))
    assert got.columns["x"].tolist() == [first, first + 10, first + 20]
    assert got.columns["step"].tolist() == [0, 1, 2]
    assert got.x_extent == (first, first + 20)


def test_x_can_be_another_tag(folder: LogFolder) -> None:
    folder.write("a", {"loss": [(1, 10.0), (2, 20.0), (3, 30.0), (4, math.nan)], "acc": [(1, 0.5), (3, 0.1), (4, 0.9)]})
    reads = Reads(folder.load())
    got = curve(reads, window=Window(axis="tag", x_tag=reads.views.tag_id("acc")))
    assert got.columns["x"].tolist() == [0.5, 0.1]
    assert got.columns["y"].tolist() == [10, 30]
    assert got.columns["step"].tolist() == [1, 3]
    assert (got.columns["mark_x"].tolist(), got.columns["mark_kind"].tolist(), got.nan) == ([0.9], [1], 1)
    assert (got.x_extent, got.y_extent) == ((0.1, 0.9), (10, 30))


def test_x_of_another_tag_is_thinned_with_extremes(folder: LogFolder) -> None:
    values = [0.0] * 3000
    values[1500] = 9.0
    folder.write("a", {"loss": values, "x": [math.sin(place / 100) for place in range(3000)]})
    reads = Reads(folder.load())
    got = curve(reads, window=Window(axis="tag", x_tag=reads.views.tag_id("x"), width=20))
    assert not got.exact
    assert len(got.columns["x"]) <= 80
    assert got.columns["y"].max() == 9.0
    assert got.columns["step"].tolist() == sorted(got.columns["step"].tolist())


def test_smoothing_is_the_same_at_every_zoom(folder: LogFolder) -> None:
    rng = np.random.default_rng(1)
    folder.write("a", {"loss": rng.normal(size=4000).tolist()})
    reads = Reads(folder.load())
    smoothing = Smoothing("ema", 0.9)
    near = curve(reads, window=Window(low=2000, high=2050, width=500), smoothing=smoothing)
    far = curve(reads, window=Window(width=100), smoothing=smoothing)
    exact = dict(zip(near.columns["smooth_x"].tolist(), near.columns["smooth_y"].tolist(), strict=True))
    shared = [
        (exact[x], y) for x, y in zip(far.columns["smooth_x"].tolist(), far.columns["smooth_y"].tolist(), strict=True) if x in exact
    ]
    assert shared
    assert all(a == b for a, b in shared)


def test_debiased_ema_by_hand(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0, 3.0]})
    got = curve(Reads(folder.load()), smoothing=Smoothing("ema", 0.5))
    assert got.columns["smooth_y"].tolist() == pytest.approx([1.0, (0.25 * 1 + 0.5 * 3) / 0.75])


def test_a_restart_hides_shows_or_splits(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 1, 1, 1]}, file="events.out.tfevents.1")
    folder.write("a", {"loss": [(2, 5.0), (3, 5.0)]}, file="events.out.tfevents.2", start=START + 100)
    reads = Reads(folder.load())
    latest, every, split = (curve(reads, mode=mode) for mode in ("latest", "all", "split"))
    assert latest.columns["y"].tolist() == [1, 1, 5, 5]
    assert (latest.points, latest.superseded, latest.restarts, latest.in_range) == (6, 2, 1, 4)
    assert len(every.columns["y"]) == 6
    assert sorted(split.columns["segment"].tolist()) == [0, 0, 0, 0, 1, 1]
    assert [segment.cause for segment in split.segments] == ["start", "new_file"]


def test_what_is_not_there_has_no_points(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]}, others={"picture": "images"})
    reads = Reads(folder.load())
    assert curve(reads, "nothing").points == 0
    assert curve(reads, "picture").points == 0
    assert reads.series.open(reads.views.view().source("nobody", reads.views.tag_id("loss")), "latest") is None


def test_a_view_is_kept_until_the_series_grows(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]})
    reads = Reads(folder.load())
    run = reads.views.view().runs[0].record.id

    def held() -> SeriesView:
        found = reads.series.open(reads.views.view().source(run, reads.views.tag_id("loss")), "latest")
        assert found is not None
        return found.series

    first = held()
    assert held() is first
    folder.write("a", {"acc": [1]}, version=False)
    folder.load()
    assert held() is first
    folder.write("a", {"loss": [(1, 2.0)]}, version=False)
    folder.load()
    assert held() is not first
    assert len(held()) == 2


def test_folded_series_are_read_from_their_own_folder(folder: LogFolder) -> None:
    folder.write("a", {"lr": [1]})
    folder.write("a/loss_train", {"loss": decay(10)})
    assert curve(Reads(folder.load()), "loss/train").points == 10


@pytest.mark.parametrize(
    "smoothing",
    [
        Smoothing("ema", 1.0),
        Smoothing("ema", -0.1),
        Smoothing("mean", 0),
        Smoothing("mean", 4),
        Smoothing("median", 2.5),
        Smoothing("gaussian", 1e9),
        Smoothing("ema", math.nan),
    ],
)
def test_amounts_that_make_no_sense_are_refused(smoothing: Smoothing) -> None:
    with pytest.raises(BadInput):
        smoothing.check()
