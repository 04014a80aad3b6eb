"""Importance of hyperparameters: known answers, what only a forest can see, and silence where nothing can be told."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from stepscope.queries.hparams import importance as parts
from stepscope.queries.hparams.importance import Importance, importance, rank_correlation, ranks
from stepscope.queries.hparams.records import Experiment, Value
from stepscope.queries.hparams.table import group_sessions, hparam_columns

RNG = np.random.default_rng(7)


class _Session:
    def __init__(self, values: dict[str, Value]) -> None:
        self.values = values


def found(trials: Sequence[dict[str, Value]], metric: Sequence[float]) -> Importance:
    columns = hparam_columns([_Session(trial) for trial in trials], Experiment())  # type: ignore[arg-type]
    values = np.array(metric, np.float64)
    groups = group_sessions(columns, len(trials), [values], None)
    seedless = [column for column in columns if column.info.name not in groups.seeds]
    return importance(seedless, values, groups.of, lambda _done, _total: None)


def test_ranks_and_correlation_are_those_of_scipy() -> None:
    x = RNG.integers(0, 6, 40).astype(float)
    y = x + RNG.normal(size=40)
    assert ranks(x).tolist() == stats.rankdata(x).tolist()
    rho = rank_correlation(x, y)
    assert rho is not None
    assert rho.value == pytest.approx(stats.spearmanr(x, y)[0])
    assert rho.low < rho.value < rho.high


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    covered = 0
    for _ in range(400):
        one, other = RNG.normal(size=(2, 25))
        rho = rank_correlation(one, other)
        assert rho is not None
        covered += rho.low <= 0 <= rho.high
    assert 0.92 <= covered / 400 <= 0.98


@pytest.mark.slow
def test_what_decides_the_metric_is_first_and_what_does_not_is_nothing() -> None:
    grid = list(itertools.product([1e-4, 1e-3, 1e-2, 1e-1], ["adam", "sgd"], [16.0, 32.0, 64.0]))
    trials: list[dict[str, Value]] = [{"lr": lr, "optimizer": name, "batch": size} for lr, name, size in grid]
    metric = [-math.log10(trial[0]) + 0.3 * (trial[1] == "adam") + 0.02 * RNG.normal() for trial in grid]
    answer = found(trials, metric)
    rows = {row.name: row for row in answer.rows}
    assert answer.rows[0].name == "lr"
    assert answer.explained is not None
    assert answer.explained > 0.8
    lr, batch = rows["lr"], rows["batch"]
    assert lr.rank is not None
    assert lr.share is not None
    assert batch.share is not None
    assert lr.rank.value == pytest.approx(-0.97, abs=0.05)
    assert lr.share.low > 0.5
    assert 0.8 < lr.share.value < 1.1, "nearly all of the variance"
    assert abs(batch.share.value) < 0.05
    assert rows["optimizer"].rank is None, "words have no order"


@pytest.mark.slow
def test_a_forest_sees_what_no_correlation_can() -> None:
    trials: list[dict[str, Value]] = [{"a": float(a), "b": float(b)} for a, b in RNG.integers(0, 8, (80, 2))]
    answer = found(trials, [float((trial["a"] < 4) != (trial["b"] < 4)) + 0.01 * place for place, trial in enumerate(trials)])  # type: ignore[operator]
    for row in answer.rows:
        assert row.rank is not None
        assert row.share is not None
        assert row.rank.low < 0 < row.rank.high
        assert row.share.low > 0


@pytest.mark.slow
def test_noise_has_no_importance() -> None:
    trials: list[dict[str, Value]] = [{"lr": float(lr), "seed": float(place)} for place, lr in enumerate(RNG.normal(size=60))]
    answer = found(trials, RNG.normal(size=60).tolist())
    assert answer.explained is not None
    assert answer.explained <= 0
    assert answer.missing
    assert [(row.name, row.share) for row in answer.rows] == [("lr", None)]


@pytest.mark.parametrize(
    ("runs", "different", "has_rank"),
    [(19, 19, True), (40, 9, True), (7, 7, False)],
)
def test_with_too_few_runs_or_configurations_it_says_nothing(runs: int, different: int, has_rank: bool) -> None:
    answer = found([{"lr": float(place % different), "seed": float(place)} for place in range(runs)], list(map(float, range(runs))))
    (row,) = answer.rows
    assert (row.share, answer.explained, bool(answer.missing), row.rank is not None) == (None, None, True, has_rank)


@pytest.mark.slow
def test_missing_values_booleans_and_runs_without_the_metric() -> None:
    trials: list[dict[str, Value]] = [{"amp": place % 2 == 0, **({"warmup": 5.0} if place % 3 else {})} for place in range(30)]
    metric = [math.nan if place == 29 else float(place % 2 == 0) for place in range(30)]
    rows = {row.name: row for row in found(trials, metric).rows}
    assert rows["amp"].rank is not None
    assert rows["amp"].rank.value == pytest.approx(1)
    assert (rows["amp"].n, rows["warmup"].n) == (29, 19)
    assert rows["warmup"].rank is None, "one value, or none"


def test_without_scikit_learn_correlations_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts.importlib.util, "find_spec", lambda _name: None)
    answer = found([{"lr": float(place)} for place in range(30)], list(map(float, range(30))))
    assert "stepscope[hparams]" in answer.missing
    assert answer.rows[0].rank is not None
    assert answer.rows[0].rank.value == pytest.approx(1)


@pytest.mark.slow
def test_many_runs_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_RUNS", 40)
    answer = found([{"lr": float(place)} for place in range(90)], list(map(float, range(90))))
    assert (answer.runs, answer.used) == (90, 40)
