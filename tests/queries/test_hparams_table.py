"""Columns of hyperparameters, and groups of repetitions with mean, standard deviation and confidence interval."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from stepscope.queries.hparams.records import Experiment, HparamInfo, Value
from stepscope.queries.hparams.sessions import Session
from stepscope.queries.hparams.table import group_sessions, hparam_columns, is_seed, spread


def sessions(*values: dict[str, Value]) -> list[Session]:
    return [Session(None, each, "", ()) for each in values]  # pyright: ignore[reportArgumentType] - no run is looked at


def test_columns_tell_numbers_words_and_nothing_apart() -> None:
    found = sessions(
        {"lr": 0.1, "opt": "sgd", "amp": True, "x": 1.0}, {"lr": 0.2, "opt": "adam", "x": "auto"}, {"lr": 0.1, "amp": False}
    )
    lr, opt, amp, x = hparam_columns(found, Experiment())
    assert (lr.kind, lr.numbers.tolist(), lr.words, lr.distinct) == ("numeric", [0.1, 0.2, 0.1], (), 2)
    assert (opt.kind, opt.words, opt.codes.tolist(), opt.distinct) == ("text", ("sgd", "adam"), [0, 1, -1], 3)
    assert (amp.kind, amp.words, amp.codes.tolist()) == ("bool", ("True", "False"), [0, -1, 1])
    assert (x.kind, x.codes.tolist(), x.distinct) == ("mixed", [-1, 0, -1], 3)
    assert x.numbers[0] == 1.0


def test_nan_is_a_value_and_not_missing() -> None:
    (column,) = hparam_columns(sessions({"lr": math.nan}, {"lr": math.inf}, {}), Experiment())
    assert (column.words, column.codes.tolist(), column.distinct) == (("nan",), [0, -1, -1], 3)
    assert column.numbers[1] == math.inf


def test_declared_columns_come_first() -> None:
    found = hparam_columns(sessions({"b": 1.0, "a": 2.0}), Experiment((HparamInfo("a", "A"), HparamInfo("never"))))
    assert [(column.info.name, column.info.display_name) for column in found] == [("a", "A"), ("b", "")]


@pytest.mark.parametrize(
    "name", ["seed", "random_state", "model.seed", "randomSeed", "train/rng", "fold", "seed_everything", "trial_id"]
)
def test_seeds(name: str) -> None:
    assert is_seed(name)


@pytest.mark.parametrize("name", ["lr", "unfold", "seeded", "folds", "report", "reproduce", "seed_size"])
def test_other_names(name: str) -> None:
    assert not is_seed(name)


def test_groups_of_repetitions() -> None:
    found = sessions(
        *({"lr": lr, "opt": opt, "seed": float(seed)} for lr, opt in [(0.1, "a"), (0.2, "a"), (0.1, "b")] for seed in range(3))
    )
    hparams = hparam_columns(found, Experiment())
    values = np.array([1.0, 2.0, 3.0, 5.0, 5.0, math.nan, 4.0, math.nan, math.nan])
    groups = group_sessions(hparams, len(found), [values], None)
    assert groups.seeds == ("seed",)
    assert groups.of.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert groups.size.tolist() == [3, 3, 3]
    (one,) = groups.spreads
    assert one.n.tolist() == [3, 2, 1]
    assert one.mean.tolist() == [2.0, 5.0, 4.0]
    assert one.sd[:2].tolist() == [1.0, 0.0]
    # 4.303 is the 97.5% quantile of Student's t with two degrees of freedom.
    assert one.ci95[0] == pytest.approx(4.302652730 / math.sqrt(3), rel=1e-8)
    assert math.isnan(one.sd[2])
    assert math.isnan(one.ci95[2])


def test_asked_seeds_and_missing_values_tell_groups_apart() -> None:
    found = sessions({"lr": 0.1, "host": "a"}, {"lr": 0.1, "host": "b"}, {"host": "a"}, {"lr": 0.0, "host": "a"})
    hparams = hparam_columns(found, Experiment())
    assert group_sessions(hparams, 4, [], None).size.tolist() == [1, 1, 1, 1]
    assert group_sessions(hparams, 4, [], ["host"]).of.tolist() == [0, 0, 1, 2]
    assert group_sessions(hparams, 4, [], ["host", "lr"]).size.tolist() == [4], "nothing tells them apart"


def test_no_session_is_no_group() -> None:
    assert group_sessions((), 0, [np.empty(0)], None).size.tolist() == []


def test_the_spread_is_that_of_the_textbook() -> None:
    rng = np.random.default_rng(3)
    values, of = rng.normal(1e6, 1, 300), rng.integers(0, 7, 300).astype(np.int32)
    found = spread(values, of, 7)
    for group in range(7):
        members = values[of == group].tolist()
        assert found.mean[group] == pytest.approx(statistics.fmean(members), rel=1e-12)
        assert found.sd[group] == pytest.approx(statistics.stdev(members), rel=1e-6)
