"""A formula's curve has the steps that all its tags have, on every axis, with extremes kept."""

from __future__ import annotations

import numpy as np
import pytest

from log_folder import START, LogFolder
from stepscope.queries.formula import read_formula
from stepscope.queries.formula_curves import formula_curve
from stepscope.queries.series import Axis, Curve, Smoothing, Window
from stepscope.session.reads import Reads


def curve(reads: Reads, text: str, window: Window | None = None, smoothing: Smoothing | None = None) -> Curve:
    """The formula in the first run."""
    view = reads.views.view()
    formula = read_formula(text)
    ids = {tag: reads.views.tag_id(tag) for tag in formula.tags}
    return formula_curve(reads.series, view, view.runs[0].record.id, formula, ids, window or Window(), "latest", smoothing)


@pytest.fixture
def reads(folder: LogFolder) -> Reads:
    folder.write("a", {"train/loss": [(s, 10.0 - s) for s in range(6)], "val/loss": [(0, 11.0), (2, 10.0), (4, 4.0), (9, 1.0)]}, gap=10)
    return Reads(folder.load())


def test_tags_are_joined_at_equal_steps(reads: Reads) -> None:
    got = curve(reads, "train/loss - val/loss")
    assert got.columns["step"].tolist() == [0, 2, 4]
    assert got.columns["y"].tolist() == [-1, -2, 2]
    assert (got.points, got.exact, got.x_extent, got.y_extent) == (3, True, (0, 4), (-2, 2))


@pytest.mark.parametrize(("axis", "zero"), [("wall", START), ("relative", 0.0)])
def test_times_are_those_of_the_first_tag(reads: Reads, axis: Axis, zero: float) -> None:
    times = curve(reads, "train/loss", Window(axis=axis)).columns["x"]
    got = curve(reads, "train/loss - val/loss", Window(axis=axis))
    assert got.columns["x"].tolist() == times[[0, 2, 4]].tolist()
    assert got.columns["x"][0] == zero


def test_x_can_be_a_tag(reads: Reads) -> None:
    got = curve(reads, "train/loss * 2", Window(axis="tag", x_tag=reads.views.tag_id("val/loss")))
    assert got.columns["x"].tolist() == [11, 10, 4]
    assert got.columns["y"].tolist() == [20, 16, 12]


def test_a_run_without_a_tag_has_no_curve(reads: Reads, folder: LogFolder) -> None:
    folder.write("b", {"other": [1.0]})
    assert curve(Reads(folder.load()), "other + val/loss").points == 0


def test_many_points_keep_their_extremes_and_marks(folder: LogFolder) -> None:
    values = [1.0] * 5000
    values[1234], values[2000] = 100.0, -1.0
    folder.write("a", {"loss": values})
    got = curve(Reads(folder.load()), "log(loss)", Window(width=50))
    assert not got.exact
    assert len(got.columns["x"]) <= 50 * 4
    assert got.columns["y"].max() == pytest.approx(np.log(100))
    assert (got.nan, got.columns["mark_x"].tolist(), got.columns["mark_kind"].tolist()) == (1, [2000], [1])


def test_a_logarithmic_axis_leaves_out_zero(reads: Reads) -> None:
    assert curve(reads, "val/loss", Window(log_x=True)).columns["x"].tolist() == [2, 4, 9]


def test_the_smoothed_line_is_of_smoothed_tags(reads: Reads) -> None:
    got = curve(reads, "train/loss - val/loss", smoothing=Smoothing("mean", 3))
    plain = [curve(reads, tag, smoothing=Smoothing("mean", 3)).columns for tag in ("train/loss", "val/loss")]
    at = dict(zip(plain[0]["smooth_x"].tolist(), plain[0]["smooth_y"].tolist(), strict=True))
    other = dict(zip(plain[1]["smooth_x"].tolist(), plain[1]["smooth_y"].tolist(), strict=True))
    assert got.columns["smooth_y"].tolist() == pytest.approx([at[step] - other[step] for step in (0, 2, 4)])
