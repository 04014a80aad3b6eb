"""Session groups: sessions that belong together, with the metrics of the group, filtered and sorted as asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stepscope.compat.hparams import requests as q
from stepscope.compat.hparams.experiment import metric_run
from stepscope.compat.hparams.records import Experiment, Records, Session, Value
from stepscope.compat.linear_pattern import BadPattern, LinearPattern
from stepscope.compat.logged import found_one
from stepscope.compat.routes.scalars import columns_of
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, NotThere


@dataclass(frozen=True, slots=True)
class Metric:
    """The last value of a metric, or a mean of such."""

    group: str
    tag: str
    value: float
    step: int
    wall: float


@dataclass(slots=True)
class Group:
    """Sessions of one name, the values of the first, and the metrics that stand for all."""

    name: str
    monitor_url: str
    values: dict[str, Value]
    sessions: list[tuple[Session, list[Metric]]] = field(default_factory=list[tuple[Session, list[Metric]]])
    metrics: list[Metric] = field(default_factory=list[Metric])


def groups(served: Served, logged: Records, found: Experiment, request: q.GroupsRequest) -> list[Group]:
    """All groups that pass the filters, in order. Raises BadInput."""
    allowed = {q.chosen(status, q.STATUSES) for status in request.allowed_statuses}
    made: dict[str, Group] = {}
    for session in logged.sessions:
        if _status(session) not in allowed:
            continue
        name = session.group or session.run
        values = {key: value for key, value in session.values.items() if _finite(value)}
        group = made.setdefault(name, Group(name, session.monitor_url, values))
        group.sessions.append((session, _metrics(served, found, session)))
    for group in made.values():
        group.sessions.sort(key=lambda each: each[0].run)
        group.metrics = _aggregated(group, request)
    filters = [_filter(column) for column in request.col_params]
    kept = [group for group in made.values() if all(passes(group) for passes in filters)]
    kept.sort(key=lambda group: group.name)
    for column in reversed(request.col_params):
        _sort(kept, column)
    _reduce(kept, request.col_params)
    return kept


def json_of(group: Group) -> dict[str, Any]:
    """As TensorBoard prints its message."""
    return {
        "name": group.name,
        "hparams": group.values,
        "metricValues": [_metric_json(metric) for metric in group.metrics],
        "sessions": [
            {
                "name": session.run,
                "startTimeSecs": session.start_time,
                "endTimeSecs": session.end_time,
                "status": _status(session),
                "modelUri": session.model_uri,
                "metricValues": [_metric_json(metric) for metric in metrics],
                "monitorUrl": session.monitor_url,
            }
            for session, metrics in group.sessions
        ],
        "monitorUrl": group.monitor_url,
    }


def _metric_json(metric: Metric) -> dict[str, Any]:
    name = {"group": metric.group, "tag": metric.tag}
    return {"name": name, "value": metric.value, "trainingStep": metric.step, "wallTimeSecs": metric.wall}


def _finite(value: Value) -> bool:
    """JSON's values have no NaN and no infinities."""
    return not isinstance(value, float) or math.isfinite(value)


def _status(session: Session) -> str:
    return q.STATUSES[session.status] if session.status < len(q.STATUSES) else q.STATUSES[0]


def _metrics(served: Served, found: Experiment, session: Session) -> list[Metric]:
    metrics: list[Metric] = []
    for info in found.metrics:
        try:
            wall, step, value = columns_of(served, found_one(served, "scalars", metric_run(session.run, info.group), info.tag))
        except NotThere:
            continue
        if len(step):
            metrics.append(Metric(info.group, info.tag, float(value[-1]), int(step[-1]), float(wall[-1])))
    return metrics


