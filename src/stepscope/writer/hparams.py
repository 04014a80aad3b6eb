"""Hyperparameters and the names of the metrics they led to, as the three messages that TensorBoard's HParams reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, metadata_of, value_of

_STRING, _NUMBER = 1, 3
_SUCCESS = 1


def hparams_works(hparams: object, metrics: object, domains: object, moment: Moment) -> Iterator[Deferred]:
    """The events of the experiment, the session's start and its end, in that order."""
    if not isinstance(hparams, dict) or not isinstance(metrics, dict):
        raise TypeError("Give hparam_dict and metric_dict as dictionaries.")
    values = {str(name): _plain(name, value) for name, value in cast("dict[Any, Any]", hparams).items() if value is not None}
    choices = _checked_domains(domains, cast("dict[Any, Any]", hparams))
    experiment, start = Message("Experiment"), Message("SessionStartInfo")
    for name, value in values.items():
        info = Message("HParamInfo").text("name", name).integer("type", _STRING if isinstance(value, str) else _NUMBER)
        if name in choices:
            info.message("domain_discrete", _list_value(choices[name]))
        experiment.message("hparam_infos", info)
        start.message("hparams", Message("HParamsEntry").text("key", name).message("value", _struct_value(value)))
    for tag in cast("dict[Any, Any]", metrics):
        experiment.message("metric_infos", Message("MetricInfo").message("name", Message("MetricName").text("tag", str(tag))))
    end = Message("SessionEndInfo").integer("status", _SUCCESS)
    parts = {"experiment": experiment, "session_start_info": start, "session_end_info": end}
    events = [_event(field, part, moment) for field, part in parts.items()]
    return (Deferred(lambda event=event: event, len(event)) for event in events)


def _event(field: str, part: Message, moment: Moment) -> bytes:
    content = Message("HParamsPluginData").message(field, part)
    return moment.event(value_of(f"_hparams_/{field}").message("metadata", metadata_of("hparams", content)))


def _plain(name: object, value: object) -> str | float:
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
        checked[str(name)] = [_plain(name, member) for member in members]
    return checked


def _struct_value(value: str | float) -> Message:
    message = Message("StructValue")
    return (
        message.text("string_value", value, always=True)
        if isinstance(value, str)
        else message.double("number_value", value, always=True)
    )


def _list_value(values: Sequence[str | float]) -> Message:
    message = Message("ListValue")
    for value in values:
        message.message("values", _struct_value(value))
    return message
