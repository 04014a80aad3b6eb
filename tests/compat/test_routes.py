"""TensorBoard's routes (media_values among them) without TensorBoard: what a client sends wrongly, prefixes, roles, and all points."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from log_folder import LogFolder, decay
from stepscope.compat.all_routes import MODULES, all_routes
from stepscope.compat.blob_keys import BlobKey, blob_key
from stepscope.compat.route import MAX_REQUESTS
from stepscope.compat.routes import core, custom_scalars, graphs, hparams, mesh, pr_curves, projector, scalars, text, timeseries
from stepscope.model.errors import BadInput
from stepscope.model.user import Role, User
from stepscope.server.settings import Settings

ROUTES = Path(__file__).resolve().parents[2] / "src" / "stepscope" / "compat" / "routes"
PLUGIN = "/data/plugin"


@pytest.fixture
def client(folder: LogFolder, serve: Callable[..., TestClient]) -> TestClient:
    folder.write("a", {"loss": decay(3), "acc": [0.5]})
    folder.write("b", {"loss": [2.0]})
    return serve(folder)


def test_the_list_has_every_module() -> None:
    assert sorted(MODULES) == sorted(path.stem for path in ROUTES.glob("*.py") if path.stem != "__init__")


def test_routes_are_below_their_plugin() -> None:
    assert all(route.path.startswith("/data/") and "/plugin/" not in route.path for route in core.ROUTES)
    for module in (scalars, timeseries, text, pr_curves, mesh, custom_scalars, hparams, graphs, projector):
        assert all(route.path.startswith(f"{PLUGIN}/{module.PLUGIN}/") for route in module.ROUTES)


def test_every_point_is_answered(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    folder.write("a", {"loss": [float(step) for step in range(20_000)]})
    found = serve(folder).get(f"{PLUGIN}/scalars/scalars?run=a&tag=loss").json()
    assert [point[1] for point in found] == list(range(20_000))
    assert [point[2] for point in found] == [float(step) for step in range(20_000)]


def test_numbers_that_json_does_not_have_are_words(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    folder.write("a", {"loss": [float("nan"), float("inf"), float("-inf"), 1.0]})
    client = serve(folder)
    found = client.get(f"{PLUGIN}/scalars/scalars?run=a&tag=loss").json()
    assert [point[2] for point in found] == ["NaN", "Infinity", "-Infinity", 1.0]
    lines = client.get(f"{PLUGIN}/scalars/scalars?run=a&tag=loss&format=csv").text.split("\r\n")
    assert [line.rpartition(",")[2] for line in lines[1:5]] == ["nan", "inf", "-inf", "1.0"]


@pytest.mark.parametrize(
    "prefix", ["/data/runs", "/data/runs/", "/experiment/any/data/runs", "/experiment/defaultExperimentId/data/runs"]
)
def test_an_experiment_and_a_slash_at_the_end_are_accepted(client: TestClient, prefix: str) -> None:
    assert client.get(prefix).json() == ["a", "b"]


def test_a_path_prefix_is_in_front(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    folder.write("a", {"loss": [1.0]})
    client = serve(folder, Settings(path_prefix="/board"))
    assert client.get("/board/data/runs").json() == ["a"]
    assert client.get("/board/experiment/x/data/runs").json() == ["a"]


def test_a_form_may_be_multipart_as_browsers_send_it(client: TestClient) -> None:
    fields = [("tag", (None, "loss")), ("runs", (None, "a")), ("runs", (None, "b")), ("runs", (None, "none"))]
    found = client.post(f"{PLUGIN}/scalars/scalars_multirun", files=fields).json()
    assert {run: len(points) for run, points in found.items()} == {"a": 3, "b": 1}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/data/none", 404),
        (f"{PLUGIN}/none/tags", 404),
        (f"{PLUGIN}/scalars/none", 404),
        (f"{PLUGIN}/scalars/scalars", 400),
        (f"{PLUGIN}/scalars/scalars?run=a", 400),
        (f"{PLUGIN}/scalars/scalars?run=a&tag=none", 404),
        (f"{PLUGIN}/scalars/scalars?run=none&tag=loss", 404),
        (f"{PLUGIN}/scalars/scalars?run=../a&tag=loss", 404),
        (f"{PLUGIN}/scalars/scalars?run=a&tag=%00%ff", 404),
        (f"{PLUGIN}/scalars/scalars_multirun", 405),
        (f"{PLUGIN}/timeseries/timeSeries", 400),
        (f"{PLUGIN}/timeseries/timeSeries?requests={{", 400),
        (f"{PLUGIN}/timeseries/timeSeries?requests=[1]", 400),
        (f"{PLUGIN}/timeseries/timeSeries?requests={'[' * 5000}", 400),
        (f"{PLUGIN}/timeseries/imageData", 400),
        (f"{PLUGIN}/timeseries/imageData?imageId=x", 400),
        (f"{PLUGIN}/images/images?run=a&tag=loss", 404),
        (f"{PLUGIN}/images/images?run=a&tag=loss&sample=x", 404),
        (f"{PLUGIN}/images/individualImage?blob_key={BlobKey('images', 'a', 'loss', 0, 2).text}", 404),
        (f"{PLUGIN}/images/individualImage?blob_key={BlobKey('audio', 'a', 'loss', 0, 2).text}", 404),
        (f"{PLUGIN}/images/individualImage?blob_key={BlobKey('images', '../../etc', 'passwd', 0, 2).text}", 404),
        (f"{PLUGIN}/audio/individualAudio?blob_key=x&content_type=text/html", 400),
        (f"{PLUGIN}/audio/individualAudio?blob_key=x&content_type=audio/wav", 400),
        (f"{PLUGIN}/histograms/histograms?run=a&tag=loss", 404),
        (f"{PLUGIN}/distributions/distributions?run=a", 400),
        (f"{PLUGIN}/pr_curves/pr_curves?tag=x", 400),
        (f"{PLUGIN}/pr_curves/pr_curves?tag=loss&run=a", 400),
        (f"{PLUGIN}/mesh/meshes?run=a", 400),
        (f"{PLUGIN}/mesh/data?run=a&tag=x&content_type=OTHER", 400),
        (f"{PLUGIN}/mesh/data?run=a&tag=x&content_type=FACE&step=x", 400),
        (f"{PLUGIN}/custom_scalars/scalars?tag=x", 400),
        (f"{PLUGIN}/graphs/graph", 400),
        (f"{PLUGIN}/graphs/graph?run=a", 404),
        (f"{PLUGIN}/graphs/graph?run=a&conceptual=true", 404),
        (f"{PLUGIN}/graphs/graph?run=a&limit_attr_size=10", 400),
        (f"{PLUGIN}/graphs/graph?run=a&limit_attr_size=0&large_attrs_key=x", 400),
        (f"{PLUGIN}/graphs/run_metadata?run=a", 400),
        (f"{PLUGIN}/graphs/run_metadata?run=a&tag=x", 404),
        (f"{PLUGIN}/projector/info", 400),
        (f"{PLUGIN}/projector/info?run=a", 400),
        (f"{PLUGIN}/projector/tensor?run=a&name=../../x", 400),
        (f"{PLUGIN}/projector/tensor?run=a&name=x&num_rows=0", 400),
        (f"{PLUGIN}/hparams/experiment", 400),
        (f"{PLUGIN}/hparams/experiment?request=[1]", 400),
        (f"{PLUGIN}/hparams/experiment?request={'[' * 5000}", 400),
        (f'{PLUGIN}/hparams/session_groups?request={{"colParams":[{{}}]}}', 400),
        (f'{PLUGIN}/hparams/session_groups?request={{"allowedStatuses":["x"]}}', 400),
        (f'{PLUGIN}/hparams/session_groups?request={{"startIndex":-1}}', 400),
        (f'{PLUGIN}/hparams/session_groups?request={{"colParams":[{{"hparam":"a","filterRegexp":"("}}]}}', 400),
        (f'{PLUGIN}/hparams/metric_evals?request={{"sessionName":"a","metricName":{{"tag":"none"}}}}', 404),
        (f"{PLUGIN}/hparams/download_data?format=csv&request={{}}", 400),
        (f"{PLUGIN}/hparams/download_data?columnsVisibility=[]&request={{}}", 400),
        (f"{PLUGIN}/custom_scalars/download_data?run=a&tag=none", 404),
    ],
)
def test_a_bad_question_is_answered_with_a_sentence(client: TestClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text


@pytest.mark.parametrize("route", sorted(all_routes()))
def test_no_route_fails_on_an_empty_folder_or_on_nonsense(folder: LogFolder, serve: Callable[..., TestClient], route: str) -> None:
    client = serve(folder)
    for query in ("", "?run=%ff&tag=%00&sample=-1&format=x&request={}&blob_key=%F0", "?run=&tag=&sample=9" + "9" * 40):
        for answer in (client.get(route + query), client.post(route + query, content=b"\xff{"), client.post(route, data={"tag": "x"})):
            assert answer.status_code in (200, 400, 404, 405)


def test_a_pattern_that_never_ends_elsewhere_is_matched_at_once(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    folder.write("a", {"a" * 60: [1.0]})
    found = serve(folder).get(f"{PLUGIN}/custom_scalars/scalars?run=a&tag=(a%2B)%2B(a%2B)%2Bb").json()
    assert found == {"regex_valid": True, "tag_to_events": {}}


def test_a_role_is_needed(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    def nobody(_: Any) -> User:
        return User("x", "X", 0)  # pyright: ignore[reportArgumentType]

    assert all(route.role >= Role.VIEWER for route in all_routes().values())
    answer = serve(folder, who=nobody).get("/data/runs")
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (403, "text/plain")


def test_other_sites_and_names_are_refused(client: TestClient) -> None:
    assert client.get("/data/runs", headers={"host": "evil.example"}).status_code == 403
    path = f"{PLUGIN}/scalars/scalars_multirun"
    assert client.post(path, data={"tag": "loss"}, headers={"origin": "http://evil.example"}).status_code == 403


def test_too_many_series_at_once_are_refused(client: TestClient) -> None:
    requests = json.dumps([{"plugin": "scalars", "tag": "loss"}] * (MAX_REQUESTS + 1))
    assert client.post(f"{PLUGIN}/timeseries/timeSeries", data={"requests": requests}).status_code == 413


def test_nothing_that_is_answered_can_run_in_a_browser(client: TestClient) -> None:
    assert "sandbox" in client.get("/data/runs").headers["content-security-policy"]


def test_a_blob_key_is_read_as_it_was_made() -> None:
    key = BlobKey("images", "a/ü", 'tag "x"', 2**40, 3)
    assert blob_key(key.text) == key
    assert "=" not in key.text


@pytest.mark.parametrize("text", ["", "!!!!", "bnVsbA", "WzEsMl0", BlobKey("images", "a", "b", 1, -1).text, "W" * 70_000])
def test_what_is_no_blob_key_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        blob_key(text)
