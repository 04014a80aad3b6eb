"""Reduction to pixel columns, statistics and the nearest point against a brute-force model on numpy arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import event_bytes as eb
from event_reading import scanned, view_of
from stepscope._native import EventEncoder, NamePool, SeriesView

Axis = Literal["step", "wall"]
Row = tuple[float, float]
INF = math.inf


def series(path: Path, step: Any, wall: Any, value: Any, *, double: bool = True) -> SeriesView:
    """One series of these points, as float64 or as float32 values."""
    encoder = EventEncoder(2 if double else 0)
    encoder.add_scalars([(b"x", int(s), float(w), float(v)) for s, w, v in zip(step, wall, value, strict=True)])
    names = NamePool()
    return view_of([scanned(eb.write(path / "tfevents", encoder.take()), names)], names, b"x")


def rows(reduced: dict[str, Any]) -> list[Row]:
    """x and y of what was kept."""
    return list(zip(reduced["x"].tolist(), reduced["y"].tolist(), strict=True))


def column_of(x: Any, low: float, high: float, width: int, log_x: bool) -> Any:
    """The pixel column of each x."""
    place = np.log(x) if log_x else np.asarray(x)
    low, high = (math.log(low), math.log(high)) if log_x else (low, high)
    if not high > low:
        return np.zeros(len(place), int)
    return np.clip((place - low) * (width / (high - low)), 0, width - 1).astype(int)


class Model:
    """The points of one line in the order they are shown, looked at one by one."""

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = np.asarray(x, float), np.asarray(y, float)
        self.ordered = bool((self.x[1:] >= self.x[:-1]).all())

    def range(self, low: float, high: float, log_x: bool) -> tuple[float, float]:
        """What an infinite end stands for; with log_x a range begins above zero."""
        finite = self.x[np.isfinite(self.x)]
        low = float(finite.min()) if math.isinf(low) else low
        high = float(finite.max()) if math.isinf(high) else high
        if log_x and low <= 0:
            low = float(self.x[self.x > 0].min(initial=high))
        return low, high

    def reduce(self, low: float, high: float, width: int, log_x: bool) -> tuple[list[Row], int, bool]:
        """The rows kept, how many points lie inside, and whether nothing was left out."""
        low, high = self.range(low, high, log_x)
        inside = np.flatnonzero((self.x >= low) & (self.x <= high))
        finite = inside[np.isfinite(self.y[inside])]
        exact = len(inside) <= 4 * width
        kept: list[int] = []
        if exact:
            kept = finite.tolist()
        else:
            columns = column_of(self.x[finite], low, high, width, log_x)
            for column in range(width):
                mine = finite[columns == column]
                if len(mine):
                    y = self.y[mine]
                    kept += sorted({int(mine[0]), int(mine[-1]), int(mine[y.argmin()]), int(mine[y.argmax()])})
        around = np.isfinite(self.y) & np.isfinite(self.x) & (~log_x | (self.x > 0))
        before, after = np.flatnonzero((self.x < low) & around), np.flatnonzero((self.x > high) & around)
        kept = [*before[-1:].tolist(), *kept, *after[:1].tolist()]
        return [(float(self.x[i]), float(self.y[i])) for i in kept], len(inside), exact


def check_reduction(
    view: SeriesView, model: Model, axis: Axis, origin: float, low: float, high: float, width: int, log_x: bool
) -> None:
    """The native reduction equals the model's, in every part of the answer."""
    got = view.reduce(axis, origin, low, high, width, log_x)
    wanted, inside, exact = model.reduce(low, high, width, log_x)
    assert got["in_range"] == inside
    assert rows(got) == wanted
    assert got["exact"] == exact or got["in_range"] == 0
    low, high = model.range(low, high, log_x)
    y = model.y[(model.x >= low) & (model.x <= high)]
    assert (got["nan"], got["inf"]) == (int(np.isnan(y).sum()), int(np.isinf(y).sum()))
    finite = np.sort(y[np.isfinite(y)])
    if len(finite):
        assert got["y_extent"] == (finite[0], finite[-1])
        assert got["y_inner"] == tuple(finite[int(share * (len(finite) - 1) + 0.5)] for share in (0.05, 0.95))
    else:
        assert got["y_extent"] is got["y_inner"] is None
    kinds = {1: np.isnan, 2: np.isposinf, 3: np.isneginf}
    x = model.x[(model.x >= low) & (model.x <= high)]
    for kind, is_kind in kinds.items():
        marked = got["mark_x"][got["mark_kind"] == kind]
        odd = x[is_kind(y)]
        if exact:
            assert marked.tolist() == odd.tolist()
        else:
            columns = column_of(odd, low, high, width, log_x)
            assert marked.tolist() == [float(odd[columns == column][0]) for column in dict.fromkeys(columns.tolist())]


