"""What hparams records say: the values of a session, and the hyperparameters and metrics that an experiment declares."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from stepscope.model.protobuf_fields import BadMessage, Field, fields

Value = float | bool | str
"""A hyperparameter's value, as it was logged."""
Dataset = Literal["training", "validation"]

MOST_VALUES = 1_000
"""Hyperparameters of one session, and hyperparameters or metrics of one experiment."""
LONGEST = 1_000
"""Characters of a name or a value."""
_MOST_CHOICES = 1_000
_KEPT_ENTRIES = 1 << 17

# Field numbers of TensorBoard's messages, from the summary value inwards.
_METADATA, _PLUGIN_DATA, _CONTENT = 9, 1, 2
_EXPERIMENT, _START = 2, 3
_START_GROUP = 4
_ENTRY_KEY = 1 << 3 | 2
"""Field 1 of a session start, of bytes."""
_KEY, _OF_KEY = 1, 2
_NUMBER_AHEAD = bytes([2 << 3 | 2, 9, 2 << 3 | 1])
_DOUBLE = struct.Struct("<d")
_NUMBER, _STRING, _BOOL = 2, 3, 4
_HPARAM_INFOS, _METRIC_INFOS = 4, 5
_NAME, _DISPLAY_NAME, _DESCRIPTION, _CHOICES, _INTERVAL = 1, 2, 3, 5, 6
_METRIC_NAME, _METRIC_DISPLAY_NAME, _METRIC_DESCRIPTION, _DATASET_TYPE = 1, 3, 4, 5
_DATASETS: dict[int, Dataset] = {1: "training", 2: "validation"}


@dataclass(frozen=True, slots=True)
class SessionStart:
    """The values that a session started with, and the name of the group that its writer put it into."""

    values: dict[str, Value] = field(default_factory=dict[str, Value])
    group: str = ""


