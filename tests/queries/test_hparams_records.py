"""Hparams records: what our API writes is read back, records are merged, and broken ones give nothing."""

from __future__ import annotations

import math

import pytest

import event_bytes as eb
from stepscope.queries.hparams.records import Experiment, HparamInfo, MetricInfo, experiment, merged, session_start
from stepscope.writer.hparams import session_start as message_of


def value_of(content: bytes) -> bytes:
    """A summary value with that content of the plugin."""
    return eb.message(1, b"_hparams_/x") + eb.message(9, eb.message(1, eb.message(1, b"hparams") + eb.message(2, content)))


def started(message: bytes) -> bytes:
    return value_of(eb.message(3, message))


def test_values_keep_their_types() -> None:
    message = message_of({"lr": 0.1, "amp": True, "off": False, "name": "ad✓m", "empty": "", "inf": math.inf}, "again", 5.0)
    start = session_start(started(message.encoded()))
    assert start.values == {"lr": 0.1, "amp": True, "off": False, "name": "ad✓m", "empty": "", "inf": math.inf}
    assert [type(start.values[name]) for name in ("lr", "amp")] == [float, bool]
    assert start.group == "again"


@pytest.mark.parametrize("cut", [1, 3, 9, 20])
def test_a_cut_message_gives_nothing(cut: int) -> None:
    whole = started(message_of({"lr": 0.1, "name": "adam"}, "g", 1.0).encoded())
    assert session_start(whole[:-cut]).values == {}
    assert experiment(whole[:-cut]) == Experiment()


def test_names_and_numbers_of_values_are_bounded() -> None:
    start = session_start(started(message_of({f"n{place}": 1.0 for place in range(1200)}, "", 0.0).encoded()))
    assert len(start.values) == 1000


def test_experiments_are_merged() -> None:
    one = Experiment(
        (HparamInfo("lr", interval=(0.1, 0.5)), HparamInfo("opt", choices=("sgd",))),
        (MetricInfo("loss"),),
    )
    two = Experiment(
        (HparamInfo("lr", "Rate", interval=(0.01, 0.2)), HparamInfo("opt", choices=("adam", "sgd")), HparamInfo("bs")),
        (MetricInfo("loss", display_name="Loss"), MetricInfo("loss", "validation")),
    )
    found = merged([one, two])
    assert found.hparams == (
        HparamInfo("lr", "Rate", interval=(0.01, 0.5)),
        HparamInfo("opt", choices=("sgd", "adam")),
        HparamInfo("bs"),
    )
    assert found.metrics == (MetricInfo("loss", display_name="Loss"), MetricInfo("loss", "validation"))
    assert merged([]) == Experiment()
