"""Groups: interpolation between a run's own points, and bands whose numbers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from log_folder import LogFolder
from stepscope.queries.groups import Band, GroupLine, group_line, shared_places, summary
from stepscope.queries.series import Window
from stepscope.queries.student import t_975
from stepscope.session.reads import Reads


def grouped(reads: Reads, band: Band = "minmax", window: Window | None = None) -> GroupLine:
    """All runs as one group."""
    view = reads.views.view()
    runs = [str(run.record.id) for run in view.runs]
    return group_line(reads.series, view, runs, reads.views.tag_id("loss"), window or Window(), "latest", None, band, (0.1, 0.9))


def test_a_run_is_taken_between_its_points_and_not_beyond_them(folder: LogFolder) -> None:
    folder.write("a", {"loss": [(0, 0.0), (10, 10.0)]})
    folder.write("b", {"loss": [(5, 1.0), (20, 1.0)]})
    folder.write("c", {"acc": [1.0]})
    line = grouped(Reads(folder.load()))
    assert line.runs == 2
    assert line.x.tolist() == [0, 5, 10, 20]
    assert line.mid.tolist() == [0, 3, 5.5, 1]
    assert line.low.tolist() == [0, 1, 1, 1]
    assert line.high.tolist() == [0, 5, 10, 1]
    assert line.n.tolist() == [1, 2, 2, 1]


def test_a_window_uses_the_steps_in_view(folder: LogFolder) -> None:
    folder.write("a", {"loss": [float(step) for step in range(10)]})
    assert grouped(Reads(folder.load()), window=Window(low=2.5, high=5)).x.tolist() == [3, 4, 5]


def test_values_that_are_not_finite_are_no_points(folder: LogFolder) -> None:
    folder.write("a", {"loss": [0.0, math.nan, 2.0]})
    folder.write("b", {"loss": [4.0, 4.0, math.inf]})
    line = grouped(Reads(folder.load()))
    assert line.mid.tolist() == [2.0, 2.5, 2.0]
    assert line.n.tolist() == [2, 2, 1]
    assert (line.marks.x.tolist(), line.marks.kind.tolist(), line.marks.ended) == ([1, 2], [1, 2], 1)


def test_a_run_that_ends_in_nan_is_marked_where_it_is_lost(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0, 1.0, 1.0, 1.0, 1.0]})
    folder.write("b", {"loss": [9.0, 90.0, math.nan, math.nan, math.nan]})
    folder.write("c", {"loss": [2.0, -math.inf, 2.0, math.nan, 2.0]})
    line = grouped(Reads(folder.load()))
    assert line.n.tolist() == [3, 3, 2, 2, 2]
    assert (line.marks.x.tolist(), line.marks.kind.tolist(), line.marks.ended) == ([1, 2, 3], [3, 1, 1], 1)
    assert grouped(Reads(folder.load()), window=Window(low=2.5, high=4)).marks.x.tolist() == [3]


def test_no_runs_give_an_empty_line(folder: LogFolder) -> None:
    folder.write("a", {"acc": [1.0]})
    line = grouped(Reads(folder.load()))
    assert (line.runs, len(line.x)) == (0, 0)


def test_bands_by_hand() -> None:
    values = np.array([[1.0, 1.0], [2.0, np.nan], [6.0, np.nan]])
    spread = math.sqrt((4 + 1 + 9) / 2)
    mid, low, high, n = summary(values, "sd", (0.1, 0.9))
    assert (mid.tolist(), n.tolist()) == ([3.0, 1.0], [3, 1])
    assert low.tolist() == pytest.approx([3 - spread, 1.0])
    _, low, high, _ = summary(values, "ci95", (0.1, 0.9))
    half = 4.302652729911275 * spread / math.sqrt(3)
    assert (low.tolist(), high.tolist()) == (pytest.approx([3 - half, 1]), pytest.approx([3 + half, 1]))
    mid, low, high, _ = summary(values, "quantile", (0.25, 0.75))
    assert (mid.tolist(), low.tolist(), high.tolist()) == ([2, 1], [1.5, 1], [4, 1])


def test_quantiles_are_those_of_numpy() -> None:
    values = np.random.default_rng(2).normal(size=(7, 40))
    values[np.random.default_rng(3).random((7, 40)) < 0.3] = np.nan
    values[0] = 1.0
    _, low, high, _ = summary(values, "quantile", (0.1, 0.8))
    assert low == pytest.approx(np.nanquantile(values, 0.1, axis=0))
    assert high == pytest.approx(np.nanquantile(values, 0.8, axis=0))


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.706204736), (2, 4.302652730), (3, 3.182446305), (4, 2.776445105), (9, 2.262157163), (30, 2.042272456), (200, 1.971896224),
     (201, 1.971836507), (1000, 1.962339081), (10**6, 1.959966356)],
)  # fmt: skip
def test_students_t_from_the_table(freedom: int, quantile: float) -> None:
    assert t_975(freedom) == pytest.approx(quantile, abs=5e-9)


@pytest.mark.parametrize("log_x", [False, True])
def test_many_steps_are_thinned_to_the_first_and_last_of_each_column(log_x: bool) -> None:
    xs = [np.arange(0, 100_000, 1.0), np.arange(0.5, 50_000, 3.0)]
    places = shared_places(xs, Window(width=100, log_x=log_x))
    assert len(places) <= 200
    assert (places[0] <= 1.0, places[-1]) == (True, 99_999.0)
    assert set(places.tolist()) <= set(xs[0].tolist()) | set(xs[1].tolist())
    assert (np.diff(places) > 0).all()
