"""Graphs over HTTP: sources of runs, views, nodes, search, uploads, and times of a profile on the nodes."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from event_bytes import record
from graph_bytes import graph_def
from log_folder import LogFolder
from sample_files import SAMPLES, needs
from stepscope import SummaryWriter
from stepscope.dashboards.graphs.statistics import NodeStatistics
from stepscope.session.parts.graph import GRAPH
from stepscope.writer.graph import GraphNode, graph_event
from stepscope.writer.graph import graph_def as written
from stepscope.writer.summary import Moment

LINES = ["x: Placeholder", "a/w: Const", "a/mul: MatMul x a/w", "b: Relu a/mul"]


@pytest.fixture
def run(folder: LogFolder, client: TestClient) -> str:
    (folder.path / "one").mkdir()
    (folder.path / "one" / "graph.pb").write_bytes(graph_def(LINES))
    folder.load()
    (row,) = client.get("/api/v1/runs").json()["runs"]
    return row["id"]


def opened(client: TestClient, **fields: str) -> Any:
    for _ in range(200):
        answer = client.get("/api/v1/graphs/graphs", params=fields)
        if answer.status_code != 200 or answer.json()["job"] is None:
            return answer
    raise AssertionError("it never finished")


def test_a_file_of_a_run_is_a_source(client: TestClient, run: str) -> None:
    (source,) = client.get("/api/v1/graphs/sources").json()["sources"]
    assert (source["run"], source["source"], source["kind"]) == (run, "file/graph.pb", "file")
    answer = opened(client, run=run, source="file/graph.pb").json()
    (graph,) = answer["graphs"]
    assert (graph["nodes"], graph["edges"], graph["control_edges"], graph["scopes"]) == (4, 3, 0, 1)


def test_a_view_has_rows_edges_and_a_trace(client: TestClient, run: str) -> None:
    body: dict[str, Any] = {"run": run, "source": "file/graph.pb", "open": ["a/"], "trace": "a/mul"}
    found = client.post("/api/v1/graphs/view", json=body).json()
    rows = found["rows"]
    assert [(row["path"], row["parent"], row["open"], row["traced"]) for row in rows] == [
        ("a/", None, True, 2),
        ("x", None, False, 1),
        ("b", None, False, 0),
        ("a/w", 0, False, 1),
        ("a/mul", 0, False, 1),
    ]
    edges = {(rows[edge["source"]]["path"], rows[edge["target"]]["path"]) for edge in found["edges"]}
    assert edges == {("x", "a/mul"), ("a/w", "a/mul"), ("a/mul", "b")}
    assert (found["cut"], found["reading"], found["most_us"]) == (False, False, None)
    assert client.post("/api/v1/graphs/view", json={**body, "trace": "nothing"}).json()["error"]["code"] == "unknown_node"
    assert client.post("/api/v1/graphs/view", json={**body, "open": ["x"] * 5_001}).json()["error"]["code"] == "too_many_paths"
    assert client.post("/api/v1/graphs/view", json={**body, "graph": "other"}).json()["error"]["code"] == "unknown_graph"


def test_a_node_and_a_scope_have_cards(client: TestClient, run: str) -> None:
    node = client.get("/api/v1/graphs/node", params={"run": run, "source": "file/graph.pb", "path": "a/mul"}).json()
    assert (node["op"], [each["node"] for each in node["inputs"]], [each["node"] for each in node["outputs"]]) == (
        "MatMul",
        ["x", "a/w"],
        ["b"],
    )
    scope = client.get("/api/v1/graphs/node", params={"run": run, "source": "file/graph.pb", "path": "a/"}).json()
    assert (scope["is_scope"], scope["nodes"], {each["op"] for each in scope["ops"]}) == (True, 2, {"Const", "MatMul"})
    missing = client.get("/api/v1/graphs/node", params={"run": run, "source": "file/graph.pb", "path": "a"})
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "unknown_node")


def test_search_finds_nodes(client: TestClient, run: str) -> None:
    params = {"run": run, "source": "file/graph.pb", "words": "mul"}
    assert [each["path"] for each in client.get("/api/v1/graphs/search", params=params).json()["matches"]] == ["a/mul"]
    assert client.get("/api/v1/graphs/search", params={**params, "words": " "}).json()["error"]["code"] == "no_words"


def test_a_logged_graph_is_a_source(client: TestClient, folder: LogFolder) -> None:
    with SummaryWriter(str(folder.path / "logged")) as writer:
        writer.add_scalar("x", 1.0, 0)
    nodes = [GraphNode("in", "IO Node", [], {}), GraphNode("m/lin", "aten::linear", ["in"], {})]
    (folder.path / "logged" / "events.out.tfevents.9").write_bytes(record(graph_event(written(nodes), Moment(0, 1.0))))
    folder.load()
    (source,) = client.get("/api/v1/graphs/sources").json()["sources"]
    answer = opened(client, run=source["run"], source=source["source"]).json()
    assert [(graph["nodes"], graph["edges"]) for graph in answer["graphs"]] == [(2, 1)]


def test_uploads_are_sources_of_their_own(client: TestClient, run: str) -> None:
    data = graph_def(LINES)
    first = client.post("/api/v1/graphs/upload", json={"upload": "", "data": base64.b64encode(data[:9]).decode(), "last": False})
    name = first.json()["upload"]
    rest = {"upload": name, "data": base64.b64encode(data[9:]).decode(), "last": True, "name": "g.pb"}
    assert client.post("/api/v1/graphs/upload", json=rest).json() == {"upload": name}
    assert opened(client, run="upload", source=name).json()["graphs"][0]["nodes"] == 4
    bad = client.post("/api/v1/graphs/upload", json={"data": base64.b64encode(b"hello").decode(), "name": "g.txt"})
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, "unknown_graph")
    assert opened(client, run="upload", source="other").json()["error"]["code"] == "unknown_graph"


@pytest.mark.parametrize("source", ["", "file/other.pb", "graph/none", "programs/none", "what/ever"])
def test_unknown_sources_are_not_there(client: TestClient, run: str, source: str) -> None:
    assert opened(client, run=run, source=source).status_code == 404


@needs("tf1_run_metadata")
def test_times_of_a_traced_step_are_on_the_nodes(client: TestClient, folder: LogFolder) -> None:
    sample = SAMPLES / "tf1_run_metadata"
    (folder.path / "run").mkdir()
    for name in ("events.out.tfevents.1794771156.vm", "graph.pb"):
        (folder.path / "run" / name).write_bytes((sample / name).read_bytes())
    folder.load()
    sources = {each["source"]: each for each in client.get("/api/v1/graphs/sources").json()["sources"]}
    assert sources.keys() == {
        "graph/__run_graph__",
        "graph/__meta_graph__",
        "run_metadata/step009",
        "run_metadata/step019",
        "file/graph.pb",
    }
    run = sources["graph/__run_graph__"]["run"]
    answer = opened(client, run=run, source="graph/__run_graph__").json()
    assert (answer["graphs"][0]["nodes"], {each["name"] for each in answer["sessions"]}) == (162, {"step009", "step019"})
    assert opened(client, run=run, source="file/graph.pb").json()["graphs"][0]["nodes"] == 163  # with the node `init`
    session = next(each["id"] for each in answer["sessions"] if each["name"] == "step019")
    body = {"run": run, "source": "graph/__run_graph__", "open": ["conv1/"], "statistics": session}
    view: dict[str, Any] = {}
    for _ in range(100):
        view = client.post("/api/v1/graphs/view", json=body).json()
        if not view["reading"]:
            break
    rows = {each["path"]: each for each in view["rows"]}
    assert sum(row["with_time"] for row in view["rows"] if row["parent"] is None) == 78
    assert (rows["conv1/Conv2D"]["us"], rows["conv1/Conv2D"]["with_time"]) == (None, 0)
    assert (rows["conv1/"]["with_time"], {each["name"]: each["nodes"] for each in rows["conv1/"]["reasons"]}["fused"]) == (12, 2)
    assert rows["conv1/Relu"]["us"] > 2_000
    assert rows["conv1/Relu"]["bytes"] > 4 << 20
    assert view["most_us"] == max(row["us"] or 0 for row in view["rows"] if not row["open"])
    node = client.get("/api/v1/graphs/node", params={**body, "open": None, "path": "conv1/Relu"}).json()
    assert (node["statistics"]["us"], node["shape"], node["reading"]) == (rows["conv1/Relu"]["us"], "[?,28,28,16]", False)
    gone = client.get("/api/v1/graphs/node", params={**body, "open": None, "path": "conv1/Conv2D"}).json()
    assert (gone["missing"]["reason"], gone["missing"]["into"], node["missing"]) == ("fused", "conv1/Relu", None)
    parts = opened(client, run=run, source="run_metadata/step019").json()["graphs"]
    assert [(each["kind"], each["nodes"]) for each in parts] == [("partition", 82)]
    nodes = client.get(f"/api/v1/profile/{session}/{GRAPH.id}").json()["answer"]["nodes"]
    assert len(nodes) == 83


def test_sums_of_nodes_without_statistics_are_unknown() -> None:
    marks = np.array([True, False, True])
    found = NodeStatistics(np.array([2.0, 0, 3.0]), np.array([0, 0, 7]), marks, np.array([False, False, True]))
    assert found.sums(np.array([0, 1], np.int32)) == (2.0, None, 1, 0)
    assert found.sums(np.array([1], np.int32)) == (None, None, 0, 0)
    assert found.sums(np.array([0, 2], np.int32)) == (5.0, 7, 2, 1)


def test_findings_and_differences(client: TestClient, run: str) -> None:
    found = client.get("/api/v1/graphs/findings", params={"run": run, "source": "file/graph.pb"}).json()["findings"]
    assert {each["rule"]: each["verdict"] for each in found}["constant"] == "quiet"
    data = base64.b64encode(graph_def([*LINES, "new: Neg b"])).decode()
    name = client.post("/api/v1/graphs/upload", json={"data": data, "name": "g.pb"}).json()["upload"]
    params = {"run": "upload", "source": name, "against_run": run, "against_source": "file/graph.pb"}
    answer = client.get("/api/v1/graphs/compare", params=params).json()
    assert (answer["same"], answer["added"], [each["node"] for each in answer["differences"]]) == (4, 1, ["new"])
