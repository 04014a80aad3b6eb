"""Asks the real TensorBoard everything about a log folder and prints questions with answers as JSON; runs with the peers' Python."""
# pyright: reportMissingImports=false

import base64
import json
import sys
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tensorboard import default, program

FORM = "application/x-www-form-urlencoded"


class Board:
    """A running TensorBoard that remembers every question and its answer."""

    def __init__(self, folder: str) -> None:
        board = program.TensorBoard(plugins=default.get_plugins())
        samples = ",".join(f"{name}=100000" for name in ("scalars", "images", "audio", "histograms", "text", "pr_curves", "mesh"))
        place = ["--logdir", folder, "--port", "0", "--host", "127.0.0.1", "--window_title", "A title"]
        loading = ["--load_fast=false", "--reload_task=blocking", "--reload_interval=0", "--samples_per_plugin", samples]
        board.configure(argv=["tensorboard", *place, *loading])
        self.address = board.launch().rstrip("/")
        self.asked: list[dict[str, Any]] = []

    def ask(self, path: str, body: str | None = None, kind: str = "", **query: Any) -> Any:
        place = path + ("?" + urlencode(query, doseq=True) if query else "")
        request = Request(self.address + place, None if body is None else body.encode(), {"Content-Type": kind} if kind else {})
        try:
            with urlopen(request) as answer:
                status, content_type, data = answer.status, answer.headers["Content-Type"], answer.read()
        except HTTPError as error:
            status, content_type, data = error.code, error.headers["Content-Type"], error.read()
        self.asked.append(
            {
                "path": place,
                "body": body,
                "kind": kind,
                "status": status,
                "type": (content_type or "").partition(";")[0],
                "data": base64.b64encode(data).decode(),
            }
        )
        return json.loads(data) if status == 200 and content_type.startswith("application/json") else None

    def plugin(self, plugin: str, route: str, body: str | None = None, kind: str = "", **query: Any) -> Any:
        return self.ask(f"/data/plugin/{plugin}/{route}", body, kind, **query)


