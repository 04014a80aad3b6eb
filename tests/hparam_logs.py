"""Trials that a test writes: hyperparameters with our own API, and metrics beside, below or in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stepscope import hparams as hp
from stepscope import summary

Plain = str | float | bool


def trial(
    path: Path, values: Mapping[str, Plain], scalars: Mapping[str, Sequence[float]] | None = None, trial_id: str | None = None
) -> None:
    """Logs a session's hyperparameters into a folder, and scalars at steps 0, 1, … there."""
    with summary.create_file_writer(str(path)).as_default() as writer:
        hp.hparams(dict(values), trial_id=trial_id)
        writer.flush()
    scalar_run(path, scalars or {})


def scalar_run(path: Path, scalars: Mapping[str, Sequence[float]]) -> None:
    """Logs scalars at steps 0, 1, …"""
    if not scalars:
        return
    with summary.create_file_writer(str(path)).as_default() as writer:
        for tag, points in scalars.items():
            for step, value in enumerate(points):
                summary.scalar(tag, value, step=step)
        writer.flush()


def declare(path: Path, hparams: Sequence[hp.HParam], metrics: Sequence[hp.Metric]) -> None:
    """Logs an experiment."""
    with summary.create_file_writer(str(path)).as_default() as writer:
        hp.hparams_config(hparams=list(hparams), metrics=list(metrics))
        writer.flush()
