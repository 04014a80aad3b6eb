"""The hparams plugin where it differs from TensorBoard: experiments of several runs are merged, and nothing fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

import hparam_logs as hl
from log_folder import LogFolder
from stepscope import hparams as hp
from stepscope.compat.hparams.download import download
from stepscope.compat.hparams.experiment import json_of, metric_run
from stepscope.compat.hparams.groups import Group, Metric
from stepscope.compat.hparams.records import Experiment, HparamInfo, MetricInfo
from stepscope.compat.hparams.requests import ORDERS, chosen
from stepscope.compat.route import Body
from stepscope.model.errors import BadInput

PLUGIN = "/data/plugin/hparams"
ALL = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]


@pytest.fixture
def client(folder: LogFolder, serve: Callable[..., TestClient]) -> TestClient:
    """Two runs that declare different hyperparameters and metrics; one has its metrics below the log folder itself."""
    for run, name, metric in (("a", "lr", "loss"), ("b", "bs", "acc")):
        hl.declare(folder.path / run, [hp.HParam(name, hp.RealInterval(0.0, 9.0))], [hp.Metric(metric)])
    hl.declare(folder.path / "c", [hp.HParam("lr", hp.RealInterval(-1.0, 2.0))], [hp.Metric("loss")])
    hl.trial(folder.path / "a", {"lr": 0.5, "mixed": "x"}, {"loss": [3.0, 1.0]})
    hl.trial(folder.path / "b", {"bs": 8.0, "mixed": 2.0}, {"acc": [0.25]})
    return serve(folder)


def ask(client: TestClient, route: str, request: dict[str, Any]) -> Any:
    answer = client.post(f"{PLUGIN}/{route}", content=json.dumps(request), headers={"content-type": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_all_runs_declare_is_merged(client: TestClient) -> None:
    found = ask(client, "experiment", {})
    domains = {info["name"]: info["domainInterval"] for info in found["hparamInfos"]}
    assert domains == {"bs": {"minValue": 0.0, "maxValue": 9.0}, "lr": {"minValue": -1.0, "maxValue": 9.0}}
    assert [info["name"]["tag"] for info in found["metricInfos"]] == ["loss", "acc"]


def test_groups_have_the_metrics_of_all(client: TestClient) -> None:
    found = ask(client, "session_groups", {"allowedStatuses": ALL, "sliceSize": 9})
    assert found["totalSize"] == 2
    values = [{one["name"]["tag"]: one["value"] for one in group["metricValues"]} for group in found["sessionGroups"]]
    assert sorted(values, key=str) == [{"acc": 0.25}, {"loss": 1.0}]


def test_values_of_several_types_can_be_sorted(client: TestClient) -> None:
    columns = [{"hparam": "mixed", "order": "ORDER_DESC"}]
    found = ask(client, "session_groups", {"allowed_statuses": ALL, "slice_size": 9, "col_params": columns})
    assert [group["hparams"]["mixed"] for group in found["sessionGroups"]] == ["x", 2.0]


def test_a_filter_that_does_not_fit_a_value_is_refused(client: TestClient) -> None:
    for test in ({"filterRegexp": "x"}, {"filterInterval": {"minValue": 0}}):
        request = {"allowedStatuses": ALL, "sliceSize": 9, "colParams": [{"hparam": "mixed", **test}]}
        assert client.get(f"{PLUGIN}/session_groups", params={"request": json.dumps(request)}).status_code == 400


@pytest.mark.parametrize(("session", "group", "run"), [("a", "", "a"), ("a", "val", "a/val"), (".", "val", "val"), (".", "", ".")])
def test_the_run_of_a_metric(session: str, group: str, run: str) -> None:
    assert metric_run(session, group) == run


def test_a_choice_is_a_name_or_a_place() -> None:
    assert (chosen(1, ORDERS), chosen("ORDER_DESC", ORDERS)) == ("ORDER_ASC", "ORDER_DESC")
    for bad in (-1, 3, "x"):
        with pytest.raises(BadInput):
            chosen(bad, ORDERS)


def test_a_table_as_latex() -> None:
    found = Experiment(hparams=[HparamInfo("a_b"), HparamInfo("on")], metrics=[MetricInfo("", "x"), MetricInfo("", "y")])
    group = Group("g", "", {"a_b": "50%", "on": True}, [], [Metric("", "x", 1.5e-7, 0, 0.0)])
    answer = download(found, [group], "latex", [True] * 4)
    assert isinstance(answer, Body)
    lines = answer.data.decode().splitlines()
    assert lines[2:4] == [r"a\_b & on & x & y \\ \hline", r"50\% & $1$ & $1.5\cdot 10^{-7}$ & - \\"]


def test_an_empty_folder_has_an_empty_experiment(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    client = serve(folder)
    assert ask(client, "experiment", {}) == json_of(Experiment())
    assert ask(client, "session_groups", {"allowedStatuses": ALL}) == {"sessionGroups": [], "totalSize": 0}
