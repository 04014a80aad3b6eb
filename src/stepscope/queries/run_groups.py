"""Groups of runs for charts that a program asks for: by folder, by a hyperparameter, or repeats that only their seed tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stepscope.model.errors import BadInput
from stepscope.queries.hparams.table import is_seed
from stepscope.queries.names import natural_key
from stepscope.queries.run_settings import RunSettings
from stepscope.queries.runs import RunRow
from stepscope.queries.view import Role

BY_SEED = "seed"
BY_FOLDER = "folder"
_TOP = "(top folder)"


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs that are drawn as one line; those of an experiment are apart by what they do in it."""

    name: str
    role: Role | None
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Trial:
    """An experiment, or a run that belongs to none."""

    name: str
    rows: list[RunRow] = field(default_factory=list[RunRow])
    values: dict[str, str] = field(default_factory=dict[str, str])


def group_runs(rows: Sequence[RunRow], settings: Sequence[RunSettings], by: str) -> list[RunGroup]:
    """Groups in the order of their names. `by` is `seed`, `folder` or a hyperparameter; runs without the latter are in no group.

    Raises BadInput when no run has the hyperparameter.
    """
    trials = _trials(rows, {one.id: one.values for one in settings})
    if by == BY_SEED:
        names = _names_but_seeds(trials)
    elif by == BY_FOLDER:
        names = [trial.name.rpartition("/")[0] or _TOP for trial in trials]
    else:
        names = [trial.values.get(by) for trial in trials]
        if all(name is None for name in names):
            known = sorted({name for trial in trials for name in trial.values}, key=natural_key)
            some = f" Hyperparameters: {', '.join(known[:20])}{' …' if len(known) > 20 else ''}." if known else ""
            raise BadInput(f"No run has the hyperparameter {by[:200]!r}; use seed, folder or the name of one.{some}", "unknown_setting")
    found: dict[tuple[str, Role | None], list[str]] = {}
    for name, trial in zip(names, trials, strict=True):
        for row in trial.rows if name is not None else ():
            role = row.role if len(trial.rows) > 1 else None
            found.setdefault((name or "", role), []).append(row.id)
    groups = [RunGroup(name, role, tuple(runs)) for (name, role), runs in found.items()]
    return sorted(groups, key=lambda group: (natural_key(group.name), group.role or ""))


def _trials(rows: Sequence[RunRow], settings: Mapping[str, Mapping[str, str]]) -> list[_Trial]:
    """An experiment has what any of its runs has logged."""
    found: dict[tuple[str, str], _Trial] = {}
    for row in rows:
        name = row.experiment if row.experiment is not None else row.name
        trial = found.setdefault((row.root, name), _Trial(f"{row.root}/{name}" if row.root else name))
        trial.rows.append(row)
        for key, value in settings.get(row.id, {}).items():
            trial.values.setdefault(key, value)
    return list(found.values())


def _names_but_seeds(trials: Sequence[_Trial]) -> list[str | None]:
    """The hyperparameters that differ, without seeds; a run that has logged none is a group of its own."""
    names = sorted({name for trial in trials for name in trial.values if not is_seed(name)}, key=natural_key)
    logged = [trial for trial in trials if trial.values]
    differing = [name for name in names if len({trial.values.get(name) for trial in logged}) > 1]
    return [
        ", ".join(f"{name}={trial.values[name]}" for name in differing if name in trial.values) or "all runs"
        if trial.values
        else trial.name
        for trial in trials
    ]