def random_values(rng: np.random.Generator, size: int, odd: float) -> Any:
    """A random walk with some values that are not finite."""
    y = rng.normal(size=size).cumsum().round(rng.integers(0, 4))
    picked = rng.random(size) < odd
    y[picked] = rng.choice([np.nan, np.inf, -np.inf], size=int(picked.sum()))
    return y


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32),
    size=st.sampled_from([1, 2, 5, 40, 300, 2500]),
    width=st.sampled_from([1, 2, 7, 64, 640]),
    odd=st.sampled_from([0.0, 0.02, 0.5, 1.0]),
    axis=st.sampled_from(["step", "wall"]),
    log_x=st.booleans(),
    double=st.booleans(),
    share=st.tuples(st.floats(-0.2, 1.2), st.floats(-0.2, 1.2)).map(sorted),
    everything=st.booleans(),
)
def test_reduction_equals_the_model(
    tmp_path: Path,
    seed: int,
    size: int,
    width: int,
    odd: float,
    axis: Axis,
    log_x: bool,
    double: bool,
    share: list[float],
    everything: bool,
) -> None:
    rng = np.random.default_rng(seed)
    step = np.sort(rng.integers(-20 if seed % 2 else 1, size * 3, size))
    wall = 1e9 + np.sort(rng.random(size) * 1000).round(seed % 4)
    y = random_values(rng, size, odd)
    view = series(tmp_path, step, wall, y, double=double)
    origin = 0.0 if axis == "step" else float(wall[0]) - 1
    x = (step if axis == "step" else wall) - origin
    y = y if double else y.astype(np.float32)
    low, high = (-INF, INF) if everything else (float(x[0] + (x[-1] - x[0]) * part) for part in share)
    model = Model(x, y)
    if log_x and not (x > 0).any():
        return
    if log_x and model.range(low, high, log_x)[1] <= 0:
        assert view.reduce(axis, origin, low, high, width, log_x)["in_range"] == 0
        return
    check_reduction(view, model, axis, origin, low, high, width, log_x)


@pytest.mark.slow
def test_every_spike_of_a_million_points_is_kept(tmp_path: Path) -> None:
    size, spikes = 1_000_000, np.random.default_rng(4).choice(1_000_000, 20, replace=False)
    y = np.zeros(size)
    y[spikes] = np.arange(1, 21)
    view = series(tmp_path, range(size), np.zeros(size), y, double=False)
    got = view.reduce("step", 0, -INF, INF, 600, False)
    assert set(got["y"].tolist()) == set(range(21))
    assert len(got["x"]) <= 2400
    assert not got["exact"]
    assert (got["x"][0], got["x"][-1], got["in_range"]) == (0, size - 1, size)


