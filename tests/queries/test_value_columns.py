"""Columns of the run list: last, lowest and highest value, over one file and over several."""

from __future__ import annotations

import math

import numpy as np
import pytest

from log_folder import START, LogFolder
from stepscope.queries.value_columns import NAMES, STEPS, ColumnReader
from stepscope.session.reads import Reads


def columns(folder: LogFolder, mean_of: int | None = None, tag: str = "loss") -> dict[str, dict[str, float]]:
    """By run and column."""
    reads = Reads(folder.load())
    view = reads.views.view()
    known = reads.views.tag_id(tag)
    assert known is not None
    (found,) = ColumnReader(reads.series).columns(view, [known], mean_of)
    return {run.record.name: {name: float(found[name][place]) for name in found} for place, run in enumerate(view.runs)}


def test_one_file_and_several_give_the_same_columns(folder: LogFolder) -> None:
    folder.write("one", {"loss": [5.0, 1.0, 3.0]})
    folder.write("two", {"loss": [5.0, 1.0]}, file="events.out.tfevents.1")
    folder.write("two", {"loss": [(2, 3.0)]}, start=START + 10, file="events.out.tfevents.2")
    found = columns(folder)
    assert found["one"] == found["two"] == dict(zip(NAMES, (3.0, 2.0, 1.0, 5.0), strict=True))


def test_a_run_without_the_tag_has_no_numbers(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    folder.write("b", {"other": [1.0]})
    assert all(math.isnan(value) for value in columns(folder)["b"].values())


@pytest.mark.parametrize(("count", "mean"), [(1, 4.0), (2, 3.0), (3, 8 / 3), (9, 11 / 4)])
def test_the_mean_is_of_the_last_finite_values(folder: LogFolder, count: int, mean: float) -> None:
    folder.write("a", {"loss": [3.0, 2.0, math.nan, 2.0, math.inf, 4.0]})
    assert columns(folder, mean_of=count)["a"]["mean"] == pytest.approx(mean)


def test_only_points_that_hold_after_a_restart_count(folder: LogFolder) -> None:
    folder.write("a", {"loss": [(0, 9.0), (10, 8.0), (20, 7.0)]}, file="events.out.tfevents.1")
    folder.write("a", {"loss": [(10, 1.0)]}, start=START + 100, file="events.out.tfevents.2")
    found = columns(folder)["a"]
    assert (found["last"], found["last_step"], found["min"], found["max"]) == (1.0, 10.0, 1.0, 9.0)


def test_a_file_that_grew_is_asked_again(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    reads = Reads(folder.load())
    reader = ColumnReader(reads.series)
    known = reads.views.tag_id("loss")
    assert known is not None
    assert reader.columns(reads.views.view(), [known])[0]["last"].tolist() == [1.0]
    folder.write("a", {"loss": [(1, 7.0)]}, version=False)
    folder.load()
    assert np.array_equal(reader.columns(reads.views.view(), [known])[0]["last"], [7.0])


def test_the_steps_of_the_extremes_are_found_on_wish(folder: LogFolder) -> None:
    folder.write("a", {"loss": [(0, 9.0), (10, math.nan), (20, 7.0), (30, 8.0)]})
    folder.write("b", {"other": [1.0]})
    reads = Reads(folder.load())
    known = reads.views.tag_id("loss")
    (plain,) = reads.columns.columns(reads.views.view(), [known])
    assert not set(STEPS) & set(plain)
    view = reads.views.view()
    (found,) = reads.columns.columns(view, [known], steps=True)
    by_run = {run.record.name: [float(found[name][place]) for name in STEPS] for place, run in enumerate(view.runs)}
    assert by_run["a"] == [20.0, 0.0]
    assert all(math.isnan(step) for step in by_run["b"])
    folder.write("a", {"loss": [(40, 1.0)]}, start=START + 9, version=False)
    folder.load()
    view = reads.views.view()
    (later,) = reads.columns.columns(view, [known], steps=True)
    assert {run.record.name: float(later["min_step"][place]) for place, run in enumerate(view.runs)}["a"] == 40.0
