"""Writes what an experiment is about, and the hyperparameters of one trial, to the default writer or to a given one."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any, cast

from stepscope.hparams.definitions import HParam, Metric
from stepscope.summary.record import record_event
from stepscope.writer.hparams import Part, Plain, hparams_event, session_start, work_of
from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment

Hparams = Mapping[Any, Any]
"""Names, or the HParam objects that have them, to values: int, float, str or bool, also of NumPy."""


def hparams(hparams: Hparams, trial_id: str | None = None, start_time_secs: float | None = None) -> object:
    """Writes the hyperparameters of one trial to the default writer of stepscope.summary; False when there is none.

    Trials with one trial_id are repetitions; by default it is made from the values. start_time_secs is now unless given.
    """
    return _record("session_start_info", trial_start(hparams, trial_id, start_time_secs))


def hparams_config(hparams: Iterable[HParam], metrics: Iterable[Metric], time_created_secs: float | None = None) -> object:
    """Writes which hyperparameters an experiment varies and which metrics count, once, in the folder above all trials.

    False when stepscope.summary has no default writer.
    """
    experiment = Message("Experiment")
    for hparam in hparams:
        experiment.message("hparam_infos", hparam.message())
    for metric in metrics:
        experiment.message("metric_infos", metric.message())
    experiment.double("time_created_secs", time_created_secs or 0.0)
    return _record("experiment", experiment)


def trial_start(hparams: Hparams, trial_id: str | None, start_time_secs: float | None) -> Message:
    """The message of a trial's start; refuses what is no value."""
    values = _plain_values(hparams)
    if trial_id is not None and not isinstance(cast("object", trial_id), str):
        raise TypeError(f"Give trial_id as a string, not as {type(cast('object', trial_id)).__name__}.")
    group = _digest(values) if trial_id is None else trial_id
    return session_start(values, group, time.time() if start_time_secs is None else start_time_secs)


def work_at(part: Part, message: Message, moment: Moment) -> Deferred:
    """The event of one of the three messages."""
    return work_of(hparams_event(part, message, moment))


def _record(part: Part, message: Message) -> object:
    return record_event(functools.partial(work_at, part, message), (), 0)


def _plain_values(hparams: Hparams) -> dict[str, Plain]:
    plain: dict[str, Plain] = {}
    numpy = sys.modules.get("numpy")
    for key, given in hparams.items():
        name = key.name if isinstance(key, HParam) else key
        if name in plain:
            raise ValueError(f"Give the hyperparameter {name!r} one value; it has two.")
        value = given.item() if numpy is not None and isinstance(given, numpy.generic) else given
        if not isinstance(value, bool | int | float | str):
            raise TypeError(f"Give the hyperparameter {name!r} as int, float, str or bool, not as {type(value).__name__}.")
        plain[name] = value
    return plain


def _digest(values: Mapping[str, Plain]) -> str:
    """As TensorBoard makes it, so that repetitions logged there and here are one group."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
