"""TensorBoard's hparams plugin; hyperparameters and metrics of all runs are put together, where TensorBoard takes those of one."""

from __future__ import annotations

import msgspec

from stepscope.compat.hparams import requests as q
from stepscope.compat.hparams.download import download
from stepscope.compat.hparams.experiment import experiment, metric_run
from stepscope.compat.hparams.experiment import json_of as experiment_json
from stepscope.compat.hparams.groups import groups
from stepscope.compat.hparams.groups import json_of as group_json
from stepscope.compat.hparams.records import records
from stepscope.compat.json_text import answer
from stepscope.compat.route import Answer, Question, plugin_route
from stepscope.compat.routes.scalars import points_answer
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput

PLUGIN = "hparams"


def _experiment(served: Served, question: Question) -> Answer:
    request = q.asked(question, q.ExperimentRequest)
    limit = max(request.hparams_limit or 0, 0)
    found = experiment(served, records(served), metrics=request.include_metrics is not False, limit=limit)
    return answer(experiment_json(found))


def _session_groups(served: Served, question: Question) -> Answer:
    request = q.asked(question, q.GroupsRequest)
    logged = records(served)
    found = groups(served, logged, experiment(served, logged, metrics=request.include_metrics is not False), request)
    return answer({"sessionGroups": [group_json(group) for group in q.part(found, request)], "totalSize": len(found)})


def _metric_evals(served: Served, question: Question) -> Answer:
    request = q.asked(question, q.EvalsRequest)
    return points_answer(served, metric_run(request.session_name, request.metric_name.group), request.metric_name.tag, None)


def _download_data(served: Served, question: Question) -> Answer:
    try:
        visible = msgspec.json.decode(question.needed("columnsVisibility"), type=list[bool])
    except (msgspec.DecodeError, RecursionError):
        raise BadInput("The parameter columnsVisibility must be a JSON array of true and false.", "bad_parameter") from None
    request = q.asked(question, q.GroupsRequest)
    logged = records(served)
    found = experiment(served, logged, metrics=request.include_metrics is not False)
    return download(found, q.part(groups(served, logged, found, request), request), question.arg("format"), visible)


ROUTES = (
    plugin_route(PLUGIN, "experiment", "Hyperparameters and metrics.", _experiment),
    plugin_route(PLUGIN, "session_groups", "Session groups with their values and metrics.", _session_groups),
    plugin_route(PLUGIN, "metric_evals", "Points of a metric of a session.", _metric_evals),
    plugin_route(PLUGIN, "download_data", "Session groups as CSV, JSON or LaTeX.", _download_data),
)
