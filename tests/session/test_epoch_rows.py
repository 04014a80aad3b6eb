"""Epochs as rows: the last ones, and their rate where the batch is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from log_folder import LogFolder
from stepscope.analyses.throughput.epochs import Epoch
from stepscope.queries.run_logs import RunLogs
from stepscope.session.epoch_rows import epoch_times, logged_epochs

EPOCH = Epoch(number=3, steps=100, seconds=12.0, first_step=2.0, train=8.0, validation=1.0, checkpoint=0.5, between=0.5)


def test_parts_of_an_epoch_keep_their_names() -> None:
    (row,) = epoch_times([EPOCH])
    assert (row.epoch, row.steps, row.seconds) == (3, 100, 12.0)
    parts = (row.first_step_seconds, row.train_seconds, row.validation_seconds, row.checkpoint_seconds, row.between_seconds)
    assert parts == (2.0, 8.0, 1.0, 0.5, 0.5)
    assert row.examples_per_second is None


def test_examples_are_those_of_all_ranks_in_the_time_of_training() -> None:
    (row,) = epoch_times([EPOCH], batch=32, ranks=4)
    assert row.examples_per_second == pytest.approx(100 * 32 * 4 / 10.0)
    (logged,) = epoch_times([replace(EPOCH, examples_per_second=7.0)], batch=32)
    assert logged.examples_per_second == 7.0
    (unknown,) = epoch_times([replace(EPOCH, train=None)], batch=32)
    assert unknown.examples_per_second is None
    (empty,) = epoch_times([replace(EPOCH, first_step=0.0, train=0.0)], batch=32)
    assert empty.examples_per_second is None


@pytest.mark.parametrize(("limit", "numbers"), [(0, [1, 2, 3]), (2, [2, 3]), (9, [1, 2, 3])])
def test_of_many_epochs_the_last_are_shown(limit: int, numbers: list[int]) -> None:
    epochs = [replace(EPOCH, number=number) for number in (1, 2, 3)]
    assert [row.epoch for row in epoch_times(epochs, limit)] == numbers


def test_what_a_run_has_logged(folder: LogFolder) -> None:
    folder.write("run", {"epoch_seconds": [(epoch, 30.0 + epoch) for epoch in range(3)]}, gap=31.0)
    library = folder.load()
    (record,) = library.snapshot.runs
    logs = RunLogs(library, record, "")
    (run,) = logs.epoch_runs()
    found = logged_epochs(run, logs.epoch_series(run), limit=2)
    assert (found.run, found.run_name, found.epochs_total) == (run.id, "run", 3)
    assert [row.seconds for row in found.epochs] == [31.0, 32.0]
    assert (found.series, found.step_seconds, found.batch_size) == (["epoch_seconds"], None, None)


def test_logs_of_keras_have_the_time_of_every_epoch_but_the_first(folder: LogFolder) -> None:
    losses = {"epoch_loss": [(epoch, 1.0 / (1 + epoch)) for epoch in (0, 1, 2, 5, 6)], "epoch_accuracy": [(0, 0.5)]}
    folder.write("train", losses, gap=12.5)
    folder.write("other", {"loss": [(0, 1.0), (1, 0.5)]})
    library = folder.load()
    logs = RunLogs(library, library.snapshot.runs[0], "")
    (run,) = [each for each in logs.epoch_runs() if each.name == "train"]
    assert len(logs.epoch_runs()) == 1, "a loss by step tells of no epoch"
    found = logged_epochs(run, logs.epoch_series(run))
    assert [(row.epoch, row.seconds, row.steps) for row in found.epochs] == [(1, 12.5, 0), (2, 12.5, 0), (6, 12.5, 0)]
    assert found.series == ["epoch_loss"]
    assert all(row.train_seconds is None for row in found.epochs)


def test_seconds_that_were_logged_go_before_the_times_of_points(folder: LogFolder) -> None:
    folder.write("train", {"epoch_seconds": [(0, 3.0), (1, 4.0)], "epoch_loss": [(0, 1.0), (1, 0.5)]}, gap=9.0)
    library = folder.load()
    logs = RunLogs(library, library.snapshot.runs[0], "")
    (run,) = logs.epoch_runs()
    found = logged_epochs(run, logs.epoch_series(run))
    assert [row.seconds for row in found.epochs] == [3.0, 4.0]
