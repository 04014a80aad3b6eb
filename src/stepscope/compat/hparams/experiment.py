"""The experiment of a log folder: what all runs declare, as one; where none declares anything, what their sessions have."""

from __future__ import annotations

import json
import math
from typing import Any

from stepscope.compat.hparams.records import Experiment, HparamInfo, MetricInfo, Records, Value
from stepscope.compat.logged import listed
from stepscope.compat.served import Served

_STRING, _BOOL, _NUMBER = 1, 2, 3
_TYPES = ("DATA_TYPE_UNSET", "DATA_TYPE_STRING", "DATA_TYPE_BOOL", "DATA_TYPE_FLOAT64")
_DATASETS = ("DATASET_UNKNOWN", "DATASET_TRAINING", "DATASET_VALIDATION")


def experiment(served: Served, logged: Records, *, metrics: bool, limit: int | None = None) -> Experiment:
    """All hyperparameters, those that differ in front, and all metrics unless they are not wanted."""
    found = _merged(logged.experiments) if logged.experiments else _from_sessions(served, logged, metrics=metrics)
    found.hparams = sorted(found.hparams, key=lambda info: (not info.differs, info.name))[: limit or None]
    if not metrics:
        found.metrics = []
    return found


def json_of(found: Experiment) -> dict[str, Any]:
    """As TensorBoard prints its message."""
    return {
        "name": found.name,
        "description": found.description,
        "user": found.user,
        "timeCreatedSecs": found.time_created,
        "hparamInfos": [_hparam_json(info) for info in found.hparams],
        "metricInfos": [_metric_json(info) for info in found.metrics],
    }


def metric_run(session: str, group: str) -> str:
    """The run in which a session has the metrics of a group."""
    if not group or group == ".":
        return session
    return group if session == "." else f"{session}/{group}"


def _hparam_json(info: HparamInfo) -> dict[str, Any]:
    domain: dict[str, Any] = {}
    if info.choices is not None:
        domain = {"domainDiscrete": info.choices}
    elif info.interval is not None:
        domain = {"domainInterval": {"minValue": info.interval[0], "maxValue": info.interval[1]}}
    kind = _TYPES[info.type] if info.type < len(_TYPES) else info.type
    return {
        "name": info.name,
        "displayName": info.display_name,
        "description": info.description,
        "type": kind,
        **domain,
        "differs": info.differs,
    }


def _metric_json(info: MetricInfo) -> dict[str, Any]:
    return {
        "name": {"group": info.group, "tag": info.tag},
        "displayName": info.display_name,
        "description": info.description,
        "datasetType": _DATASETS[info.dataset] if info.dataset < len(_DATASETS) else info.dataset,
    }


def _merged(experiments: list[Experiment]) -> Experiment:
    """The first text about a name counts, choices are put together, and intervals widened."""
    first = experiments[0]
    found = Experiment(first.name, first.description, first.user, first.time_created)
    hparams: dict[str, HparamInfo] = {}
    metrics: dict[tuple[str, str], MetricInfo] = {}
    for each in experiments:
        for info in each.hparams:
            known = hparams.setdefault(info.name, info)
            if known is not info:
                _widen(known, info)
        for metric in each.metrics:
            metrics.setdefault((metric.group, metric.tag), metric)
    found.hparams, found.metrics = list(hparams.values()), list(metrics.values())
    return found


def _widen(known: HparamInfo, other: HparamInfo) -> None:
    known.display_name = known.display_name or other.display_name
    known.description = known.description or other.description
    known.type = known.type or other.type
    known.differs |= other.differs
    if other.choices is not None:
        known.choices = list({(type(value), value): value for value in (*(known.choices or ()), *other.choices)}.values())
    if other.interval is not None:
        ends = [*(known.interval or ()), *other.interval]
        known.interval = (min(ends), max(ends))


def _from_sessions(served: Served, logged: Records, *, metrics: bool) -> Experiment:
    values: dict[str, list[Value]] = {}
    for session in logged.sessions:
        for name, value in session.values.items():
            values.setdefault(name, []).append(value)
    found = Experiment(hparams=[_inferred(name, each) for name, each in values.items()])
    if metrics and found.hparams:
        found.metrics = _metrics_below(served, {session.run for session in logged.sessions})
    return found


def _inferred(name: str, values: list[Value]) -> HparamInfo:
    """Numbers have an interval, other values a list; values of several types are taken as text."""
    kinds = {bool: _BOOL, str: _STRING, float: _NUMBER}
    types = {kinds.get(type(value), _NUMBER) for value in values}
    kind = types.pop() if len(types) == 1 else _STRING
    info = HparamInfo(name, type=kind)
    if kind == _NUMBER:
        numbers = [float(value) for value in values]
        info.interval = (min(numbers), max(numbers))
        info.differs = len(set(numbers)) > 1
        return info
    distinct: list[Value] = sorted(set(values)) if kind == _BOOL else sorted({_text(value) for value in values if _finite(value)})
    info.choices, info.differs = distinct, len(distinct) > 1
    return info


def _finite(value: Value) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _metrics_below(served: Served, sessions: set[str]) -> list[MetricInfo]:
    """The scalars of every run that is a session or in a folder below one."""
    found: set[tuple[str, str]] = set()
    for run, tags in listed(served, "scalars").items():
        session = run
        while session and session not in sessions:
            session = session.rpartition("/")[0]
        if session:
            found.update((tag, run[len(session) + 1 :]) for tag in tags)
    return [MetricInfo(group, tag) for tag, group in sorted(found)]
