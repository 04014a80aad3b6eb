"""The table of hyperparameters over HTTP: columns, groups, readings, and questions that make no sense."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

from hparam_logs import declare, trial
from log_folder import LogFolder
from stepscope import hparams as hp
from stepscope.dashboards.hparams import importance_route
from stepscope.dashboards.hparams.messages import ReadingRequest
from stepscope.dashboards.hparams.reading import asked
from stepscope.queries.hparams.metrics import Asked

DTYPES = {"f64": "<f8", "i32": "<i4"}


def ask(client: TestClient, **body: Any) -> tuple[dict[str, Any], Any]:
    """The header, and a function that reads a column."""
    data = client.post("/api/v1/hparams/table", json=body).content
    size = int.from_bytes(data[:4], "little")
    buffers = data[(4 + size + 7) // 8 * 8 :]

    def column(at: dict[str, Any]) -> NDArray[Any]:
        return np.frombuffer(buffers, DTYPES[at["dtype"]], at["count"], at["offset"])

    return json.loads(data[4 : 4 + size]), column


def search(path: Path) -> None:
    """Two learning rates, three seeds each."""
    declare(path, [hp.HParam("lr", hp.RealInterval(0.0, 1.0), display_name="Rate")], [hp.Metric("acc", display_name="Accuracy")])
    for lr in (0.1, 0.2):
        for seed in range(3):
            trial(path / f"lr{lr}-s{seed}", {"lr": lr, "opt": "sgd", "seed": seed}, {"acc": [lr, lr + seed, lr + seed / 2]})


def test_columns_and_groups(folder: LogFolder, client: TestClient) -> None:
    search(folder.path)
    folder.load()
    header, column = ask(client)
    assert [row["name"] for row in header["sessions"]] == [f"lr{lr}-s{seed}" for lr in (0.1, 0.2) for seed in range(3)]
    lr, opt, seed = header["hparams"]
    assert (lr["display_name"], lr["kind"], lr["low"], lr["high"], lr["distinct"], lr["seed"]) == ("Rate", "numeric", 0, 1, 2, False)
    assert column(lr["columns"]["numbers"]).tolist() == [0.1] * 3 + [0.2] * 3
    assert (opt["words"], column(opt["columns"]["codes"]).tolist()) == (["sgd"], [0] * 6)
    assert seed["seed"] is True
    (metric,) = header["metrics"]
    assert (metric["tag"], metric["display_name"], metric["goal"], metric["found_in"]) == ("acc", "Accuracy", "max", [""])
    assert column(metric["columns"]["values"]).tolist() == pytest.approx([0.1, 0.6, 1.1, 0.2, 0.7, 1.2])
    assert column(header["groups"]["of"]).tolist() == [0, 0, 0, 1, 1, 1]
    assert column(metric["columns"]["mean"]).tolist() == pytest.approx([0.6, 0.7])
    assert column(metric["columns"]["sd"]).tolist() == pytest.approx([0.5, 0.5])
    assert column(metric["columns"]["n"]).tolist() == [3, 3]


def test_other_readings(folder: LogFolder, client: TestClient) -> None:
    search(folder.path)
    folder.load()
    header, column = ask(client, reading="best", metrics=[{"tag": "acc"}, {"tag": "nothing"}], seeds=[])
    assert column(header["metrics"][0]["columns"]["values"]).tolist() == pytest.approx([0.1, 1.1, 2.1, 0.2, 1.2, 2.2])
    assert np.isnan(column(header["metrics"][1]["columns"]["values"])).all()
    assert column(header["groups"]["size"]).tolist() == [1] * 6
    header, column = ask(client, reading="at", at=1)
    assert column(header["metrics"][0]["columns"]["values"]).tolist() == pytest.approx([0.1, 1.1, 2.1, 0.2, 1.2, 2.2])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"reading": "at"}, "no_step"),
        ({"metrics": [{"tag": "a"}] * 201}, "too_many"),
        ({"seeds": ["a"] * 1001}, "too_many"),
    ],
)
def test_questions_that_make_no_sense(client: TestClient, body: dict[str, Any], code: str) -> None:
    answer = client.post("/api/v1/hparams/table", json=body)
    assert answer.status_code in {400, 413, 422}
    assert answer.json()["error"]["code"] == code


def test_a_folder_without_any(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [1]})
    folder.load()
    header, _ = ask(client)
    assert (header["sessions"], header["hparams"], header["metrics"]) == ([], [], [])
    tabs = {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}
    assert tabs["hparams"] is False


@pytest.mark.slow
def test_importance_of_hyperparameters(folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importance_route, "WAIT", 0.05)
    for place in range(40):
        values: dict[str, str | float | bool] = {"lr": 10.0 ** -(place % 8), "batch": float(place // 8), "seed": float(place)}
        trial(folder.path / f"run-{place}", values, {"acc": [0.0, place % 8 + 0.01 * (place // 8)]})
    folder.load()
    body: dict[str, Any] = {"metric": {"tag": "acc"}, "seeds": ["seed"]}
    while not (answer := client.post("/api/v1/hparams/importance", json=body).json())["done"]:
        assert 0 <= answer["progress"] <= 1
    assert (answer["runs"], answer["used"], answer["missing"]) == (40, 40, "")
    assert answer["explained"] > 0.5
    first, second = answer["rows"]
    assert (first["name"], second["name"], first["n"]) == ("lr", "batch", 40), "a seed is no hyperparameter"
    assert first["rank"]["value"] < -0.9
    assert first["share"]["low"] > second["share"]["high"]


def test_importance_of_few_runs_is_silent_and_its_bounds(folder: LogFolder, client: TestClient) -> None:
    for place in range(9):
        trial(folder.path / f"run-{place}", {"lr": float(place)}, {"acc": [float(place)]})
    folder.load()

    def answer(**more: Any) -> Any:
        return client.post("/api/v1/hparams/importance", json={"metric": {"tag": "acc"}, **more}).json()

    (row,) = answer()["rows"]
    assert (row["share"], row["rank"]["value"]) == (None, pytest.approx(1))
    assert "20 runs" in answer()["missing"]
    some = [run["id"] for run in client.get("/api/v1/runs").json()["runs"]][:7]
    assert (answer(runs=some)["runs"], answer(runs=some)["rows"][0]["rank"]) == (7, None)
    assert answer(metric={"tag": "nothing"})["runs"] == 0
    assert answer(reading="at")["error"]["code"] == "no_step"
    assert answer(runs=["a"] * 10_001)["error"]["code"] == "too_many"


def test_how_metrics_are_read() -> None:
    assert asked(ReadingRequest(reading="mean", mean_of=5)) == Asked("mean", 5, np.inf)
    assert asked(ReadingRequest(reading="at", at=7)).at == 7
