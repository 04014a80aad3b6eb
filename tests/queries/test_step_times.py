"""Step times that a run has logged: which series they are, and the median outside of a recording."""

from __future__ import annotations

import pytest

from log_folder import START, LogFolder
from stepscope.capture.unprofiled_steps import TAG
from stepscope.queries.step_times import UNPROFILED, StepTimes, step_times


def of_run(folder: LogFolder) -> StepTimes | None:
    library = folder.load()
    return step_times(library, library.snapshot.runs[0])


def test_a_run_without_such_a_series_has_none(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0, 2.0], "step_time/input": [0.1] * 5})
    assert of_run(folder) is None


@pytest.mark.parametrize("tag", ["step_time", "step_time/step", "step_time/total"])
def test_the_median_is_of_steps_outside_the_recording(folder: LogFolder, tag: str) -> None:
    # Steps 10 to 19 were recorded, and took three times as long; a second before and after them does not count either.
    folder.write("a", {tag: [0.1] * 9 + [0.3] * 12 + [0.1] * 9}, gap=1.0)
    found = of_run(folder)
    assert found is not None
    usual = found.outside(START + 10, START + 19)
    assert usual is not None
    assert (usual.seconds, usual.steps, found.tag) == (pytest.approx(0.1), 18, tag)


def test_the_total_comes_before_others(folder: LogFolder) -> None:
    folder.write("a", {"step_time": [9.0] * 5, "step_time/total": [0.2] * 5})
    found = of_run(folder)
    assert found is not None
    usual = found.outside(0, 1)
    assert usual is not None
    assert (usual.seconds, found.tag) == (pytest.approx(0.2), "step_time/total")


def test_few_steps_or_numbers_that_are_no_time_tell_nothing(folder: LogFolder) -> None:
    folder.write("a", {"step_time": [0.1, 0.1, float("nan"), -1.0, 0.0, float("inf")]})
    found = of_run(folder)
    assert found is not None
    assert found.outside(0, 1) is None


def test_steps_that_were_timed_beside_a_capture_need_no_margin(folder: LogFolder) -> None:
    # Ten steps of 50 ms around a capture of half a second, and a hundred slower ones an hour later, of another capture.
    folder.write("a", {UNPROFILED: [0.05] * 110, "step_time/total": [9.0] * 110}, gap=0.05)
    folder.write("a", {UNPROFILED: [0.5] * 100}, gap=0.5, start=START + 3600)
    found = of_run(folder)
    assert found is not None
    usual = found.outside(START + 0.5, START + 1.0)
    assert usual is not None
    assert (usual.seconds, usual.steps, found.tag) == (pytest.approx(0.05), 100, UNPROFILED)


def test_the_tag_is_the_one_that_captures_write() -> None:
    assert TAG == UNPROFILED
