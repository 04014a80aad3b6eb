"""Hyperparameters as TensorBoard's three messages: the experiment, and the start and end of a session."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import message_fields as mf
from stepscope.writer.hparams import (
    BOOL,
    FAILURE,
    NUMBER,
    STRING,
    SUCCESS,
    hparams_event,
    hparams_works,
    list_value,
    session_end,
    session_start,
)
from stepscope.writer.summary import Moment

MOMENT = Moment(0, 5.0)
VALUE = ("Event.summary", "Summary.value")
CONTENT = (*VALUE, "Value.metadata", "SummaryMetadata.plugin_data", "PluginData.content")


def written(hparams: object, metrics: object = None, domains: object = None) -> list[bytes]:
    found = [work.make() for work in hparams_works(hparams, {} if metrics is None else metrics, domains, MOMENT)]
    return [event for event in found if event is not None]


def infos(event: bytes) -> list[bytes]:
    return [field.data for field in mf.found(event, *CONTENT, "HParamsPluginData.experiment", "Experiment.hparam_infos")]


def entries(start: bytes) -> dict[str, Any]:
    """Values of a SessionStartInfo by their names."""
    found: dict[str, Any] = {}
    for field in mf.found(start, "SessionStartInfo.hparams"):
        (key,) = mf.texts(field.data, "HParamsEntry.key")
        value = mf.data(field.data, "HParamsEntry.value")
        found[key] = (
            *mf.texts(value, "StructValue.string_value"),
            *mf.doubles(value, "StructValue.number_value"),
            *map(bool, mf.integers(value, "StructValue.bool_value")),
        )
    return found


def test_three_events_in_order_and_only_for_the_plugin() -> None:
    events = written({"lr": 0.1}, {"loss": 1.0})
    tags = [mf.texts(event, *VALUE, "Value.tag") for event in events]
    assert tags == [["_hparams_/experiment"], ["_hparams_/session_start_info"], ["_hparams_/session_end_info"]]
    plugins = {mf.texts(event, *CONTENT[:-1], "PluginData.plugin_name")[0] for event in events}
    assert plugins == {"hparams"}
    assert mf.integers(events[2], *CONTENT, "HParamsPluginData.session_end_info", "SessionEndInfo.status") == [SUCCESS]


def test_values_are_numbers_or_texts_and_none_is_left_out() -> None:
    experiment, start, _ = written({"lr": np.float32(0.5), "amp": True, "name": "adam", "unused": None, 3: 1})
    assert [(mf.texts(each, "HParamInfo.name"), mf.integers(each, "HParamInfo.type")) for each in infos(experiment)] == [
        (["lr"], [NUMBER]),
        (["amp"], [NUMBER]),
        (["name"], [STRING]),
        (["3"], [NUMBER]),
    ]
    begun = mf.data(start, *CONTENT, "HParamsPluginData.session_start_info")
    assert entries(begun) == {"lr": (0.5,), "amp": (1.0,), "name": ("adam",), "3": (1.0,)}


def test_metrics_are_named_and_domains_listed() -> None:
    experiment = written({"lr": 0.1}, {"loss": 1, "accuracy": 2}, {"lr": [0.1, 0.2]})[0]
    metrics = mf.found(experiment, *CONTENT, "HParamsPluginData.experiment", "Experiment.metric_infos")
    assert [mf.texts(each.data, "MetricInfo.name", "MetricName.tag") for each in metrics] == [["loss"], ["accuracy"]]
    (info,) = infos(experiment)
    choices = mf.found(info, "HParamInfo.domain_discrete", "ListValue.values")
    assert [mf.doubles(each.data, "StructValue.number_value") for each in choices] == [[0.1], [0.2]]


@pytest.mark.parametrize(
    ("hparams", "metrics", "domains"),
    [
        ([("lr", 1)], {}, None),
        ({"lr": 1}, [], None),
        ({"lr": [1]}, {}, None),
        ({"lr": b"1"}, {}, None),
        ({"lr": 1}, {}, {"other": [1]}),
        ({"lr": 1}, {}, {"lr": (1, 2)}),
        ({"lr": 1}, {}, {"lr": [1, "2"]}),
        ({"lr": 1}, {}, [1]),
    ],
)
def test_what_cannot_be_shown_is_refused_at_the_call(hparams: object, metrics: object, domains: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        hparams_works(hparams, metrics, domains, MOMENT)


def test_a_session_keeps_truth_values_and_its_group() -> None:
    start = session_start({"b": True, "a": 0.0, "c": ""}, "group", 12.5).encoded()
    assert entries(start) == {"a": (0.0,), "b": (True,), "c": ("",)}
    assert list(entries(start)) == ["a", "b", "c"]
    assert (mf.texts(start, "SessionStartInfo.group_name"), mf.doubles(start, "SessionStartInfo.start_time_secs")) == (
        ["group"],
        [12.5],
    )


def test_an_end_says_how_and_when() -> None:
    end = session_end(FAILURE, 3.5).encoded()
    assert (mf.integers(end, "SessionEndInfo.status"), mf.doubles(end, "SessionEndInfo.end_time_secs")) == ([FAILURE], [3.5])


def test_tensorboards_own_events_have_an_empty_tensor() -> None:
    event = hparams_event("session_end_info", session_end(SUCCESS, 1.0), MOMENT)
    assert len(mf.found(event, *VALUE, "Value.tensor")) == 1
    assert mf.found(written({"a": 1})[2], *VALUE, "Value.tensor") == []


def test_a_list_keeps_the_type_of_each_value() -> None:
    values = [field.data for field in mf.found(list_value([1.5, "x", False]).encoded(), "ListValue.values")]
    assert mf.doubles(values[0], "StructValue.number_value") == [1.5]
    assert mf.texts(values[1], "StructValue.string_value") == ["x"]
    assert mf.integers(values[2], "StructValue.bool_value") == [0]
    assert len({STRING, BOOL, NUMBER}) == 3
