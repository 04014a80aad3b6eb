"""Histograms over HTTP: every generation of buckets, every step, and known answers for cells and percentiles."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

import event_bytes as eb
import histogram_logs as hl
from figures import figures
from log_folder import LogFolder

DTYPES = {"f64": "<f8", "f32": "<f4", "i32": "<i4"}


class Answer:
    """A frame of one series: its header and its columns as arrays."""

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        self.header = json.loads(data[4 : 4 + size])
        self.series = next(iter(self.header["series"]), {})
        self._buffers = data[(4 + size + 7) // 8 * 8 :]

    def __getitem__(self, name: str) -> NDArray[Any]:
        place = self.series["columns"][name]
        return np.frombuffer(self._buffers, DTYPES[place["dtype"]], place["count"], place["offset"])

    @property
    def cells(self) -> NDArray[np.float32]:
        """A row for each slot."""
        return self["cells"].reshape(-1, self.header["bins"])

    @property
    def levels(self) -> NDArray[np.float64]:
        """Nine for each slot."""
        return self["levels"].reshape(-1, 9)


def run_id(client: TestClient, name: str = "a") -> str:
    return next(run["id"] for run in client.get("/api/v1/runs").json()["runs"] if run["name"] == name)


def ask(client: TestClient, route: str, tag: str = "w", **more: Any) -> Answer:
    body = {"series": [{"run": run_id(client), "tag": tag}], **more}
    found = answered(client.post(f"/api/v1/histograms/{route}", json=body))
    while found.header["job"] is not None:
        found = answered(client.get(f"/api/v1/histograms/{route}/{found.header['job']['id']}"))
    return found


def answered(answer: Any) -> Answer:
    assert answer.status_code == 200, answer.text
    return Answer(answer.content)


def exact(client: TestClient, at: float, tag: str = "w", status: int = 200, **more: Any) -> dict[str, Any]:
    answer = client.get("/api/v1/histograms/value", params={"run": run_id(client), "tag": tag, "at": at, **more})
    assert answer.status_code == status, answer.text
    return answer.json()


def logged(folder: LogFolder, *records: bytes) -> None:
    hl.write(folder.path, "a", *records)
    folder.load()


def rows(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return list(zip(answer["left"], answer["right"], answer["count"], strict=True))


def test_every_step_is_in_the_cells(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, hl.bell(step)) for step in range(1000)))
    found = ask(client, "grid", slots=64, bins=50)
    assert (found.series["steps"], found.series["in_range"]) == (1000, 1000)
    assert found["count"].sum() == 1000
    assert len(found["count"]) == 64
    # Each cell is a mean over the steps of its slot, so the sums of counts come back.
    assert np.allclose(found.cells.sum(axis=1) * found["count"], found["count"] * 30)
    assert found.series["extent"] == [0, 10 + 99.9]
    assert (found["first_step"][0], found["step"][-1]) == (0, 999)


def test_with_enough_slots_each_step_has_its_own(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, [(0.0, 1.0, float(step)), (1.0, 2.0, 2.0)]) for step in (5, 10, 400)))
    found = ask(client, "grid", slots=100, bins=4)
    assert found["step"].tolist() == [5, 10, 400]
    assert found.cells.tolist() == [[2.5, 2.5, 1, 1], [5, 5, 1, 1], [200, 200, 1, 1]]
    assert found["wall"].tolist() == [hl.START + step for step in (5, 10, 400)]


def test_a_bucket_is_spread_over_the_cells_it_overlaps(folder: LogFolder, client: TestClient) -> None:
    logged(folder, hl.new("w", 0, [(0.0, 4.0, 8.0), (4.0, 5.0, 3.0)]))
    assert ask(client, "grid", bins=5).cells.tolist() == [[2, 2, 2, 2, 3]]
    assert ask(client, "grid", bins=4, values=[1.0, 3.0]).cells.tolist() == [[1, 1, 1, 1]]
    assert ask(client, "grid", bins=2, values=[-3.0, 1.0]).cells.tolist() == [[0, 2]]


def test_a_range_of_x_is_what_is_counted(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, hl.bell(step)) for step in range(100)))
    found = ask(client, "grid", range=[10, 19.5], slots=100)
    assert found["step"].tolist() == [*range(10, 20)]
    assert (found.series["in_range"], found.series["x_extent"]) == (10, [0, 99])
    relative = ask(client, "grid", x="relative", range=[10, 12])
    assert (relative["first_x"].tolist(), relative["step"].tolist()) == ([10, 11, 12], [10, 11, 12])
    wall = ask(client, "bands", x="wall", range=[hl.START + 5, hl.START + 6])
    assert wall["last_x"].tolist() == [hl.START + 5, hl.START + 6]


OLD = {"limits": [-1.0, 0.0, 1.0, 2.0, hl.LARGEST], "counts": [0.0, 4.0, 0.0, 6.0, 0.0], "least": -0.5, "greatest": 1.75}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (hl.new("w", 1, [(0.0, 1.0, 2.0), (1.0, 3.0, 4.0)]), [(0, 1, 2), (1, 3, 4)]),
        (hl.new("w", 1, [(0.0, 0.5, 2.0)], single=True), [(0, 0.5, 2)]),
        (hl.new("w", 1, [(0.0, 0.5, 2.0), (0.5, 1.0, 1.0)], listed=True), [(0, 0.5, 2), (0.5, 1, 1)]),
        (hl.new("w", 1, [(0.0, 0.5, 2.0), (0.5, 1.0, 1.0)], single=True, listed=True), [(0, 0.5, 2), (0.5, 1, 1)]),
        (hl.new("w", 1, []), []),
        (hl.new("w", 1, [(7.0, 7.0, 0.0)] * 29 + [(7.0, 7.0, 50.0)]), [(7, 7, 0)] * 29 + [(7, 7, 50)]),
        (hl.old("w", 1, **OLD), [(-0.5, 0, 4), (0, 1, 0), (1, 1.75, 6)]),
        (hl.old("w", 1, [-hl.LARGEST, hl.LARGEST], [0, 3], least=-2, greatest=5), [(-2, 5, 3)]),
        (hl.old("w", 1, [0.0, math.inf], [1, 3], least=-math.inf, greatest=9), [("-Infinity", 0, 1), (0, 9, 3)]),
        (hl.old("w", 1, [1.0, 2.0], [0, 0], least=0, greatest=0), []),
        (hl.new("w", 1, [(-1.7e308, 1.7e308, 4.0)]), [(-1.7e308, 1.7e308, 4)]),
        # Limits and least value that contradict each other: the limits count.
        (hl.old("w", 1, [1.0, 2.0, 3.0], [0, 5, 0], least=-9, greatest=9), [(1, 2, 5)]),
    ],
    ids=[
        "doubles",
        "floats",
        "listed",
        "listed floats",
        "empty",
        "one value",
        "old",
        "old open",
        "infinite",
        "old empty",
        "far",
        "odd",
    ],
)
def test_every_generation_of_buckets(folder: LogFolder, client: TestClient, record: bytes, expected: list[Any]) -> None:
    logged(folder, record)
    found = exact(client, 1)
    assert rows(found) == expected
    assert (found["step"], found["wall"], found["relative"]) == (1, hl.START + 1, 1)
    counted = sum(row[2] for row in expected)
    grid = ask(client, "grid", bins=8)
    # Of a bucket that is wider than numbers go, what is drawn is the part that can be.
    assert grid.cells.sum() == pytest.approx(counted, rel=0.6 if expected and expected[0][1] == 1.7e308 else 1e-6)
    assert grid.series["notices"] == []


def test_percentiles_have_known_answers(folder: LogFolder, client: TestClient) -> None:
    even = [(float(i), float(i + 1), 10.0) for i in range(100)]
    logged(folder, hl.new("w", 0, even), hl.new("w", 1, [(3.0, 3.0, 9.0)]), hl.new("w", 2, []))
    found = ask(client, "bands")
    assert found["step"].tolist() == [0, 1]
    assert np.allclose(found.levels[0], [0, 6.68, 15.87, 30.85, 50, 69.15, 84.13, 93.32, 100])
    assert found.levels[1].tolist() == [3] * 9
    assert found.header["levels"][4] == 0.5


def test_percentiles_of_many_steps_keep_the_ends(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, [(float(-step), float(step), 4.0)]) for step in range(1, 1001)))
    found = ask(client, "bands", slots=10)
    assert found.levels[:, 0].tolist() == [-100.0 * slot for slot in range(1, 10)] + [-1000.0]
    assert (found.levels[-1, 8], found["count"].sum()) == (1000, 1000)
    assert np.allclose(found.levels[:, 4], 0)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (hl.raw_tensor("w", 3, eb.tensor(eb.DOUBLE, eb.content(b"\0" * 40), shape=[5])), "not histograms"),
        (hl.raw_tensor("w", 3, eb.tensor(eb.DOUBLE, eb.content(b"\0" * 16), shape=[1, 3])), "not histograms"),
        (hl.raw_tensor("w", 3, eb.tensor(eb.DOUBLE, eb.content(b"\0" * 24), shape=[1 << 40, 3])), "not histograms"),
        (hl.raw_tensor("w", 3, eb.tensor(eb.STRING, eb.message(8, b"x"), shape=[1])), "not histograms"),
        (hl.raw_tensor("w", 3, b"\xff\xff\xff"), "not histograms"),
        (hl.record("w", 3, eb.message(5, hl.doubles(6, [1, 2]) + hl.doubles(7, [1]))), "not histograms"),
        (hl.record("w", 3, eb.message(5, b"\x3a\x7f")), "are corrupt"),
        (hl.new("w", 3, [(0.0, math.nan, 4.0), (0.0, 1.0, 1.0)]), "not numbers"),
        (hl.new("w", 3, [(0.0, 1.0, math.nan), (0.0, 1.0, 1.0)]), "not numbers"),
        (hl.new("w", 3, [(2.0, 1.0, 1.0)]), "not numbers"),
        (hl.new("w", 3, [(-math.inf, math.inf, 1.0)]), "not numbers"),
        (hl.new("w", 3, [(0.0, 1.0, -4.0)]), "not numbers"),
    ],
)
def test_a_bad_value_costs_itself_alone_and_is_said(folder: LogFolder, client: TestClient, record: bytes, words: str) -> None:
    logged(folder, hl.new("w", 0, [(0.0, 1.0, 5.0)]), record, hl.new("w", 9, [(0.0, 1.0, 5.0)]), hl.new("other", 0, [(0.0, 1.0, 1.0)]))
    found = ask(client, "grid", bins=1)
    assert [notice for notice in found.series["notices"] if words in notice]
    assert found.cells.ravel()[[0, -1]].tolist() == [5, 5]
    assert ask(client, "bands").levels[-1].tolist() == pytest.approx([0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1])
    if words != "not numbers":
        assert words in exact(client, 3, status=404)["error"]["message"]
    assert ask(client, "grid", tag="other").series["notices"] == []


def test_a_file_cut_short_or_replaced_is_said(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, hl.bell(step)) for step in range(10)))
    path = folder.path / "a" / "events.out.tfevents.1"
    os.truncate(path, 900)
    found = ask(client, "grid")
    assert figures(found.series["notices"][0])[:2] == [10, 10]
    assert exact(client, 3, status=404)["error"]["code"] == "unreadable_value"


def test_values_overwritten_in_place_are_not_shown(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, hl.bell(step)) for step in range(3)))
    path = folder.path / "a" / "events.out.tfevents.1"
    path.write_bytes(path.read_bytes().replace(b"\x0a\x01w", b"\x0a\x01v"))
    assert "3 of 3 values are corrupt" in ask(client, "grid").series["notices"][0]


def test_a_growing_file_brings_its_new_steps(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, hl.bell(step)) for step in range(5)))
    assert ask(client, "grid")["step"].tolist() == [0, 1, 2, 3, 4]
    with (folder.path / "a" / "events.out.tfevents.1").open("ab") as file:
        file.write(hl.new("w", 5, [(0.0, 1.0, 7.0)]) + hl.new("w", 2, [(0.0, 1.0, 3.0)], wall=hl.START + 90))
    folder.load()
    found = ask(client, "grid", bins=1)
    assert found["step"].tolist() == [0, 1, 2, 3, 4, 5]
    assert found.cells.ravel().tolist() == pytest.approx([30, 30, 3, 30, 30, 7])
    assert exact(client, 2)["count"] == [3]


def test_files_of_one_run_are_one_series(folder: LogFolder, client: TestClient) -> None:
    hl.write(folder.path, "a", hl.new("w", 0, [(0.0, 1.0, 1.0)]), hl.new("w", 2, [(0.0, 1.0, 3.0)]))
    hl.write(folder.path, "a", hl.new("w", 1, [(0.0, 1.0, 2.0)]), file="events.out.tfevents.2")
    folder.load()
    assert ask(client, "grid", bins=1).cells.ravel().tolist() == [1, 2, 3]


def test_the_nearest_value_is_found_on_every_axis(folder: LogFolder, client: TestClient) -> None:
    logged(folder, *(hl.new("w", step, hl.bell(step)) for step in (0, 10, 20)))
    assert exact(client, 14)["step"] == 10
    assert exact(client, 1e9)["step"] == 20
    assert exact(client, hl.START + 11, x="wall")["step"] == 10
    assert exact(client, 19, x="relative")["step"] == 20


def test_large_records_are_checked_before_they_are_shown(folder: LogFolder, client: TestClient) -> None:
    many = [(float(i), float(i + 1), 1.0) for i in range(5000)]
    logged(folder, hl.new("w", 0, many), hl.new("w", 1, [(0.0, 5000.0, 5.0)]))
    path = folder.path / "a" / "events.out.tfevents.1"
    data = bytearray(path.read_bytes())
    data[60_000] ^= 1
    path.write_bytes(data)
    found = ask(client, "grid", bins=1)
    assert "1 of 2 values are corrupt" in found.series["notices"][0]
    assert found.cells.ravel().tolist() == [5]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"slots": 0}, 400, "bad_slots"),
        ({"bins": 0}, 400, "bad_bins"),
        ({"slots": 5000}, 413, "too_many"),
        ({"bins": 5000}, 413, "too_many"),
        ({"range": [3, 1]}, 400, "bad_range"),
        ({"values": [1, 1]}, 400, "bad_values"),
        ({"series": [{"run": "x", "tag": "w"}] * 201}, 413, "too_many"),
        ({"series": [{"run": "x", "tag": "w"}] * 100, "slots": 1000, "bins": 1000}, 413, "too_many"),
    ],
)
def test_requests_that_make_no_sense(client: TestClient, body: dict[str, Any], status: int, code: str) -> None:
    answer = client.post("/api/v1/histograms/grid", json={"series": [], **body})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_series_that_is_not_there_is_said_in_its_place(folder: LogFolder, client: TestClient) -> None:
    logged(folder, hl.new("w", 0, hl.bell(0)))
    assert ask(client, "grid", tag="v").series["problem"] is not None
    assert ask(client, "bands", tag="v").series["problem"] is not None
    tabs = {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}
    assert tabs["histograms"]
