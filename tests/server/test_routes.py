"""Every route answers what docs/http-api.md says, in the shapes it says."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from log_folder import START, LogFolder, decay
from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS
from stepscope.writer import SummaryWriter

DTYPES = {"f64": "<f8", "i32": "<i4", "u8": "u1"}


def frame(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and buffers of a frame."""
    size = int.from_bytes(data[:4], "little")
    start = (4 + size + 7) // 8 * 8
    assert not any(data[4 + size : start])
    return json.loads(data[4 : 4 + size]), data[start:]


def column(place: dict[str, Any], buffers: bytes) -> np.ndarray[Any, Any]:
    """One column of a frame; every one is aligned as a browser needs it."""
    assert place["offset"] % 8 == 0
    return np.frombuffer(buffers, DTYPES[place["dtype"]], place["count"], place["offset"])


def run_id(client: TestClient, name: str = "a") -> str:
    """The id of the run with that name."""
    return next(run["id"] for run in client.get("/api/v1/runs").json()["runs"] if run["name"] == name)


def test_the_folder(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [1, 2]})
    folder.load()
    got = client.get("/api/v1/folder").json()
    assert (got["name"], got["title"], got["runs"], got["series"], got["tags"], got["points"]) == ("logs", "logs", 1, 1, 1, 2)
    assert got["roots"] == [{"name": "", "path": str(folder.path), "exists": True}]
    shown = {"scalars", "query"}
    assert got["tabs"] == [
        {"id": one.id, "label": one.label, "has_data": one.id in shown, "plugin": "", "problem": ""} for one in ALL_DASHBOARDS
    ]
    assert got["loading"]["state"] in {"live", "once"}
    assert got["newest"] == START + 1


def test_an_empty_folder(client: TestClient) -> None:
    got = client.get("/api/v1/folder").json()
    assert (got["runs"], got["points"], got["newest"], got["tabs"][0]["has_data"]) == (0, 0, None, False)
    assert client.get("/api/v1/runs").json()["runs"] == []
    assert client.get("/api/v1/tags").json()["tags"] == []
    assert client.get("/api/v1/health").json()["files"] == []


def test_runs_and_tags_folded_or_not(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"lr": [1]})
    folder.write("a/loss_train", {"loss": [1]})
    folder.load()
    assert [run["name"] for run in client.get("/api/v1/runs").json()["runs"]] == ["a"]
    assert {run["name"] for run in client.get("/api/v1/runs?fold=false").json()["runs"]} == {"a", "a/loss_train"}
    assert [tag["name"] for tag in client.get("/api/v1/tags").json()["tags"]] == ["loss/train", "lr"]
    assert [tag["name"] for tag in client.get("/api/v1/tags?fold=false").json()["tags"]] == ["loss", "lr"]


def test_names_that_want_to_be_markup_arrive_as_they_are(folder: LogFolder, client: TestClient) -> None:
    folder.write("<img src=x onerror=alert(1)>", {"</script>\n\u2028": [1]})
    folder.load()
    runs, tags = client.get("/api/v1/runs"), client.get("/api/v1/tags")
    assert runs.headers["content-type"] == tags.headers["content-type"] == "application/json"
    assert runs.json()["runs"][0]["name"] == "<img src=x onerror=alert(1)>"
    assert tags.json()["tags"][0]["name"] == "</script>\n\u2028"


def test_notes_are_kept(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [1]})
    folder.load()
    run = run_id(client)
    got = client.patch(f"/api/v1/runs/{run}", json={"note": "best so far", "colour": "#aabbcc", "pinned": True}).json()
    assert (got["note"], got["colour"], got["pinned"], got["hidden"]) == ("best so far", "#aabbcc", True, False)
    client.patch(f"/api/v1/runs/{run}", json={"note": None})
    listed = client.get("/api/v1/runs").json()["runs"][0]
    assert (listed["note"], listed["colour"]) == (None, "#aabbcc")
    assert sorted(path.name for path in folder.path.iterdir()) == ["a"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"colour": "red"}, 400), ({"note": "x" * 20_001}, 413), ({"hidden": "yes"}, 400), ({"unknown": 1}, 400), ([], 400)],
)
def test_notes_that_make_no_sense_are_refused(folder: LogFolder, client: TestClient, changes: Any, status: int) -> None:
    folder.write("a", {"loss": [1]})
    folder.load()
    answer = client.patch(f"/api/v1/runs/{run_id(client)}", json=changes)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message"}