def pairs(tags: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for run, names in tags.items():
        for tag in names:
            yield run, tag


def core(board: Board) -> None:
    for name in ("environment", "logdir", "window_properties", "runs", "runs/", "experiments", "experiment_runs", "plugins_listing"):
        board.ask(f"/data/{name}")
    board.ask("/experiment/some-id/data/runs")
    board.ask("/data/nothing")


def scalars(board: Board) -> None:
    tags = board.plugin("scalars", "tags")
    for run, tag in pairs(tags):
        board.plugin("scalars", "scalars", run=run, tag=tag)
        board.plugin("scalars", "scalars", run=run, tag=tag, format="csv")
    form = urlencode({"tag": "loss", "runs": [*tags, "no such run"]}, doseq=True)
    board.plugin("scalars", "scalars_multirun", form, FORM)
    board.plugin("scalars", "scalars_multirun", urlencode({"tag": "loss"}), FORM)
    board.plugin("scalars", "scalars_multirun")
    board.plugin("scalars", "scalars_multirun", urlencode({"runs": "a"}), FORM)
    board.plugin("scalars", "scalars", run="a")
    board.plugin("scalars", "scalars", run="no such run", tag="loss")
    board.plugin("scalars", "scalars", run=next(iter(tags)), tag="no such tag")


def timeseries(board: Board) -> None:
    tags = board.plugin("timeseries", "tags")
    requests: list[dict[str, Any]] = [
        {"plugin": "scalars", "tag": tag} for run in tags["scalars"]["runTagInfo"].values() for tag in run
    ]
    requests += [{"plugin": "histograms", "tag": tag, "run": run} for run, tag in pairs(tags["histograms"]["runTagInfo"])]
    requests += [
        {"plugin": "images", "tag": tag, "run": run, "sample": sample}
        for tag, runs in tags["images"]["tagRunSampledInfo"].items()
        for run in runs
        for sample in (0, 1, 2, 7)
    ]
    requests += [{"plugin": "scalars"}, {"plugin": "other", "tag": "x"}, {"plugin": "histograms", "tag": "x"}]
    requests += [{"plugin": "images", "tag": "x", "run": "y"}, {"plugin": "images", "tag": "x", "run": "y", "sample": 0}]
    requests += [{"plugin": "scalars", "tag": "loss", "run": "no such run"}]
    found = board.plugin("timeseries", "timeSeries", urlencode({"requests": json.dumps(requests)}), FORM)
    board.plugin("timeseries", "timeSeries", requests=json.dumps(requests[:2]))
    board.plugin("timeseries", "timeSeries")
    board.plugin("timeseries", "timeSeries", requests="{")
    for answer in found:
        for series in answer.get("runToSeries", {}).values():
            for datum in series[:2]:
                if "imageId" in datum:
                    board.plugin("timeseries", "imageData", imageId=datum["imageId"])


def media(board: Board, plugin: str, single: str) -> None:
    tags = board.plugin(plugin, "tags")
    for run, names in tags.items():
        for tag, about in names.items():
            for sample in range(about["samples"]):
                for datum in board.plugin(plugin, plugin, run=run, tag=tag, sample=sample):
                    board.ask(f"/data/plugin/{plugin}/{single}?{datum['query']}")
            board.plugin(plugin, plugin, run=run, tag=tag)
    board.plugin(plugin, plugin, run="no such run", tag="x")


def series(board: Board, plugin: str) -> None:
    tags = board.plugin(plugin, "tags")
    for run, tag in pairs(tags):
        board.plugin(plugin, plugin, run=run, tag=tag)


def text(board: Board) -> None:
    for run, tag in pairs(board.plugin("text", "tags")):
        board.plugin("text", "text", run=run, tag=tag)
        board.plugin("text", "text", run=run, tag=tag, markdown="false")
    board.plugin("text", "text", run="no such run", tag="x")


def pr_curves(board: Board) -> None:
    for run, tag in pairs(board.plugin("pr_curves", "tags")):
        board.plugin("pr_curves", "pr_curves", run=[run], tag=tag)
    board.plugin("pr_curves", "pr_curves", run=["no such run"], tag="x")
    board.plugin("pr_curves", "pr_curves", run=["a"])


def mesh(board: Board) -> None:
    for run, tag in pairs(board.plugin("mesh", "tags")):
        for step in {one["step"] for one in board.plugin("mesh", "meshes", run=run, tag=tag, sample=0)}:
            for content in ("VERTEX", "FACE", "COLOR", "OTHER"):
                board.plugin("mesh", "data", run=run, tag=tag, sample=0, step=step, content_type=content)
    board.plugin("mesh", "meshes", run="no such run", tag="x", sample=0)
    board.plugin("mesh", "data", run="no such run", tag="x", content_type="VERTEX")


def custom_scalars(board: Board) -> None:
    board.plugin("custom_scalars", "layout")
    for run, tag in pairs(board.plugin("scalars", "tags")):
        board.plugin("custom_scalars", "download_data", run=run, tag=tag, format="csv")
        for pattern in (tag, "lo.*", "(?:loss|acc)$", ".*/a[a-c]+", "^[^l]", "no(pe", ""):
            board.plugin("custom_scalars", "scalars", run=run, tag=pattern)
    board.plugin("custom_scalars", "scalars", run="no such run", tag=".*")
    board.plugin("custom_scalars", "download_data", run="no such run", tag="x")


ALL = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]


