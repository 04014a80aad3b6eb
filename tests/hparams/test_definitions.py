"""What an experiment may vary and measure: domains with their values, and the messages they become."""

from __future__ import annotations

import random
from typing import Any

import pytest

import message_fields as mf
from stepscope.hparams import Discrete, HParam, IntInterval, Metric, RealInterval
from stepscope.writer.hparams import BOOL, NUMBER, STRING


def info(domain: Any) -> bytes:
    return HParam("lr", domain, display_name="Rate", description="*said*").message().encoded()


@pytest.mark.parametrize(("domain", "low", "high", "kind"), [(IntInterval(2, 5), 2, 5, int), (RealInterval(0.5, 1.5), 0.5, 1.5, float)])
def test_an_interval_has_its_ends_and_samples_between_them(domain: Any, low: float, high: float, kind: type) -> None:
    assert (domain.min_value, domain.max_value, domain.dtype) == (low, high, kind)
    seen = [domain.sample_uniform(random.Random(seed)) for seed in range(100)]
    assert {type(each) for each in seen} == {kind}
    assert low <= min(seen) < max(seen) <= high
    made = info(domain)
    assert mf.integers(made, "HParamInfo.type") == [NUMBER]
    ends = [mf.doubles(made, "HParamInfo.domain_interval", f"Interval.{end}") for end in ("min_value", "max_value")]
    assert ends == [[low], [high]]


def test_both_ends_of_integers_are_drawn() -> None:
    assert {IntInterval(2, 4).sample_uniform(random.Random(seed)) for seed in range(100)} == {2, 3, 4}


@pytest.mark.parametrize(
    ("values", "dtype", "number"), [([3, 1, 2], int, NUMBER), ([0.5], float, NUMBER), (["b", "a"], str, STRING), ([True], bool, BOOL)]
)
def test_values_of_one_type_in_order(values: list[Any], dtype: type, number: int) -> None:
    domain = Discrete(values)
    assert (domain.values, domain.dtype) == (sorted(values), dtype)
    assert {domain.sample_uniform(random.Random(seed)) for seed in range(100)} == set(values)
    made = info(domain)
    assert mf.integers(made, "HParamInfo.type") == [number]
    assert len(mf.found(made, "HParamInfo.domain_discrete", "ListValue.values")) == len(values)
    domain.values.append("changed")
    assert domain.values == sorted(values), "what is handed out is a copy"


def test_no_values_need_their_type() -> None:
    made = info(Discrete([], dtype=str))
    assert (mf.integers(made, "HParamInfo.type"), mf.found(made, "HParamInfo.domain_discrete")) == ([STRING], [])
    with pytest.raises(ValueError, match="Give"):
        Discrete([])


@pytest.mark.parametrize(
    "make",
    [
        lambda: IntInterval(1.0, 2),  # type: ignore[arg-type]
        lambda: IntInterval(3),
        lambda: IntInterval(3, 2),
        lambda: RealInterval(1, 2),
        lambda: Discrete([1, "a"]),
        lambda: Discrete([b"a"]),  # type: ignore[list-item]
        lambda: HParam("lr", [1, 2]),  # type: ignore[arg-type]
        lambda: Metric("loss", dataset_type=7),
    ],
)
def test_what_is_no_domain_is_refused(make: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        make()


def test_a_hyperparameter_has_its_names() -> None:
    made = info(None)
    texts = [mf.texts(made, f"HParamInfo.{field}") for field in ("name", "display_name", "description")]
    assert texts == [["lr"], ["Rate"], ["*said*"]]
    assert mf.found(made, "HParamInfo.type") == []
    assert mf.found(HParam("lr").message().encoded(), "HParamInfo.display_name") == []
    named = HParam("lr", IntInterval(1, 2))
    assert (named.name, str(named.domain), named.display_name, named.description) == ("lr", "[1, 2]", None, None)
    assert repr(named) == "HParam(name='lr', domain=IntInterval(1, 2), display_name=None, description=None)"


def test_a_metric_has_its_tag_and_group() -> None:
    made = Metric("loss", "train", "Loss", "*said*", Metric.VALIDATION).message().encoded()
    assert [mf.texts(made, "MetricInfo.name", f"MetricName.{field}") for field in ("tag", "group")] == [["loss"], ["train"]]
    assert mf.texts(made, "MetricInfo.display_name") == ["Loss"]
    assert mf.integers(made, "MetricInfo.dataset_type") == [Metric.VALIDATION]
    assert mf.found(Metric("loss").message().encoded(), "MetricInfo.dataset_type") == []
