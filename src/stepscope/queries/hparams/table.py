"""One table of all sessions: hyperparameters and metrics as columns, and groups of sessions that only their seed tells apart."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stepscope.queries.goals import Goal
from stepscope.queries.hparams.metrics import Floats
from stepscope.queries.hparams.records import Experiment, HparamInfo, MetricInfo, Value
from stepscope.queries.hparams.sessions import Session
from stepscope.queries.hyperparameters import text_of
from stepscope.queries.student import t_975

ColumnKind = Literal["numeric", "bool", "text", "mixed"]
Codes = NDArray[np.int32]

_MISSING = -1
_HUMP = re.compile(r"([a-z])([A-Z])")
_SEED = re.compile(
    r"(?:^|[._/ -])"
    r"(?:seed(?:_?everything)?|random_?state|rng(?:_?(?:key|seed))?|rep(?:licate|eat)?|fold|(?:trial|run)_?(?:id|no|number))$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class HparamColumn:
    """A hyperparameter of all sessions. A session has a number, or a code of a word, or neither."""

    info: HparamInfo
    kind: ColumnKind
    numbers: Floats
    """NaN where a session has no number."""
    words: tuple[str, ...]
    codes: Codes
    """Places in `words`; -1 where a session has no word."""
    distinct: int
    """Different values, of which having none is one."""


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """A metric of all sessions; NaN where a session has none."""

    info: MetricInfo
    goal: Goal
    values: Floats
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """A metric over groups: n finite values, their mean, standard deviation (n − 1) and half the 95% interval of the mean."""

    n: NDArray[np.int32]
    mean: Floats
    sd: Floats
    ci95: Floats


@dataclass(frozen=True, slots=True)
class Groups:
    """Sessions with equal hyperparameters but for the seeds, in order of first appearance."""

    seeds: tuple[str, ...]
    of: Codes
    """The group of each session."""
    size: NDArray[np.int32]
    spreads: tuple[Spread, ...]
    """One for each metric."""


@dataclass(frozen=True, slots=True)
class Table:
    """Everything that is known of the sessions of a view."""

    epoch: int
    sessions: tuple[Session, ...]
    hparams: tuple[HparamColumn, ...]
    metrics: tuple[MetricColumn, ...]
    available: tuple[tuple[str, str], ...]
    """Group and tag of every metric that could be asked for."""
    groups: Groups


def is_seed(name: str) -> bool:
    """Whether a hyperparameter only tells repetitions apart, by its name."""
    return _SEED.search(_HUMP.sub(r"\1_\2", name)) is not None


def hparam_columns(sessions: Sequence[Session], declared: Experiment) -> tuple[HparamColumn, ...]:
    """One column for each hyperparameter that a session has, in the order declared, then in that of first appearance."""
    infos = {info.name: info for info in declared.hparams}
    logged = dict.fromkeys(name for session in sessions for name in session.values)
    order = [name for name in infos if name in logged] + [name for name in logged if name not in infos]
    logs = [session.values for session in sessions]
    return tuple(_column(infos.get(name) or HparamInfo(name), [values.get(name) for values in logs]) for name in order)


def _column(info: HparamInfo, values: list[Value | None]) -> HparamColumn:
    codes = np.full(len(values), _MISSING, np.int32)
    words: dict[str, int] = {}
    bools = missing = 0
    if set(map(type, values)) == {float}:  # nearly every column, and much sooner done
        numbers = np.array(values, np.float64)
    else:
        numbers = np.array([value if type(value) is float else math.nan for value in values])
    for at in np.flatnonzero(np.isnan(numbers)).tolist():
        value = values[at]
        if value is None:
            missing += 1
        else:
            bools += isinstance(value, bool)
            codes[at] = words.setdefault(text_of(value), len(words))
    known = ~np.isnan(numbers)
    different = len(np.unique(numbers[known])) + len(words) + bool(missing)
    kind: ColumnKind = "numeric" if not words else "mixed" if known.any() else "bool" if bools + missing == len(values) else "text"
    return HparamColumn(info, kind, numbers, tuple(words), codes, different)


def group_sessions(hparams: Sequence[HparamColumn], count: int, metrics: Sequence[Floats], seeds: Sequence[str] | None) -> Groups:
    """Groups of the sessions by all hyperparameters but the seeds; without a list of seeds, by those that are named like one."""
    apart = tuple(column.info.name for column in hparams if (is_seed(column.info.name) if seeds is None else column.info.name in seeds))
    keys = [_keys(column) for column in hparams if column.info.name not in apart]
    if keys and count:
        _, first, inverse = np.unique(np.stack(keys, axis=1), axis=0, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int32)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
        of = rank[inverse.reshape(-1)]
    else:
        of = np.zeros(count, np.int32)
    size = np.bincount(of, minlength=int(of.max(initial=-1)) + 1).astype(np.int32)
    return Groups(apart, of, size, tuple(spread(values, of, len(size)) for values in metrics))


def _keys(column: HparamColumn) -> NDArray[np.int64]:
    """A whole number for each session that is equal where the values are; -1 for none."""
    _, places = np.unique(np.where(np.isnan(column.numbers), 0.0, column.numbers), return_inverse=True)
    keys = places.reshape(-1).astype(np.int64) + len(column.words)
    keys[np.isnan(column.numbers)] = _MISSING
    return np.where(column.codes != _MISSING, column.codes.astype(np.int64), keys)


def spread(values: Floats, of: Codes, groups: int) -> Spread:
    """Mean and spread of the finite values of each group."""
    finite = np.isfinite(values)
    members, known = of[finite], values[finite]
    n = np.bincount(members, minlength=groups)
    some = np.maximum(n, 1)
    mean = np.bincount(members, known, minlength=groups) / some
    squares = np.bincount(members, (known - mean[members]) ** 2, minlength=groups)
    sd = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    factor = np.array([math.nan, math.nan, *(t_975(count - 1) / math.sqrt(count) for count in range(2, int(n.max(initial=1)) + 1))])
    return Spread(n.astype(np.int32), np.where(n > 0, mean, np.nan), sd, sd * factor[np.minimum(n, len(factor) - 1)])
