"""How much each hyperparameter matters for a metric: rank correlation, and what a random forest loses without it."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepscope.queries.hparams.metrics import Floats
from stepscope.queries.hparams.table import HparamColumn
from stepscope.queries.student import t_975

LEAST_RUNS = 20
"""Runs that a forest needs; with fewer its importances change from one run more to the next."""
LEAST_CONFIGURATIONS = 10
"""Different configurations among them: repeats of a few say nothing about the values between."""
LEAST_RANKED = 8
"""Runs that a rank correlation needs: with fewer the 95% interval of no correlation at all reaches ±0.7."""
MOST_RUNS = 1_000
"""More are sampled: the answer changes little, and the time grows."""
FOLDS, ROUNDS, SHUFFLES, TREES = 5, 2, 5, 100
MOST_WORDS = 20
"""Words of one hyperparameter that are told apart; the others count as one."""

_FEW_FEATURES = 10
"""So many may all be tried at each split; of more a third, which is as good and sooner done."""
_SEED = 0


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its 95% confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class HparamImportance:
    """One hyperparameter: `rank` is null where its values have no order or are too few, `share` where no forest can tell."""

    name: str
    n: int
    """Runs with the metric and a value of the hyperparameter."""
    rank: Interval | None
    share: Interval | None
    """The part of the metric's variance that depends on it, interactions included: half of what the squared error grows when the
    values are shuffled, since a value and another one drawn at random differ by twice the variance."""


@dataclass(frozen=True, slots=True)
class Importance:
    """All hyperparameters, the most important first."""

    runs: int
    """Runs that have the metric."""
    used: int
    """Of these, what the forest was made of."""
    explained: float | None
    """Share of the variance that the forest explains in runs that it has not seen (R²)."""
    missing: str
    """Why there is no forest; empty when there is one."""
    rows: tuple[HparamImportance, ...]


def ranks(values: Floats) -> Floats:
    """Places in the order of the values from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse.reshape(-1)].astype(np.float64)


def rank_correlation(x: Floats, y: Floats) -> Interval | None:
    """Spearman's ρ with its 95% interval (Fisher's z with the error of Bonett and Wright); None for too few or equal values."""
    if len(x) < LEAST_RANKED or len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return None
    rho = float(np.corrcoef(ranks(x), ranks(y))[0, 1])
    z = math.atanh(max(-1 + 1e-15, min(1 - 1e-15, rho)))
    reach = 1.959964 * math.sqrt((1 + rho * rho / 2) / (len(x) - 3))
    return Interval(rho, math.tanh(z - reach), math.tanh(z + reach))


def importance(
    hparams: Sequence[HparamColumn], values: Floats, groups: NDArray[np.int32], progress: Callable[[int, int], None]
) -> Importance:
    """What is known about a metric. `groups` are repeats of one configuration, which are never on both sides of a test."""
    has = np.flatnonzero(np.isfinite(values))
    columns = [column for column in hparams if _distinct(column, has) > 1]
    correlated = {column.info.name: _correlation(column, values, has) for column in columns}
    used = has if len(has) <= MOST_RUNS else np.sort(np.random.default_rng(_SEED).choice(has, MOST_RUNS, replace=False))
    missing = _reason(columns, len(has), len(np.unique(groups[used])))
    explained: float | None = None
    share: dict[str, Interval] = {}
    if not missing:
        explained, losses = _forest([_features(column, used) for column in columns], values[used], groups[used], progress)
        if explained > 0:
            share = {column.info.name: loss for column, loss in zip(columns, losses, strict=True)}
        else:
            missing = "A random forest cannot predict this metric from the hyperparameters, so their importance is unknown."
    rows = [
        HparamImportance(column.info.name, _known(column, has), correlated[column.info.name], share.get(column.info.name))
        for column in columns
    ]
    rows.sort(key=lambda row: (-row.share.value if row.share else 0.0, -abs(row.rank.value) if row.rank else 0.0, row.name))
    return Importance(len(has), len(used), explained, missing, tuple(rows))


def _reason(columns: Sequence[HparamColumn], runs: int, configurations: int) -> str:
    """Why no forest is made; empty when one can be."""
    if not columns:
        return "The runs with this metric do not differ in any hyperparameter."
    if runs < LEAST_RUNS:
        return f"Importance needs at least {LEAST_RUNS} runs with this metric; there are {runs}."
    if configurations < LEAST_CONFIGURATIONS:
        return f"Importance needs at least {LEAST_CONFIGURATIONS} different configurations; there are {configurations}."
    if importlib.util.find_spec("sklearn") is None:
        return "Importance by a random forest needs scikit-learn; run pip install 'stepscope[hparams]'."
    return ""