def test_an_unknown_run_is_not_there(client: TestClient) -> None:
    answer = client.patch("/api/v1/runs/000000000000", json={"note": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_run")


def test_series(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [3.0, math.nan, 1.0]}, gap=10)
    folder.load()
    run = run_id(client)
    body = {"series": [{"run": run, "tag": "loss"}, {"run": run, "tag": "none"}], "smoothing": {"method": "mean", "amount": 3}}
    answer = client.post("/api/v1/scalars/series", json=body)
    assert answer.headers["content-type"] == "application/vnd.stepscope.columns"
    header, buffers = frame(answer.content)
    got, none = header["series"]
    columns = {name: column(place, buffers).tolist() for name, place in got["columns"].items()}
    assert (got["points"], got["in_range"], got["exact"], got["nan"]) == (3, 3, True, 1)
    assert (columns["x"], columns["y"]) == ([0, 2], [3, 1])
    assert columns["step"] == columns["x"]
    assert got["columns"]["step"] == got["columns"]["x"]
    assert (columns["wall"], columns["segment"]) == ([START, START + 20], [0, 0])
    assert (columns["mark_x"], columns["mark_kind"]) == ([1], [1])
    assert len(columns["smooth_x"]) == len(columns["smooth_y"])
    assert (none["points"], none["columns"], none["x_extent"]) == (0, {}, None)
    assert set(got) == {
        "run", "tag", "points", "superseded", "restarts", "in_range", "exact", "x_extent", "y_extent", "y_inner", "nan", "inf",
        "notices", "segments", "columns",
    }  # fmt: skip


def test_groups(folder: LogFolder, client: TestClient) -> None:
    for place in range(3):
        folder.write(f"r{place}", {"loss": [float(place), float(place)]})
    folder.load()
    runs = [run["id"] for run in client.get("/api/v1/runs").json()["runs"]]
    body = {"groups": [{"name": "all", "runs": runs}, {"name": "none", "runs": []}], "tag": "loss", "band": "minmax"}
    header, buffers = frame(client.post("/api/v1/scalars/groups", json=body).content)
    got, none = header["groups"]
    assert (got["name"], got["runs"], got["n_min"], got["n_max"], got["ended"]) == ("all", 3, 3, 3, 0)
    columns = {name: column(place, buffers).tolist() for name, place in got["columns"].items()}
    assert columns == {"x": [0, 1], "mid": [1, 1], "low": [0, 0], "high": [2, 2], "n": [3, 3], "mark_x": [], "mark_kind": []}
    assert (none["runs"], none["columns"]["x"]["count"]) == (0, 0)


def test_table_and_columns(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": decay(100)})
    folder.load()
    series = [{"run": run_id(client), "tag": "loss"}]
    row = client.post("/api/v1/scalars/table", json={"series": series, "at": 7.2}).json()["rows"][0]
    assert (row["step"], row["value"], row["mean"]) == (7, math.exp(-0.07), None)
    row = client.post("/api/v1/scalars/table", json={"series": series, "range": [0, 9]}).json()["rows"][0]
    assert (row["count"], row["max_step"], row["min_step"], row["value"]) == (10, 0, 9, None)
    header, buffers = frame(client.post("/api/v1/scalars/columns", json={"tags": ["loss", "none"]}).content)
    assert header["runs"] == [run_id(client)]
    loss, none = ({name: column(place, buffers)[0] for name, place in tag["columns"].items()} for tag in header["tags"])
    assert (loss["last_step"], loss["max"]) == (99, 1.0)
    assert all(math.isnan(value) for value in none.values())


def test_export_of_all_runs_that_have_the_tag(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [1, 2]})
    folder.write("b", {"loss": [3], "acc": [4]})
    folder.load()
    answer = client.get("/api/v1/scalars/export?format=csv&tag=loss")
    assert answer.headers["content-disposition"] == 'attachment; filename="loss.csv"'
    assert client.get("/api/v1/scalars/export?tag=..%22%0a").headers["content-disposition"] == 'attachment; filename="scalars.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {(row["run"], row["tag"], row["value"]) for row in rows} == {
        ("a", "loss", "1.0"),
        ("a", "loss", "2.0"),
        ("b", "loss", "3.0"),
    }
    only = client.get(f"/api/v1/scalars/export?format=json&run={run_id(client, 'b')}").json()
    assert {(row["tag"], row["value"]) for row in only} == {("loss", 3.0), ("acc", 4.0)}
    two = client.get("/api/v1/scalars/export?format=json&tag=loss&tag=acc").json()
    assert len(two) == 4
    assert client.get("/api/v1/scalars/export?run=nobody").status_code == 404
    assert client.get("/api/v1/scalars/export?format=xls").status_code == 400


def test_reload_finds_what_is_new(folder: LogFolder, client: TestClient) -> None:
    folder.load()
    folder.write("a", {"loss": [1]})
    epoch = client.post("/api/v1/reload").json()["epoch"]
    got = client.get("/api/v1/folder").json()
    assert (got["points"], got["epoch"] >= epoch) == (1, True)


def test_health(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [1]})
    path = folder.write("b", {"loss": [1, 2]})
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    folder.load()
    got = client.get("/api/v1/health").json()
    assert [row["state"] for row in got["files"]] == ["damaged", "good"]
    assert got["files"][0]["file"] == str(path)
    assert len(client.get("/api/v1/health?limit=1").json()["files"]) == 1
    assert client.get("/api/v1/folder").json()["skipped_records"] == 1


