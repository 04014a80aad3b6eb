"""The route of the importance of hyperparameters: a job computes it, and who asks again gets what has become of it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.hparams import messages as m
from stepscope.dashboards.hparams.reading import asked, check_count
from stepscope.dashboards.route import Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model.errors import NotThere
from stepscope.queries.hparams.importance import HparamImportance, Importance, Interval, importance
from stepscope.queries.hparams.reader import Question

WAIT = 2.0
"""Seconds that a request waits before it answers that the work goes on."""
_LEASE = 20.0
"""Seconds after which work stops that nobody asks for any more."""


def start_importance(context: RequestContext, request: m.ImportanceRequest, _: Mapping[str, str]) -> Waiting:
    """How much each hyperparameter matters for one metric. Raises TooMuch or BadInput."""
    check_count(len(request.runs), "runs", m.MAX_RUNS)
    check_count(len(request.seeds or []), "seeds", m.MAX_SEEDS)
    metric = (request.metric.group, request.metric.tag)
    seeds = None if request.seeds is None else tuple(request.seeds)
    question = Question((metric,), (), asked(request), frozenset(request.flipped), seeds)
    view = context.reads.views.view(request.fold)

    def work(job: Job[Importance]) -> Importance:
        table = context.reads.hparams.table(view, question)
        if not table.metrics:
            raise NotThere(f"No run has the metric {request.metric.tag}.", "no_such_metric")
        values = table.metrics[0].values.copy()
        if request.runs:
            wanted = set(request.runs)
            values[[str(session.run.record.id) not in wanted for session in table.sessions]] = np.nan
        compared = [column for column in table.hparams if column.info.name not in table.groups.seeds]
        return importance(compared, values, table.groups.of, lambda done, total: job.report(done, total, "forests"))

    key = ("hparams/importance", view.snapshot.epoch, msgspec.json.encode(request))
    job = context.jobs.submit(key, f"Importance for {request.metric.tag}", work, owner=context.user.id, lease=_LEASE)
    return Waiting(job, WAIT, lambda: _answer(job))


def _answer(job: Job[Importance]) -> m.ImportanceAnswer:
    if not job.over:
        return m.ImportanceAnswer(False, job.progress.done / (job.progress.total or 1))
    found = job.result()
    return m.ImportanceAnswer(True, 1.0, found.runs, found.used, found.explained, found.missing, [_row(row) for row in found.rows])


def _row(row: HparamImportance) -> m.ImportanceRow:
    return m.ImportanceRow(row.name, row.n, _interval(row.rank), _interval(row.share))


def _interval(found: Interval | None) -> m.IntervalRow | None:
    return None if found is None else m.IntervalRow(found.value, found.low, found.high)


IMPORTANCE_ROUTE = Route(
    "POST",
    "/hparams/importance",
    Role.VIEWER,
    "Importance of hyperparameters for a metric",
    start_importance,
    m.ImportanceRequest,
    m.ImportanceAnswer,
)
