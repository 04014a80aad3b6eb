"""Precision-recall curves over HTTP: every step, known areas, and bad values that cost themselves alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

import event_bytes as eb
import histogram_logs as hl
from log_folder import LogFolder
from server.pr_curve_records import Rows, counted, raw, record
from stepscope.queries.pr_curves import ROWS


def run_id(client: TestClient, name: str = "a") -> str:
    return next(run["id"] for run in client.get("/api/v1/runs").json()["runs"] if run["name"] == name)


def ask(client: TestClient, *wanted: tuple[str, float], run: str = "a") -> list[tuple[dict[str, Any], dict[str, NDArray[np.float64]]]]:
    """Header and columns of each curve."""
    names = [{"run": run_id(client, run), "tag": tag, "step": step} for tag, step in wanted]
    data = client.post("/api/v1/pr_curves/curves", json={"curves": names}).content
    size = int.from_bytes(data[:4], "little")
    buffers = data[(4 + size + 7) // 8 * 8 :]
    headers = json.loads(data[4 : 4 + size])["curves"]
    return [
        (one, {name: np.frombuffer(buffers, "<f8", at["count"], at["offset"]) for name, at in one["columns"].items()})
        for one in headers
    ]


def area(folder: LogFolder, client: TestClient, rows: Rows) -> float | None:
    hl.write(folder.path, "a", record("pr", 0, rows))
    folder.load()
    return ask(client, ("pr", 0))[0][0]["area"]


def test_every_step_and_count_is_there(folder: LogFolder, client: TestClient) -> None:
    labels, scores = [1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.7, 0.1]
    hl.write(folder.path, "a", *(record("class/0", step, counted(labels, scores[step:] + scores[:step])) for step in range(5)))
    folder.load()
    assert client.get("/api/v1/pr_curves/tags").json()["tags"] == [{"name": "class/0", "runs": [0], "values": [5]}]
    (about, columns), (_, later) = ask(client, ("class/0", 0), ("class/0", 3))
    assert about["problem"] is None
    expected = counted(labels, scores)
    for name, row in zip(ROWS, expected, strict=True):
        assert columns[name].tolist() == pytest.approx(row)
    assert columns["threshold"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert later["true_positives"].tolist() == counted(labels, scores[3:] + scores[:3])[0]
    body = {"series": [{"run": run_id(client), "tag": "class/0"}]}
    assert client.post("/api/v1/pr_curves/steps", json=body).status_code == 200


@pytest.mark.parametrize(
    ("labels", "scores", "expected"),
    [
        ([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], 1.0),  # told apart without a mistake
        ([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], 0.25),  # nothing told apart: the share of positives
        ([0, 0], [0.5, 0.5], 0.0),  # nothing to find
        # Points (recall, precision): (1/2, 1), (1/2, 1/2), (1, 2/3), (1, 1/2); areas 1/2 + 0 + 7/24.
        ([1, 0, 1, 0], [0.9, 0.7, 0.6, 0.1], 0.5 + 0.5 * (0.5 + 2 / 3) / 2),
    ],
)
def test_areas_that_are_known(folder: LogFolder, client: TestClient, labels: list[int], scores: list[float], expected: float) -> None:
    assert area(folder, client, counted(labels, scores, 101)) == pytest.approx(expected, abs=1e-6)


def test_without_a_positive_call_there_is_no_area(folder: LogFolder, client: TestClient) -> None:
    assert area(folder, client, [[0, 0], [0, 0], [4, 4], [1, 1], [0, 0], [0, 0]]) is None


def test_numbers_that_are_none_are_left_out_of_the_area(folder: LogFolder, client: TestClient) -> None:
    rows = [list(row) for row in counted([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], 5)]
    rows[4][2] = float("nan")
    assert area(folder, client, rows) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (eb.tensor(eb.FLOAT, eb.content(b"\0" * 20), shape=[5, 1]), "six rows"),
        (eb.tensor(eb.FLOAT, eb.content(b"\0" * 20), shape=[6, 1]), "six rows"),
        (eb.tensor(eb.FLOAT, shape=[6, 0]), "six rows"),
        (eb.tensor(eb.FLOAT, shape=[6, 1 << 40]), "six rows"),
        (eb.tensor(eb.FLOAT, shape=[6, 30_000]), "30,000 thresholds"),
        (eb.tensor(eb.STRING, eb.message(8, b"x"), shape=[1]), "six rows"),
        (b"\xff\xff", "six rows"),
    ],
)
def test_a_bad_value_costs_itself_alone(folder: LogFolder, client: TestClient, tensor: bytes, words: str) -> None:
    hl.write(folder.path, "a", raw("pr", 0, tensor), record("pr", 1, counted([1, 0], [0.9, 0.1])))
    folder.load()
    (bad, _), (good, _) = ask(client, ("pr", 0), ("pr", 1))
    assert words in bad["problem"]
    assert (good["problem"], good["area"]) == (None, pytest.approx(1.0))


def test_what_is_not_there_is_said(folder: LogFolder, client: TestClient) -> None:
    hl.write(folder.path, "a", record("pr", 1, counted([1, 0], [0.9, 0.1])))
    folder.load()
    assert all(one["problem"] for one, _ in ask(client, ("pr", 2), ("other", 1)))
    wanted = [{"run": "x", "tag": "pr", "step": 0}] * 201
    assert client.post("/api/v1/pr_curves/curves", json={"curves": wanted}).json()["error"]["code"] == "too_many"