def test_one_point_on_either_side_of_the_range(tmp_path: Path) -> None:
    view = series(tmp_path, range(10), range(10), [0, 1, 2, math.nan, 4, 5, 6, math.inf, 8, 9])
    assert rows(view.reduce("step", 0, 3.5, 6.5, 100, False)) == [(2, 2), (4, 4), (5, 5), (6, 6), (8, 8)]
    assert rows(view.reduce("step", 0, 20, 30, 100, False)) == [(9, 9)]
    assert rows(view.reduce("step", 0, 4.1, 4.9, 100, False)) == [(4, 4), (5, 5)]
    assert rows(view.reduce("step", 0, -5, -1, 100, False)) == [(0, 0)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("log_x", [False, True])
def test_clocks_that_go_back_keep_first_last_lowest_and_highest_of_a_column(tmp_path: Path, seed: int, log_x: bool) -> None:
    rng = np.random.default_rng(seed)
    wall = np.round(rng.random(3000) * 100, 2) + (seed % 2)
    y = random_values(rng, 3000, 0.01)
    view = series(tmp_path, range(3000), wall, y)
    got = view.reduce("wall", 0, -INF, INF, 50, log_x)
    model = Model(wall, y)
    low, high = model.range(-INF, INF, log_x)
    inside = np.flatnonzero((wall >= low) & np.isfinite(y))
    columns = column_of(wall[inside], low, high, 50, log_x)
    wanted: list[Row] = []
    for column in range(50):
        mine = inside[columns == column]
        if len(mine):
            picks = {int(mine[0]), int(mine[-1]), int(mine[y[mine].argmin()]), int(mine[y[mine].argmax()])}
            wanted += [(float(wall[i]), float(y[i])) for i in sorted(picks)]
    assert rows(got) == wanted
    assert (got["in_range"], got["exact"]) == (int((wall >= low).sum()), False)
    assert got["y_extent"] == (y[inside].min(), y[inside].max())


def test_a_clock_that_goes_back_still_has_one_point_on_either_side(tmp_path: Path) -> None:
    view = series(tmp_path, range(6), [5.0, 3.0, 9.0, 7.0, 1.0, 8.0], range(6))
    assert rows(view.reduce("wall", 0, 4.0, 6.0, 100, False)) == [(3.0, 1), (5.0, 0), (7.0, 3)]


def test_few_points_with_a_clock_that_goes_back_are_all_kept(tmp_path: Path) -> None:
    wall = [5.0, 3.0, 9.0, 9.0, 1.0]
    got = series(tmp_path, range(5), wall, [0, 1, 2, 3, 4]).reduce("wall", 0, -INF, INF, 100, False)
    assert sorted(rows(got)) == sorted(zip(wall, [0, 1, 2, 3, 4], strict=True))
    assert got["exact"]
    odd = series(tmp_path, range(5), wall, [0, math.nan, 2, 3, 4]).reduce("wall", 0, -INF, INF, 100, False)
    assert (len(odd["x"]), odd["nan"], odd["exact"]) == (4, 1, True)


@pytest.mark.parametrize(
    "wall",
    [
        [math.nan] * 3,
        [math.inf] * 3,
        [-math.inf, 0.0, math.inf],
        [-1e308, 0.0, 1e308],
        [1.0, math.nan, 2.0],
        [1e308, -1e308, 5.0],
        [0.0, 0.0, 0.0],
    ],
)
@pytest.mark.parametrize("log_x", [False, True])
def test_times_no_clock_shows_are_survived(tmp_path: Path, wall: list[float], log_x: bool) -> None:
    view = series(tmp_path, range(3), wall, [1, 2, 3])
    for low, high in ((-INF, INF), (0.0, 1.0), (-1e308, 1e308), (math.nan, 1.0)):
        got = view.reduce("wall", 0.0, low, high, 10, log_x)
        assert got["in_range"] <= 3
        assert len(got["x"]) <= 5
    assert view.statistics("wall", 0.0, 0.0, 10.0)["count"] == sum(0 <= w <= 10 for w in wall)
    extent = view.extent("wall")
    finite = [w for w in wall if math.isfinite(w)]
    assert extent == ((min(finite), max(finite)) if finite else None)


def test_values_stand_in_for_the_series_own(tmp_path: Path) -> None:
    view = series(tmp_path, range(100), range(100), range(100))
    smooth = np.arange(100, dtype=np.float64) * np.float64(10)
    got = view.reduce("step", 0, 10, 12, 50, False, smooth)
    assert rows(got) == [(9, 90), (10, 100), (11, 110), (12, 120), (13, 130)]
    assert view.statistics("step", 0, 10, 12, smooth)["mean"] == 110
    for wrong in (smooth[1:], np.zeros(0)):
        with pytest.raises(ValueError, match="shown point"):
            view.reduce("step", 0, 0, 1, 1, False, wrong)


def test_arguments_are_checked(tmp_path: Path) -> None:
    view = series(tmp_path, range(3), range(3), range(3))
    for width in (0, 2**20 + 1):
        with pytest.raises(ValueError, match="width"):
            view.reduce("step", 0, 0, 1, width, False)
    with pytest.raises(ValueError, match="axis"):
        view.reduce("time", 0, 0, 1, 1, False)  # pyright: ignore[reportArgumentType]
    for position in (3, 2**40):
        with pytest.raises(IndexError):
            view.point(position)
    assert view.point(2) == (2, 2.0, 2.0)


def test_an_origin_that_is_no_number_finds_nothing(tmp_path: Path) -> None:
    view = series(tmp_path, range(3), range(3), range(3))
    for axis in ("step", "wall"):
        assert view.nearest(axis, math.nan, 1.0) == -1
        assert view.nearest(axis, 0.0, math.nan) == -1
        assert view.statistics(axis, math.nan, 0.0, 5.0) == {"count": 0}
        assert view.reduce(axis, math.nan, 0.0, 5.0, 10, False)["in_range"] == 0


def test_an_empty_view(tmp_path: Path) -> None:
    view = SeriesView([], "latest")
    assert rows(view.reduce("step", 0, -INF, INF, 10, False)) == []
    assert (view.extent("step"), view.nearest("step", 0, 5), view.statistics("step", 0, 0, 1)) == (None, -1, {"count": 0})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), backwards=st.booleans(), share=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted))