def hparams(board: Board) -> None:
    def ask(route: str, request: dict[str, Any], **query: Any) -> Any:
        board.plugin("hparams", route, request=json.dumps(request), **query)
        return board.plugin("hparams", route, json.dumps(request), "application/json", **query)

    found = ask("experiment", {"experimentName": ""})
    ask("experiment", {"hparamsLimit": 1, "includeMetrics": False})
    board.plugin("hparams", "experiment")
    board.plugin("hparams", "experiment", request="{")
    board.plugin("hparams", "experiment", request='{"nothing": 1}')
    whole: dict[str, Any] = {"allowedStatuses": ALL, "sliceSize": 100}
    answer = ask("session_groups", whole)
    ask("session_groups", {"sliceSize": 100})
    ask("session_groups", {**whole, "allowedStatuses": [1, "STATUS_RUNNING"]})
    ask("session_groups", {**whole, "startIndex": 1, "sliceSize": 1})
    ask("session_groups", {**whole, "include_metrics": False})
    names = [{"hparam": info["name"]} for info in found["hparamInfos"]] + [{"metric": info["name"]} for info in found["metricInfos"]]
    for name in names:
        for how in ("ORDER_ASC", "ORDER_DESC"):
            ask("session_groups", {**whole, "colParams": [{**name, "order": how, "missingValuesFirst": how == "ORDER_ASC"}]})
    for info in found["metricInfos"]:
        for how in ("AVG", "MEDIAN", "MIN", "MAX"):
            ask("session_groups", {**whole, "aggregationType": f"AGGREGATION_{how}", "aggregationMetric": info["name"]})
        interval = {"minValue": "-Infinity", "maxValue": 0.5}
        ask(
            "session_groups",
            {**whole, "colParams": [{"metric": info["name"], "filterInterval": interval, "excludeMissingValues": True}]},
        )
        for group in answer["sessionGroups"]:
            for session in group["sessions"]:
                ask("metric_evals", {"sessionName": session["name"], "metricName": info["name"]})
    for info in found["hparamInfos"]:
        filters: list[dict[str, Any]] = [{"filterDiscrete": [0.1, "sgd", True, 16.0, "a"]}, {"includeInResult": True}]
        filters += [{"filterRegexp": "^(a|sg)"}] if info["type"] == "DATA_TYPE_STRING" else []
        filters += [{"filterInterval": {"minValue": 0.15, "maxValue": 20}}] if info["type"] == "DATA_TYPE_FLOAT64" else []
        for each in filters:
            ask("session_groups", {**whole, "colParams": [{"hparam": info["name"], **each}]})
    ask("session_groups", {**whole, "colParams": [{"order": "ORDER_ASC"}]})
    ask("metric_evals", {"sessionName": "no such run", "metricName": {"tag": "x"}})
    visible = json.dumps([True] * (len(names) - 1) + [False])
    for form in ("csv", "json", "latex", "other"):
        board.plugin("hparams", "download_data", format=form, columnsVisibility=visible, request=json.dumps(whole))


def graphs(board: Board) -> None:
    for run, about in board.plugin("graphs", "info").items():
        tags = [None] * about["run_graph"] + [tag for tag, shown in about["tags"].items() if shown["op_graph"]]
        for tag in tags:
            named = {"run": run} | ({} if tag is None else {"tag": tag})
            board.plugin("graphs", "graph", **named)
            for limit in (1, 40, 1024):
                board.plugin("graphs", "graph", **named, limit_attr_size=limit, large_attrs_key="_large")
            board.plugin("graphs", "graph", **named, limit_attr_size="x")
        for tag, shown in about["tags"].items():
            if shown["conceptual_graph"]:
                board.plugin("graphs", "graph", run=run, tag=tag, conceptual="true")
                board.plugin("graphs", "graph", run=run, tag=tag, conceptual="true", limit_attr_size=4, large_attrs_key="_large")
            if shown["profile"]:
                board.plugin("graphs", "run_metadata", run=run, tag=tag)
    board.plugin("graphs", "graph")
    board.plugin("graphs", "graph", run="no such run")
    board.plugin("graphs", "run_metadata", run="no such run")
    board.plugin("graphs", "run_metadata", run="no such run", tag="x")


def projector(board: Board) -> None:
    for run in board.plugin("projector", "runs"):
        for embedding in board.plugin("projector", "info", run=run)["embeddings"]:
            named = {"run": run, "name": embedding["tensorName"]}
            wanted: list[dict[str, Any]] = [{}, {"num_rows": 2}, {"num_rows": "x"}]
            for rows in wanted:
                board.plugin("projector", "tensor", **named, **rows)
                board.plugin("projector", "metadata", **named, **rows)
            board.plugin("projector", "bookmarks", **named)
            board.plugin("projector", "sprite_image", **named)
        board.plugin("projector", "tensor", run=run, name="no such name")
    board.plugin("projector", "info", run="no such run")
    board.plugin("projector", "info")


def everything(board: Board) -> None:
    core(board)
    scalars(board)
    timeseries(board)
    media(board, "images", "individualImage")
    media(board, "audio", "individualAudio")
    for plugin in ("histograms", "distributions"):
        series(board, plugin)
        board.plugin(plugin, plugin, run="no such run", tag="x")
    text(board)
    pr_curves(board)
    mesh(board)
    custom_scalars(board)
    hparams(board)
    graphs(board)
    projector(board)


if __name__ == "__main__":
    found: dict[str, Any] = {}
    for folder in sys.argv[1:]:
        board = Board(folder)
        everything(board)
        found[folder] = board.asked
    print(json.dumps(found))
