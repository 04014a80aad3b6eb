"""Hyperparameters and the names of the metrics they led to, as the three messages that TensorBoard's HParams reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from stepscope.writer.message import Message
from stepscope.writer.summary import FLOAT, Deferred, Moment, metadata_of, shape_of, value_of

Plain = str | float | bool
"""A hyperparameter's value."""

Part = Literal["experiment", "session_start_info", "session_end_info"]

STRING, BOOL, NUMBER = 1, 2, 3
"""Types of hyperparameters."""

SUCCESS, FAILURE = 1, 2
"""How a session ended."""


def hparams_works(hparams: object, metrics: object, domains: object, moment: Moment) -> Iterator[Deferred]:
    """The events of the experiment, the session's start and its end, in that order, as torch's add_hparams writes them."""
    if not isinstance(hparams, dict) or not isinstance(metrics, dict):
        raise TypeError("Give hparam_dict and metric_dict as dictionaries.")
    values = {str(name): _number_or_text(name, value) for name, value in cast("dict[Any, Any]", hparams).items() if value is not None}
    choices = _checked_domains(domains, cast("dict[Any, Any]", hparams))
    experiment, start = Message("Experiment"), Message("SessionStartInfo")
    for name, value in values.items():
        info = Message("HParamInfo").text("name", name).integer("type", STRING if isinstance(value, str) else NUMBER)
        if name in choices:
            info.message("domain_discrete", list_value(choices[name]))
        experiment.message("hparam_infos", info)
        start.message("hparams", _entry(name, value))
    for tag in cast("dict[Any, Any]", metrics):
        experiment.message("metric_infos", Message("MetricInfo").message("name", Message("MetricName").text("tag", str(tag))))
    end = Message("SessionEndInfo").integer("status", SUCCESS)
    parts: dict[Part, Message] = {"experiment": experiment, "session_start_info": start, "session_end_info": end}
    return (work_of(moment.event(_value(part, message))) for part, message in parts.items())


def hparams_event(part: Part, message: Message, moment: Moment) -> bytes:
    """One event as TensorBoard's own hparams API writes it: beside the metadata there is an empty tensor."""
    empty = Message("TensorProto").integer("dtype", FLOAT).message("tensor_shape", shape_of([0]))
    return moment.event(_value(part, message).message("tensor", empty))


def session_start(values: Mapping[str, Plain], group_name: str, start_time_secs: float) -> Message:
    """The values that a session starts with; sessions of one group are repetitions of each other."""
    start = Message("SessionStartInfo")
    for name in sorted(values):
        start.message("hparams", _entry(name, values[name]))
    return start.text("group_name", group_name).double("start_time_secs", start_time_secs)


def session_end(status: int, end_time_secs: float) -> Message:
    """How a session ended, and when."""
    return Message("SessionEndInfo").integer("status", status).double("end_time_secs", end_time_secs)


def list_value(values: Sequence[Plain]) -> Message:
    """Values in a list of any of their types."""
    message = Message("ListValue")
    for value in values:
        message.message("values", _struct_value(value))
    return message


def work_of(event: bytes) -> Deferred:
    """An event that is ready."""
    return Deferred(lambda: event, len(event))


def _value(part: Part, message: Message) -> Message:
    content = Message("HParamsPluginData").message(part, message)
    return value_of(f"_hparams_/{part}").message("metadata", metadata_of("hparams", content))


def _entry(name: str, value: Plain) -> Message:
    return Message("HParamsEntry").text("key", name).message("value", _struct_value(value))


def _number_or_text(name: object, value: object) -> str | float:
    """torch writes True as the number 1, and so does this."""
    if isinstance(value, str):
        return value
    item: Any = getattr(value, "item", None)
    try:
        if isinstance(value, bytes | bytearray):
            raise TypeError
        return float(item() if item is not None else cast("Any", value))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Give the hyperparameter {name} as a number, a text or a truth value, not as {type(value).__name__}."
        ) from error


def _checked_domains(domains: object, hparams: Mapping[Any, Any]) -> dict[str, list[str | float]]:
    if not domains:
        return {}
    if not isinstance(domains, dict):
        raise TypeError("Give hparam_domain_discrete as a dictionary.")
    checked: dict[str, list[str | float]] = {}
    for name, choices in cast("dict[Any, Any]", domains).items():
        if name not in hparams or not isinstance(choices, list):
            raise TypeError(f"Give hparam_domain_discrete[{name!r}] as a list, and a hyperparameter of that name.")
        members = cast("list[Any]", choices)
        if not all(isinstance(member, type(hparams[name])) for member in members):
            raise TypeError(
                f"Give hparam_domain_discrete[{name!r}] as a list of {type(hparams[name]).__name__}, as the hyperparameter is."
            )
        checked[str(name)] = [_number_or_text(name, member) for member in members]
    return checked


def _struct_value(value: Plain) -> Message:
    message = Message("StructValue")
    if isinstance(value, bool):
        return message.integer("bool_value", value, always=True)
    if isinstance(value, str):
        return message.text("string_value", value, always=True)
    return message.double("number_value", value, always=True)