def test_statistics_and_nearest_equal_numpy(tmp_path: Path, seed: int, backwards: bool, share: list[float]) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 600))
    step = np.sort(rng.integers(0, 1000, size))
    wall = rng.random(size).round(2) * 100 if backwards else np.sort(rng.random(size).round(2) * 100)
    y = random_values(rng, size, 0.05)
    view = series(tmp_path, step, wall, y)
    axes: list[tuple[Axis, Any]] = [("step", step), ("wall", wall)]
    for axis, x in axes:
        low, high = (float(x.min() + (x.max() - x.min()) * part) for part in share)
        inside = np.flatnonzero((x >= low) & (x <= high) & np.isfinite(y))
        got = view.statistics(axis, 0.0, low, high)
        assert got["count"] == len(inside)
        if len(inside):
            v, s = y[inside], step[inside]
            assert [got[key] for key in ("first", "last", "min", "max")] == [v[0], v[-1], v.min(), v.max()]
            assert [got[f"{key}_step"] for key in ("first", "last", "min", "max")] == [s[0], s[-1], s[v.argmin()], s[v.argmax()]]
            assert got["mean"] == pytest.approx(v.mean(), rel=1e-12, abs=1e-12)
        for at in (low, high, float(x.min()) - 5, float(x.max()) + 5, float(rng.uniform(x.min(), x.max() + 1))):
            away = np.abs(x - at)
            assert view.nearest(axis, 0.0, at) == np.flatnonzero(away == away.min())[-1], "of equally near points the later one"
        assert view.extent(axis) == (x.min(), x.max())


def test_several_lines_are_reduced_each_for_itself(tmp_path: Path) -> None:
    names = NamePool()
    epochs = [eb.scalar(b"x", s, 100.0 * e + s, e) for e in range(4) for s in range(50)]
    file = scanned(eb.write(tmp_path / "tfevents", *epochs), names)
    view = view_of([file], names, b"x")
    got = view.reduce("step", 0, 10, 40, 3, False)
    for line in range(4):
        mine = got["x"][got["segment"] == line]
        assert mine.tolist() == sorted(mine.tolist())
        assert (mine[0], mine[-1]) == (9, 41)
        assert set(got["y"][got["segment"] == line].tolist()) == {float(line)}
    assert got["in_range"] == 4 * 31


def test_steps_that_zigzag_through_a_file_are_drawn_as_one_line(tmp_path: Path) -> None:
    names = NamePool()
    view = SeriesView([(scanned(eb.write(tmp_path / "tfevents", eb.scalars(b"t", [0, 1] * 3_000)), names), 0)], "split")
    reduced = view.reduce("step", 0.0, -math.inf, math.inf, 100, False)
    assert view.points == 6_000
    assert len(reduced["x"]) <= 400
    assert reduced["y_extent"] == (0.0, 1.0)
    assert not reduced["exact"]
