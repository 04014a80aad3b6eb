"""What a run's files tell about it: hosts in their names, and hyperparameters."""

from __future__ import annotations

import pytest

from log_folder import LogFolder
from stepscope import SummaryWriter
from stepscope.queries.run_about import about_run, host_of, process_of
from stepscope.queries.view import Views


@pytest.mark.parametrize(
    ("file", "host"),
    [
        ("events.out.tfevents.1700000000.trainer.4711.0.v2", "trainer"),
        ("events.out.tfevents.1700000000.trainer.4711.0", "trainer"),
        ("events.out.tfevents.1700000000.node-3.cluster.local.4711.000002", "node-3.cluster.local"),
        ("events.out.tfevents.1700000000.trainer", "trainer"),
        ("events.out.tfevents.1700000000.10.0.0.7.4711.0", "10.0.0.7"),
        ("events.out.tfevents.1", None),
        ("other", None),
    ],
)
def test_the_host_in_a_files_name(file: str, host: str | None) -> None:
    assert host_of(file) == host


def test_hyperparameters_and_hosts_of_a_run(folder: LogFolder) -> None:
    with SummaryWriter(folder.path / "a") as writer:
        writer.add_hparams({"lr": 0.5, "model": "small"}, {"best": 1.0}, run_name=".")
    for number, event_file in enumerate((folder.path / "a").glob("*tfevents*")):
        event_file.rename(event_file.with_name(f"events.out.tfevents.1700000000.trainer.4711.{number}"))
    folder.load()
    (run,) = Views(folder.library).view(True).runs
    found = about_run(run)
    assert found.hyperparameters == {"lr": "0.5", "model": "small"}
    assert found.hosts == ["trainer"]


@pytest.mark.parametrize(
    ("file", "process"),
    [
        ("events.out.tfevents.1700000000.trainer.4711.0.v2", ("trainer", 4711)),
        ("events.out.tfevents.1700000000.node-1.cluster.local.12.000003", ("node-1.cluster.local", 12)),
        ("events.out.tfevents.1700000000.trainer", None),
        ("events.out.tfevents.1", None),
    ],
)
def test_the_process_in_a_files_name(file: str, process: tuple[str, int] | None) -> None:
    assert process_of(file) == process