@pytest.mark.parametrize(
    ("route", "body", "status"),
    [
        ("series", {"series": [{"run": "r", "tag": "t"}] * 5_001}, 413),
        ("series", {"series": [], "width": 8_193}, 413),
        ("series", {"series": [{"run": "r", "tag": "t"}] * 1_000, "width": 4_001}, 413),
        ("series", {"series": [], "width": 0}, 400),
        ("series", {"series": [], "range": [2, 1]}, 400),
        ("series", {"series": [], "x": "tag"}, 400),
        ("series", {"series": [], "smoothing": {"method": "ema", "amount": 1}}, 400),
        ("series", {"series": [], "smoothing": {"method": "magic", "amount": 1}}, 400),
        ("series", {"series": "all"}, 400),
        ("series", {}, 400),
        ("series", {"series": [], "surprise": 1}, 400),
        ("groups", {"groups": [{"name": "g", "runs": ["r"] * 5_001}], "tag": "t"}, 413),
        ("groups", {"groups": [], "tag": "t", "quantiles": [0.9, 0.1]}, 400),
        ("table", {"series": [{"run": "r", "tag": "t"}] * 5_001, "at": 1}, 413),
        ("columns", {"tags": ["t"] * 101}, 413),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_shape(client: TestClient, route: str, body: Any, status: int) -> None:
    answer = client.post(f"/api/v1/scalars/{route}", json=body)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert set(error) == {"code", "message"}
    assert error["message"].endswith(".")


def test_a_body_that_is_too_large_or_no_json(client: TestClient) -> None:
    large = client.post("/api/v1/scalars/series", content=b'{"series": [' + b" " * (9 << 20) + b"]}")
    assert (large.status_code, large.json()["error"]["code"]) == (413, "body_too_large")
    assert client.post("/api/v1/scalars/series", content=b"{").status_code == 400
    assert client.post("/api/v1/scalars/series", content=b'{"series": ["\xff"]}').status_code == 400
    deep = client.post("/api/v1/profile/none/html", content=b'{"a":' * 50_000)
    assert (deep.status_code, deep.json()["error"]["code"]) == (400, "too_deep")
    text = client.post("/api/v1/scalars/series", content=b"{}", headers={"content-type": "text/plain"})
    assert (text.status_code, text.json()["error"]["code"]) == (400, "not_json")


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/api/v1/nothing", 404), ("DELETE", "/api/v1/runs", 405)])
def test_errors_of_routing_have_the_same_shape(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message"}


def test_our_own_mistakes_say_nothing_about_the_inside(
    client: TestClient, folder: LogFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> int:
        raise RuntimeError("a secret path /etc/x")

    monkeypatch.setattr(folder.loader, "reload", fail)
    answer = client.post("/api/v1/reload")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "our_mistake")
    assert "secret" not in answer.text
    assert "a secret path" in caplog.text


def test_large_json_is_compressed(folder: LogFolder, client: TestClient) -> None:
    for place in range(20):
        folder.write(f"r{place}", {"loss": [1]})
    folder.load()
    assert client.get("/api/v1/runs").headers["content-encoding"] == "gzip"
    plain = client.get("/api/v1/runs", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert len(plain.json()["runs"]) == 20


def test_health_of_one_run_alone(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [1]})
    folder.write("b", {"loss": [1]})
    folder.load()
    runs = {run["name"]: run["id"] for run in client.get("/api/v1/runs").json()["runs"]}
    files = client.get("/api/v1/health", params={"run": runs["b"]}).json()["files"]
    assert [one["run"] for one in files] == [runs["b"]]
    assert client.get("/api/v1/health", params={"run": "nobody"}).json()["error"]["code"] == "unknown_run"


def test_several_runs_are_changed_together_or_not_at_all(folder: LogFolder, client: TestClient) -> None:
    for name in "ab":
        folder.write(name, {"loss": [1]})
    folder.load()
    ids = [run_id(client, name) for name in "ab"]
    got = client.patch("/api/v1/runs", json={"runs": ids, "labels": ["keep"], "colour": "#112233"}).json()["runs"]
    assert [(run["id"], run["labels"], run["colour"]) for run in got] == [(one, ["keep"], "#112233") for one in ids]
    refused = client.patch("/api/v1/runs", json={"runs": [ids[0], "0" * 12], "labels": []})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "unknown_run")
    assert all(run["labels"] == ["keep"] for run in client.get("/api/v1/runs").json()["runs"])


def test_the_settings_of_all_runs(folder: LogFolder, client: TestClient) -> None:
    folder.write("plain", {"loss": [1]}, file="events.out.tfevents.17.gpu-1.42.0")
    with SummaryWriter(str(folder.path / "set")) as writer:
        writer.log_config({"optimizer": {"lr": 0.1}})
        writer.add_scalar("loss", 1.0, 0)
    folder.load()
    got = {run["id"]: run for run in client.get("/api/v1/run_settings").json()["runs"]}
    assert got[run_id(client, "set")]["values"] == {"optimizer.lr": "0.1"}
    assert (got[run_id(client, "plain")]["values"], got[run_id(client, "plain")]["hosts"]) == ({}, ["gpu-1"])
