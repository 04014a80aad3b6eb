"""Runs and charts as one HTML file over HTTP: the API's own curves inside, reduced as stated, and no name ends their block."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from curves_files import curves_inside, frame_inside, groups_inside, use_small_curves_bundle
from log_folder import START, LogFolder
from report_files import answers_block, embedded
from stepscope.dashboards.questions import SeriesName
from stepscope.dashboards.scalars import html_curves, html_route
from stepscope.dashboards.scalars.curves import curves_frame
from stepscope.dashboards.scalars.messages import CurvesRequest
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

HOSTILE = "</script><img src=x onerror=alert(1)><!-- &amp; \u2028\u2029 \"'\u202e"
LONG = 20.0

MakeClient = Callable[..., TestClient]


class Elements(HTMLParser):
    """The names of all elements, as a browser would find them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_curves_bundle(tmp_path, monkeypatch)
    monkeypatch.setattr(html_route, "HTML_WAIT", LONG)


@pytest.fixture
def client(folder: LogFolder, make_client: MakeClient) -> TestClient:
    for place in range(3):
        folder.write(f"run-{place}", {"loss": [1 / (step + 1) for step in range(100)], "acc": [0.1 * place, 0.5]}, start=START + place)
    folder.load()
    return make_client()


def runs_of(client: TestClient) -> dict[str, str]:
    return {run["name"]: run["id"] for run in client.get("/api/v1/runs").json()["runs"]}


def saved(client: TestClient, **asked: Any) -> str:
    job = client.post("/api/v1/scalars/html", json=asked).json()
    assert job["state"] == "done", job
    assert re.fullmatch(r"[\d,.]+ MB", job["words"])
    return client.get(f"/api/v1/{job['result_at']}").text


def test_the_curves_inside_are_those_of_the_api(client: TestClient) -> None:
    ids = runs_of(client)
    smoothing = {"method": "ema", "amount": 0.6}
    page = saved(client, runs=[ids["run-1"]], charts=[["loss", "acc"]], points=20, smoothing=smoothing, x="relative")
    series = [{"run": ids["run-1"], "tag": tag} for tag in ("loss", "acc")]
    asked = {"series": series, "width": 5, "smoothing": smoothing, "x": "relative"}
    assert frame_inside(page) == client.post("/api/v1/scalars/series", json=asked).content
    assert embedded(page)["charts"] == [["loss", "acc"]]
    assert [run["name"] for run in embedded(page)["runs"]] == ["run-1"]


def test_the_groups_inside_are_those_of_the_api(client: TestClient) -> None:
    ids = runs_of(client)
    groups = [{"name": "first", "runs": [ids["run-0"], ids["run-1"]]}, {"name": "last", "runs": [ids["run-2"]]}]
    page = saved(client, charts=[["loss"], ["acc"]], groups=[{**group, "role": None, "colour": 3} for group in groups], band="sd")
    found = groups_inside(page)
    assert set(found) == {(tag, name) for tag in ("loss", "acc") for name in ("first", "last")}
    middle = found[("acc", "first")]
    assert (middle["mid"].tolist(), middle["runs"]) == ([pytest.approx(0.05), 0.5], 2)
    assert middle["high"][0] == pytest.approx(0.05 + 0.1 / 2**0.5)
    assert embedded(page)["wanted"]["groups"][0]["colour"] == 3
    gone = client.post("/api/v1/scalars/html", json={"groups": [{"name": "x", "runs": ["gone"]}]})
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "unknown_run")


def test_curves_are_the_same_without_a_server(client: TestClient, folder: LogFolder) -> None:
    run = runs_of(client)["run-2"]
    asked = CurvesRequest([SeriesName(run, "acc")], width=500)
    assert curves_frame(Reads(folder.library), asked) == frame_inside(saved(client, runs=[run], charts=[["acc"]]))


def test_without_a_choice_all_runs_and_tags_are_inside(client: TestClient) -> None:
    page = saved(client)
    assert embedded(page)["charts"] == [["acc"], ["loss"]]
    assert set(curves_inside(page)) == {(f"run-{place}", tag) for place in range(3) for tag in ("acc", "loss")}
    assert embedded(page)["title"] == "logs"


def test_a_reduction_keeps_the_extremes_and_says_how_many_points_there_were(folder: LogFolder, make_client: MakeClient) -> None:
    values = np.random.default_rng(3).normal(size=5_000)
    values[1_234] = 99.0
    folder.write("long", {"loss": values.tolist()})
    folder.load()
    client = make_client()
    curve = curves_inside(saved(client, points=400))[("long", "loss")]
    assert (curve["points"], curve["exact"], len(curve["x"]) <= 400) == (5_000, False, True)
    assert (curve["x"][0], curve["x"][-1], curve["y"].max()) == (0, 4_999, 99.0)
    whole = curves_inside(saved(client, points=None))[("long", "loss")]
    assert whole["exact"]
    assert whole["y"].tolist() == values.tolist()


def test_what_the_user_noted_is_inside_and_hidden_runs_are_not(client: TestClient, folder: LogFolder, notes: UserState) -> None:
    ids = runs_of(client)
    client.patch(f"/api/v1/runs/{ids['run-0']}", json={"note": "the good one", "display_name": "best", "labels": ["paper"]})
    client.patch(f"/api/v1/runs/{ids['run-2']}", json={"hidden": True})
    rows = {run["name"]: run for run in embedded(saved(client))["runs"]}
    assert set(rows) == {"run-0", "run-1"}
    assert (rows["run-0"]["display_name"], rows["run-0"]["note"], rows["run-0"]["labels"]) == ("best", "the good one", ["paper"])
    assert "run-2" in {run["name"] for run in embedded(saved(client, runs=[ids["run-2"]]))["runs"]}, "asked for by its id"


def test_no_path_of_the_machine_is_inside(client: TestClient, folder: LogFolder) -> None:
    assert str(folder.path) not in saved(client)


def test_no_name_ends_the_block_or_begins_markup(folder: LogFolder, make_client: MakeClient) -> None:
    folder.write("run", {HOSTILE: [1.0]})
    folder.load()
    client = make_client()
    (run,) = runs_of(client).values()
    client.patch(f"/api/v1/runs/{run}", json={"note": HOSTILE})
    page = saved(client, title=HOSTILE)
    assert not re.search("[<>&\u2028\u2029]", answers_block(page))
    assert Elements(page).names == ["title", "script"]
    assert embedded(page)["charts"] == [[HOSTILE]]
    assert embedded(page)["runs"][0]["note"] == HOSTILE


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"runs": ["gone"]}, 404, "unknown_run"),
        ({"charts": [["gone"]]}, 400, "nothing_chosen"),
        ({"points": 3}, 400, "bad_request"),
        ({"x": "tag"}, 400, "no_x_tag"),
        ({"charts": [["loss"]] * 1_001}, 413, "too_many"),
        ({"colours": {"a": 40}}, 400, "bad_request"),
    ],
)
def test_what_cannot_be_saved_is_one_sentence(client: TestClient, asked: dict[str, Any], status: int, code: str) -> None:
    answer = client.post("/api/v1/scalars/html", json=asked)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == code, answer.text


def test_a_file_has_at_most_so_many_points(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_curves, "MAX_POINTS", 150)
    assert client.post("/api/v1/scalars/html", json={}).json()["error"]["code"] == "too_many"


def test_without_the_built_page_it_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(html_curves, "BUNDLE", tmp_path / "none.html")
    answer = client.post("/api/v1/scalars/html", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_page")
