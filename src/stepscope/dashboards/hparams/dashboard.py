"""The routes of the HParams tab: one table over all runs and all experiments that declare hyperparameters."""

from __future__ import annotations

from collections.abc import Mapping

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.hparams import messages as m
from stepscope.dashboards.hparams.importance_route import IMPORTANCE_ROUTE
from stepscope.dashboards.hparams.reading import asked, check_count
from stepscope.dashboards.route import Dashboard, Frame, FrameOf, Role, Route
from stepscope.model.kinds import Kind
from stepscope.queries.hparams.reader import Question
from stepscope.queries.hparams.sessions import Session
from stepscope.queries.hparams.table import Groups, HparamColumn, MetricColumn, Spread
from stepscope.queries.hyperparameters import text_of
from stepscope.queries.run_facts import run_facts
from stepscope.queries.run_status import status_of


def table(context: RequestContext, request: m.HparamsRequest, _: Mapping[str, str]) -> Frame:
    """Every hyperparameter and the asked metrics of all sessions, and their spread over repetitions."""
    check_count(max(len(request.metrics), len(request.more)), "metrics", m.MAX_METRICS)
    check_count(len(request.seeds or []), "seeds", m.MAX_SEEDS)
    question = Question(
        tuple((metric.group, metric.tag) for metric in request.metrics),
        tuple((metric.group, metric.tag) for metric in request.more),
        asked(request),
        frozenset(request.flipped),
        None if request.seeds is None else tuple(request.seeds),
    )
    found = context.reads.hparams.table(context.reads.views.view(request.fold), question)
    builder = FrameBuilder()
    now = context.clock()
    groups = found.groups
    header = m.HparamsHeader(
        found.epoch,
        [_session(session, now) for session in found.sessions],
        [_hparam(builder, column, groups) for column in found.hparams],
        [_metric(builder, column, spread) for column, spread in zip(found.metrics, groups.spreads, strict=True)],
        [m.MetricName(tag, group) for group, tag in found.available],
        builder.add(m.RepeatColumns, {"of": groups.of, "size": groups.size}),
    )
    return Frame(builder.finish(header))


def _session(session: Session, now: float) -> m.TrialRow:
    run = session.run
    return m.TrialRow(str(run.record.id), run.experiment or run.name, status_of(run, run_facts(run), now)[0], session.group)


def _hparam(builder: FrameBuilder, column: HparamColumn, groups: Groups) -> m.HparamHeader:
    info = column.info
    low, high = info.interval or (None, None)
    return m.HparamHeader(
        name=info.name,
        display_name=info.display_name,
        description=info.description,
        kind=column.kind,
        words=list(column.words),
        choices=[text_of(choice) for choice in info.choices],
        low=low,
        high=high,
        distinct=column.distinct,
        seed=info.name in groups.seeds,
        columns=builder.add(m.HparamColumns, {"numbers": column.numbers, "codes": column.codes}),
    )


def _metric(builder: FrameBuilder, column: MetricColumn, spread: Spread) -> m.MetricHeader:
    info = column.info
    arrays = {"values": column.values, "n": spread.n, "mean": spread.mean, "sd": spread.sd, "ci95": spread.ci95}
    return m.MetricHeader(
        tag=info.tag,
        group=info.group,
        display_name=info.display_name,
        description=info.description,
        goal=column.goal,
        found_in=list(column.labels),
        columns=builder.add(m.MetricColumns, arrays),
    )


HPARAMS = Dashboard(
    id="hparams",
    label="HParams",
    kinds=frozenset({Kind.HPARAMS}),
    routes=(
        Route(
            "POST",
            "/hparams/table",
            Role.VIEWER,
            "Hyperparameters and metrics of all runs",
            table,
            m.HparamsRequest,
            FrameOf(m.HparamsHeader),
        ),
        IMPORTANCE_ROUTE,
    ),
)