def _known(column: HparamColumn, rows: NDArray[np.intp]) -> int:
    return int((~np.isnan(column.numbers[rows]) | (column.codes[rows] >= 0)).sum())


def _distinct(column: HparamColumn, rows: NDArray[np.intp]) -> int:
    """Different values among the rows, of which having none is one."""
    numbers, codes = column.numbers[rows], column.codes[rows]
    without = np.isnan(numbers) & (codes < 0)
    return len(np.unique(numbers[~np.isnan(numbers)])) + len(np.unique(codes[codes >= 0])) + bool(without.any())


def _correlation(column: HparamColumn, values: Floats, rows: NDArray[np.intp]) -> Interval | None:
    """Numbers are in order, and so are False and True; other words are not."""
    numbers = column.numbers[rows]
    if column.kind == "bool":
        truth = np.array([*(float(word.lower() == "true") for word in column.words), math.nan])
        numbers = truth[column.codes[rows]]
    elif column.kind != "numeric":
        return None
    known = ~np.isnan(numbers)
    return rank_correlation(numbers[known], values[rows][known])


def _features(column: HparamColumn, rows: NDArray[np.intp]) -> Floats:
    """What a tree may split: the rank of the number (0 for none), and whether it is each of the most common words."""
    numbers, codes = column.numbers[rows], column.codes[rows]
    parts: list[Floats] = []
    known = ~np.isnan(numbers)
    if known.any():
        places = np.zeros(len(rows))
        places[known] = ranks(numbers[known])
        parts.append(places)
    words, counts = np.unique(codes[codes >= 0], return_counts=True)
    for word in words[np.argsort(-counts, kind="stable")][:MOST_WORDS]:
        parts.append((codes == word).astype(np.float64))
    return np.stack(parts, axis=1)


def _folds(groups: NDArray[np.int32], rng: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Which rows are held out, five times; repeats of one configuration are held out together."""
    order = rng.permutation(np.unique(groups))
    for fold in range(FOLDS):
        yield np.isin(groups, order[fold::FOLDS])


def _forest(
    features: Sequence[Floats], values: Floats, groups: NDArray[np.int32], progress: Callable[[int, int], None]
) -> tuple[float, list[Interval]]:
    """R² in held-out runs, and the share of the variance that depends on each feature.

    The metric is ranked first, so that a run that diverged does not decide alone.
    """
    ensemble: Any = importlib.import_module("sklearn.ensemble")  # scikit-learn comes without types
    x, y = np.concatenate(features, axis=1), ranks(values)
    ends = np.cumsum([feature.shape[1] for feature in features])
    tried = 1.0 if x.shape[1] <= _FEW_FEATURES else 1 / 3
    variance = float(y.var()) or 1.0
    rng = np.random.default_rng(_SEED)
    unexplained: list[float] = []
    losses: list[NDArray[np.float64]] = []
    for turn in range(ROUNDS):
        for fold, held_out in enumerate(_folds(groups, rng)):
            progress(turn * FOLDS + fold, ROUNDS * FOLDS)
            seed = int(rng.integers(1 << 31))
            model = ensemble.RandomForestRegressor(TREES, min_samples_leaf=2, max_features=tried, random_state=seed, n_jobs=1)
            model.fit(x[~held_out], y[~held_out])
            error = float(((model.predict(x[held_out]) - y[held_out]) ** 2).mean()) / variance
            unexplained.append(error)
            losses.append(
                np.array(
                    [
                        _shuffled(model, x[held_out], y[held_out], end - feature.shape[1], end, rng)
                        for feature, end in zip(features, ends.tolist(), strict=True)
                    ]
                )
                / variance
                - error
            )
    progress(ROUNDS * FOLDS, ROUNDS * FOLDS)
    return 1 - float(np.mean(unexplained)), [_interval(np.array([loss[at] / 2 for loss in losses])) for at in range(len(features))]


def _shuffled(model: Any, x: Floats, y: Floats, start: int, end: int, rng: np.random.Generator) -> float:  # noqa: ANN401
    """The mean squared error when some columns are shuffled together, over several shuffles."""
    many = np.tile(x, (SHUFFLES, 1))
    for turn in range(SHUFFLES):
        rows = slice(turn * len(x), (turn + 1) * len(x))
        many[rows, start:end] = x[rng.permutation(len(x)), start:end]
    return float(((model.predict(many) - np.tile(y, SHUFFLES)) ** 2).mean())


def _interval(estimates: Floats) -> Interval:
    """Mean over folds with its 95% interval; folds share training runs, so the error is widened as Nadeau and Bengio propose."""
    count = len(estimates)
    error = float(estimates.std(ddof=1)) * math.sqrt(1 / count + 1 / (FOLDS - 1))
    mean, reach = float(estimates.mean()), t_975(count - 1) * error
    return Interval(mean, mean - reach, mean + reach)
