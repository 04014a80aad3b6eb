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


def test_means_and_values_of_a_file_are_those_of_the_series(folder: LogFolder) -> None:
    """What a file alone tells must equal what a look at the points by the restart rule tells."""
    random = np.random.default_rng(4)
    values = random.normal(size=300)
    values[[5, 298, 299]] = np.nan
    folder.write("a", {"plain": values.tolist(), "short": [1.0, 2.0]})
    reads = Reads(folder.load())
    view = reads.views.view()
    (run,) = view.runs
    (file,) = run.record.files
    finite = values[np.isfinite(values)]
    for count in (1, 10, 1000):
        means, plain = file.events.tail_means(count, 10_000)
        place = file.events.find(reads.views.tag_id("plain"))
        assert plain[place]
        assert means[place] == pytest.approx(finite[-count:].mean())
        assert reads.columns.mean(view.source(run.record.id, reads.views.tag_id("plain")), count) == pytest.approx(means[place])
    for step, expected in ((-1, np.nan), (0, values[0]), (5, values[4]), (100.5, values[100]), (299, values[297]), (300, np.nan)):
        found, _ = file.events.values_at(step)
        assert found[place] == pytest.approx(expected, nan_ok=True)


def test_a_file_that_goes_back_does_not_tell_alone(folder: LogFolder) -> None:
    path = folder.write("a", {"loss": [1.0, 2.0, 3.0]})
    again = folder.write("b", {"loss": [10.0, 20.0]}, start=START + 100)
    path.write_bytes(path.read_bytes() + again.read_bytes())
    again.unlink()
    reads = Reads(folder.load())
    view = reads.views.view()
    run = next(one for one in view.runs if one.name == "a")
    (file,) = run.record.files
    place = file.events.find(reads.views.tag_id("loss"))
    assert not file.events.tail_means(10, 100)[1][place]
    mean = reads.columns.mean(view.source(run.record.id, reads.views.tag_id("loss")), 10)
    assert mean == pytest.approx(15.0), "the restart hides all three points before it"
