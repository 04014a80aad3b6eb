"""Makes the table of hyperparameters and metrics from what is loaded, and reads each record once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from stepscope._native import EventFile
from stepscope.model.kinds import Kind
from stepscope.queries.folding import EXPERIMENT, SESSION_START
from stepscope.queries.goals import Goal, goal_in, goal_of
from stepscope.queries.hparams.metrics import Asked, MetricReader
from stepscope.queries.hparams.records import Experiment, MetricInfo, SessionStart, experiment, merged
from stepscope.queries.hparams.sessions import Session, find_sessions, started_runs
from stepscope.queries.hparams.table import HparamColumn, MetricColumn, Table, group_sessions, hparam_columns
from stepscope.queries.hyperparameters import session_in, values_of
from stepscope.queries.names import natural_key
from stepscope.queries.series import SeriesReader
from stepscope.queries.tags import TagReader
from stepscope.queries.value_columns import ColumnReader
from stepscope.queries.view import View, Views
from stepscope.store.kept import Kept

MOST_INFERRED = 20
"""Metrics that are shown where none is declared and none is asked for."""
MOST_AVAILABLE = 2_000

_KEPT_VALUES = 2_000_000
_OTHER: dict[Goal, Goal] = {"min": "max", "max": "min"}


@dataclass(frozen=True, slots=True)
class Question:
    """What the table is asked: metrics by group and tag (none: the declared ones), how they are read, and what tells repeats apart."""

    metrics: tuple[tuple[str, str], ...] = ()
    more: tuple[tuple[str, str], ...] = ()
    """Metrics that are read besides."""
    asked: Asked = field(default_factory=Asked)
    flipped: frozenset[str] = frozenset()
    """Tags whose best value is the other one than their name or description says."""
    seeds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Trials:
    """What changes only with runs and records; `held` keeps the objects alive whose identities are in the key."""

    key: object
    held: object
    sessions: tuple[Session, ...]
    hparams: tuple[HparamColumn, ...]


class HparamsReader:
    """Reads hparams records, finds sessions and their metrics, and puts them into one table."""

    def __init__(self, views: Views, tags: TagReader, columns: ColumnReader, series: SeriesReader) -> None:
        self._views = views
        self._tags = tags
        self._columns = columns
        self._series = series
        self._starts: Kept[tuple[EventFile, SessionStart]] = Kept(_KEPT_VALUES)
        self._experiments: Kept[tuple[EventFile, Experiment]] = Kept(_KEPT_VALUES)
        self._last: _Trials | None = None

    def table(self, view: View, question: Question) -> Table:
        """The sessions of the view with all their hyperparameters and the metrics asked for."""
        declared = self._declared(view)
        groups = {info.group for info in declared.metrics if info.group} | {
            group for group, _ in question.metrics + question.more if group
        }
        sessions, hparams = self._trials(view, declared, groups)
        reader = MetricReader(view, self._tags.pairs(view), sessions, self._columns, self._series)
        available = [(label, self._views.tag_name(tag)) for label, tag in reader.available()]
        metrics = [self._metric(reader, info, question) for info in _wanted(declared, available, question.metrics)]
        if not question.metrics:
            # Declared and never logged: a column that would be empty for everybody.
            metrics = [metric for metric in metrics if metric.labels] + self._for_others(reader, metrics, len(sessions), question)
        there = {(metric.info.group, metric.info.tag) for metric in metrics}
        more = [key for key in question.more if key not in there]
        metrics += [self._metric(reader, info, question) for info in _wanted(declared, available, more) if more]
        return Table(
            view.snapshot.epoch,
            sessions,
            hparams,
            tuple(metrics),
            tuple(available[:MOST_AVAILABLE]),
            group_sessions(hparams, len(sessions), [metric.values for metric in metrics], question.seeds),
        )

    def _trials(self, view: View, declared: Experiment, groups: set[str]) -> tuple[tuple[Session, ...], tuple[HparamColumn, ...]]:
        """Sessions and their hyperparameters, put together anew only when runs or records have changed."""
        tag = self._views.library.names.find(SESSION_START)
        started = started_runs(view, lambda events: self._start(events, tag))
        records = [start for each in started for start in each.starts]
        key = (id(view.runs), tuple(map(id, records)), declared, frozenset(groups))
        last = self._last
        if last is None or last.key != key:
            sessions = tuple(find_sessions(view, started, groups))
            last = self._last = _Trials(key, (view.runs, records), sessions, hparam_columns(sessions, declared))
        return last.sessions, last.hparams

    def _for_others(self, reader: MetricReader, metrics: Sequence[MetricColumn], count: int, question: Question) -> list[MetricColumn]:
        """Metrics of the sessions that have none of those that are declared."""
        without = np.full(count, True)
        for metric in metrics:
            without &= np.isnan(metric.values)
        if not without.any():
            return []
        tags = [(label, self._views.tag_name(tag)) for label, tag in reader.available(without)[:MOST_INFERRED]]
        known = {(metric.info.group, metric.info.tag) for metric in metrics}
        others = (self._metric(reader, MetricInfo(tag, group), question) for group, tag in tags if (group, tag) not in known)
        return [metric for metric in others if metric.labels]

    def _metric(self, reader: MetricReader, info: MetricInfo, question: Question) -> MetricColumn:
        goal = goal_in(info.description) or goal_of(info.tag)
        goal = _OTHER[goal] if info.tag in question.flipped else goal
        first = "validation" if info.dataset == "validation" else None
        found = reader.find(info.group, self._views.tag_id(info.tag), first, question.asked, goal)
        return MetricColumn(info, goal, found.values, found.labels)

    def _declared(self, view: View) -> Experiment:
        """What the experiments of all runs declare together: TensorBoard looks at one of them."""
        tag = self._views.library.names.find(EXPERIMENT)
        if tag < 0:
            return Experiment()
        found = [
            (natural_key(run.name), logged)
            for run in view.runs
            for file in run.files()
            if (logged := self._experiment(file.events, tag)) is not None
        ]
        return merged(logged for _, logged in sorted(found, key=lambda each: each[0]))

    def _start(self, events: EventFile, tag: int) -> SessionStart | None:
        """What one file logs, read again only when it has logged more of it."""
        count = _times(events, tag)
        if count == 0:
            return None

        def make() -> tuple[tuple[EventFile, SessionStart], int]:
            start = session_in(events, tag)
            return (events, start), 1 + len(start.values)

        return self._starts.get((id(events), count), make)[1]

    def _experiment(self, events: EventFile, tag: int) -> Experiment | None:
        count = _times(events, tag)
        if count == 0:
            return None

        def make() -> tuple[tuple[EventFile, Experiment], int]:
            found = merged(experiment(value) for value in values_of(events, tag))
            return (events, found), 1 + len(found.hparams) + len(found.metrics)

        return self._experiments.get((id(events), count), make)[1]


def _times(events: EventFile, tag: int) -> int:
    """How often a file has logged a record of hparams."""
    index = events.find(tag, Kind.HPARAMS) if tag >= 0 else -1
    return len(events.blobs(index)[0]) if index >= 0 else 0


def _wanted(declared: Experiment, available: Sequence[tuple[str, str]], asked: Collection[tuple[str, str]]) -> list[MetricInfo]:
    """The metrics asked for; else the declared ones; else those that most sessions have."""
    known = {(info.group, info.tag): info for info in declared.metrics}
    if asked:
        return [known.get((group, tag)) or MetricInfo(tag, group) for group, tag in asked]
    return list(declared.metrics) or [MetricInfo(tag, group) for group, tag in available[:MOST_INFERRED]]
