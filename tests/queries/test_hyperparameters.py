"""Hyperparameters are read with checksums: a corrupted record gives none, never wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import event_bytes as eb
from stepscope.queries.hyperparameters import LOOKED_AT, hyperparameters
from stepscope.writer import SummaryWriter

LOGGED = {"batch_size": "64", "optimizer": "adam", "lr": "0.1", "amp": "True"}


@pytest.fixture
def event_file(tmp_path: Path) -> Path:
    """One that has logged its configuration."""
    with SummaryWriter(str(tmp_path)) as writer:
        writer.log_config({"batch_size": 64, "optimizer": "adam", "lr": 0.1, "amp": True})
    (path,) = tmp_path.glob("*tfevents*")
    return path


def test_what_is_logged_is_text(event_file: Path) -> None:
    assert hyperparameters([str(event_file)]) == LOGGED
    assert hyperparameters([str(event_file.with_name("gone"))]) == {}


def test_a_corrupted_record_is_left_out_and_the_next_one_counts(event_file: Path) -> None:
    whole = event_file.read_bytes()
    at = whole.index(b"adam", whole.index(b"session_start_info"))
    changed = whole[:at] + b"Adam" + whole[at + 4 :]
    event_file.write_bytes(changed)
    assert hyperparameters([str(event_file)]) == {}
    event_file.write_bytes(changed + whole)
    assert hyperparameters([str(event_file)]) == LOGGED


def test_large_records_before_it_are_stepped_over(event_file: Path) -> None:
    whole = event_file.read_bytes()
    padding = eb.record(eb.event(0, 1.0, eb.summary(eb.value(b"big", eb.message(4, b"x" * (2 << 20))))))
    event_file.write_bytes(padding + whole)
    assert hyperparameters([str(event_file)]) == LOGGED
    event_file.write_bytes(padding * (1 + LOOKED_AT // len(padding)) + whole)
    assert hyperparameters([str(event_file)]) == {}, "only the first part of a file is looked through"


def test_what_another_file_logs_later_counts(event_file: Path, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "later")) as writer:
        writer.log_config({"batch_size": 8})
    (later,) = (tmp_path / "later").glob("*tfevents*")
    assert hyperparameters([str(event_file), str(later)]) == LOGGED | {"batch_size": "8"}