def _aggregated(group: Group, request: q.GroupsRequest) -> list[Metric]:
    """Means over the sessions, or the metrics of the session in which one of them is least, greatest or in the middle."""
    how = q.chosen(request.aggregation_type, q.AGGREGATIONS)
    if how in ("AGGREGATION_UNSET", "AGGREGATION_AVG"):
        return _means(group)
    name = request.aggregation_metric or q.MetricName()
    measured = [(metric.value, metrics) for _, metrics in group.sessions for metric in metrics if _is(metric, name)]
    measured.sort(key=lambda each: each[0])
    if not measured:
        return []
    place = {"AGGREGATION_MIN": 0, "AGGREGATION_MAX": -1}.get(how, (len(measured) - 1) // 2)
    return measured[place][1]


def _means(group: Group) -> list[Metric]:
    by_name: dict[tuple[str, str], list[Metric]] = {}
    for _, metrics in group.sessions:
        for metric in metrics:
            by_name.setdefault((metric.group, metric.tag), []).append(metric)
    return [
        Metric(
            *name,
            sum(one.value for one in found) / len(found),
            sum(one.step for one in found) // len(found),
            sum(one.wall for one in found) / len(found),
        )
        for name, found in by_name.items()
    ]


def _is(metric: Metric, name: q.MetricName) -> bool:
    return (metric.group, metric.tag) == (name.group, name.tag)


def _value_of(column: q.ColParam) -> Callable[[Group], Value | None]:
    """What a column says about a group. Raises BadInput for a column of nothing."""
    name, metric = column.hparam, column.metric
    if metric is not None:
        return lambda group: next((one.value for one in group.metrics if _is(one, metric)), None)
    if name is None:
        raise BadInput("A column needs the field hparam or metric.", "bad_request")
    return lambda group: group.values.get(name)


def _filter(column: q.ColParam) -> Callable[[Group], bool]:
    value_of, test = _value_of(column), _test(column)

    def passes(group: Group) -> bool:
        value = value_of(group)
        return not column.exclude_missing_values if value is None else test(value)

    return passes


def _test(column: q.ColParam) -> Callable[[Value], bool]:
    if column.filter_regexp is not None:
        try:
            pattern = LinearPattern(column.filter_regexp)
        except BadPattern as problem:
            raise BadInput(f"The regular expression cannot be used: {problem}.", "bad_pattern") from None
        return lambda value: pattern.search(_of_type(value, str, "a regular expression"))
    if column.filter_interval is not None:
        low, high = _end(column.filter_interval.min_value), _end(column.filter_interval.max_value)
        return lambda value: low <= _of_type(value, float, "an interval") <= high
    if column.filter_discrete is not None:
        wanted = column.filter_discrete
        return lambda value: any(one == value for one in wanted)
    return lambda _: True


def _of_type(value: Value, kind: type[Any], what: str) -> Any:  # noqa: ANN401  # of the kind asked for
    if not isinstance(value, (float, int) if kind is float else kind):
        raise BadInput(f"The value {str(value)[:100]!r} cannot be filtered by {what}.", "bad_request")
    return value


def _end(given: float | str) -> float:
    try:
        return float(given)
    except ValueError:
        raise BadInput("The ends of an interval must be numbers.", "bad_request") from None


def _sort(found: list[Group], column: q.ColParam) -> None:
    order = q.chosen(column.order, q.ORDERS)
    if order == "ORDER_UNSPECIFIED":
        return
    value_of, down = _value_of(column), order == "ORDER_DESC"
    missing_is_largest = column.missing_values_first == down

    def key(group: Group) -> tuple[bool, str, Any]:
        value = value_of(group)
        # Values of different types are not compared, and those of one type stand together.
        kind = "" if value is None else "text" if isinstance(value, str) else "number"
        return (value is None) == missing_is_largest, kind, 0 if value is None else value

    found.sort(key=key, reverse=down)


def _reduce(found: list[Group], columns: list[q.ColParam]) -> None:
    """Leaves out the hyperparameters that are not asked for, when any column says whether it is."""
    if any(column.include_in_result is not None for column in columns):
        kept = {column.hparam for column in columns if column.include_in_result is not False}
        for group in found:
            group.values = {name: value for name, value in group.values.items() if name in kept}