@dataclass(frozen=True, slots=True)
class HparamInfo:
    """A declared hyperparameter; its domain is a list of values, an interval, or neither."""

    name: str
    display_name: str = ""
    description: str = ""
    choices: tuple[Value, ...] = ()
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A declared metric: a tag in the run of a session, or in a folder below it where `group` names one."""

    tag: str
    group: str = ""
    display_name: str = ""
    description: str = ""
    dataset: Dataset | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """What experiments declare, in the order declared."""

    hparams: tuple[HparamInfo, ...] = ()
    metrics: tuple[MetricInfo, ...] = ()


def session_start(value: bytes) -> SessionStart:
    """The session start in a summary value; empty where the message is broken."""
    values: dict[str, Value] = {}
    group = ""
    try:
        for message in _inside([value], _METADATA, _PLUGIN_DATA, _CONTENT, _START):
            logged, rest = _entries(message)
            for data in logged[:MOST_VALUES]:
                entry = _entry(data)
                if entry is not None:
                    values[entry[0]] = entry[1]
            for one in fields(rest):
                if one.id == _START_GROUP and one.is_bytes:
                    group = one.text[:LONGEST]
    except BadMessage:
        return SessionStart()
    return SessionStart(values, group)


def _entries(message: bytes) -> tuple[list[bytes], bytes]:
    """The entries that a session start begins with, and what is behind them. One loop for all: a search has hundreds of thousands."""
    found: list[bytes] = []
    place, end = 0, len(message)
    while place + 1 < end and message[place] == _ENTRY_KEY:
        size, start = message[place + 1], place + 2
        if size > 0x7F:
            if start >= end or message[start] > 0x7F:
                break  # longer than 16 KiB: left to the general reader, and too long for a value
            size, start = size & 0x7F | message[start] << 7, start + 1
        place = start + size
        if place > end:
            raise BadMessage("a field is longer than its message")
        found.append(message[start:place])
    return found, message[place:]


def experiment(value: bytes) -> Experiment:
    """The experiment in a summary value; empty where the message is broken."""
    hparams: list[HparamInfo] = []
    metrics: list[MetricInfo] = []
    try:
        for message in _inside([value], _METADATA, _PLUGIN_DATA, _CONTENT, _EXPERIMENT):
            for one in fields(message):
                if one.id == _HPARAM_INFOS and one.is_bytes and len(hparams) < MOST_VALUES:
                    hparams.append(_hparam_info(one.data))
                elif one.id == _METRIC_INFOS and one.is_bytes and len(metrics) < MOST_VALUES:
                    metrics.append(_metric_info(one.data))
    except BadMessage:
        return Experiment()
    return Experiment(tuple(info for info in hparams if info.name), tuple(info for info in metrics if info.tag))


def merged(experiments: Iterable[Experiment]) -> Experiment:
    """All of them as one: the first text about a name counts, choices are put together, and intervals widened."""
    hparams: dict[str, HparamInfo] = {}
    metrics: dict[tuple[str, str], MetricInfo] = {}
    for each in experiments:
        for info in each.hparams:
            known = hparams.get(info.name)
            hparams[info.name] = info if known is None else _joined(known, info)
        for metric in each.metrics:
            key = (metric.group, metric.tag)
            known_metric = metrics.get(key)
            if known_metric is None or not (known_metric.display_name or known_metric.description):
                metrics[key] = metric
    return Experiment(tuple(hparams.values()), tuple(metrics.values()))


def _joined(one: HparamInfo, other: HparamInfo) -> HparamInfo:
    intervals = [info.interval for info in (one, other) if info.interval is not None]
    return HparamInfo(
        one.name,
        one.display_name or other.display_name,
        one.description or other.description,
        tuple(dict.fromkeys((*one.choices, *other.choices)))[:_MOST_CHOICES],
        (min(low for low, _ in intervals), max(high for _, high in intervals)) if intervals else None,
    )


def _hparam_info(message: bytes) -> HparamInfo:
    found = {one.id: one for one in fields(message)}
    interval = found.get(_INTERVAL)
    return HparamInfo(
        _text(found, _NAME),
        _text(found, _DISPLAY_NAME),
        _text(found, _DESCRIPTION),
        _choices(found[_CHOICES].data) if _CHOICES in found else (),
        None if interval is None or not interval.is_bytes else _interval(interval.data),
    )


def _choices(message: bytes) -> tuple[Value, ...]:
    values = (plain_value(one.data) for one in fields(message) if one.id == 1 and one.is_bytes)
    return tuple(value for _, value in zip(range(_MOST_CHOICES), values, strict=False) if value is not None)


def _interval(message: bytes) -> tuple[float, float] | None:
    ends = {one.id: _double(one) for one in fields(message) if not one.is_bytes}
    low, high = ends.get(1, 0.0), ends.get(2, 0.0)
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low <= high else None


def _metric_info(message: bytes) -> MetricInfo:
    found = {one.id: one for one in fields(message)}
    name = {one.id: one for one in fields(found[_METRIC_NAME].data)} if _METRIC_NAME in found else {}
    dataset = _DATASETS.get(found[_DATASET_TYPE].number) if _DATASET_TYPE in found else None
    return MetricInfo(_text(name, 2), _text(name, 1), _text(found, _METRIC_DISPLAY_NAME), _text(found, _METRIC_DESCRIPTION), dataset)


def _text(found: dict[int, Field], number: int) -> str:
    one = found.get(number)
    return one.text[:LONGEST] if one is not None and one.is_bytes else ""


@lru_cache(maxsize=_KEPT_ENTRIES)
def _entry(message: bytes) -> tuple[str, Value] | None:
    """A name and its value. The sessions of a search share most of theirs, so that looking one up spares reading it again."""
    if len(message) > 1 and message[0] == _ENTRY_KEY and message[1] < 0x80:
        end = 2 + message[1]
        if message[end : end + 3] == _NUMBER_AHEAD and len(message) == end + 11:  # a number, as every writer writes it
            return message[2:end].decode("utf-8", "replace")[:LONGEST], _DOUBLE.unpack_from(message, end + 3)[0]
    pair = {one.id: one for one in fields(message)}
    if _KEY not in pair or _OF_KEY not in pair:
        return None
    value = plain_value(pair[_OF_KEY].data)
    return None if value is None else (pair[_KEY].text[:LONGEST], value)


def plain_value(message: bytes) -> Value | None:
    """The value of a google.protobuf.Value that is a number, a text or a truth value."""
    for one in fields(message):
        if one.id == _STRING and one.is_bytes:
            return one.text[:LONGEST]
        if one.id == _BOOL:
            return bool(one.number)
        if one.id == _NUMBER:
            return _double(one)
    return None


def _double(one: Field) -> float:
    (number,) = struct.unpack("<d", struct.pack("<Q", one.number))
    return float(number)


def _inside(messages: list[bytes], *path: int) -> list[bytes]:
    """All messages at a path of field numbers."""
    for number in path:
        messages = [one.data for message in messages for one in fields(message) if one.id == number and one.is_bytes]
    return messages
