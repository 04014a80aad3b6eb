"""What runs logged for the hparams plugin, with all fields that TensorBoard answers."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from stepscope.compat.logged import listed
from stepscope.compat.served import Served
from stepscope.model.protobuf_fields import BadMessage, Field, fields
from stepscope.queries.hparams.records import plain_value

Value = float | bool | str

EXPERIMENT, START, END = "_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info"
# Field numbers of TensorBoard's messages.
_EXPERIMENT, _START, _END = 2, 3, 4


@dataclass(slots=True)
class HparamInfo:
    """A hyperparameter that an experiment declares, or that its sessions have."""

    name: str = ""
    display_name: str = ""
    description: str = ""
    type: int = 0
    choices: list[Value] | None = None
    interval: tuple[float, float] | None = None
    differs: bool = False


@dataclass(slots=True)
class MetricInfo:
    """A metric that an experiment declares, or that its sessions have."""

    group: str = ""
    tag: str = ""
    display_name: str = ""
    description: str = ""
    dataset: int = 0


@dataclass(slots=True)
class Experiment:
    """What one run declares, or all together."""

    name: str = ""
    description: str = ""
    user: str = ""
    time_created: float = 0.0
    hparams: list[HparamInfo] = field(default_factory=list[HparamInfo])
    metrics: list[MetricInfo] = field(default_factory=list[MetricInfo])


@dataclass(slots=True)
class Session:
    """A run that logged hyperparameters."""

    run: str
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    model_uri: str = ""
    monitor_url: str = ""
    group: str = ""
    start_time: float = 0.0
    end_time: float = 0.0
    status: int = 0


@dataclass(frozen=True, slots=True)
class Records:
    """Everything that is logged."""

    experiments: list[Experiment]
    sessions: list[Session]


def records(served: Served) -> Records:
    """What all runs logged; a record that cannot be read counts as not logged."""
    experiments: list[Experiment] = []
    sessions: list[Session] = []
    for run, tags in sorted(listed(served, "hparams").items()):
        for message in _inside(tags[EXPERIMENT].content if EXPERIMENT in tags else b"", _EXPERIMENT):
            experiments.append(_experiment(message))
        for message in _inside(tags[START].content if START in tags else b"", _START):
            sessions.append(_session(run, message, tags[END].content if END in tags else b""))
    return Records(experiments, sessions)


def _inside(content: bytes, number: int) -> Iterator[bytes]:
    """The message of that number; an empty one, too."""
    for one in _fields(content):
        if one.id == number and one.is_bytes:
            yield one.data
            return


def _fields(message: bytes) -> Iterator[Field]:
    """The fields up to where the bytes stop making sense."""
    try:
        yield from fields(message)
    except BadMessage:
        return


def _double(one: Field) -> float:
    (number,) = struct.unpack("<d", struct.pack("<Q", one.number))
    return float(number)


def _experiment(message: bytes) -> Experiment:
    found = Experiment()
    for one in _fields(message):
        match one.id:
            case 1:
                found.description = one.text
            case 2:
                found.user = one.text
            case 3:
                found.time_created = _double(one)
            case 4:
                found.hparams.append(_hparam_info(one.data))
            case 5:
                found.metrics.append(_metric_info(one.data))
            case 6:
                found.name = one.text
            case _:
                pass
    return found


def _hparam_info(message: bytes) -> HparamInfo:
    found = HparamInfo()
    for one in _fields(message):
        match one.id:
            case 1:
                found.name = one.text
            case 2:
                found.display_name = one.text
            case 3:
                found.description = one.text
            case 4:
                found.type = one.number
            case 5:
                values = [plain_value(each.data) for each in _fields(one.data) if each.id == 1 and each.is_bytes]
                found.choices = [value for value in values if value is not None]
            case 6:
                ends = {each.id: _double(each) for each in _fields(one.data) if not each.is_bytes}
                found.interval = (ends.get(1, 0.0), ends.get(2, 0.0))
            case 7:
                found.differs = one.number != 0
            case _:
                pass
    return found


def _metric_info(message: bytes) -> MetricInfo:
    found = MetricInfo()
    for one in _fields(message):
        match one.id:
            case 1:
                names = {each.id: each.text for each in _fields(one.data) if each.is_bytes}
                found.group, found.tag = names.get(1, ""), names.get(2, "")
            case 3:
                found.display_name = one.text
            case 4:
                found.description = one.text
            case 5:
                found.dataset = one.number
            case _:
                pass
    return found


def _session(run: str, start: bytes, end: bytes) -> Session:
    found = Session(run)
    for one in _fields(start):
        match one.id:
            case 1:
                entry = {each.id: each for each in _fields(one.data) if each.is_bytes}
                value = _value(entry[2].data) if 2 in entry else None
                if value is not None:
                    found.values[entry[1].text if 1 in entry else ""] = value
            case 2:
                found.model_uri = one.text
            case 3:
                found.monitor_url = one.text
            case 4:
                found.group = one.text
            case 5:
                found.start_time = _double(one)
            case _:
                pass
    for message in _inside(end, _END):
        for one in _fields(message):
            if one.id == 1:
                found.status = one.number
            elif one.id == 2:
                found.end_time = _double(one)
    return found


def _value(message: bytes) -> Value | None:
    try:
        return plain_value(message)
    except BadMessage:
        return None
